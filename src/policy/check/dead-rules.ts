/** Rules, rows among them -> warnings about those that never fire, or that others make needless. */

import { type Conjunction, isWithin, type Region } from '../cells/conjunctions.ts';
import { asksWhenUnknown, type Condition, OUTCOMES, type Policy, type Rule } from '../language.ts';
import { type Check, partsOf } from './context.ts';

/** A rule by cells. */
interface Formed {
  readonly rule: Rule;
  /** Its place in the policy's order. */
  readonly index: number;
  /** Where it fires. */
  readonly certain: readonly Region[];
  /** Where it fires or is undetermined. */
  readonly possible: readonly Region[];
}

/** So many pairs of rules are compared, about a second's work; a policy that needs more is not looked at to the end. */
const MOST_COMPARISONS = 2_000_000;

/** Looks for rules that never fire, that have the same condition, and that others always cover. */
export function checkDeadRules(check: Check): void {
  const identify = identifier();
  const repeated = checkSameConditions(check, identify);
  const formed: Formed[] = [];
  for (const [index, rule] of check.policy.rules.entries()) {
    const conjunctions = check.conjunctions.of(rule.when);
    if (!conjunctions) continue;
    const certain = regions(conjunctions, 'certain');
    if (certain.length > 0) formed.push({ rule, index, certain, possible: regions(conjunctions, 'possible') });
    else checkNeverFires(rule, check);
  }
  const live = formed.filter(({ rule }) => !rule.shadow);
  const candidates = candidateFinder(live);
  const firstBlock = firstFinalThatAsks(check.policy);
  let comparisons = 0;
  for (const covered of live) {
    if (repeated.has(covered.rule) || covered.rule.then === undefined) continue;
    for (const covering of candidates(covered)) {
      if (++comparisons > MOST_COMPARISONS) return;
      const isSame = identify(covering.rule.when) === identify(covered.rule.when);
      if (isSame || !fires(covering, covered)) continue;
      if (reportCover(covered, covering, firstBlock, check)) break;
    }
  }
}

function regions(conjunctions: readonly Conjunction[], which: keyof Conjunction): readonly Region[] {
  return conjunctions.flatMap((conjunction) => conjunction[which] ?? []);
}

function checkNeverFires(rule: Rule, { reported, warn, placeOf }: Check): void {
  if (hasReported(rule.when, reported)) return;
  const message = `the rule "${rule.id}" can never fire: no facts pass all of its tests, so that it protects from nothing`;
  warn(placeOf(rule), 'never-fires', message);
}

function hasReported(condition: Condition, reported: ReadonlySet<Condition>): boolean {
  for (const part of partsOf(condition)) {
    if (reported.has(part) || (part.kind === 'named' && hasReported(part.of[0], reported))) return true;
  }
  return false;
}

/** Reports each rule that has the condition of an earlier one; gives those reported. */
function checkSameConditions(check: Check, identify: Identify): ReadonlySet<Rule> {
  const { policy, warn, placeOf } = check;
  const earlier = new Map<number, Rule[]>();
  const repeated = new Set<Rule>();
  for (const rule of policy.rules) {
    const id = identify(rule.when);
    const same = earlier.get(id) ?? [];
    earlier.set(id, same);
    // A trial of another outcome, and a rule that takes another's place on a day, are meant.
    const other = same.find((each) => each.shadow === rule.shadow && overlap(each, rule));
    if (other) {
      repeated.add(rule);
      const where = whereIs(other, rule, check);
      const message = `the rule "${rule.id}" has the same condition as "${other.id}"${where}: both fire together, and an edit of one alone does half of what is meant`;
      warn(placeOf(rule), 'same-condition', message);
    }
    same.push(rule);
  }
  return repeated;
}

/** Gives numbers that are equal for conditions that say the same, whatever the order of their parts and their names. */
type Identify = (condition: Condition) => number;

function identifier(): Identify {
  const numbers = new Map<string, number>();
  const known = new WeakMap<Condition, number>();
  const identify: Identify = (condition) => {
    let number = known.get(condition);
    if (number === undefined) {
      number = condition.kind === 'named' ? identify(condition.of[0]) : numberOf(textOf(condition));
      known.set(condition, number);
    }
    return number;
  };
  const numberOf = (text: string) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const textOf = (condition: Exclude<Condition, { kind: 'named' }>): string => {
    if (condition.kind === 'test') return condition.key;
    const parts = condition.of.map(identify).sort((a, b) => a - b);
    return `${condition.kind} ${condition.kind === 'atLeastOf' ? condition.count : ''} ${parts.join(' ')}`;
  };
  return identify;
}

