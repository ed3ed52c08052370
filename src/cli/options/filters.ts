/** The options that select decisions on record -> a search query, and its words for people. */

import { type Command, Option, type OptionValues } from 'commander';
import { CRITERIA, CRITERION_ROWS, type CriterionRow, type SearchQuery } from '../../audit/read/criteria.ts';
import { readDayOrInstant } from '../../facts/instant.ts';
import { count } from '../../text.ts';
import { type Io, UsageError } from '../io.ts';
import { readMany, readSomeOf, readTime, repeatable } from './arguments.ts';
import { readSecret } from './log-place.ts';

/** The head of the options that select decisions, in the help. */
export const FILTER_GROUP = 'Which decisions:';

/** Adds `--from` and `--to`. */
export function addTimes<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return addCriteria<Args, Opts, 'from' | 'to'>(command, ({ kind, option: [flags] }) =>
    kind === 'time' ? flags : undefined,
  );
}

/** Adds an option for each criterion that has flags here. Its value comes by the name of the criterion. */
function addCriteria<Args extends unknown[], Opts extends OptionValues, Names extends keyof SearchQuery>(
  command: Command<Args, Opts>,
  flagsOf: (row: CriterionRow) => string | undefined,
) {
  for (const row of CRITERION_ROWS) {
    const flags = flagsOf(row);
    if (flags === undefined) continue;
    const option = new Option(`--${flags}`, wordsOf(row));
    option.attributeName = () => row.name;
    command.addOption(withReader(option, row));
  }
  return command as Command<Args, Opts & Pick<SearchQuery, Names>>;
}

function wordsOf({ option: [, words], among, kind }: Omit<CriterionRow, 'name'>): string {
  if (kind === 'time') return words;
  if (kind === 'secret') return `${words}; - reads it from standard input`;
  return `${words}${among ? `: ${among.join(', ')}` : ''}; repeatable`;
}

/** What `--reference` is, for every command that finds decisions. */
export const REFERENCE = wordsOf(CRITERIA.reference);

function withReader(option: Option, { among, kind }: CriterionRow): Option {
  if (among) return option.argParser(readSomeOf(among));
  if (kind === 'time') return option.argParser(readTime);
  if (kind === 'textsOrAny') return option.argParser(readTextsOrAny);
  return kind === 'texts' ? option.argParser(readMany) : option;
}

/** An option without a text matches any, whatever other texts are given. */
const readTextsOrAny = repeatable((text: string, earlier?: true | readonly string[]) =>
  earlier === true ? true : [...(earlier ?? []), text],
);

/** Throws a usage error for an instant: the rows of files and tables are chosen by their days. */
export function checkDays(times: { readonly from?: string | undefined; readonly to?: string | undefined }): void {
  for (const name of ['from', 'to'] as const) {
    const time = times[name];
    const day = time === undefined ? undefined : readDayOrInstant(time)?.at;
    if (time !== day) throw new UsageError(`--${name}: rows are chosen by their days; expected one such as ${day}`);
  }
}

/** Adds the options. A replay reads no notes, and its `--policy` is another policy. */
export function addFilters<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
  { isReplay = false } = {},
) {
  const flagsOf = ({ name, option: [flags], isNoted }: CriterionRow) => {
    if (!isReplay) return flags;
    return name === 'policies' ? 'decided-by <name>' : isNoted ? undefined : flags;
  };
  const added = addCriteria<Args, Opts, keyof SearchQuery>(command.optionsGroup(FILTER_GROUP), flagsOf);
  return added.optionsGroup('Options:');
}

/** The query of the options. */
export async function queryOf(options: SearchQuery, io: Pick<Io, 'stdin'>): Promise<SearchQuery> {
  const given = CRITERION_ROWS.flatMap(({ name, kind }) => {
    return options[name] === undefined ? [] : [{ name, value: options[name], isRead: kind === 'secret' }];
  });
  const [first, other] = given.filter(({ isRead, value }) => isRead && value === '-');
  if (first && other) throw new UsageError(`only one of --${first.name} and --${other.name} can be -`);
  return Object.fromEntries(
    await Promise.all(
      given.map(async ({ name, value, isRead }) => {
        return [name, isRead ? await readSecret(String(value), io, `the ${name}`) : value];
      }),
    ),
  );
}

/** What is said of records that cannot tell whether they match. */
export function undecidableWords(records: number): string {
  return (
    `not counted: ${count(records, 'record')} of an earlier form with such a reason code, which cannot tell ` +
    'whether it decided; verdict audit show tells'
  );
}
