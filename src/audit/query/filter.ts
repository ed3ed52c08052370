/** A search query -> the filter that both readers apply, and whether a decision matches. */

import { VerdictError } from '../../errors.ts';
import { type DecisionFields, RECORDED_OUTCOMES, type RecordedOutcome } from '../entry/entry.ts';
import { DIGEST } from '../entry/schema.ts';
import { PolicyKeys, policyKeysName } from '../keys/policy-keys.ts';
import { type IndexKey, referenceHash, type SoughtSubject, seekSubject } from '../keys/subject.ts';
import { realFiles, unlessCode } from '../store/files.ts';
import { endOf, INSTANT_EXPECTED, startOf } from './instant.ts';

/** What to search for. A decision has to match every criterion; in a list, one of the values. */
export interface SearchQuery {
  /** A UTC day, yyyy-MM-dd, or an instant with its offset, 2026-11-20T12:00:00Z. Both ends are inclusive. */
  readonly from?: string;
  readonly to?: string;
  readonly outcomes?: readonly RecordedOutcome[];
  /** Reason codes. */
  readonly reasons?: readonly string[];
  /** The ids of rules that fired. */
  readonly rules?: readonly string[];
  /** Policy names, `name@version`, or digests: a policy's own, or that of its archived form. */
  readonly policies?: readonly string[];
  /** The ids of rules that could not be determined; `true` for any rule. */
  readonly undetermined?: true | readonly string[];
  /** A phone number, email or IP address as a person types it. */
  readonly subject?: string;
  /** The caller's reference of the decision (`clientReference`), exactly as it was given. */
  readonly reference?: string;
}

/** A query in the terms of the log: `from` and `to` in ISO 8601, UTC, with milliseconds, which sort by time. */
export interface Filter extends Omit<SearchQuery, 'subject' | 'reference'> {
  readonly subject?: SoughtSubject;
  /** Its hashes, one with each index key. */
  readonly reference?: readonly string[];
}

/**
 * The filter of a query. Reads the keys only for a subject, a reference or the digest of a policy. Throws
 * REQUEST_INVALID, whose message repeats nothing of the query.
 */
export async function readQuery(
  { from, to, subject, reference, policies, ...others }: SearchQuery,
  keysDir: string,
  readKeys: () => Promise<readonly IndexKey[]>,
): Promise<Filter> {
  const start = from === undefined ? {} : { from: readInstant('from', from, startOf) };
  const end = to === undefined ? {} : { to: readInstant('to', to, endOf) };
  if (start.from !== undefined && end.to !== undefined && start.from > end.to) {
    throw new VerdictError('REQUEST_INVALID', '`from` is later than `to`, expected it at or before `to`');
  }
  if (others.outcomes?.some((outcome) => !RECORDED_OUTCOMES.includes(outcome))) {
    throw new VerdictError(
      'REQUEST_INVALID',
      `found an unknown outcome, expected one of ${RECORDED_OUTCOMES.join(', ')}`,
    );
  }
  return {
    ...others,
    ...start,
    ...end,
    ...(policies === undefined ? {} : { policies: await withArchivedDigests(policies, keysDir, readKeys) }),
    ...(subject === undefined ? {} : { subject: seekSubject(subject, await readKeys()) }),
    ...(reference === undefined ? {} : { reference: (await readKeys()).map((key) => referenceHash(reference, key)) }),
  };
}

function readInstant(name: 'from' | 'to', text: string, read: (text: string) => string | undefined): string {
  const instant = read(text);
  if (instant !== undefined) return instant;
  throw new VerdictError('REQUEST_INVALID', `\`${name}\` has to be ${INSTANT_EXPECTED}`);
}

/** The fields of a decision's entry that a filter reads. */
export type FilteredFields = Pick<
  DecisionFields,
  'at' | 'subjects' | 'reference' | 'outcome' | 'codes' | 'rules' | 'undetermined' | 'policy'
>;

/** Whether a decision matches. Its `subjects` and `reference` are only compared: they may be absent or malformed. */
export function passes(decision: FilteredFields, filter: Filter): boolean {
  const { from, to, outcomes, reasons, rules, policies, undetermined, subject, reference } = filter;
  const { name, version, digest } = decision.policy;
  return (
    (from === undefined || decision.at >= from) &&
    (to === undefined || decision.at <= to) &&
    (outcomes === undefined || outcomes.includes(decision.outcome)) &&
    (reasons === undefined || hasAny(decision.codes, reasons)) &&
    (rules === undefined || hasAny(decision.rules, rules)) &&
    (policies === undefined || hasAny([name, `${name}@${version}`, digest], policies)) &&
    (undetermined === undefined ||
      (undetermined === true ? decision.undetermined.length > 0 : hasAny(decision.undetermined, undetermined))) &&
    (subject === undefined || subject.hashes.includes(decision.subjects?.[subject.variable] ?? '')) &&
    (reference === undefined || reference.includes(decision.reference))
  );
}

function hasAny(texts: readonly string[], wanted: readonly string[]): boolean {
  return wanted.some((text) => texts.includes(text));
}

/** Adds nothing without the key folder: then a policy that says something of people is found by its archived form. */
async function withArchivedDigests(
  policies: readonly string[],
  keysDir: string,
  readKeys: () => Promise<readonly IndexKey[]>,
): Promise<readonly string[]> {
  const digests = policies.filter((policy) => DIGEST.is(policy));
  const keys = new PolicyKeys(keysDir, realFiles);
  const names = digests.length === 0 ? [] : ((await unlessCode(keys.names(), 'EACCES', 'EPERM')) ?? []);
  const [first] = names.length === 0 ? [] : await readKeys();
  if (!first) return policies;
  const own = digests.map((digest) => policyKeysName(digest, first));
  const archived: string[] = [];
  for (const name of names) {
    const archive = own.includes(name.replace(/-\d+$/, '')) ? await keys.readArchive(name) : undefined;
    if (archive !== undefined) archived.push(archive);
  }
  return [...policies, ...archived];
}
