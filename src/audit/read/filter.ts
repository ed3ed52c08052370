/** A search query -> the filter that a search applies, and whether a decision matches. */

import { VerdictError } from '../../errors.ts';
import { endOf, INSTANT_EXPECTED, startOf } from '../../facts/instant.ts';
import { DISPOSITIONS } from '../../policy/language.ts';
import {
  type DecisionFields,
  type NoteFields,
  RECORDED_OUTCOMES,
  type ReasonCodes,
  type RecordedOutcome,
} from '../entry/entry.ts';
import { DIGEST } from '../entry/schema.ts';
import { readIndexKeys } from '../keys/key-folder.ts';
import { PolicyKeys, policyKeysName } from '../keys/policy-keys.ts';
import { type IndexKey, referenceHash, type SoughtSubject, seekSubject } from '../keys/subject.ts';
import { type LogHome, readLog } from '../place.ts';
import { type Folder, unlessCode } from '../store/files.ts';
import type { Judged } from './judgement.ts';

/** What to search for. A decision has to match every criterion; in a list, one of the values. */
export interface SearchQuery {
  /** A UTC day, yyyy-MM-dd, or an instant with its offset, 2026-11-20T12:00:00Z. Both ends are inclusive. */
  readonly from?: string;
  readonly to?: string;
  readonly outcomes?: readonly RecordedOutcome[];
  /** Codes of reasons that decided: of a rule that fired, `SCORE` or `DEFAULT`. */
  readonly reasons?: readonly string[];
  /** Codes of rules that fired, and of the score, which did not lead to the outcome. */
  readonly firedReasons?: readonly string[];
  /** Codes of undetermined rules that ask for review, or `SCORE_UNDETERMINED`. */
  readonly undeterminedReasons?: readonly string[];
  /** The ids of rules that fired. */
  readonly rules?: readonly string[];
  /** Policy names, `name@version`, or digests: a policy's own, or that of its archived form. */
  readonly policies?: readonly string[];
  /** The ids of rules that could not be determined; `true` for any rule. */
  readonly undetermined?: true | readonly string[];
  /** What people say of the decision by now: how it was reviewed, or its label. */
  readonly dispositions?: readonly NoteFields['disposition'][];
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
  home: LogHome,
): Promise<Filter> {
  const readKeys = async () => readIndexKeys(home.keys, (await readLog(home.log)).log);
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
  if (others.dispositions?.some((disposition) => !DISPOSITIONS.includes(disposition))) {
    throw new VerdictError(
      'REQUEST_INVALID',
      `found an unknown disposition, expected one of ${DISPOSITIONS.join(', ')}`,
    );
  }
  return {
    ...others,
    ...start,
    ...end,
    ...(policies === undefined ? {} : { policies: await withArchivedDigests(policies, home.keys, readKeys) }),
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
  'at' | 'subjects' | 'reference' | 'outcome' | 'reasons' | 'codes' | 'rules' | 'undetermined' | 'policy'
>;

/** The list of codes that each criterion looks into. */
export const REASON_CRITERIA = {
  reasons: 'decisive',
  firedReasons: 'fired',
  undeterminedReasons: 'undetermined',
} as const satisfies Partial<Record<keyof SearchQuery, keyof ReasonCodes>>;

/** Whether the reasons match; undefined if the record is of the earlier form and has the codes, in whatever role. */
function passesReasons({ reasons, codes }: FilteredFields, filter: Filter): boolean | undefined {
  const criteria = Object.entries(REASON_CRITERIA) as [keyof typeof REASON_CRITERIA, keyof ReasonCodes][];
  const asked = criteria.flatMap(([criterion, list]) => {
    const wanted = filter[criterion];
    return wanted === undefined ? [] : [{ wanted, list }];
  });
  if (reasons || asked.length === 0) return asked.every(({ wanted, list }) => hasAny(reasons?.[list] ?? [], wanted));
  return asked.every(({ wanted }) => hasAny(codes ?? [], wanted)) ? undefined : false;
}

/**
 * Whether a decision matches; undefined if that cannot be told from a record of the earlier form. Its `subjects` and
 * `reference` are only compared: they may be absent or malformed. `judged`: what people say of it by now.
 */
export function passes(decision: FilteredFields, filter: Filter, { review, label }: Judged = {}): boolean | undefined {
  const { from, to, outcomes, rules, policies, undetermined, dispositions, subject, reference } = filter;
  const { name, version, digest } = decision.policy;
  const passesOthers =
    (from === undefined || decision.at >= from) &&
    (to === undefined || decision.at <= to) &&
    (outcomes === undefined || outcomes.includes(decision.outcome)) &&
    (rules === undefined || hasAny(decision.rules, rules)) &&
    (policies === undefined || hasAny([name, `${name}@${version}`, digest], policies)) &&
    (undetermined === undefined ||
      (undetermined === true ? decision.undetermined.length > 0 : hasAny(decision.undetermined, undetermined))) &&
    (dispositions === undefined || dispositions.some((each) => each === review || each === label)) &&
    (subject === undefined || subject.hashes.includes(decision.subjects?.[subject.variable] ?? '')) &&
    (reference === undefined || reference.includes(decision.reference));
  return passesOthers && passesReasons(decision, filter);
}

function hasAny(texts: readonly string[], wanted: readonly string[]): boolean {
  return wanted.some((text) => texts.includes(text));
}

/** Adds nothing without the key folder: then a policy that says something of people is found by its archived form. */
async function withArchivedDigests(
  policies: readonly string[],
  folder: Folder,
  readKeys: () => Promise<readonly IndexKey[]>,
): Promise<readonly string[]> {
  const digests = policies.filter((policy) => DIGEST.is(policy));
  const keys = new PolicyKeys(folder);
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
