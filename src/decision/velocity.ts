/** An application, and what policies count -> what to ask of a store of velocity, and what to add to it. Pure. */

import { isDeepStrictEqual } from 'node:util';
import type { Velocity } from '../facts/catalog.ts';
import { exactSum } from '../facts/decimal.ts';
import { type Facts, isMissing } from '../facts/fact.ts';
import { countWords } from '../facts/velocity.ts';
import { cached } from '../platform/cached.ts';
import { UNIT_MS } from '../platform/files/times.ts';
import { networkOf } from '../platform/formats/ip.ts';
import { mailboxOf } from '../platform/formats/mailbox.ts';
import { type Disposition, questionOf } from '../policy/language.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import { addressIn, beganAt, identityIn, referenceKey } from './application.ts';
import type { AskedCount, Asking, Known, PolicyKinds, SeenMember, VelocityStore } from './velocity-store.ts';

/** The velocities of a policy by the paths of their facts: `velocitiesIn(policy.facts)`. */
export type Velocities = ReadonlyMap<string, Velocity>;

/** An application, as it is seen by counting. */
export interface Seen {
  /** The id of the decision. */
  readonly decision: string;
  /** The id of its application, if it is on record. */
  readonly application?: string | undefined;
  /** Whose reference it is; undefined for the caller of a library, who is alone. */
  readonly caller?: string | undefined;
  readonly reference: string;
  /** The facts of the applicant and the context; more facts do no harm. */
  readonly facts: Facts;
}

type Hasher = Pick<VelocityStore, 'hash'>;

/**
 * Plans the counting of an application: one query for all velocities, with the path of the fact of each count, and what
 * is then added for later ones. A fact without a value to count by is not counted.
 */
export function planCounting(policy: string, velocities: Velocities, seen: Seen, hasher: Hasher) {
  const store = hashingOnce(hasher);
  const asked = [...velocities].flatMap(([path, velocity]) => {
    const of = hashesOf(velocity, seen.facts, store);
    return of ? [{ path, count: countOf(velocity, of) }] : [];
  });
  return {
    counting: {
      ...planAsking(seen, store),
      ...planKinds(policy, velocities, store),
      counts: asked.map(({ count }) => count),
      adds: planMembers(velocities, seen, store),
    },
    paths: asked.map(({ path }) => path),
  };
}

/** A phone number or an address is hashed for many counts: each once. */
function hashingOnce({ hash }: Hasher): Hasher {
  const known = new Map<string, string>();
  return {
    hash: (text) => {
      const hashed = known.get(text) ?? hash(text);
      known.set(text, hashed);
      return hashed;
    },
  };
}

/** What tells a store which application it is. */
export function planAsking({ decision, application, caller, reference, facts }: Seen, store: Hasher): Asking {
  const identity = Object.entries(identityIn(facts)).map(([variable, value]) => {
    return [variable, store.hash(keyOf(variable, value))] as const;
  });
  return {
    decision,
    ...(application === undefined ? {} : { application }),
    reference: store.hash(referenceKey(caller, reference)),
    applicant: Object.fromEntries(identity),
  };
}

/** The kinds of a policy, with how long each is kept. */
export function planKinds(policy: string, velocities: Velocities, store: Hasher): PolicyKinds {
  return { policy: store.hash(`policy:${policy}`), kinds: keptKinds(velocities) };
}

const keptKinds = cached((velocities: Velocities): PolicyKinds['kinds'] => {
  const kept = new Map<string, number>();
  for (const velocity of withWholes(velocities)) {
    const kind = kindOf(velocity);
    kept.set(kind, Math.max(velocity.withinMs, kept.get(kind) ?? 0));
  }
  return [...kept].map(([kind, keepMs]) => ({ kind, keepMs }));
});

/**
 * Each distinct or filtered count, with the count of all applications by the same key. Policies share sets, so a part
 * could be greater than its whole if only one of two policies kept the whole.
 */
const withWholes = cached((velocities: Velocities): readonly Velocity[] => {
  return [...velocities.values()].flatMap((velocity) => {
    const { by, withinMs } = velocity;
    return [velocity, { count: 'applications', by, withinMs } as const];
  });
});

/** What an application adds: it is a member of each set once. */
export function planMembers(velocities: Velocities, { facts }: Pick<Seen, 'facts'>, store: Hasher): SeenMember[] {
  const members = new Map<string, SeenMember>();
  for (const velocity of withWholes(velocities)) {
    const { count, of: counted = '', where } = velocity;
    const of = hashesOf(velocity, facts, store);
    if (!of || !isOfFact(where, facts)) continue;
    const kind = kindOf(velocity);
    if (count !== 'distinct' && count !== 'sum') members.set(kind, { of, kind });
    else {
      const key = valueKey(counted, facts);
      if (key === undefined) continue;
      const value = count === 'distinct' ? store.hash(key) : key.slice(counted.length + 1);
      members.set(kind, { of, kind, value });
    }
  }
  return [...members.values()];
}

