/** The columns of files that do not fit the facts that are read -> words. */

import type { ColumnGaps, FileColumns } from '../../decision/rows/column-gaps.ts';
import { count, joinWords, printable, proposeWords } from '../../text.ts';
import { type Lines, lines } from '../outline.ts';

/** `the column ip is not read; did you mean "applicant_ip"?`, and a line for all that resemble nothing. */
function unreadWords(unread: ColumnGaps['unread']): readonly string[] {
  const others = unread.filter(({ meant }) => meant.length === 0);
  return [
    ...unread.flatMap(({ column, meant }) =>
      meant.length === 0 ? [] : `the column ${printable(column)} is not read; ${proposeWords(meant).hint}`,
    ),
    ...(others.length > 0 ? [othersWords(others, others.length < unread.length)] : []),
  ];
}

/** A file of a bank has a hundred columns for others: so many are named. */
const MOST_NAMED = 3;

function othersWords(others: ColumnGaps['unread'], areOther: boolean): string {
  const named = others.slice(0, MOST_NAMED).map(({ column }) => printable(column));
  const more = others.length - named.length;
  const all = joinWords([...named, ...(more > 0 ? [`${more} more`] : [])]);
  const columns = count(others.length, areOther ? 'other column' : 'column');
  return `${columns} ${others.length === 1 ? 'is' : 'are'} not read: ${all}`;
}

/** What a report says first: which facts nobody has, and which columns nobody reads. */
export function columnLines(files: readonly FileColumns[]): readonly Lines[] {
  const byWords = Map.groupBy(files, (gaps) => gapWords(gaps).join('\n'));
  const said = [...byWords].flatMap(([words, [first, ...rest]]) => {
    if (words === '' || !first) return [];
    const more = rest.length > 0 ? ` and ${count(rest.length, 'more file')}` : '';
    const place = rest.length + 1 === files.length ? '' : `${first.file}${more}: `;
    return words.split('\n').map((each) => `${place}${each}`);
  });
  return said.length > 0 ? [lines('Columns that do not fit', said)] : [];
}

/** The files with columns that do not fit. */
export function columnsAsData(files: readonly FileColumns[]): readonly FileColumns[] {
  return files.filter(({ absent, unread }) => absent.length + unread.length > 0);
}

/** A line for all that are absent, and those for what is unread. */
export function gapWords({ absent, unread }: ColumnGaps): readonly string[] {
  const [columns, facts] = absent.length === 1 ? ['column', 'its fact is'] : ['columns', 'their facts are'];
  const missing = `no ${columns} ${joinWords(absent.map(printable))}: ${facts} missing in every row`;
  return [...(absent.length > 0 ? [missing] : []), ...unreadWords(unread)];
}
