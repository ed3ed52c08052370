/** `verdict audit search`: what somebody looks for -> the decisions on record that fit, the newest first. */

import { type Command, InvalidArgumentError } from 'commander';
import type { SearchResult } from '../../../audit/query/search.ts';
import { count, printable } from '../../../text.ts';
import type { Finish } from '../../io.ts';
import { columnsOf, EXIT, type Io, say, stylerFor, write } from '../../io.ts';
import { addFormat } from '../../options/arguments.ts';
import { addFilters, type FilterOptions, queryOf, queryWords } from '../../options/filters.ts';
import { addHtml, type PageOptions, writePageFile } from '../../options/html.ts';
import { addKeys, type KeysOptions, logPlaceOf } from '../../options/log-place.ts';

interface Options extends FilterOptions, KeysOptions, PageOptions {
  readonly limit?: number;
  readonly format: 'text' | 'json' | 'csv';
}

/** Adds the command. */
export function addSearchCommand(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('search <dir>')
    .description('find decisions on record, the newest first; --subject needs the keys, nothing else does')
    .option('--limit <n>', 'so many at most (default: 100)', readLimit);
  addFilters(command);
  const formats = ['text', 'json', 'csv'] as const;
  addFormat(addHtml(addKeys(command)), formats)
    .addHelpText(
      'after',
      `
In CSV, a cell that a spreadsheet would take for a formula has an apostrophe in front. What else there is to say of a
search stands on standard error with json and csv.`,
    )
    .action(async (dir: string, options: Options) => {
      const { searchLog } = await import('../../../audit/query/search.ts');
      const { limit, format } = options;
      const settings = { signal: io.signal, ...(limit === undefined ? {} : { limit }) };
      const query = await queryOf(options, io);
      const result = await searchLog(logPlaceOf(dir, options, io), query, settings);
      if (result.withoutDuckDb) await say(io.stderr, SLOW[result.withoutDuckDb]);
      const style = stylerFor(io.stdout, io.env);
      const { searchCsv: foundCsv, searchTable: foundTable } = await import('../../terminal/search-table.ts');
      const doubts = doubtsOf(result, dir);
      const footer = [foundWords(result), ...doubts].join('\n');
      if (options.html !== undefined) {
        const { searchPage } = await import('../../../report/html/search-page.ts');
        const page = {
          filters: queryWords(query),
          rows: result.rows,
          total: result.total,
          verification: doubts.join('; '),
        };
        await writePageFile(options.html, searchPage(page), io);
      } else if (format === 'text') {
        await write(io.stdout, foundTable(result.rows, style, columnsOf(io.stdout)));
        await write(io.stdout, `${result.rows.length > 0 ? '\n' : ''}${style('dim', footer)}\n`);
      } else {
        const text = format === 'csv' ? foundCsv(result.rows) : `${JSON.stringify(result.rows, null, 2)}\n`;
        await write(io.stdout, text);
        await say(io.stderr, `${footer}\n`);
      }
      finish(EXIT.done);
    });
}

function readLimit(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('A whole number was expected.');
  return Number(text);
}

const SLOW: Readonly<Record<NonNullable<SearchResult['withoutDuckDb']>, string>> = {
  'not-installed':
    'note: DuckDB is not installed, so that the log was read line by line; faster with: npm install @duckdb/node-api\n',
  failed: 'note: DuckDB could not read all of the log, so that it was read line by line\n',
};

function foundWords({ rows, total }: SearchResult): string {
  if (total === 0) return 'no decision found';
  return rows.length < total
    ? `the newest ${rows.length.toLocaleString('en')} of ${total.toLocaleString('en')} decisions; --limit shows more`
    : count(total, 'decision');
}

/** What is not to be believed of a search, or not to be found by one. */
function doubtsOf({ prunedSegments }: SearchResult, dir: string): readonly string[] {
  return [
    ...(prunedSegments > 0 ? [`${count(prunedSegments, 'segment')} pruned: what was in them is not found`] : []),
    `not verified: verdict audit verify ${printable(dir)}`,
  ];
}
