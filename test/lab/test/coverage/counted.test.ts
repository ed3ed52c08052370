/** What cases reach of a policy is counted as somebody would who evaluates every part in every case by itself. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type RuleTruth, type Score, settle } from '../../../../src/decision/meaning/outcome.ts';
import { evaluate, FALSE, TRUE, UNKNOWN } from '../../../../src/decision/meaning/truth.ts';
import type { Reason } from '../../../../src/decision/meaning/verdict.ts';
import { LEVELS } from '../../../../src/facts/catalog.ts';
import { dayNumber, dayOfNumber } from '../../../../src/facts/day.ts';
import { type Facts, type FactValue, isMissing, NEVER } from '../../../../src/facts/fact.ts';
import { readFacts } from '../../../../src/facts/read.ts';
import { type Coverage, coverage } from '../../../../src/lab/test/coverage/coverage.ts';
import type { CoverageKind } from '../../../../src/lab/test/coverage/items.ts';
import { type Condition, isActive, type Policy, type Rule, type Test } from '../../../../src/policy/language.ts';
import { askedOf, axisOf } from '../../../../src/policy/operators.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';
import { aCase } from '../../../support/runners/arbitrary.ts';
import { loadPlainPolicy, readPlainFacts } from '../../../support/runners/case.ts';
import { referenceVerdict } from '../../../support/runners/reference.ts';
import { sampled } from '../../../support/sampled.ts';

/** How often something was true, false and unknown. */
type Counts = readonly [isTrue: number, isFalse: number, isUnknown: number];

/** The counts that coverage gives, in its order; a truth that it leaves out as impossible is 0. */
function counted({ items }: Coverage, kind: CoverageKind, names: readonly [string, string, string]): Counts[] {
  const count = (goals: Coverage['items'][number]['goals'], goal: string) =>
    goals.find(({ name }) => name === goal)?.count ?? 0;
  const own = items.filter((item) => item.kind === kind);
  return own.map(({ goals }) => [count(goals, names[0]), count(goals, names[1]), count(goals, names[2])]);
}

/** The parts of conditions, each object once, in the order in which the rules first ask them. */
function partsOf(rules: readonly Rule[]): readonly Condition[] {
  const parts = new Set<Condition>();
  const visit = (condition: Condition): void => {
    // A name is a new object wherever it is used; what it names is one.
    parts.add(condition.kind === 'named' ? condition.of[0] : condition);
    if (condition.kind === 'named') names.add(condition.of[0]);
    if (condition.kind !== 'test') for (const part of condition.of) visit(part);
  };
  for (const { when } of rules) visit(when);
  return [...parts];
}

/** Whether a condition may have other truths than a single test or another name. */
function isJoined({ kind }: Condition): boolean {
  return kind !== 'test' && kind !== 'named';
}

/** What names mean, in all policies. */
const names = new WeakSet<Condition>();

/** The next value of a fact, or the one before; undefined where there is none. */
function beside({ type, fact, operator }: Test, value: FactValue, by: 1 | -1, { facts }: Policy, day: string) {
  const { range: [least, most] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], past } = facts.get(fact) ?? {};
  if (type === 'level') return LEVELS[LEVELS.indexOf(value as (typeof LEVELS)[number]) + by];
  if (type === 'date') {
    if (value === NEVER) return undefined;
    const next = dayOfNumber(dayNumber(String(value)) + by);
    // The ages of a date in the past begin with the day of the decision.
    const isBeyond = past === true && next > day && axisOf(operator) === 'age';
    return isBeyond ? undefined : next;
  }
  const next = Number(value) + by;
  return next >= least && next <= most ? next : undefined;
}

/** Whether the borders of a test are between two values, and not beside any number of a cell. */
function hasWholeBorders({ kind, ...test }: Condition, { facts }: Policy): boolean {
  if (kind !== 'test') return false;
  const { operator, other, type, fact } = test as Test;
  const hasBorders = askedOf(operator) === 'limits' && axisOf(operator) !== 'years';
  return hasBorders && other === undefined && type !== 'number' && !facts.get(fact)?.compute;
}

/** How many neighbours of the values in the cases a test tells from them. */
function countBorders(test: Test, cases: readonly Facts[], day: string, policy: Policy): number {
  const neighbours = cases.flatMap((facts) => {
    const fact = facts.get(test.fact);
    if (!fact || isMissing(fact)) return [];
    return ([1, -1] as const).filter((by) => {
      const value = beside(test, fact.value, by, policy, day);
      if (value === undefined) return false;
      return evaluate(test, facts, day) !== evaluate(test, new Map(facts).set(test.fact, { value }), day);
    });
  });
  return neighbours.length;
}

