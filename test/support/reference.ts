/** A policy as plain data, facts and a day -> the verdict, by walking the tree: slow, obvious, and with no code of the runners. */

import { RE2JS } from 're2js';
import type { Evidence, MissingEvidence } from '../../src/decision/evidence.ts';
import type { Reason, Verdict } from '../../src/decision/verdict.ts';
import { CATALOG, type FactType } from '../../src/facts/catalog.ts';
import type { Cause, FactValue } from '../../src/facts/fact.ts';
import type { Outcome, WhenUnknown } from '../../src/policy/language.ts';

/** A condition as YAML gives it: a name, or a map. */
export type PlainCondition = string | { readonly [key: string]: unknown };

export interface PlainRule {
  readonly id: string;
  readonly when: PlainCondition;
  readonly then?: Outcome;
  readonly reason?: string;
  readonly message?: string;
  readonly points?: number;
  readonly final?: boolean;
  readonly whenUnknown?: WhenUnknown;
}

/** A policy as YAML gives it, its rule sets and list files in their places. */
export interface PlainPolicy {
  readonly default: Outcome;
  readonly whenUnknown?: WhenUnknown;
  readonly facts?: PlainTable;
  readonly lists?: { readonly [name: string]: readonly string[] };
  readonly conditions?: { readonly [name: string]: PlainCondition };
  readonly rules: readonly PlainRule[];
  readonly score?: { readonly review?: number; readonly reject?: number };
}

export interface PlainDefinition {
  readonly type: FactType;
  readonly values?: readonly string[];
  readonly past?: boolean;
  readonly range?: readonly [least: number, most: number];
}

/** Definitions by path. */
export type PlainTable = { readonly [path: string]: PlainDefinition };

/** A fact as it came, not folded; `text` is what is shown where `value` is folded already. */
export type PlainFact = { readonly value: FactValue; readonly text?: string } | { readonly missing: Cause };
export type PlainFacts = { readonly [path: string]: PlainFact };

interface World {
  readonly policy: PlainPolicy;
  readonly facts: PlainFacts;
  readonly day: string;
  /** Operators whose evaluation is an error. */
  readonly failing: readonly string[];
}

type Truth = 'true' | 'false' | 'unknown';

interface Node {
  readonly truth: Truth;
  readonly parts: readonly Node[];
  readonly isNot?: true;
  readonly test?: PlainTest;
}

interface PlainTest {
  readonly fact: string;
  readonly operator: string;
  readonly expected: unknown;
  readonly argument: unknown;
  readonly other: string | undefined;
}

const LEVELS: readonly unknown[] = ['veryLow', 'low', 'medium', 'high', 'veryHigh'];
const STRICTNESS: readonly unknown[] = [null, 'accept', 'review', 'reject'];

