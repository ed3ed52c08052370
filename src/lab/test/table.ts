/** The YAML of `table`, perhaps with a CSV file -> a case for each row. */

import type { FactTable } from '../../facts/catalog.ts';
import { type JsonSchema, TEXT } from '../../facts/json-schema.ts';
import { reportAt, type Source, type Span } from '../../platform/files/source.ts';
import { cellsMeantBy } from '../../platform/syntax/shapes.ts';
import type { ScalarNode, Yaml } from '../../platform/yaml.ts';
import { isNull, readFields, readItems, readLists, readText } from '../../platform/yaml-fields.ts';
import { emptyCell, readCsvFile, readFactCell, type TextNode } from '../../policy/read/files/csv-file.ts';
import { NAMED_PATH } from '../../policy/read/form.ts';
import { type KeyTable, key, keySetOf, readValues, type SchemaNames } from '../../policy/read/key.ts';
import { unknownFact } from '../../policy/read/mistakes/facts.ts';
import { count } from '../../text.ts';
import { EXPECTATION_KEYS, type ExpectationNodes, type ExpectedNames, expectationOf } from './expectation.ts';
import { COLUMN_SYNONYMS, emptyListMeant, tableMeant } from './mistakes.ts';
import type { Expectation } from './test-case.ts';
import { readWrittenFact, type WrittenFact, type WrittenFacts } from './written-facts.ts';

/** What a table is read with. */
export interface TableContext {
  readonly facts: FactTable;
  readonly names: ExpectedNames;
  /** The text of the file that a node names; undefined, with a diagnostic, if it cannot be read. */
  readonly open: (node: Yaml) => Source | undefined;
}

/** A row: its own name, if it has one, and what it adds to the test. */
export interface CaseRow {
  readonly span: Span;
  readonly name: string | undefined;
  readonly facts: WrittenFacts;
  readonly expect: Expectation;
  readonly nodes: ExpectationNodes;
  /** Whether a part of it could not be read, which is reported. */
  readonly isPartial: boolean;
}

type ExpectationKey = keyof typeof EXPECTATION_KEYS;

/** The columns that are not facts. */
const OWN_COLUMNS: readonly string[] = ['name', ...Object.keys(EXPECTATION_KEYS)];

function columnsSchema({ facts, own }: SchemaNames): JsonSchema {
  const column = { type: 'string', enum: [...facts.keys(), ...OWN_COLUMNS] };
  return {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: own ? column : { anyOf: [column, NAMED_PATH.schema] },
  };
}

/** The keys of `table`. */
export const CASE_TABLE_KEYS = {
  columns: key('What the cells are: facts, keys of `expect`, and `name`.', columnsSchema, (node) => node),
  rows: key(
    'The rows, each with one cell for each column; ~ leaves the column out.',
    { type: 'array', minItems: 1, items: { type: 'array', minItems: 1 } },
    (node) => node,
  ),
  file: key('A CSV file in place of columns and rows; its first line has the columns.', TEXT, (node) => node),
} satisfies KeyTable<unknown>;

/** The schema of `table`, in addition to that of its keys: a file, or columns and rows. */
export const CASE_TABLE_FORMS: JsonSchema = {
  anyOf: [{ required: ['columns', 'rows'] }, { required: ['file'] }],
  dependencies: { file: { properties: { columns: false, rows: false } } },
};

/** Reads the rows of a table; undefined, with diagnostics, without columns that can be read. */
export function readTable(node: Yaml, context: TableContext): readonly CaseRow[] | undefined {
  const fields = readFields(node, '`table`', keySetOf(CASE_TABLE_KEYS), tableMeant(node));
  if (!fields) return undefined;
  const { columns, rows, file } = readValues(fields, CASE_TABLE_KEYS, undefined);
  if (file && (columns || rows)) {
    return reportAt(node, 'wrong-value', 'found a file together with `columns` or `rows`; the file has its own');
  }
  if (file) return readFileRows(file, context);
  const lacking = (['columns', 'rows'] as const).filter((name) => !fields.isMeant(name));
  if (lacking.length > 0) {
    return reportAt(node, 'missing-key', '`table` needs `columns` and `rows`, or `file`');
  }
  const readers = columns && readColumns(readItems(columns, '`columns`') ?? [], context);
  const items = rows && readLists(rows, '`rows`');
  if (!readers || readers.length === 0 || !items) return undefined;
  return items.flatMap((item) => {
    const cells = readItems(item, 'a row');
    if (!cells) return [];
    if (cells.length !== readers.length) {
      const message = `found ${count(cells.length, 'cell')}; the table has ${count(readers.length, 'column')}`;
      return reportAt(item, 'row-length', message, cellsMeantBy(cells, readers.length)) ?? [];
    }
    return readRow(item, cells, readers);
  });
}

