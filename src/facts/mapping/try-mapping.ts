/** A captured answer and a mapping -> what each fact becomes, and the leaves of the answer that nothing uses. */

import type { FactDefinition, FactTable } from '../catalog.ts';
import type { Fact } from '../fact.ts';
import { readFacts } from '../read.ts';
import type { Mapping } from './mapping.ts';
import { normalise } from './normalise.ts';
import { formatSteps, type Located, type LocatedValue, type Path } from './path.ts';

/** What a mapping makes of one answer. */
export interface MappingTrial {
  /** By path, in the order of the mapping's facts: those that an answer tells, and those derived from them alone. */
  readonly facts: ReadonlyMap<string, Fact>;
  /** In the answer's order. */
  readonly unused: readonly Leaf[];
}

/** A text, number, boolean, null, empty list or empty object of an answer. */
export interface Leaf {
  /** Where it stands, as a mapping would write it. */
  readonly path: string;
  readonly value: unknown;
}

/** How a mapping is tried. */
export interface TrialOptions {
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  /** Whether a further service was asked; by default, whether the answer shows one. */
  readonly composite?: boolean;
}

/**
 * Reads an answer as if phone number, email and IP had been asked about. The caller's reference is not compared, since a
 * captured answer does not tell which was sent. Never throws.
 *
 * A leaf is used where the mapping reads it: at the place of a signal (of several places, the one that counts), of its
 * `never`, of a status or of the reference, also as an entry of a list there; where a list is counted, all within it; and
 * where a filter tests it in an entry that it chooses. What a failed source says is used all the same.
 */
export function tryMapping(body: unknown, mapping: Mapping, options: TrialOptions): MappingTrial {
  const { day, composite = showsCompositeService(body, mapping) } = options;
  const given = normalise({ body }, mapping, { variables: ALL_VARIABLES, composite }, mapping.facts, day);
  const facts = [...readFacts(given, mapping.facts, day)].filter(([path]) => isFromAnswer(path, mapping.facts));
  const used = usedPaths(body, mapping);
  const leaves = leavesOf({ value: body, steps: [] }).map(({ value, steps }) => ({ path: formatSteps(steps), value }));
  return { facts: new Map(facts), unused: leaves.filter(({ place }) => !used.has(place)) };
}

const ALL_VARIABLES = ['phoneNo', 'email', 'ip'] as const;

/** Whether a fact is the service's, or derived from facts that are. */
function isFromAnswer(path: string, table: FactTable): boolean {
  const { origin, inputs = [] }: Partial<FactDefinition> = table.get(path) ?? {};
  return origin === 'derived' ? inputs.every((input) => isFromAnswer(input, table)) : origin === 'service';
}

/** Something stands where the mapping looks for facts that only a further service tells, or for its status. */
function showsCompositeService(body: unknown, mapping: Mapping): boolean {
  const isFurther = (path: string) => mapping.facts.get(path)?.composite === true;
  const signals = [...mapping.signals].flatMap(([path, { paths: places }]) => (isFurther(path) ? places : []));
  // A source that tells of the phone number too is there whether a further service was asked or not.
  const sources = mapping.sources.filter(({ facts }) => facts.size > 0 && [...facts].every(isFurther));
  return [...signals, ...sources.map(({ path: place }) => place)].some((place) => locate(place, body).found.length > 0);
}

/** The places of the leaves that the mapping reads. */
function usedPaths(body: unknown, { signals, status, reference, sources }: Mapping): ReadonlySet<string> {
  const alone = [status?.path, reference, ...sources.map(({ path: place }) => place)].filter(
    (place) => place !== undefined,
  );
  const reads = [
    ...[...signals.values()].map(({ paths: places, take }) => readLeaves(body, places, take === 'count')),
    ...[...signals.values()].map(({ never }) => readLeaves(body, never?.paths ?? [])),
    ...alone.map((place) => readLeaves(body, [place])),
  ];
  return new Set(reads.flat().map(({ steps }) => formatSteps(steps)));
}

/** The leaves that are read at the first place that is there. */
function readLeaves(body: unknown, places: readonly Path[], isCounted = false): readonly LocatedValue[] {
  for (const place of places) {
    const { found, tested } = locate(place, body);
    if (found.length === 0) continue;
    const read = isCounted ? found.flatMap(leavesOf) : found.flatMap((each) => [each, ...entriesOf(each)]);
    return [...read, ...tested].filter(({ value }) => !hasChildren(value));
  }
  return [];
}

const NOWHERE: Located = { found: [], tested: [] };

/** Nothing where the place cannot be followed: the answer nests beyond all measure. */
function locate(place: Path, body: unknown): Located {
  try {
    return place.locate(body);
  } catch {
    return NOWHERE;
  }
}

/** All leaves within a value, in its order; itself, where it is one. On a stack of its own: an answer may nest deep. */
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

/** The entries of a list; anything else has none. */
function entriesOf({ value, steps }: LocatedValue): LocatedValue[] {
  return Array.isArray(value) ? value.map((entry, index) => ({ value: entry, steps: [...steps, index] })) : [];
}