/** The verdict; `failing` names operators whose every evaluation counts as an error. */
export function referenceVerdict(
  policy: PlainPolicy,
  facts: PlainFacts,
  day: string,
  failing: readonly string[] = [],
): Verdict {
  const world = { policy, facts, day, failing };
  const results = policy.rules.map((rule) => ({ rule, node: walk(rule.when, world) }));
  const fired = results.filter(({ node }) => node.truth === 'true');
  const undetermined = results.filter(({ node }) => node.truth === 'unknown');
  const ignores = (rule: PlainRule) => (rule.whenUnknown ?? policy.whenUnknown ?? 'review') === 'ignore';
  const asks = (rule: PlainRule) => !ignores(rule) && (rule.then === 'review' || rule.then === 'reject');

  let decider: PlainRule | undefined;
  for (const { rule, node } of results.filter((result) => result.rule.final)) {
    if (node.truth === 'true') decider = rule;
    if (node.truth === 'true' || (node.truth === 'unknown' && asks(rule))) break;
  }

  const certainPoints = sum(fired.map(({ rule }) => rule.points ?? 0));
  const openPoints = undetermined.filter(({ rule }) => !ignores(rule)).map(({ rule }) => rule.points ?? 0);
  const least = certainPoints + sum(openPoints.filter((points) => points < 0));
  const most = certainPoints + sum(openPoints.filter((points) => points > 0));
  const band = bandOf(least, policy);
  const isHigherPossible = STRICTNESS.indexOf(bandOf(most, policy)) > STRICTNESS.indexOf(band);

  const certain = fired.flatMap(({ rule }) => rule.then ?? []);
  if (band) certain.push(band);
  const asked = [...certain];
  for (const { rule } of undetermined) if (asks(rule)) asked.push('review');
  if (isHigherPossible) asked.push('review');
  const isDefaultListed = !decider && certain.length === 0 && (policy.default !== 'accept' || asked.length === 0);
  if (!decider && certain.length === 0) asked.push(policy.default);
  const strictest = (['reject', 'review', 'accept'] as const).find((outcome) => asked.includes(outcome)) ?? 'accept';
  const outcome = decider?.then ?? strictest;

  const decisive = (wanted: Outcome | null, rule?: PlainRule) => (decider ? rule === decider : wanted === outcome);
  const reasons: Reason[] = results.flatMap(({ rule, node }): Reason[] => {
    const code = rule.reason ?? rule.id.toUpperCase().replaceAll(/[-/]/g, '_');
    const then = rule.then ?? null;
    if (node.truth === 'true') {
      return [
        {
          because: 'fired',
          code,
          outcome: then,
          decisive: decisive(then, rule),
          rule: rule.id,
          ...(rule.points === undefined ? {} : { points: rule.points }),
          ...(rule.message === undefined ? {} : { message: render(rule.message, world) }),
          evidence: evidenceOf(node, world),
        },
      ];
    }
    if (node.truth === 'false' || !asks(rule)) return [];
    return [{ because: 'undetermined', code, outcome: 'review', decisive: decisive('review', rule), rule: rule.id }];
  });
  if (band) reasons.push({ because: 'score', code: 'SCORE', outcome: band, decisive: decisive(band) });
  if (isHigherPossible) {
    reasons.push({ because: 'score', code: 'SCORE_UNDETERMINED', outcome: 'review', decisive: decisive('review') });
  }
  if (isDefaultListed) {
    const isDecisive = decisive(policy.default);
    reasons.push({ because: 'default', code: 'DEFAULT', outcome: policy.default, decisive: isDecisive });
  }
  const ranks = [true, false].flatMap((isDecisive) =>
    ['reject', 'review', 'accept', null].map((each) => ({ isDecisive, each })),
  );
  return {
    outcome,
    reasons: ranks.flatMap(({ isDecisive, each }) =>
      reasons.filter((reason) => reason.decisive === isDecisive && reason.outcome === each),
    ),
    undetermined: undetermined.map(({ rule, node }) => ({
      rule: rule.id,
      asks: asks(rule) ? 'review' : null,
      missing: missingOf(node, world),
    })),
    score: { least, most, band },
    shadow: [],
  };
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
}

function bandOf(points: number, { score }: PlainPolicy): Outcome | null {
  if (score?.reject !== undefined && points >= score.reject) return 'reject';
  if (score?.review !== undefined && points >= score.review) return 'review';
  return null;
}

// Truth

function walk(condition: PlainCondition, world: World): Node {
  if (typeof condition === 'string') return walk(world.policy.conditions?.[condition] ?? {}, world);
  const keys = Object.keys(condition).sort();
  return all(keys.map((key) => walkEntry(key, condition[key], world)));
}

function walkEntry(key: string, value: unknown, world: World): Node {
  const walkEach = (list: unknown) => (list as readonly PlainCondition[]).map((item) => walk(item, world));
  if (key === 'all') return all(walkEach(value));
  if (key === 'any') {
    const parts = walkEach(value);
    const truths = parts.map(({ truth }) => truth);
    return { parts, truth: truths.includes('true') ? 'true' : truths.includes('unknown') ? 'unknown' : 'false' };
  }
  if (key === 'not') {
    const part = walk(value as PlainCondition, world);
    const truth = part.truth === 'true' ? 'false' : part.truth === 'false' ? 'true' : 'unknown';
    return { truth, parts: [part], isNot: true };
  }
  if (key === 'atLeastOf') {
    const { count, of } = value as { count: number; of: unknown };
    const parts = walkEach(of);
    const sure = parts.filter(({ truth }) => truth === 'true').length;
    const open = parts.filter(({ truth }) => truth === 'unknown').length;
    return { parts, truth: sure >= count ? 'true' : sure + open < count ? 'false' : 'unknown' };
  }
  return all(testsOf(value).map(([operator, expected]) => walkTest(key, operator, expected, world)));
}