function readFileRows(node: Yaml, context: TableContext): readonly CaseRow[] | undefined {
  const source = context.open(node);
  const file = source && readCsvFile(source);
  const readers = file && readColumns(file.header, context);
  if (file?.isWhole && file.rows.length === 0)
    reportAt(node, 'empty', 'found no rows below the header; the file needs at least one');
  return readers && file.rows.map((row) => readRow(row, row.cells.map(cellNode(file.header, context)), readers));
}

/** The node that a cell of a CSV file would be in YAML; a list is written like `A B`, `A, B` or `[A, B]`. */
function cellNode(header: readonly TextNode[], { facts }: TableContext) {
  return (cell: TextNode, i: number): Yaml => {
    const column = header[i]?.value ?? '';
    if (cell.value === '~') return emptyCell(cell);
    const type = facts.get(column)?.type;
    const isOne = !isListColumn(column) || cell.value === '' || cell.value.startsWith('[') || emptyListMeant(cell);
    if (isOne) return readFactCell(cell, type ?? (column === 'score' ? 'number' : 'string')) ?? emptyCell(cell);
    const items = cell.value.split(/[\s,;]+/).map((value): ScalarNode => ({ ...cell, value, written: value }));
    return { kind: 'list', items, source: cell.source, start: cell.start, end: cell.end };
  };
}

function isListColumn(column: string): boolean {
  const schema = Object.hasOwn(EXPECTATION_KEYS, column) && EXPECTATION_KEYS[column as ExpectationKey].schema;
  return typeof schema === 'object' && 'type' in schema && schema['type'] === 'array';
}

/** What a cell adds to its row. */
interface RowParts {
  name: string | undefined;
  isPartial: boolean;
  readonly facts: Map<string, WrittenFact>;
  readonly expect: { -readonly [Key in keyof Expectation]: unknown };
  readonly nodes: Map<keyof Expectation, Yaml>;
}

type CellReader = (cell: Yaml, row: RowParts) => void;

/** For a column that is wrong. */
const ignore: CellReader = () => {};

function readRow(span: Span, cells: readonly Yaml[], readers: readonly CellReader[]): CaseRow {
  const row: RowParts = { name: undefined, isPartial: false, facts: new Map(), expect: {}, nodes: new Map() };
  for (const [i, cell] of cells.entries()) if (!isNull(cell)) readers[i]?.(cell, row);
  return {
    span,
    name: row.name,
    facts: row.facts,
    expect: expectationOf(row.expect),
    nodes: row.nodes,
    isPartial: row.isPartial || readers.includes(ignore),
  };
}

/** The reader of the cells of each column; one that does nothing for a column that is wrong. */
function readColumns(nodes: readonly Yaml[], { facts, names }: TableContext): readonly CellReader[] {
  const taken = new Set<string>();
  return nodes.map((node): CellReader => {
    const column = readText(node, 'a column');
    if (column === undefined) return ignore;
    if (taken.has(column)) {
      reportAt(node, 'duplicate-name', `the column "${column}" occurs twice`);
      return ignore;
    }
    taken.add(column);
    if (column === 'name') {
      return (cell, row) => {
        row.name = readText(cell, 'the name of a row');
      };
    }
    if (Object.hasOwn(EXPECTATION_KEYS, column)) {
      const { read } = EXPECTATION_KEYS[column as ExpectationKey];
      return (cell, row) => {
        const value = read(cell, `\`${column}\``, names);
        row.expect[column as ExpectationKey] = value;
        row.nodes.set(column as ExpectationKey, cell);
        if (value === undefined) row.isPartial = true;
      };
    }
    const definition = facts.get(column);
    if (definition?.compute) reportAt(node, 'wrong-value', `the policy computes ${column}; it cannot be given`);
    if (definition && !definition.compute) {
      return (cell, row) => {
        const fact = readWrittenFact(column, definition, cell);
        if (fact) row.facts.set(column, fact);
      };
    }
    if (!definition) {
      const message = `the policy has no fact "${column}"; a column must be a fact or one of ${OWN_COLUMNS.join(', ')}`;
      const { unknown } = unknownFact(column.replace(/^(expect|facts)\./, ''), facts, OWN_COLUMNS, COLUMN_SYNONYMS);
      reportAt(node, 'unknown-fact', message, { unknown });
    }
    return ignore;
  });
}
