/** What somebody looks for -> the filter that the readers of a search go by, and whether a decision passes it. */

import { VerdictError } from '../../errors.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import type { DecisionFields } from '../entry/entry.ts';
import { type IndexKey, type SoughtSubject, seekSubject } from '../keys/subject.ts';
import { beginningOf, endOf, INSTANT_EXPECTED } from './instant.ts';

/** What is looked for. Decisions have to pass all that is given; of a list, one entry is enough. */
export interface SearchQuery {
  /** A day, yyyy-MM-dd, or an instant with its offset, 2026-11-20T12:00:00Z; both ends are included. Days are UTC. */
  readonly from?: string;
  readonly to?: string;
  readonly outcomes?: readonly Outcome[];
  /** Codes of reasons. */
  readonly reasons?: readonly string[];
  /** The ids of rules that fired. */
  readonly rules?: readonly string[];
  /** Names, `name@version`, or digests. */
  readonly policies?: readonly string[];
  /** Any rule that could not be determined, or one of these. */
  readonly undetermined?: true | readonly string[];
  /** A phone number, email or IP address as somebody writes it. */
  readonly subject?: string;
}

/** The same, as records have it: `from` and `to` in ISO 8601, UTC, in milliseconds, whose texts are in the order of their instants. */
export interface Filter extends Omit<SearchQuery, 'subject'> {
  readonly subject?: SoughtSubject;
}

/** The filter of a query; the keys are read where a subject is looked for. Throws REQUEST_INVALID, which repeats nothing of the query. */
export async function readQuery(
  { from, to, subject, ...others }: SearchQuery,
  readKeys: () => Promise<readonly IndexKey[]>,
): Promise<Filter> {
  const begin = from === undefined ? {} : { from: readEnd('from', from, beginningOf) };
  const end = to === undefined ? {} : { to: readEnd('to', to, endOf) };
  if (begin.from !== undefined && end.to !== undefined && begin.from > end.to) {
    throw new VerdictError('REQUEST_INVALID', 'the time that is searched ends before it begins');
  }
  if (others.outcomes?.some((outcome) => !OUTCOMES.includes(outcome))) {
    throw new VerdictError('REQUEST_INVALID', `an outcome has to be ${OUTCOMES.join(', ')}`);
  }
  return {
    ...others,
    ...begin,
    ...end,
    ...(subject === undefined ? {} : { subject: seekSubject(subject, await readKeys()) }),
  };
}

function readEnd(name: 'from' | 'to', text: string, read: (text: string) => string | undefined): string {
  const instant = read(text);
  if (instant !== undefined) return instant;
  throw new VerdictError('REQUEST_INVALID', `\`${name}\` has to be ${INSTANT_EXPECTED}`);
}

/** What of a decision's record is looked at. */
export type Searched = Pick<
  DecisionFields,
  'at' | 'subjects' | 'outcome' | 'codes' | 'rules' | 'undetermined' | 'policy'
>;

/** Whether a decision passes. Its subjects may be missing, and be anything: they are compared, and nothing else. */
export function passes(record: Searched, filter: Filter): boolean {
  const { from, to, outcomes, reasons, rules, policies, undetermined, subject } = filter;
  const { name, version, digest } = record.policy;
  return (
    (from === undefined || record.at >= from) &&
    (to === undefined || record.at <= to) &&
    (outcomes === undefined || outcomes.includes(record.outcome)) &&
    (reasons === undefined || hasAny(record.codes, reasons)) &&
    (rules === undefined || hasAny(record.rules, rules)) &&
    (policies === undefined || hasAny([name, `${name}@${version}`, digest], policies)) &&
    (undetermined === undefined ||
      (undetermined === true ? record.undetermined.length > 0 : hasAny(record.undetermined, undetermined))) &&
    (subject === undefined || subject.hashes.includes(record.subjects?.[subject.variable] ?? ''))
  );
}

function hasAny(texts: readonly string[], asked: readonly string[]): boolean {
  return asked.some((text) => texts.includes(text));
}