function all(parts: readonly Node[]): Node {
  const truths = parts.map(({ truth }) => truth);
  return { parts, truth: truths.includes('false') ? 'false' : truths.includes('unknown') ? 'unknown' : 'true' };
}

function testsOf(asked: unknown): (readonly [operator: string, expected: unknown])[] {
  if (Array.isArray(asked)) return [['in', asked]];
  if (typeof asked !== 'object' || asked === null || nameOfOther(asked) !== undefined) return [['is', asked]];
  const unheardOf = Object.keys(asked).find((name) => name !== 'known' && !(name in HOLDS));
  if (unheardOf) throw new Error(`the reference has no operator ${unheardOf}: add it from the page`);
  const operators = asked as Readonly<Record<string, unknown>>;
  return OPERATORS_IN_ORDER.filter((name) => name in operators).map((name) => [name, operators[name]]);
}

function nameOfOther(asked: unknown): string | undefined {
  const isMap = typeof asked === 'object' && asked !== null && !Array.isArray(asked);
  return isMap && 'fact' in asked ? String(asked.fact) : undefined;
}

function walkTest(fact: string, operator: string, expected: unknown, world: World): Node {
  const other = nameOfOther(expected);
  const argument = other === undefined ? prepare(typeOf(fact, world), operator, expected) : expected;
  const node = (truth: Truth): Node => ({ truth, parts: [], test: { fact, operator, expected, argument, other } });
  const subject = factAt(fact, world);
  if (operator === 'known') return node('missing' in subject === (expected === false) ? 'true' : 'false');
  if ('missing' in subject) return node('unknown');
  const object = other === undefined ? { value: argument } : factAt(other, world);
  if ('missing' in object || world.failing.includes(operator)) return node('unknown');
  const holds = HOLDS[operator] as (value: unknown, argument: unknown, world: World) => boolean;
  return node(holds(subject.value, object.value, world) ? 'true' : 'false');
}

/** Whether a test holds of a value that is known, in the order of the page's table of operators. */
const HOLDS: Readonly<Record<string, (value: never, argument: never, world: World) => boolean>> = {
  is: (value: unknown, argument: unknown) => value === argument,
  isNot: (value: unknown, argument: unknown) => value !== argument,
  in: (value: unknown, list: readonly unknown[]) => list.some((item) => item === value),
  notIn: (value: unknown, list: readonly unknown[]) => !list.some((item) => item === value),
  above: (value: unknown, limit: unknown) => order(value) > order(limit),
  atLeast: (value: unknown, limit: unknown) => order(value) >= order(limit),
  below: (value: unknown, limit: unknown) => order(value) < order(limit),
  atMost: (value: unknown, limit: unknown) => order(value) <= order(limit),
  between: (value: unknown, [low, high]: readonly unknown[]) =>
    order(low) <= order(value) && order(value) <= order(high),
  startsWith: (value: string, text: string) => value.slice(0, text.length) === text,
  endsWith: (value: string, text: string) => value.length >= text.length && value.slice(-text.length) === text,
  contains: (value: string, text: string) => value.split(text).length > 1,
  matches: (value: string, pattern: string) => RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).matcher(value).find(),
  inList: (value: string, name: string, world) => listOf(name, world).includes(value),
  notInList: (value: string, name: string, world) => !listOf(name, world).includes(value),
  inDomainList: (value: string, name: string, world) =>
    listOf(name, world).some((entry) => value === entry || value.endsWith(`.${entry}`)),
  withinLast: (date: string, days: number, { day }) =>
    date !== 'never' && age(date, day) >= 0 && age(date, day) <= days,
  olderThan: (date: string, days: number, { day }) => date !== 'never' && age(date, day) > days,
  before: (date: string, limit: string) => date !== 'never' && limit !== 'never' && age(date, limit) > 0,
  after: (date: string, limit: string) => date !== 'never' && limit !== 'never' && age(date, limit) < 0,
  never: (date: string, truth: boolean) => (date === 'never') === truth,
};

const OPERATORS_IN_ORDER = Object.keys(HOLDS).flatMap((name) => (name === 'above' ? ['known', name] : [name]));

function order(value: unknown): number {
  return typeof value === 'number' ? value : LEVELS.indexOf(value);
}

function age(date: string, day: string): number {
  return (Date.parse(day) - Date.parse(date)) / (24 * 60 * 60 * 1000);
}

