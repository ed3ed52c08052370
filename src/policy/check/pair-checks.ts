/** Two rules of which one fires whenever the other does -> a warning that one has no effect. */

import { type Axis, cellsIn } from '../cells/cells.ts';
import { isWithin, ownSetOn, type Region, setOn } from '../cells/conjunctions.ts';
import type { TextPart } from '../cells/text-forms.ts';
import { hasBands, type Rule, strictness } from '../language.ts';
import { reasonOf } from '../read/rule.ts';
import { NOTHING, weigh, whenAsking } from '../weight.ts';
import { type Check, placeOfRule, type RuleRegions } from './context.ts';

/** Looks at a rule and one that fires whenever it does; returns whether it reported the first. */
export type PairCheck = (covered: RuleRegions, covering: RuleRegions, check: Check) => boolean;

/**
 * Comparing pairs of rules of this many cells in all takes about a second. A policy that needs more is not compared to
 * the end, which is reported.
 */
const MAX_COMPARED_CELLS = 500_000_000;
/** What comparing two rules costs, in addition to their cells. */
const EACH_PAIR = 250;

/** Runs the checks on each rule with each that covers it, until one reports the rule. */
export function checkPairs(check: Check, checks: readonly PairCheck[]): void {
  const { regions, identify, reported, warn, nodeOf } = check;
  const live = regions.filter(({ rule, certain }) => !rule.shadow && certain.length > 0);
  const candidatesOf = candidateFinder(live);
  let compared = 0;
  for (const [i, covered] of live.entries()) {
    if (reported.has(covered.rule) || covered.rule.then === undefined) continue;
    const ownIdentity = identify(covered.rule.when);
    const cost = EACH_PAIR + cellsOf(covered);
    for (const covering of candidatesOf(covered)) {
      compared += cost;
      if (compared > MAX_COMPARED_CELLS) {
        const rest = `"${covered.rule.id}" on were not compared with all others: ${live.length - i} rules`;
        warn(
          nodeOf(covered.rule),
          'not-checked',
          `the rules from ${rest}`,
          'split the policy to have all of its rules compared',
        );
        return;
      }
      if (ownIdentity === identify(covering.rule.when) || !firesWith(covering, covered)) continue;
      if (checks.some((run) => run(covered, covering, check))) break;
    }
  }
}

function cellsOf({ certain }: RuleRegions): number {
  return certain.reduce((sum, { sets }) => [...sets.keys()].reduce((cells, axis) => cells + axis.cells.length, sum), 0);
}

/** Whether one rule is active and fires whenever another does. Sound: where it cannot tell, it says no. */
function firesWith(covering: RuleRegions, covered: RuleRegions): boolean {
  return isActiveWith(covering.rule, covered.rule) && areWithin(covered.certain, covering.certain);
}

/** Whether each region lies in one of the others. */
function areWithin(inner: readonly Region[], outer: readonly Region[]): boolean {
  return inner.every((region) => outer.some((other) => isWithin(region, other)));
}

/** The rules with a region whose first axis is this one. */
interface Candidates {
  /** Those that ask for several cells of it, in the policy's order. */
  readonly wide: RuleRegions[];
  /** Those that ask for a single one, by its set. */
  readonly single: Map<bigint, RuleRegions[]>;
}

/**
 * Finds rules that may cover one: some conjunction of theirs asks only about facts that the rule asks about too, and on
 * its first axis for no fewer cells. Rules that ask for single values are looked up, so that tables of them take linear
 * time. A rule may be given twice.
 */
function candidateFinder(rules: readonly RuleRegions[]): (covered: RuleRegions) => Iterable<RuleRegions> {
  const byAxis = new Map<Axis, Candidates>();
  const unconditional: RuleRegions[] = [];
  for (const each of rules) {
    for (const { sets } of each.certain) {
      const [first] = sets;
      if (!first) {
        unconditional.push(each);
        continue;
      }
      const [axis, set] = first;
      const candidates = byAxis.get(axis) ?? { wide: [], single: new Map() };
      byAxis.set(axis, candidates);
      const list = isSingle(set) ? (candidates.single.get(set) ?? []) : candidates.wide;
      if (list.at(-1) !== each) list.push(each);
      if (list !== candidates.wide) candidates.single.set(set, list);
    }
  }
  const axes = Map.groupBy(byAxis.keys(), ({ subject }) => subject);
  const textAxesOf = textAxisFinder(byAxis.keys());
  return function* ({ certain: [region] }) {
    yield* unconditional;
    if (!region) return;
    for (const subject of new Set([...region.sets.keys()].map((axis) => axis.subject))) {
      for (const axis of axes.get(subject) ?? []) {
        const { wide, single } = byAxis.get(axis) as Candidates;
        yield* single.get(ownSetOn(axis, region)) ?? [];
        yield* wide;
      }
    }
    for (const axis of textAxesOf(region)) yield* byAxis.get(axis)?.single.get(setOn(axis, region)) ?? [];
  };
}

function isSingle(set: bigint): boolean {
  return (set & (set - 1n)) === 0n;
}

function isActiveWith(covering: Rule, covered: Rule): boolean {
  const begins = covering.from === undefined || (covered.from !== undefined && covering.from <= covered.from);
  return begins && (covering.until === undefined || (covered.until !== undefined && covered.until <= covering.until));
}

