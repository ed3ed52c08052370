/** `verdict audit search`: a query -> the decisions on record that match, the newest first. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LogIndex } from '../../../audit/index/log-index.ts';
import type { SearchResult } from '../../../audit/query/search.ts';
import { asksWords, COUNT_KEYS, type CountKey } from '../../../audit/read/count-by.ts';
import { count, printable } from '../../../text.ts';
import { columnsOf, type Io } from '../../io.ts';
import { addFormat, numberReader, present, readPair } from '../../options/arguments.ts';
import { addFilters, FILTER_GROUP, queryOf, undecidableWords } from '../../options/filters.ts';
import { addKeys, logPlaceOf, withIndex } from '../../options/log-place.ts';
import { addReading, recordReading, subjectsNamed } from '../../options/reading.ts';
import { endWith } from '../../result.ts';

/** Adds the command. */
export function addSearchCommand(audit: Command, io: Io): void {
  const command = audit
    .command('search <log>')
    .description(
      'find decisions on record, the newest first; only people, references, facts and words of notes need the keys',
    )
    .option('--limit <n>', 'the most decisions to print (default: 100)', readLimit)
    .addOption(
      new Option('--count-by <keys>', `count decisions in place of listing them, by some of ${COUNT_KEYS.join(', ')}`)
        .argParser(readCountKeys)
        .conflicts('limit'),
    );
  const filtered = addFilters(command)
    .optionsGroup(FILTER_GROUP)
    .option('--fact <path=value>', 'the value of a fact on record, such as context.market=DE; repeatable', readPair)
    .option('--where <condition>', 'a condition on facts on record, as YAML, such as "context.age: { below: 30 }"')
    .optionsGroup('Options:');
  const formats = ['text', 'json', 'csv'] as const;
  addFormat(addReading(addKeys(filtered)), formats)
    .addHelpText(
      'after',
      `
--count-by takes several keys, with commas between them: --count-by reason,month. Days and months are UTC; reasons are
those that decided, and rules those that fired; review and label are what people say of a decision by now, and
disposition is the label, or else the review. Person and why are who reviewed it and their reason, or of the label where
nobody did: they are encrypted, so this is on record. Waited is how long the case took that the review resolves.

Facts are encrypted: --fact and --where open every decision that the other options leave, which takes longer.

CSV: a cell that a spreadsheet would run as a formula starts with an apostrophe.
JSON and CSV: counts and warnings go to standard error.`,
    )
    .action(async (dir, options) => {
      const { searchLog } = await import('../../../audit/query/search.ts');
      const { checkNames } = await import('../../../audit/query/known-names.ts');
      const { limit, countBy, fact, where } = options;
      const query = await queryOf(options, io);
      const place = logPlaceOf(dir, options, io);
      await checkNames(place, query);
      const subjects = query.subject === undefined ? undefined : await subjectsNamed(query.subject, place);
      if (subjects || fact || where !== undefined || countBy?.some(asksWords)) {
        const event = { type: subjects ? 'subject.searched' : 'facts.searched', subjects: subjects ?? {} } as const;
        await recordReading(place, event, options, io);
      }
      const search = (index?: LogIndex) =>
        searchLog(place, query, {
          ...present({ limit, facts: fact, where, index }),
          ...(countBy === undefined ? {} : { countBy, limit: 1 }),
        });
      const result = await withIndex(place, io, search);
      const { countedTable } = await import('../../../report/plain-text.ts');
      const report = await import('../../../report/log.ts');
      const { rows, counts } = result;
      const footer = [...(counts ? report.countNotes(counts) : [countWords(result)]), ...warningsOf(result, dir)];
      const notes = footer.join('\n');
      await endWith(io, options, {
        data: () => (counts ? report.countRows(counts) : rows),
        csv: () => (counts ? report.countCsv(counts) : report.searchCsv(rows)),
        text: (style) => {
          if (counts) return countedTable(report.countTable(counts), notes, style);
          const table = report.searchTable(rows, style, columnsOf(io.stdout));
          return `${table}${rows.length > 0 ? '\n' : ''}${style('dim', notes)}\n`;
        },
        footer: `${notes}\n`,
      });
    });
}

const readLimit = numberReader(/^\d{1,9}$/, () => true, 'a whole number');

/** Keys with commas between them; a key that is given twice counts once. */
function readCountKeys(text: string): readonly CountKey[] {
  const keys = text.split(',').map((given) => {
    const key = COUNT_KEYS.find((each) => each === given.trim());
    if (!key) throw new InvalidArgumentError(`Expected some of ${COUNT_KEYS.join(', ')}, with commas between them.`);
    return key;
  });
  return [...new Set(keys)];
}

function countWords({ rows, total }: SearchResult): string {
  if (total === 0) return 'no decision found';
  return rows.length < total
    ? `the newest ${rows.length.toLocaleString('en')} of ${total.toLocaleString('en')} decisions; --limit shows more`
    : count(total, 'decision');
}

/** Why the result may be incomplete or false. */
function warningsOf(result: SearchResult, dir: string): readonly string[] {
  const { prunedSegments, undecidable, unopened = 0, unknownFacts = [] } = result;
  return [
    ...(unopened > 0
      ? [`not compared: ${count(unopened, 'decision')} whose facts cannot be read, as after an erasure`]
      : []),
    ...unknownFacts.map((path) => `no decision that was read has the fact ${printable(path)}`),
    ...(undecidable > 0 ? [undecidableWords(undecidable)] : []),
    ...(prunedSegments > 0 ? [`${count(prunedSegments, 'segment')} pruned: their records cannot be found`] : []),
    `not verified: run verdict audit verify ${printable(dir)}`,
  ];
}