function listOf(name: string, { policy }: World): readonly string[] {
  return (policy.lists?.[name] ?? []).map(fold);
}

function prepare(type: FactType, operator: string, expected: unknown): unknown {
  if (operator === 'withinLast' || operator === 'olderThan') {
    const [count, unit] = String(expected).split(' ');
    return Number(count) * (unit?.startsWith('week') ? 7 : 1);
  }
  if (type !== 'string' || /^(known|matches|inList|notInList|inDomainList)$/.test(operator)) return expected;
  return Array.isArray(expected) ? expected.map((item) => fold(String(item))) : fold(String(expected));
}

function fold(text: string): string {
  const trimmed = text.normalize('NFC').replace(/^[\p{White_Space}\uFEFF]+|[\p{White_Space}\uFEFF]+$/gu, '');
  return Array.from(trimmed, (codePoint) => codePoint.toLowerCase())
    .join('')
    .normalize('NFC');
}

// Facts

function definitionOf(path: string, { policy }: World): PlainDefinition {
  const catalog: PlainTable = CATALOG;
  const definition = policy.facts?.[path] ?? catalog[path];
  if (!definition) throw new Error(`no fact ${path}`);
  return definition;
}

function typeOf(path: string, world: World): FactType {
  return definitionOf(path, world).type;
}

function factAt(path: string, world: World): { value: FactValue; shown: FactValue } | { missing: Cause } {
  const fact = world.facts[path] ?? { missing: 'notGiven' };
  if ('missing' in fact) return fact;
  const { type, past } = definitionOf(path, world);
  const shown = fact.text ?? fact.value;
  if (type === 'string') {
    const value = fold(String(fact.value));
    return value === '' ? { missing: 'notGiven' } : { value, shown };
  }
  if (type === 'date' && past && fact.value !== 'never') {
    const daysAhead = -age(String(fact.value), world.day);
    if (daysAhead > 1) return { missing: 'invalid' };
    if (daysAhead === 1) return { value: world.day, shown: world.day };
  }
  return { value: fact.value, shown };
}

// Reasons

/** The tests on the branches that have their parent's truth. */
function testsBehind(node: Node, negated: boolean): { test: PlainTest; negated: boolean }[] {
  if (node.test) return [{ test: node.test, negated }];
  if (node.isNot) return node.parts.flatMap((part) => testsBehind(part, !negated));
  return node.parts.filter((part) => part.truth === node.truth).flatMap((part) => testsBehind(part, negated));
}

function evidenceOf(node: Node, world: World): Evidence[] {
  const value = (path: string) => {
    const fact = factAt(path, world);
    return 'missing' in fact ? {} : { value: fact.shown };
  };
  const seen = new Set<string>();
  return testsBehind(node, false).flatMap(({ test, negated }) => {
    const { fact, operator, expected, argument, other } = test;
    const key = JSON.stringify([fact, operator, argument, negated]);
    if (seen.has(key)) return [];
    seen.add(key);
    const about = other === undefined ? {} : { other: { fact: other, ...value(other) } };
    return [{ fact, operator, expected, ...value(fact), ...(negated ? { negated: true as const } : {}), ...about }];
  });
}

function missingOf(node: Node, world: World): MissingEvidence[] {
  const causes = new Map<string, MissingEvidence['cause']>();
  for (const { test } of testsBehind(node, false)) {
    const paths = test.other === undefined ? [test.fact] : [test.fact, test.other];
    const missing = paths.filter((path) => 'missing' in factAt(path, world));
    for (const path of missing.length > 0 ? missing : [test.fact]) {
      const fact = factAt(path, world);
      if (!causes.has(path)) causes.set(path, 'missing' in fact ? fact.missing : 'error');
    }
  }
  return [...causes].map(([fact, cause]) => ({ fact, cause }));
}

function render(message: string, world: World): string {
  return message.replaceAll(/\{\{|\}\}|\{(daysSince +)?([^{} ]+)\}/g, (token, daysSince, path) => {
    if (token === '{{' || token === '}}') return token.slice(1);
    const fact = factAt(path, world);
    if ('missing' in fact) return 'unknown';
    if (daysSince && fact.value !== 'never') return String(age(String(fact.value), world.day));
    return typeof fact.shown === 'string' ? fact.shown : JSON.stringify(fact.shown);
  });
}