/** Reports a rule that another makes redundant by firing whenever it does; returns whether it did. */
export function checkCovered(covered: RuleRegions, covering: RuleRegions, check: Check): boolean {
  if (!isOutranked(covered, covering, check) || hasOwnReason(covered.rule, covering.rule)) return false;
  // Of two that cover each other the later one is redundant.
  if (covering.index > covered.index && isOutranked(covering, covered, check) && firesWith(covered, covering))
    return false;
  const { rule } = covered;
  const other = covering.rule;
  const asks = `asks for ${other.then} whenever this one asks for ${rule.then}`;
  const message = `the rule "${rule.id}" never matters: "${other.id}" ${asks}`;
  const hint = `remove it, or narrow "${other.id}"`;
  check.warn(check.nodeOf(rule), 'covered', message, hint, placeOfRule(other, check));
  return true;
}

/** Whether a rule is decisive together with the other, and has a notice or a reason code of its own. */
function hasOwnReason(rule: Rule, other: Rule): boolean {
  return rule.then === other.then && rule.final === other.final && hasOwnWords(rule, other);
}

/** Whether leaving out one rule changes no outcome, given another that fires whenever it does. */
function isOutranked({ rule, possible }: RuleRegions, covering: RuleRegions, { policy }: Check): boolean {
  const [own, other] = [weigh(rule), weigh(covering.rule)];
  if ((own.points !== 0 && hasBands(policy)) || other.fired < own.fired) return false;
  // A final rule is redundant only if another final rule decides the same.
  if (own.isFinal && !(other.isFinal && other.fired === own.fired)) return false;
  return own.undetermined === NOTHING || areWithin(possible, whenAsking(other, covering));
}

/** Reports a rule that a final one overrules whenever it fires; returns whether it did. */
export function checkNeverDecides(covered: RuleRegions, covering: RuleRegions, check: Check): boolean {
  const { rule } = covered;
  const other = covering.rule;
  // Of two final rules that fire, the stricter one decides.
  if (!other.final || (rule.final && strictness(other.then) <= strictness(rule.then))) return false;
  const final = `the final rule "${other.id}"`;
  const message = `the rule "${rule.id}" never decides: ${final} decides ${other.then} whenever this one fires`;
  const hint = `its ${rule.then} is lost: narrow "${other.id}"`;
  check.warn(check.nodeOf(rule), 'never-decides', message, hint, placeOfRule(other, check));
  return true;
}

/** Whether a rule has a notice, or a reason code that is not made from its id; different from those of another rule. */
export function hasOwnWords(rule: Rule, other?: Rule): boolean {
  const hasNotice = rule.notice !== undefined && JSON.stringify(rule.notice) !== JSON.stringify(other?.notice);
  return hasNotice || (rule.reason !== reasonOf(rule.id) && rule.reason !== other?.reason);
}

/** More axes of literals, lists and patterns of one text are not looked at: patterns take time. */
const MOST_OTHERS = 16;
/** Parts of parts are looked up up to this length. */
const MOST_CHARACTERS = 40;

/** Finds the axes that what a region says of a text may narrow: in time that does not grow with their number. */
function textAxisFinder(axes: Iterable<Axis>): (region: Region) => Iterable<Axis> {
  const byPart = new Map<string, Axis>();
  // With one axis, there is nothing to narrow.
  const counts = new Map<string, number>();
  const others = new Map<string, Axis[]>();
  for (const axis of axes) {
    if (!axis.formOf) continue;
    counts.set(axis.subject, (counts.get(axis.subject) ?? 0) + 1);
    const [part] = partsOf(axis, axis.firstValue);
    if (part && part.place !== 'is') byPart.set(keyOf(axis.subject, part.place, part.text), axis);
    else others.set(axis.subject, [...(others.get(axis.subject) ?? []), axis]);
  }
  return function* ({ sets }) {
    for (const [axis, set] of sets) {
      if (!axis.formOf || (counts.get(axis.subject) ?? 0) < 2) continue;
      const cell = cellsIn(set).find((index) => index >= axis.firstValue);
      if (cell === undefined) continue;
      const same = others.get(axis.subject) ?? [];
      if (same.length <= MOST_OTHERS) yield* same;
      // What all cells have in common, the first of them has.
      const [part] = partsOf(axis, cell);
      for (const key of part && byPart.size > 0 ? keysWithin(axis.subject, part) : []) {
        const candidate = byPart.get(key);
        if (candidate) yield candidate;
      }
    }
  };
}

function partsOf({ formOf }: Axis, cell: number): readonly TextPart[] {
  return formOf?.(cell).oneOf ?? [];
}

/** The keys of the parts that every text with a part has. */
function* keysWithin(subject: string, { place, text }: TextPart): Generator<string> {
  for (let start = 0; start < Math.min(text.length, MOST_CHARACTERS); start++) {
    if (place === 'is' || place === 'endsWith') yield keyOf(subject, 'endsWith', text.slice(start));
    for (let end = start + 1; end <= Math.min(text.length, MOST_CHARACTERS); end++) {
      yield keyOf(subject, 'contains', text.slice(start, end));
      if (start === 0 && (place === 'is' || place === 'startsWith'))
        yield keyOf(subject, 'startsWith', text.slice(0, end));
    }
  }
}

function keyOf(subject: string, place: TextPart['place'], text: string): string {
  return `${subject} ${place} ${text}`;
}
