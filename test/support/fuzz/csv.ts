/** Columns and their cells -> a CSV file with hostile cells, or a plain one whose rows can be counted. */

import { pick, type Random } from '../facts/mutate.ts';
import { hostileText, times, withPiece } from './texts.ts';

/** A CSV file; `records` is the number of its rows if it is plain. */
export interface HostileCsv {
  readonly how: string;
  readonly bytes: Buffer;
  readonly records: number | undefined;
}

/** `columns` gives the cells of each column, by the number of the row. */
export function hostileCsv(
  columns: Readonly<Record<string, (row: number, random: Random) => string>>,
  delimiters: readonly string[],
  random: Random,
): HostileCsv {
  const isPlain = random() < 0.3;
  const delimiter = pick(delimiters, random);
  const written = (text: string, share: number) => (isPlain || random() < share ? text : hostileCell(text, random));
  const records = Array.from({ length: 1 + times(random) }, (_, row) =>
    Object.values(columns).map((cell) => written(cell(row, random), 0.7)),
  );
  const header = Object.keys(columns).map((name) => written(name, 0.97));
  const text = [header, ...records].map((cells) => cells.join(delimiter)).join(pick(['\n', '\r\n'], random));
  if (isPlain) return { how: 'plain', bytes: Buffer.from(text), records: records.length };
  const isCut = random() < 0.2;
  const bytes = Buffer.from(isCut ? text.slice(0, Math.floor(random() * text.length)) : text);
  return { how: isCut ? 'cut' : 'hostile cells', bytes, records: undefined };
}

function hostileCell(text: string, random: Random): string {
  const cell = random() < 0.5 ? withPiece(text, random) : hostileText(random);
  return random() < 0.5 ? cell : `"${random() < 0.8 ? cell.replaceAll('"', '""') : cell}"`;
}
