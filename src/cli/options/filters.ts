/** The options that select decisions on record -> a search query, and its words for people. */

import { type Command, Option, type OptionValues } from 'commander';
import { RECORDED_OUTCOMES, type RecordedOutcome } from '../../audit/entry/entry.ts';
import type { LogPlace } from '../../audit/place.ts';
import type { SearchQuery } from '../../audit/read/filter.ts';
import { readDayOrInstant } from '../../facts/instant.ts';
import { count } from '../../text.ts';
import { type Io, UsageError } from '../io.ts';
import { readMany, readSomeOf, readTime, repeatable } from './arguments.ts';
import { readSecret } from './log-place.ts';

/** The values of the options. */
export interface FilterOptions {
  readonly from?: string;
  readonly to?: string;
  readonly outcome?: readonly RecordedOutcome[];
  readonly reason?: readonly string[];
  readonly firedReason?: readonly string[];
  readonly undeterminedReason?: readonly string[];
  readonly rule?: readonly string[];
  readonly policy?: readonly string[];
  readonly undetermined?: true | readonly string[];
  readonly subject?: string;
  readonly reference?: string;
}

/** The head of the options that select decisions, in the help. */
export const FILTER_GROUP = 'Which decisions:';

/** Adds `--from` and `--to`. */
export function addTimes<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .option('--from <time>', 'decided on this UTC day or later, or from this instant (2026-11-20T12:00:00Z)', readTime)
    .option('--to <time>', 'decided on this UTC day or earlier, or up to this instant', readTime);
}

/** Throws a usage error for an instant: the rows of files and tables are chosen by their days. */
export function checkDays(times: { readonly from?: string | undefined; readonly to?: string | undefined }): void {
  for (const name of ['from', 'to'] as const) {
    const time = times[name];
    const day = time === undefined ? undefined : readDayOrInstant(time)?.at;
    if (time !== day) throw new UsageError(`--${name}: rows are chosen by their days; expected one such as ${day}`);
  }
}

/** Adds the options. `replay`, whose `--policy` is another policy, calls the policy on record `--decided-by`. */
export function addFilters<Args extends unknown[], Opts extends OptionValues, Policy extends string = '--policy'>(
  command: Command<Args, Opts>,
  policy = '--policy' as Policy,
) {
  return addTimes(command.optionsGroup(FILTER_GROUP))
    .addOption(
      new Option('--outcome <outcome>', `the outcome: ${RECORDED_OUTCOMES.join(', ')}; repeatable`).argParser(
        readSomeOf(RECORDED_OUTCOMES),
      ),
    )
    .option('--reason <code>', 'decided by this reason code, SCORE and DEFAULT included; repeatable', readMany)
    .option('--fired-reason <code>', 'a rule with this reason code fired, but did not decide; repeatable', readMany)
    .option(
      '--undetermined-reason <code>',
      'a rule with this reason code was undetermined, and asked for review; repeatable',
      readMany,
    )
    .option('--rule <id>', 'the id of a rule that fired; repeatable', readMany)
    .option(`${policy} <name>`, 'the name of a policy, name@version, or its digest; repeatable', readMany)
    .option(
      '--undetermined [rule]',
      'this rule, or without an id any rule, could not be determined; repeatable',
      readUndetermined,
    )
    .option('--subject <text>', 'a phone number, email or IP address; - reads it from standard input')
    .option('--reference <text>', REFERENCE)
    .optionsGroup('Options:');
}

/** What `--reference` is, for every command that finds decisions. */
export const REFERENCE = 'your own reference of the decision; - reads it from standard input';

const CRITERIA = {
  rules: '--rule',
  undetermined: '--undetermined',
  reasons: '--reason',
  firedReasons: '--fired-reason',
  undeterminedReasons: '--undetermined-reason',
} as const;

/** Throws a usage error for a rule or reason code that nothing in the log has: it may be misspelt. */
export async function checkNamesOf(query: SearchQuery, place: LogPlace): Promise<void> {
  const { checkNames } = await import('../../audit/query/known-names.ts');
  await checkNames(place, query, (criterion) => CRITERIA[criterion]);
}

/** The query of the options. */
export async function queryOf(
  { from, to, outcome, reason, firedReason, undeterminedReason, rule, policy, undetermined, ...persons }: FilterOptions,
  io: Pick<Io, 'stdin'>,
): Promise<SearchQuery> {
  const { subject, reference } = persons;
  if (subject === '-' && reference === '-') throw new UsageError('only one of --subject and --reference can be -');
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(outcome === undefined ? {} : { outcomes: outcome }),
    ...(reason === undefined ? {} : { reasons: reason }),
    ...(firedReason === undefined ? {} : { firedReasons: firedReason }),
    ...(undeterminedReason === undefined ? {} : { undeterminedReasons: undeterminedReason }),
    ...(rule === undefined ? {} : { rules: rule }),
    ...(policy === undefined ? {} : { policies: policy }),
    ...(undetermined === undefined ? {} : { undetermined }),
    ...(subject === undefined ? {} : { subject: await readSecret(subject, io, 'the subject') }),
    ...(reference === undefined ? {} : { reference: await readSecret(reference, io, 'the reference') }),
  };
}

/** `--undetermined` without an id matches any rule, whatever other ids are given. */
const readUndetermined = repeatable((rule: string, earlier?: true | readonly string[]) =>
  earlier === true ? true : [...(earlier ?? []), rule],
);

/** What is said of records that cannot tell whether they match. */
export function undecidableWords(records: number): string {
  return (
    `not counted: ${count(records, 'record')} of an earlier form with such a reason code, which cannot tell ` +
    'whether it decided; verdict audit show tells'
  );
}
