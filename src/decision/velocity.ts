/** An application, and what policies count -> what to ask of a store of velocity, and what to add to it. Pure. */

import type { Velocity } from '../facts/catalog.ts';
import { type Facts, isMissing } from '../facts/fact.ts';
import { networkOf, readIpv6 } from '../platform/formats/ip.ts';
import type { Disposition, Outcome } from '../policy/language.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import type { Counting, SeenMember, SeenSet, TimedMember, VelocityStore } from './velocity-store.ts';

/** The velocities of a policy by the paths of their facts: `velocitiesIn(policy.facts)`. */
export type Velocities = ReadonlyMap<string, Velocity>;

/** An application, as it is seen by counting. */
export interface Seen {
  /** The caller's reference, or the id of the decision: what makes it the same application again. */
  readonly reference: string;
  /** The time of the decision, in milliseconds since 1970. */
  readonly at: number;
  /** The facts of the applicant and the context; more facts do no harm. */
  readonly facts: Facts;
}

type Hasher = Pick<VelocityStore, 'hash'>;

/** What to count, and the path of the fact of each count; a fact without a value to count by is not among them. */
export interface CountingPlan {
  readonly counting: Counting;
  readonly paths: readonly string[];
}

/**
 * Plans the counting of an application: one query for all velocities, and what is then added for later ones. The same
 * application is counted once, as long as the policy asks for the same counts.
 */
export function planCounting(velocities: Velocities, seen: Seen, store: Hasher): CountingPlan {
  const asked = [...velocities].flatMap(([path, velocity]) => {
    const of = valueKey(velocity.by, seen.facts);
    return of === undefined ? [] : [{ path, of: store.hash(of), kind: kindOf(velocity), withinMs: velocity.withinMs }];
  });
  // The numbers that a store has for an application would be those of other facts if other counts were asked for.
  const questions = JSON.stringify(asked.map(({ path, kind, withinMs }) => [path, kind, withinMs]));
  const members = [...velocities.values()].filter(({ where }) => !where);
  return {
    counting: {
      application: store.hash(`counted:${JSON.stringify(seen.reference)}${questions}`),
      at: seen.at,
      counts: asked.map(({ path: _, ...count }) => count),
      adds: membersOf(members, seen, store),
    },
    paths: asked.map(({ path }) => path),
  };
}

/** What an outcome adds. */
export function planOutcome(
  velocities: Velocities,
  seen: Seen,
  outcome: Outcome,
  store: Hasher,
): readonly TimedMember[] {
  return membersOf(withKnown(velocities, 'outcome', outcome), seen, store);
}

/** What each disposition takes back. */
export const OPPOSITES: Readonly<Record<Disposition, Disposition>> = {
  ...{ approve: 'decline', decline: 'approve', fraud: 'genuine', genuine: 'fraud' },
};

/** What a note adds, and takes back of an earlier one that said the opposite. */
export function planDisposition(
  velocities: Velocities,
  seen: Seen,
  disposition: Disposition,
  store: Hasher,
): { readonly adds: readonly TimedMember[]; readonly removes: readonly SeenMember[] } {
  const known = (each: Disposition) => membersOf(withKnown(velocities, 'disposition', each), seen, store);
  return { adds: known(disposition), removes: known(OPPOSITES[disposition]) };
}

/** What is in a store of a person, or of an application by its reference: the hashes for `erase`. */
export function planErasure(
  erased:
    | { readonly subject: { readonly variable: IdentityVariable; readonly form: string } }
    | { readonly reference: string },
  store: Hasher,
): readonly string[] {
  const key = 'reference' in erased ? memberOf(erased.reference) : keyOf(erased.subject.variable, erased.subject.form);
  return [store.hash(key)];
}

function memberOf(reference: string): string {
  return `application:${reference}`;
}

/** The velocities of what became known of an application. */
function withKnown(velocities: Velocities, key: 'outcome' | 'disposition', value: string): readonly Velocity[] {
  return [...velocities.values()].filter(({ where }) => where?.key === key && where.value === value);
}

/** What an application adds for velocities, each member once, kept for the longest window. */
function membersOf(velocities: readonly Velocity[], seen: Seen, store: Hasher): readonly TimedMember[] {
  const members = new Map<string, TimedMember>();
  for (const velocity of velocities) {
    const { count, by, withinMs } = velocity;
    const of = valueKey(by, seen.facts);
    const member = count === 'applications' ? memberOf(seen.reference) : valueKey(count, seen.facts);
    if (of === undefined || member === undefined) continue;
    const kind = kindOf(velocity);
    const key = `${kind} ${of}`;
    const keepMs = Math.max(withinMs, members.get(key)?.keepMs ?? 0);
    members.set(key, { of: store.hash(of), kind, member: store.hash(member), at: seen.at, keepMs });
  }
  return [...members.values()];
}

/** Equal for velocities whose members are the same. */
function kindOf({ count, where }: Velocity): SeenSet['kind'] {
  if (count !== 'applications') return `distinct ${count}`;
  return where ? `applications where ${where.key}=${where.value}` : count;
}

/** The path of the fact that applications are counted by, or whose values are counted. */
export function pathCounted(name: string): string {
  if (name.startsWith('context.')) return name;
  return name.startsWith('ip/') ? 'applicant.ip' : `applicant.${name}`;
}

/** What is hashed of an application: what the value is, and the value; undefined if the applicant has none. */
export function valueKey(by: string, facts: Facts): string | undefined {
  const fact = facts.get(pathCounted(by));
  const value = fact === undefined || isMissing(fact) ? undefined : String(fact.value);
  if (by !== 'ip' && !by.startsWith('ip/')) return value === undefined ? undefined : keyOf(by, value);
  // An IPv6 address is invalid to the service; velocities count by it all the same.
  const ip = value ?? (fact && isMissing(fact) && fact.raw !== undefined ? readIpv6(fact.raw) : undefined);
  if (ip === undefined) return undefined;
  if (by === 'ip') return keyOf('ip', ip);
  const network = networkOf(ip, Number(by.slice('ip/'.length)));
  // An address alone is the same value, however it is asked for.
  return /\/(32|128)$/.test(network) && network.startsWith(`${ip}/`) ? keyOf('ip', ip) : keyOf('network', network);
}

function keyOf(name: string, value: string): string {
  return `${name}:${value}`;
}
