/** A captured answer and a mapping -> the facts, and the leaves of the answer that the mapping does not use. */

import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import type { FactDefinition, FactTable } from '../catalog.ts';
import { readFacts } from '../read.ts';
import type { Mapping } from './mapping.ts';
import { normalise } from './normalise.ts';
import { formatSteps, type LocatedValue, locateIn, type Path } from './path.ts';
import { findGaps, vouchersOf } from './status-gaps.ts';

/** The result of trying a mapping on one answer. */
export type MappingTrial = ReturnType<typeof tryMapping>;

/** A text, number, boolean, null, empty list or empty object in an answer. */
export interface Leaf {
  /** Its JSONPath, as a mapping would write it. */
  readonly path: string;
  readonly value: unknown;
}

/** How a mapping is tried. */
export interface TrialOptions {
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  /** Whether another service was requested too. Default: whether the answer shows one. */
  readonly composite?: boolean;
}

/**
 * Reads an answer as if phone number, email and IP had been requested. The caller's reference is not compared,
 * because a captured answer does not say which reference was sent. Never throws.
 *
 * A leaf is used if the mapping reads it: at the path of a signal (of several paths, the one that counts), of its
 * `never`, of a status or of the reference; as an entry of a list at such a path; anywhere within a list that is
 * counted; or where a filter tests it in an entry that it selects. The leaves of a failed source count as used too.
 */
export function tryMapping(body: unknown, mapping: Mapping, options: TrialOptions) {
  const { day, composite = showsCompositeService(body, mapping) } = options;
  const given = normalise({ body }, mapping, { variables: IDENTITY_VARIABLES, composite }, mapping.facts, day);
  const facts = [...readFacts(given, mapping.facts, day)].filter(([path]) => isFromAnswer(path, mapping.facts));
  const used = usedPaths(body, mapping);
  const leaves = leavesOf({ value: body, steps: [] }).map(({ value, steps }) => ({ path: formatSteps(steps), value }));
  return {
    /** By path, in the order of the mapping's facts: service facts, and facts derived from service facts alone. */
    facts: new Map(facts),
    /** The names of the sources that cover a fact, or `answer`, by the path of the fact. */
    vouchers: new Map(facts.map(([path]) => [path, vouchersOf(path, mapping)])),
    /** Facts that no status covers although their part has one, or that the status of another part covers. */
    gaps: findGaps(body, mapping),
    /** In the answer's order. */
    unused: leaves.filter(({ path }) => !used.has(path)),
  };
}

/** Whether a fact is the service's, or derived only from such facts. */
function isFromAnswer(path: string, table: FactTable): boolean {
  const { origin, inputs = [] }: Partial<FactDefinition> = table.get(path) ?? {};
  return origin === 'derived' ? inputs.every((input) => isFromAnswer(input, table)) : origin === 'service';
}

/** Whether the answer has something at the paths of facts that only another service returns, or of its status. */
function showsCompositeService(body: unknown, { facts: table, signals, sources }: Mapping): boolean {
  const isComposite = (path: string) => table.get(path)?.composite === true;
  const ofSignals = [...signals].flatMap(([path, { paths }]) => (isComposite(path) ? paths : []));
  // A source that also covers the phone number answers whether another service was requested or not.
  const ofSources = sources.filter(({ facts }) => facts.size > 0 && [...facts].every(isComposite));
  const paths = [...ofSignals, ...ofSources.map(({ path }) => path)];
  return paths.some((path) => locateIn(path, body).matches.length > 0);
}

/** The paths of the leaves that the mapping reads. */
function usedPaths(body: unknown, { signals, status, reference, sources }: Mapping): ReadonlySet<string> {
  const statuses = [...(status ? [status] : []), ...sources];
  const leaves = [
    ...[...signals.values()].flatMap(({ paths, take }) => readLeaves(body, paths, take === 'count')),
    ...[...signals.values()].flatMap(({ never }) => readLeaves(body, never?.paths ?? [])),
    ...readLeaves(body, reference ? [reference] : []),
    // Everything inside an error counts as read.
    ...statuses.flatMap(({ path, answered }) => readLeaves(body, [path], answered === undefined)),
  ];
  return new Set(leaves.map(({ steps }) => formatSteps(steps)));
}

/** The leaves read at the first path that finds something; with `isWhole`, all leaves within what it finds. */
function readLeaves(body: unknown, paths: readonly Path[], isWhole = false): readonly LocatedValue[] {
  for (const path of paths) {
    const { matches, tested } = locateIn(path, body);
    if (matches.length === 0) continue;
    const read = isWhole ? matches.flatMap(leavesOf) : matches.flatMap((each) => [each, ...entriesOf(each)]);
    return [...read, ...tested].filter(({ value }) => !hasChildren(value));
  }
  return [];
}

/** All leaves within a value, in order, or the value itself if it is one. Iterative: an answer may nest deep. */
function leavesOf(top: LocatedValue): LocatedValue[] {
  const leaves: LocatedValue[] = [];
  const open = [top];
  for (let each = open.pop(); each; each = open.pop()) {
    if (!hasChildren(each.value)) leaves.push(each);
    else for (const child of childrenOf(each).toReversed()) open.push(child);
  }
  return leaves;
}

function hasChildren(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function childrenOf({ value, steps }: LocatedValue): LocatedValue[] {
  if (Array.isArray(value)) return entriesOf({ value, steps });
  return Object.entries(value as object).map(([name, child]) => ({ value: child, steps: [...steps, name] }));
}

/** The entries of a list; empty for anything else. */
function entriesOf({ value, steps }: LocatedValue): LocatedValue[] {
  return Array.isArray(value) ? value.map((entry, index) => ({ value: entry, steps: [...steps, index] })) : [];
}
