/** What the language promises ("The outcome", "What this promises"), on random policies and facts. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runLive } from '../../src/decision/live.ts';
import { strictness } from '../../src/decision/outcome.ts';
import { canonicalJson } from '../../src/digest.ts';
import { CAUSES, isMissing } from '../../src/facts/fact.ts';
import type { Condition, Policy } from '../../src/policy/language.ts';
import { aCase, aStrictRule } from '../support/arbitrary.ts';
import { decideLive, loadPlainPolicy, readPlainFacts } from '../support/case.ts';
import { temporaryFolder } from '../support/policy.ts';
import { type PlainPolicy, referenceVerdict } from '../support/reference.ts';

/** Policies a property, with so many applicants each; VERDICT_CASES raises the first. */
const CASES = Math.max(100, Number(process.env['VERDICT_CASES'] ?? 0));
const APPLICANTS = 5;
/** Far above what a case takes. */
const TIMEOUT_MS = 30_000 + CASES * 100;

/** Everything that gives a number from 0 below 1, for shuffles that fast-check chooses. */
const aDie = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));

function shuffled<Item>(items: readonly Item[], die: Iterator<number>): Item[] {
  return items
    .map((item) => ({ item, at: Number(die.next().value) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

test('missing_never_helps', { timeout: TIMEOUT_MS }, async () => {
  const folder = temporaryFolder();
  const aCause = fc.constantFrom(...CAUSES);
  await fc.assert(
    fc.asyncProperty(aCase({ isPlain: true, applicants: APPLICANTS }), aCause, async (given, missing) => {
      const { policy: plain, applicants, day } = given;
      const policy = loadPlainPolicy(plain, folder);
      for (const applicant of applicants) {
        const facts = readPlainFacts(applicant, policy, day);
        const { outcome } = await decideLive(policy, facts, day);
        for (const [path, fact] of outcome === 'accept' ? [] : facts) {
          if (isMissing(fact)) continue;
          const without = await decideLive(policy, new Map([...facts, [path, { missing }]]), day);
          expect(without.outcome, `without ${path}`).not.toBe('accept');
        }
      }
    }),
    { numRuns: CASES },
  );
});

test('order_of_rules_changes_nothing', { timeout: TIMEOUT_MS }, async () => {
  const [folder, otherFolder] = [temporaryFolder(), temporaryFolder()];
  await fc.assert(
    fc.asyncProperty(aCase({ applicants: APPLICANTS }), aDie, async ({ policy: plain, applicants, day }, die) => {
      const finals = plain.rules.filter(({ final }) => final);
      const rules = shuffled(plain.rules, die).map((rule) => (rule.final ? (finals.shift() ?? rule) : rule));
      const policy = loadPlainPolicy(plain, folder);
      const other = loadPlainPolicy({ ...plain, rules }, otherFolder);
      for (const applicant of applicants) {
        const facts = readPlainFacts(applicant, policy, day);
        const { outcome, score } = await decideLive(policy, facts, day);
        expect(await decideLive(other, facts, day)).toMatchObject({ outcome, score });
      }
    }),
    { numRuns: CASES },
  );
});

test('order_of_keys_changes_nothing', { timeout: TIMEOUT_MS }, async () => {
  const [folder, otherFolder] = [temporaryFolder(), temporaryFolder()];
  await fc.assert(
    fc.asyncProperty(aCase({ applicants: APPLICANTS }), aDie, async ({ policy: plain, applicants, day }, die) => {
      const policy = loadPlainPolicy(plain, folder);
      const other = loadPlainPolicy(withKeysShuffled(plain, die) as PlainPolicy, otherFolder);
      for (const applicant of applicants) {
        const facts = readPlainFacts(applicant, policy, day);
        expect(canonicalJson(await decideLive(other, facts, day))).toBe(
          canonicalJson(await decideLive(policy, facts, day)),
        );
      }
    }),
    { numRuns: CASES },
  );
});

function withKeysShuffled(data: unknown, die: Iterator<number>): unknown {
  if (Array.isArray(data)) return data.map((item) => withKeysShuffled(item, die));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    shuffled(Object.entries(data), die).map(([key, value]) => [key, withKeysShuffled(value, die)]),
  );
}

test('one_more_strict_rule_never_makes_milder', { timeout: TIMEOUT_MS }, async () => {
  const [folder, otherFolder] = [temporaryFolder(), temporaryFolder()];
  const aCaseAndRule = aCase({ isPlain: true, applicants: APPLICANTS }).chain((given) =>
    fc.record({ given: fc.constant(given), rule: aStrictRule(given), at: fc.nat(given.policy.rules.length) }),
  );
  await fc.assert(
    fc.asyncProperty(aCaseAndRule, async ({ given: { policy, applicants, day }, rule, at }) => {
      const plain: PlainPolicy = { ...policy, default: 'accept' };
      const before = loadPlainPolicy(plain, folder);
      const after = loadPlainPolicy({ ...plain, rules: plain.rules.toSpliced(at, 0, rule) }, otherFolder);
      for (const applicant of applicants) {
        const facts = readPlainFacts(applicant, before, day);
        const [{ outcome }, more] = [await decideLive(before, facts, day), await decideLive(after, facts, day)];
        expect(strictness(more.outcome)).toBeGreaterThanOrEqual(strictness(outcome));
      }
    }),
    { numRuns: CASES },
  );
});

test('no_rule_is_silenced_by_an_error', { timeout: TIMEOUT_MS }, async () => {
  const folder = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(aCase({ isPlain: true, applicants: APPLICANTS }), async ({ policy: plain, applicants, day }) => {
      const policy = loadPlainPolicy(plain, folder);
      const broken = withBrokenTests(policy);
      for (const applicant of applicants) {
        const facts = readPlainFacts(applicant, policy, day);
        const sound = await decideLive(policy, facts, day);
        const verdict = await decideLive(broken, facts, day);
        expect(canonicalJson(verdict)).toBe(canonicalJson(referenceVerdict(plain, applicant, day, BREAKABLE)));
        if (sound.outcome !== 'accept') expect(verdict.outcome).not.toBe('accept');
        const still = [...verdict.reasons, ...verdict.undetermined].flatMap((each) =>
          'rule' in each ? each.rule : [],
        );
        const fired = sound.reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : []));
        expect(still).toEqual(expect.arrayContaining(fired));
      }
    }),
    { numRuns: CASES },
  );
});

