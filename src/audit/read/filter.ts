/** A search query -> the filter that a search applies, and whether a decision matches. */

import { VerdictError } from '../../errors.ts';
import { endOf, INSTANT_EXPECTED, startOf } from '../../facts/instant.ts';
import { ANY_TEXT, type Kind, type Kinds, listOf, oneOf, optionsReader, TEXT } from '../../platform/given/options.ts';
import { DIGEST } from '../entry/schema.ts';
import { readIndexKeys } from '../keys/key-folder.ts';
import { PolicyKeys, policyKeysName } from '../keys/policy-keys.ts';
import { type IndexKey, referenceHash, type SoughtSubject, seekSubject } from '../keys/subject.ts';
import { type LogHome, readLog } from '../place.ts';
import { unlessCode } from '../store/files.ts';
import { CRITERION_ROWS, type CriterionRow, type SearchQuery, subjectText, TERMS } from './criteria.ts';
import type { Judged } from './judgement.ts';
import type { ClearFields } from './search-entry.ts';

/** A name of `TERMS`, and a text, or null for what has no text. */
export interface Term<Kind extends string = string> {
  readonly kind: Kind;
  readonly text: string | null;
}

/** A query in the terms of the log: `from` and `to` in ISO 8601, UTC, with milliseconds, which sort by time. */
export interface Filter {
  readonly from?: string;
  readonly to?: string;
  /** A decision has one term of each list. */
  readonly sought?: readonly (readonly Term[])[];
}

const TEXTS = listOf(ANY_TEXT, 'a list of texts');

const KINDS: Readonly<Record<CriterionRow['kind'], Kind>> = {
  time: { expected: INSTANT_EXPECTED, is: (value) => typeof value === 'string' && startOf(value) !== undefined },
  texts: TEXTS,
  textsOrAny: { expected: `true or ${TEXTS.expected}`, is: (value) => value === true || TEXTS.is(value) },
  secret: TEXT,
};

const readFields = optionsReader<SearchQuery>(
  'the query',
  Object.fromEntries(
    CRITERION_ROWS.map(({ name, kind, among }) => {
      return [`${name}?`, among ? listOf(oneOf(among), `some of ${among.join(', ')}`) : KINDS[kind]];
    }),
  ) as Kinds<SearchQuery>,
  'REQUEST_INVALID',
);

/** What the log has in place of what a query says. */
const ON_RECORD: Readonly<
  Partial<Record<CriterionRow['name'], (texts: readonly string[], home: LogHome) => Promise<readonly string[]>>>
> = {
  policies: withArchivedDigests,
  reference: async ([reference = ''], home) => (await keysOf(home)).map((key) => referenceHash(reference, key)),
  subject: async ([text = ''], home) => {
    const { variable, hashes } = await seekPerson(text, home);
    return hashes.map((hash) => subjectText(variable, hash));
  },
};

/**
 * The filter of a query, which is checked. Reads the keys only for a subject, a reference or the digest of a policy.
 * Throws REQUEST_INVALID, whose message repeats nothing of the query.
 */
export async function readQuery(query: object, home: LogHome): Promise<Filter> {
  const fields = readFields(query);
  const [from, to] = [startOf(fields.from ?? ''), endOf(fields.to ?? '')];
  if (from !== undefined && to !== undefined && from > to) {
    throw new VerdictError('REQUEST_INVALID', '`from` is later than `to`, expected it at or before `to`');
  }
  const recorded: Partial<Record<CriterionRow['name'], true | readonly string[]>> = {};
  for (const { name, terms } of CRITERION_ROWS) {
    const { [name]: value } = fields;
    if (value === undefined || !terms) continue;
    const given = typeof value === 'string' ? [value] : value;
    recorded[name] = given === true ? given : ((await ON_RECORD[name]?.(given, home)) ?? given);
  }
  return filterOf(recorded, { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
}

/** The texts that the log has for each criterion, of which a decision has to have one; `true` for any. */
export type Recorded = { readonly [Name in CriterionRow['name']]?: true | readonly string[] };

export function filterOf(recorded: Recorded, times: Omit<Filter, 'sought'> = {}): Filter {
  const sought = RAREST_FIRST.flatMap(({ name, terms = {} }) => {
    const { [name]: given } = recorded;
    if (given === undefined) return [];
    const texts = given === true ? [null] : [...new Set(given)];
    return [Object.keys(terms).flatMap((kind) => texts.map((text) => ({ kind, text })))];
  });
  return sought.length > 0 ? { ...times, sought } : times;
}

/** What the index leads by, of criteria for which it counts as many decisions. */
const RAREST_FIRST = CRITERION_ROWS.toSorted((one, other) => Number(one.isCommon ?? 0) - Number(other.isCommon ?? 0));

/** A person, by what a query says of them. */
export async function seekPerson(text: string, home: LogHome): Promise<SoughtSubject> {
  return seekSubject(text, await keysOf(home));
}

async function keysOf({ keys, log }: LogHome): Promise<readonly IndexKey[]> {
  return readIndexKeys(keys, (await readLog(log)).log);
}

/** Whether a filter asks for reasons, which a record of the earlier form has in no role. */
export function asksForReasons({ sought = [] }: Filter): boolean {
  return sought.some((terms) => terms.some(({ kind }) => kind === 'earlier'));
}

/**
 * Whether a decision matches; undefined if that cannot be told from a record of the earlier form. `judged`: what people
 * say of it by now.
 */
export function passes(decision: ClearFields, filter: Filter, judged: Judged = {}): boolean | undefined {
  const { from, to, sought = [] } = filter;
  const { at, reasons } = decision;
  const has = ({ kind, text }: Term) => TERMS[kind]?.(decision, judged).includes(text);
  if ((from !== undefined && at < from) || (to !== undefined && at > to)) return false;
  if (!sought.every((terms) => terms.some(has))) return false;
  return reasons || !asksForReasons(filter) ? true : undefined;
}

/** Adds nothing without the key folder: then a policy that says something of people is found by its archived form. */
async function withArchivedDigests(policies: readonly string[], home: LogHome): Promise<readonly string[]> {
  const digests = policies.filter((policy) => DIGEST.is(policy));
  const keys = new PolicyKeys(home.keys);
  const names = digests.length === 0 ? [] : ((await unlessCode(keys.names(), 'EACCES', 'EPERM')) ?? []);
  const [first] = names.length === 0 ? [] : await keysOf(home);
  if (!first) return policies;
  const own = digests.map((digest) => policyKeysName(digest, first));
  const archived: string[] = [];
  for (const name of names) {
    const archive = own.includes(name.replace(/-\d+$/, '')) ? await keys.readArchive(name) : undefined;
    if (archive !== undefined) archived.push(archive);
  }
  return [...policies, ...archived];
}
