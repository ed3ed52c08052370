/** The columns of a file, and those of the facts that are read -> what is missing, and what nobody reads. */

import { type Effort, lettersOf, nearest } from '../../text.ts';

/** What the columns of a file and the facts that are read do not have in common. */
export interface ColumnGaps {
  /** The columns of facts that are read, or counted by, and that the file lacks: missing in every row. */
  readonly absent: readonly string[];
  /** The columns that no fact has, and nothing else of a row, in the order of the file. */
  readonly unread: readonly UnreadColumn[];
}

/** The same of a file, or of a table of a database. */
export type FileColumns = ColumnGaps & { readonly file: string };

/** A column that nobody reads. */
export interface UnreadColumn {
  readonly column: string;
  /** The wanted columns that it may be. */
  readonly meant: readonly string[];
}

/** A column that the file lacks and that would be read, and the path of its fact. */
export type WantedColumn = readonly [column: string, path: string];

/** What a row has beside facts. */
export const OF_ROWS = ['at', 'client_reference', 'outcome', 'disposition'];

/** The columns of `names` that nobody reads. `isRead`: whether a fact has one. */
export function findUnread(
  names: readonly string[],
  isRead: (name: string) => boolean,
  wanted: readonly WantedColumn[],
): readonly UnreadColumn[] {
  const columns = wanted.map(([column]) => column);
  const byLetters = Map.groupBy(columns, bare);
  const ends = wanted.flatMap(([column, path]) => endsOf(path).map((end) => ({ end, column })));
  const byEnd = Map.groupBy(ends, ({ end }) => end);
  const effort: Effort = { left: MOST_EFFORT };
  /** Those with these letters, or whose fact ends in them, as `applicant.ip` does in `ip`; else a similar one. */
  const meantBy = (name: string): readonly string[] => {
    const letters = bare(name);
    const sure = byLetters.get(letters) ?? byEnd.get(letters)?.map(({ column }) => column);
    if (sure !== undefined || letters.length < FEWEST_LETTERS) return sure ?? [];
    const alike = columns.filter((column) => Math.abs(column.length - name.length) <= MOST_LONGER);
    const near = nearest(name, alike, effort);
    return near === undefined ? [] : [near];
  };
  const isBeside = (name: string) => name.startsWith('_') || OF_ROWS.includes(name.toLowerCase());
  return names.flatMap((column) => (isRead(column) || isBeside(column) ? [] : { column, meant: meantBy(column) }));
}

/** A file may have 10,000 columns: so many pairs of letters are compared for all of them. */
const MOST_EFFORT = 20_000_000;

/** Shorter names resemble too many others; a name that is much longer is another one (`born`, `born_never`). */
const [FEWEST_LETTERS, MOST_LONGER] = [4, 3];

/** The letters of a path without its first parts: `addressscore` and `score` of `email.address.score`. */
function endsOf(path: string): readonly string[] {
  const parts = path.split('.');
  return parts.slice(1).map((_, i) => bare(parts.slice(i + 1).join('')));
}

function bare(name: string): string {
  return lettersOf(name).replaceAll('.', '');
}
