/** A CSV file of a policy (RFC 4180) -> its header, and its records as nodes of YAML; or diagnostics. */

import type { Edit } from '../../../diagnostics.ts';
import type { FactType } from '../../../facts/catalog.ts';
import {
  DELIMITER_NAMES,
  findDelimiter,
  isSeparatedOtherwise,
  locateRecords,
  problemOfHeader,
  withDecimalPoint,
} from '../../../platform/files/csv.ts';
import {
  isTooLong,
  quoteCsv,
  type Replacement,
  reportAt,
  type Source,
  type Span,
} from '../../../platform/files/source.ts';
import { SourceView } from '../../../platform/files/source-view.ts';
import { parseYaml, type ScalarNode, type Yaml } from '../../../platform/yaml.ts';
import { count, trimWhiteSpace } from '../../../text.ts';

/** A record: a text for each column. White space around a text does not count. */
interface CsvRow extends Span {
  readonly cells: readonly TextNode[];
}

/** A text of a CSV file. */
export interface TextNode extends ScalarNode {
  readonly value: string;
  /** What separates the columns of the file. */
  readonly delimiter: string;
}

/** A CSV file as read. */
export interface CsvFile {
  readonly header: readonly TextNode[];
  /** The records that can be read and have a text for each column. */
  readonly rows: readonly CsvRow[];
  /** Whether every record can be read. */
  readonly isWhole: boolean;
}

/** Reads a CSV file, but no more rows than `most`. Undefined, with a diagnostic, without a header that can be read. */
export function readCsvFile(source: Source, most = Number.POSITIVE_INFINITY): CsvFile | undefined {
  source.quote = quoteCsv;
  const rows: CsvRow[] = [];
  let header: readonly TextNode[] | undefined;
  let isWhole = true;
  const emptyRows: Span[] = [];
  const firstLine = /\S.*/.exec(source.text);
  const delimiter = findDelimiter(firstLine?.[0] ?? '');
  const problem = firstLine && problemOfHeader(firstLine[0]);
  if (problem) {
    source.report(firstLine.index, firstLine.index + firstLine[0].length, 'csv-syntax', problem);
    return undefined;
  }
  for (const record of locateRecords(source.text, delimiter)) {
    if (rows.length >= most) break;
    const { start, end } = record;
    const span = { source, start, end };
    if ('problem' in record) reportAt(span, 'csv-syntax', record.problem);
    const cells =
      'values' in record ? record.values.map((value) => ({ ...nodeOf(value.text), ...value, source, delimiter })) : [];
    const isShort = cells.every((cell) => !isTooLong(cell, cell.value));
    if (!header) {
      header = isShort && 'values' in record ? cells : undefined;
      if (!header || !areDistinct(header)) return undefined;
    } else if ('values' in record && cells.length > 1 && cells.every(({ value }) => value === '')) {
      emptyRows.push(span);
    } else if (isShort && 'values' in record && cells.length === header.length) {
      rows.push({ ...span, cells });
    } else {
      if (isShort && 'values' in record) reportLength(span, cells, header);
      isWhole = false;
    }
  }
  const [emptyRow] = emptyRows;
  if (emptyRow) {
    const message = `found ${count(emptyRows.length, 'empty row')}, as spreadsheets write them`;
    reportAt(emptyRow, 'empty', message, { hint: 'delete the empty rows' });
  }
  if (header) return { header, rows, isWhole };
  source.report(0, 1, 'empty', 'the file is empty; its first line must name its columns');
  return undefined;
}

function nodeOf(text: string): Pick<TextNode, 'kind' | 'value' | 'written'> {
  const value = trimWhiteSpace(text);
  return { kind: 'scalar', value, written: value };
}

function areDistinct(header: readonly TextNode[]): boolean {
  const taken = new Set<string>();
  let areAll = true;
  for (const node of header) {
    if (node.value !== '' && taken.has(node.value)) {
      reportAt(node, 'duplicate-name', `the column "${node.value}" occurs twice`);
      areAll = false;
    }
    taken.add(node.value);
  }
  return areAll;
}

function reportLength(row: Span, cells: readonly TextNode[], header: readonly TextNode[]): void {
  const message = `found ${count(cells.length, 'cell')}; the header of the file has ${count(header.length, 'column')}`;
  reportAt(row, 'row-length', message, { hint: lengthMeant(row, cells, header) });
}

function lengthMeant({ source, start, end }: Span, cells: readonly TextNode[], header: readonly TextNode[]): string {
  const delimiter = header[0]?.delimiter ?? ',';
  const separator = DELIMITER_NAMES[delimiter];
  if (isSeparatedOtherwise(source.text.slice(start, end), delimiter, header.length))
    return `the header separates its columns by ${separator}s: do so here`;
  const [last, missing] = [cells.at(-1), header[cells.length]];
  if (!last || !missing) return `put a text with a ${separator} in quotes: "Smith${delimiter} Jo"`;
  return `the row ends with "${last.value}" for "${header[cells.length - 1]?.value}"; "${missing.value}" has no cell`;
}

/** How cells begin that are YAML: maps of tests, lists, and texts in quotes. */
const BEGINS_YAML = /^[{["']/;

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
/** As in YAML; spreadsheets write TRUE. */
const BOOLEAN = /^(true|false|True|False|TRUE|FALSE)$/;

/** Undefined, with diagnostics in the file, for a cell that looks like YAML but does not parse. */
export function readFactCell(cell: TextNode, type: FactType): Yaml | undefined {
  if (cell.value === '') return emptyCell(cell);
  return BEGINS_YAML.test(cell.value) ? parseYaml(new CellSource(cell)) : readTyped(cell, type);
}

/** A cell that says nothing: an error for a fact, and left out for a key of the row. */
export function emptyCell(cell: TextNode): ScalarNode {
  return { ...cell, value: null };
}

/** A text of another form stays one, so that it is reported as the wrong type. */
function readTyped(cell: TextNode, type: FactType): ScalarNode {
  if (type === 'boolean') {
    return BOOLEAN.test(cell.value) ? { ...cell, value: cell.value.toLowerCase() === 'true' } : cell;
  }
  return type === 'number' || type === 'integer' ? readNumeral(cell) : cell;
}

/** A number, if the text is one. */
export function readNumeral(cell: TextNode): ScalarNode {
  const text = withDecimalPoint(cell.value, cell.delimiter) ?? '';
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? { ...cell, value: number } : cell;
}

/** The text of a cell as a source; what is reported of it is reported where it is written in the file. */
class CellSource extends SourceView {
  readonly #cell: TextNode;

  constructor(cell: TextNode) {
    super(cell.source, cell.value);
    this.#cell = cell;
  }

  override editOf({ start, end, text }: Replacement): Edit | undefined {
    const isQuoted = this.#cell.source.text[this.#cell.start] === '"';
    if (!isQuoted && (text.includes('"') || text.includes(this.#cell.delimiter))) return undefined;
    return super.editOf({ start, end, text: isQuoted ? text.replaceAll('"', '""') : text });
  }

  /** Where a part of the text is in the file: quotes stand around it, and twice inside it. */
  protected override toWhole(offset: number): number {
    const { source, start, end, value } = this.#cell;
    const written = source.text.slice(start, end);
    const isQuoted = written.startsWith('"');
    let at = isQuoted ? 1 : 0;
    const step = () => {
      at += isQuoted && written.startsWith('""', at) ? 2 : 1;
    };
    // White space before the text does not count.
    while (at < written.length && written[at] !== value[0]) step();
    for (let i = 0; i < offset; i++) step();
    return start + Math.min(at, written.length);
  }
}