it('what cases reach of random policies is counted as by evaluating every part in every case', () => {
  const folder = temporaryFolder();
  const seen = { test: 0, condition: 0, row: 0, border: 0, final: 0, band: 0, notice: 0 };
  fc.assert(
    fc.property(aCase({ applicants: 12 }), ({ policy: plain, applicants, day }) => {
      const policy = loadPlainPolicy(plain, folder);
      const given = applicants.map((each) => readPlainFacts(each, policy, day));
      const cases = given.map((each) => readFacts(each, policy.facts, day));
      const truths = (condition: Condition): Counts => {
        const all = cases.map((facts) => evaluate(condition, facts, day));
        const count = (truth: number) => all.filter((each) => each === truth).length;
        return [count(TRUE), count(FALSE), count(UNKNOWN)];
      };
      // Rules that ended are left out; nothing is counted of those that have not begun.
      const rules = policy.rules.filter(({ until }) => until === undefined || until >= day);
      const asked = new Set(partsOf(rules.filter((rule) => isActive(rule, day))));
      const left = new Set(partsOf(rules));
      const parts = partsOf(policy.rules).filter((part) => left.has(part));
      const result = coverage(
        policy,
        given.map((facts) => ({ facts, at: day })),
      );
      const expected = (conditions: readonly Condition[]) =>
        conditions.map((each) => (asked.has(each) ? truths(each) : ([0, 0, 0] as const)));
      const [tests, named] = [
        parts.filter(({ kind }) => kind === 'test'),
        parts.filter((part) => names.has(part) && isJoined(part)),
      ];
      expect(counted(result, 'test', ['true', 'false', 'unknown'])).toEqual(expected(tests));
      expect(counted(result, 'condition', ['true', 'false', 'unknown'])).toEqual(expected(named));
      for (const kind of ['rule', 'row'] as const) {
        const own = rules.filter(({ id }) => (kind === 'row') === id.includes('/'));
        const ofRules = own.map((rule) => (isActive(rule, day) ? truths(rule.when) : ([0, 0, 0] as const)));
        expect(counted(result, kind, ['fires', 'does not fire', 'undetermined'])).toEqual(ofRules);
        if (kind === 'row') seen.row += own.length;
      }
      const deciders = cases.flatMap((facts) => {
        const active = policy.rules.filter((rule) => !rule.shadow && isActive(rule, day));
        const all = active.map((rule) => ({ rule, truth: evaluate(rule.when, facts, day) }));
        const found = all.filter((one): one is RuleTruth => one.truth !== FALSE);
        const { decidedBy } = settle(policy, found);
        return found.flatMap(({ rule, truth }) => (truth === TRUE && decidedBy?.has(rule) ? rule.id : []));
      });
      for (const { kind, name, goals } of result.items) {
        if (kind === 'final') {
          expect([name, ...goals]).toEqual([
            name,
            { name: 'decides', count: deciders.filter((id) => id === name).length },
          ]);
        }
      }
      seen.final += deciders.length;
      const verdicts = applicants.map((each) => referenceVerdict(plain, each, day));
      for (const band of ['review', 'reject'] as const) {
        const from = policy.score[band];
        if (from === undefined) continue;
        const count = (is: (score: Score) => boolean) => verdicts.filter(({ score }) => is(score)).length;
        const [reached, missed] = [count(({ least }) => least >= from), count(({ most }) => most < from)];
        const own = { ...result, items: result.items.filter(({ name }) => name === `${band} from ${from}`) };
        const expectedCounts = [reached, missed, verdicts.length - reached - missed];
        expect(counted(own, 'band', ['reached', 'not reached', 'undetermined'])).toEqual([expectedCounts]);
        seen.band += reached;
      }
      const noticed = verdicts.map(({ reasons }) => reasons.filter((reason) => reason.decisive && 'notice' in reason));
      for (const { kind, name, goals } of result.items) {
        if (kind !== 'notice') continue;
        const nameOf = ({ because, outcome }: Reason) =>
          because === 'score' ? `the ${outcome} band` : `the ${because}`;
        const isOf = (reason: Reason) => ('rule' in reason ? reason.rule : nameOf(reason)) === name;
        const count = noticed.filter((reasons) => reasons.some(isOf)).length;
        expect([name, goals]).toEqual([name, [{ name: 'given', count }]]);
        seen.notice += count;
      }
      seen.test += tests.length;
      seen.condition += named.length;
      // Years of age are of several days each: coverage.test.ts has them.
      if (tests.some((test) => test.kind === 'test' && test.operator === 'yearsSince')) return;
      const withBorders = tests.filter((test) => asked.has(test) && hasWholeBorders(test, policy)) as readonly Test[];
      const facts = new Set(withBorders.map(({ fact }) => fact));
      const borders = result.items.filter(({ kind, name }) => kind === 'border' && facts.has(name.split(':')[0] ?? ''));
      const reached = borders.flatMap(({ goals }) => goals).reduce((sum, { count }) => sum + count, 0);
      expect(reached).toBe(withBorders.reduce((sum, test) => sum + countBorders(test, cases, day, policy), 0));
      seen.border += reached;
    }),
    { numRuns: sampled(5, 2000) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});
