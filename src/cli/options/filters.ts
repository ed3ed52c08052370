/** What decisions on record are chosen by: options of the command line -> a query. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SearchQuery } from '../../audit/query/filter.ts';
import { INSTANT_EXPECTED, startOf } from '../../audit/query/instant.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { type Io, UsageError } from '../io.ts';
import { readMany } from './arguments.ts';
import { readSecret } from './log-place.ts';

/** What decisions are chosen by, on the command line. */
export interface FilterOptions {
  readonly from?: string;
  readonly to?: string;
  readonly outcome?: readonly Outcome[];
  readonly reason?: readonly string[];
  readonly rule?: readonly string[];
  readonly policy?: readonly string[];
  readonly undetermined?: true | readonly string[];
  readonly subject?: readonly string[];
}

/** Adds the options; a command that means another policy by `--policy` has `--decided-by` for the one on record. */
export function addFilters(command: Command, policy: '--policy' | '--decided-by' = '--policy'): Command {
  return command
    .option('--from <time>', 'decided on this day, UTC, or at this instant (2026-11-20T12:00:00Z), or later', readTime)
    .option('--to <time>', 'decided on this day or at this instant, or earlier', readTime)
    .addOption(new Option('--outcome <outcome>', `${OUTCOMES.join(', ')}; may be given again`).argParser(readOutcome))
    .option(
      '--reason <code>',
      'the code of a reason: of a rule that fired, of one that could not be determined, of the score, or DEFAULT; may be given again',
      readMany,
    )
    .option('--rule <id>', 'a rule that fired; may be given again', readMany)
    .option(`${policy} <name>`, 'the name of a policy, name@version, or its digest; may be given again', readMany)
    .option(
      '--undetermined [rule]',
      'a rule could not be determined: any, or this one; may be given again',
      readUndetermined,
    )
    .option('--subject <text>', 'a phone number, email or IP; - reads it from standard input', readMany);
}

/** What the options ask for. */
export async function queryOf(
  { from, to, outcome, reason, rule, policy, undetermined, subject }: FilterOptions,
  io: Pick<Io, 'stdin'>,
): Promise<SearchQuery> {
  // Commander would repeat the second one in its message.
  if (subject && subject.length > 1) throw new UsageError('--subject can be given once');
  const [text] = subject ?? [];
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(outcome === undefined ? {} : { outcomes: outcome }),
    ...(reason === undefined ? {} : { reasons: reason }),
    ...(rule === undefined ? {} : { rules: rule }),
    ...(policy === undefined ? {} : { policies: policy }),
    ...(undetermined === undefined ? {} : { undetermined }),
    ...(text === undefined ? {} : { subject: await readSecret(text, io, 'the subject') }),
  };
}

function readTime(text: string): string {
  if (startOf(text) === undefined) throw new InvalidArgumentError(`Expected: ${INSTANT_EXPECTED}.`);
  return text;
}

function readOutcome(text: string, earlier: readonly Outcome[] = []): Outcome[] {
  const outcome = OUTCOMES.find((each) => each === text);
  if (!outcome) throw new InvalidArgumentError(`Allowed choices are ${OUTCOMES.join(', ')}.`);
  return [...earlier, outcome];
}

/** Once any rule will do, so it stays. */
function readUndetermined(rule: string, earlier?: true | readonly string[]): true | readonly string[] {
  return earlier === true ? true : [...(earlier ?? []), rule];
}

/** The same for people, the subject without what it is. */
export function queryWords({
  from,
  to,
  outcomes = [],
  reasons = [],
  rules = [],
  policies = [],
  undetermined,
  subject,
}: SearchQuery): string[] {
  const words = (what: string, texts: readonly string[]) => (texts.length > 0 ? [`${what} ${texts.join(' or ')}`] : []);
  return [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(to === undefined ? [] : [`to ${to}`]),
    ...words('outcome', outcomes),
    ...words('reason', reasons),
    ...words('rule', rules),
    ...words('policy', policies),
    ...(undetermined === true ? ['any rule undetermined'] : words('undetermined', undetermined ?? [])),
    ...(subject === undefined ? [] : ['one subject']),
  ];
}