/** The operators whose argument is an object that can be made to throw. */
const BREAKABLE = ['matches', 'inList', 'notInList', 'inDomainList'];

/** The policy with every test of these operators throwing when it is evaluated. */
function withBrokenTests(policy: Policy): Policy {
  const fail = () => {
    throw new Error('broken');
  };
  const breakIn = (condition: Condition): Condition => {
    if (condition.kind === 'test') {
      if (!BREAKABLE.includes(condition.operator)) return condition;
      const entries = Object.assign(new Map<string, string | undefined>(), { has: fail, get: fail });
      return {
        ...condition,
        argument: { source: '', test: fail, name: '', entries, longest: Number.POSITIVE_INFINITY },
      };
    }
    return { ...condition, of: condition.of.map(breakIn) } as Condition;
  };
  return { ...policy, rules: policy.rules.map((rule) => ({ ...rule, when: breakIn(rule.when) })) };
}

test('reasons_do_not_depend_on_arrival', { timeout: TIMEOUT_MS }, async () => {
  const folder = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(aCase(), fc.scheduler(), async ({ policy: plain, applicants, day }, scheduler) => {
      const policy = loadPlainPolicy(plain, folder);
      for (const applicant of applicants) {
        const facts = readPlainFacts(applicant, policy, day);
        const run = runLive(
          policy,
          (path) => scheduler.schedule(Promise.resolve(facts.get(path) ?? { missing: 'notGiven' })),
          day,
        );
        const { verdict } = await scheduler.waitFor(run);
        expect(canonicalJson(verdict)).toBe(canonicalJson(await decideLive(policy, facts, day)));
      }
    }),
    { numRuns: CASES },
  );
});
