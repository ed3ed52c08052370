/** A CSV file of a policy (RFC 4180, commas) -> its header and its records as nodes, or diagnostics in the file. */

import { findDelimiter, locateRecords } from '../../../platform/files/csv.ts';
import { quoteCsv } from '../../../platform/files/quote.ts';
import { reportAt, type Source, type Span } from '../../../platform/files/source.ts';
import type { ScalarNode } from '../../../platform/yaml.ts';
import { count, trimWhiteSpace } from '../../../text.ts';

/** A record: a text for each column. White space around a text does not count. */
interface CsvRow extends Span {
  readonly cells: readonly TextNode[];
}

/** A text of a CSV file. */
export interface TextNode extends ScalarNode {
  readonly value: string;
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
  for (const record of locateRecords(source.text)) {
    if (rows.length >= most) break;
    const { start, end } = record;
    const span = { source, start, end };
    if ('problem' in record) reportAt(span, 'csv-syntax', record.problem);
    const cells = 'values' in record ? record.values.map((value) => ({ ...nodeOf(value.text), ...value, source })) : [];
    if (!header) {
      header = 'values' in record && hasCommas(span) ? cells : undefined;
      if (!header || !areDistinct(header)) return undefined;
    } else if ('values' in record && cells.length === header.length) {
      rows.push({ ...span, cells });
    } else {
      if ('values' in record) reportLength(span, cells.length, header.length);
      isWhole = false;
    }
  }
  if (header) return { header, rows, isWhole };
  source.report(0, 1, 'empty', 'the file is empty; its first line must name its columns');
  return undefined;
}

function nodeOf(text: string): Pick<TextNode, 'kind' | 'value' | 'written'> {
  const value = trimWhiteSpace(text);
  return { kind: 'scalar', value, written: value };
}

/** Excel separates by semicolons where the comma is the decimal sign. */
function hasCommas(header: Span): boolean {
  const delimiter = findDelimiter(header.source.text.slice(header.start, header.end));
  if (delimiter === ',') return true;
  const found = delimiter === ';' ? 'semicolons' : 'tabs';
  reportAt(header, 'csv-syntax', `found columns separated by ${found}; they must be separated by commas`, {
    hint: 'save the file as "CSV UTF-8 (comma delimited)"',
  });
  return false;
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

function reportLength(row: Span, cells: number, columns: number): void {
  const message = `found ${count(cells, 'cell')}; the header of the file has ${count(columns, 'column')}`;
  reportAt(row, 'row-length', message, { hint: 'put a text with a comma in quotes: "Smith, Jo"' });
}