/** What is in a store of a person: the hashes for `erase`. An email goes with its mailbox. */
export function planErasure(variable: IdentityVariable, form: string, store: Hasher): readonly string[] {
  const own = [keyOf(variable, form), ...(variable === 'email' ? [keyOf('mailbox', mailboxOf(form))] : [])];
  return own.map((key) => store.hash(key));
}

function countOf(velocity: Velocity, of: readonly string[]): AskedCount {
  const { count: measure, withinMs, since, where } = velocity;
  return {
    ...{ of, kind: kindOf(velocity), measure, withinMs },
    ...(since === undefined ? {} : { sinceMs: Date.parse(since) }),
    ...whereOf(where),
  };
}

function whereOf(where: Velocity['where']): Pick<AskedCount, 'where'> {
  if (!where || where.key.startsWith('context.')) return {};
  const value = String(where.value);
  const key = where.key === 'outcome' ? 'outcome' : questionOf(value as Disposition);
  return { where: { key, value } };
}

/** Whether an application has the fact of the caller that a velocity asks for, if it asks for one. */
export function isOfFact(where: Velocity['where'], facts: Facts): boolean {
  if (!where?.key.startsWith('context.')) return true;
  const fact = facts.get(where.key);
  return fact !== undefined && !isMissing(fact) && fact.value === where.value;
}

/** Equal for velocities whose members are the same. Outcomes are kept where a policy asks for them. */
export const kindOf = cached((velocity: Velocity): string => {
  const { count, by, where } = velocity;
  const members = count === 'distinct' || count === 'sum' ? countWords(velocity) : 'applications';
  const isKept = where?.key === 'outcome' ? ' with outcome' : '';
  const filter = where?.key.startsWith('context.') ? ` where ${where.key} is ${JSON.stringify(where.value)}` : '';
  return `${members} by ${by.join(' and ')}${filter}${isKept}`;
});

/** The hashes of what applications are counted by; undefined if the applicant lacks one. */
function hashesOf({ by }: Velocity, facts: Facts, store: Hasher): readonly string[] | undefined {
  const keys = by.flatMap((name) => valueKey(name, facts) ?? []);
  return keys.length === by.length ? keys.map((key) => store.hash(key)) : undefined;
}

/** The path of the fact that applications are counted by, or whose values are counted. */
export function pathCounted(name: string): string {
  if (name.startsWith('context.')) return name;
  return name.startsWith('ip/') ? 'applicant.ip' : `applicant.${name}`;
}

/** What is hashed of an application: what the value is, and the value; undefined if the applicant has none. */
export function valueKey(by: string, facts: Facts): string | undefined {
  if (by === 'ip' || by.startsWith('ip/')) {
    const ip = addressIn(facts);
    if (ip === undefined) return undefined;
    return by === 'ip' ? keyOf('ip', ip) : keyOf('network', networkOf(ip, Number(by.slice('ip/'.length))));
  }
  const fact = facts.get(pathCounted(by));
  return fact === undefined || isMissing(fact) ? undefined : keyOf(by, String(fact.value));
}

function keyOf(name: string, value: string): string {
  return `${name}:${value}`;
}

/** An application that a count may have found: the sets that it is in, and what was known of it then. */
export interface SeenApplication {
  readonly application: string;
  readonly adds: readonly SeenMember[];
  readonly known: Known;
}

/** The applications that a count of one application counts, by their ids, and the number: as each store does. */
export function countAmong({ of, kind, measure, ...asked }: AskedCount, own: string, seen: readonly SeenApplication[]) {
  const { withinMs, sinceMs = 0, where } = asked;
  const after = Math.max(-1, beganAt(own) - withinMs, sinceMs - 1);
  const counted = seen.flatMap(({ application, adds, known }) => {
    const member = adds.find((each) => each.kind === kind && isDeepStrictEqual(each.of, of));
    const isKnown = !where || known[where.key]?.value === where.value;
    const isCounted = application !== own && beganAt(application) > after && isKnown;
    return member && isCounted ? [{ application, value: member.value }] : [];
  });
  const values = counted.map(({ value }) => value);
  const minutes = counted.map(({ application }) => minutesBetween(beganAt(application), beganAt(own)));
  const numbers: Readonly<Record<AskedCount['measure'], number | null>> = {
    ...{ applications: counted.length, distinct: new Set(values).size, sum: sumOf(values.map(Number)) },
    first: counted.length === 0 ? null : Math.max(...minutes),
    last: counted.length === 0 ? null : Math.min(...minutes),
  };
  return { counted: counted.map(({ application }) => application), number: numbers[measure] };
}

/** The sum of numbers, as a person adds them. */
export function sumOf(values: readonly number[]): number {
  return values.reduce(exactSum, 0);
}

/** The whole minutes between two times in milliseconds; 0 if the first is the later one. */
export function minutesBetween(first: number, last: number): number {
  return Math.max(0, Math.floor((last - first) / UNIT_MS.minute));
}