function overlap(one: Rule, other: Rule): boolean {
  const from = latest(one.from, other.from);
  return from === undefined || [one.until, other.until].every((until) => until === undefined || from <= until);
}

function latest(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}

/** Finds the rules that may cover one: some conjunction of theirs asks nothing of facts that the rule does not ask about. */
function candidateFinder(formed: readonly Formed[]): (covered: Formed) => Iterable<Formed> {
  const bySubject = new Map<string, Formed[]>();
  const unconditional: Formed[] = [];
  for (const each of formed) {
    for (const subject of new Set(each.certain.map(firstSubject))) {
      const list = subject === undefined ? unconditional : (bySubject.get(subject) ?? []);
      list.push(each);
      if (subject !== undefined) bySubject.set(subject, list);
    }
  }
  return ({ certain }) => {
    const subjects = new Set([...(certain[0]?.sets.keys() ?? [])].map(({ subject }) => subject));
    return new Set([...unconditional, ...[...subjects].flatMap((subject) => bySubject.get(subject) ?? [])]);
  };
}

function firstSubject({ sets }: Region): string | undefined {
  for (const { subject } of sets.keys()) return subject;
  return undefined;
}

/** Whether one rule is active and fires whenever another does. Sound: of what it cannot tell it says no. */
function fires(covering: Formed, covered: Formed): boolean {
  return isActiveWith(covering.rule, covered.rule) && areWithin(covered.certain, covering.certain);
}

function isActiveWith(covering: Rule, covered: Rule): boolean {
  const begins = covering.from === undefined || (covered.from !== undefined && covering.from <= covered.from);
  return begins && (covering.until === undefined || (covered.until !== undefined && covered.until <= covering.until));
}

function areWithin(inner: readonly Region[], outer: readonly Region[]): boolean {
  return inner.every((region) => outer.some((other) => isWithin(region, other)));
}

/** The place of the first final rule that, undetermined, ends the walk over the final rules. */
function firstFinalThatAsks({ rules }: Policy): number {
  const index = rules.findIndex((rule) => rule.final && !rule.shadow && asksWhenUnknown(rule) !== null);
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}

function rank({ then }: Rule): number {
  return then === undefined ? -1 : OUTCOMES.indexOf(then);
}

/** Reports a rule that is needless beside another that fires whenever it does. */
function reportCover(covered: Formed, covering: Formed, firstBlock: number, check: Check): boolean {
  const { rule } = covered;
  const where = `"${covering.rule.id}"${whereIs(covering.rule, rule, check)}`;
  const place = check.placeOf(rule);
  if (isOutranked(covered, covering)) {
    // Of two that cover each other the later one is needless.
    if (covering.index > covered.index && isOutranked(covering, covered) && fires(covered, covering)) return false;
    const message = `the rule "${rule.id}" never matters: ${where} asks for ${covering.rule.then} whenever this one asks for ${rule.then}`;
    check.warn(place, 'covered', `${message}; remove it, or narrow the other`);
    return true;
  }
  // Where an undetermined block ends the walk, the covering rule does not decide alone, and the covered one counts.
  const isFirst = covering.index < firstBlock || rank(covering.rule) >= rank(rule);
  const comesFirst = !rule.final || covering.index < covered.index;
  if (!covering.rule.final || !comesFirst || !isFirst) return false;
  const message = `the rule "${rule.id}" never decides: ${where}, which is final, decides ${covering.rule.then} whenever this one fires`;
  check.warn(place, 'after-final', `${message}, so that its ${rule.then} is lost`);
  return true;
}

/** Whether leaving out one rule changes no outcome beside another that fires whenever it does. */
function isOutranked({ rule, possible }: Formed, covering: Formed): boolean {
  if (rule.final || (rule.points ?? 0) !== 0 || rank(covering.rule) < rank(rule)) return false;
  if (asksWhenUnknown(rule) === null) return true;
  return areWithin(possible, asksWhenUnknown(covering.rule) !== null ? covering.possible : covering.certain);
}

/** Where a rule stands, seen from another: ` (line 12)`, ` (rules/a.yaml:12)`. */
function whereIs(rule: Rule, from: Rule, { places }: Check): string {
  const node = places.get(rule);
  if (!node) return '';
  const line = node.source.lineAt(node.start);
  return node.source === places.get(from)?.source ? ` (line ${line})` : ` (${node.source.file}:${line})`;
}
