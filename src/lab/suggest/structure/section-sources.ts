/** The statuses and signals of a proposal -> the status of the whole answer, and a source for each other status. */

import type { ProposedSignal } from '../propose/proposed-signal.ts';
import { isInside, type Scope } from './status-candidate.ts';
import { covers, SERVICE_PATHS, SIGNALS_OF, type Status } from './statuses.ts';

/** An entry of `sources`. */
export interface Source {
  readonly name: string;
  readonly status: Status;
  /** The signals that it covers: paths, and the beginnings of paths. */
  readonly signals: readonly string[];
}

/** A source covers the signals that are read from its part, and those not found yet that belong to it by name. */
export function assignSources(statuses: readonly Status[], signals: ReadonlyMap<string, Pick<ProposedSignal, 'at'>>) {
  const wholes = statuses.filter(({ isWhole, isFurther }) => isWhole && !isFurther);
  const [whole] = wholes.toSorted((a, b) => a.field.names.length - b.field.names.length);
  const isOther = (status: Status) => status.isFurther || !(status.isWhole && status.part === undefined);
  const others = statuses.filter((status) => status !== whole && isOther(status));
  const sources: Source[] = [];
  const names = new Set<string>();
  for (const status of others) {
    const covered = SERVICE_PATHS.filter((path) => isCovered(path, signals.get(path)?.at, status, others));
    if (covered.length === 0) continue;
    const name = freeName(nameOf(status), names);
    names.add(name);
    sources.push({ name, status, signals: inPatterns(new Set(covered)) });
  }
  return { whole, sources };
}

function isCovered(path: string, at: string | undefined, status: Status, others: readonly Status[]): boolean {
  const { part, isApart, scope } = status;
  if (at !== undefined && part !== undefined) {
    // In a map of statuses, that of the dark web says more of it than that of the email which it is a part of.
    const isNearer = (other: Status) => other.isApart && other.part !== undefined && isInside(other.part, part);
    const nearer = isApart ? others.filter(isNearer) : [];
    return isInside(at, part) && !nearer.some((other) => isInside(at, other.part ?? ''));
  }
  if (status.isWhole && status.isFurther) return true;
  if (scope === 'all' || !covers(SIGNALS_OF[scope], path)) return false;
  const rivals = at === undefined ? others : others.filter((other) => other.part === undefined);
  return !rivals.some((other) => covers(SIGNALS_OF[other.scope], path) && isNarrower(other.scope, scope));
}

/** Whether a scope has only some of the signals of another. */
function isNarrower(scope: Scope, other: Scope): boolean {
  const count = (one: Scope) => SERVICE_PATHS.filter((path) => covers(SIGNALS_OF[one], path)).length;
  return count(scope) < count(other);
}

/** Whole groups as `phone.porting.*`, if all signals of the group are among them. */
function inPatterns(paths: ReadonlySet<string>): readonly string[] {
  const patterns: string[] = [];
  for (const path of paths) {
    if (covers(patterns, path)) continue;
    const names = path.split('.');
    const groups = names.slice(1).map((_, index) => `${names.slice(0, index + 1).join('.')}.*`);
    const wholeGroup = groups.find((group) => SERVICE_PATHS.every((one) => paths.has(one) || !covers([group], one)));
    patterns.push(wholeGroup ?? path);
  }
  return patterns;
}

/** The scope, or the last plain name on the way to the part. */
function nameOf({ scope, field, part }: Status): string {
  if (scope !== 'all') return scope;
  const [name] =
    part === undefined
      ? []
      : field.names
          .slice(0, -1)
          .toReversed()
          .filter((one) => /^[A-Za-z][\w-]*$/.test(one));
  return name === undefined || name.length > 30 ? 'service' : name;
}

function freeName(name: string, names: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; names.has(free); number++) free = `${name}${number}`;
  return free;
}
