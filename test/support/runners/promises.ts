/** The promises of the policy language, as properties of random cases. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import * as fc from 'fast-check';
import { runLive } from '../../../src/decision/live/live.ts';
import { CAUSES, type Facts, isMissing } from '../../../src/facts/fact.ts';
import { canonicalJson } from '../../../src/platform/digest.ts';
import { type Condition, type Policy, strictness } from '../../../src/policy/language.ts';
import { keepData } from '../../../src/policy/source-map.ts';
import { aCase, aFinalReject, aStrictRule, type Case } from './arbitrary.ts';
import { decideLive, loadPlainPolicy, readPlainFacts } from './case.ts';
import type { PlainFacts, PlainPolicy } from './plain.ts';
import { referenceVerdict } from './reference.ts';

/** A promise, as a property to check. */
export interface Promised {
  /** What is done to a case, or put into it. */
  readonly injected: string;
  /**
   * The property over cases with a number of applicants each. Policy files go into a folder; `note` is called for every
   * decision that kept the promise.
   */
  property(applicants: number, folder: string, note: () => void): fc.IAsyncPropertyWithHooks<[unknown]>;
}

/** A promise about each applicant alone. `prepare` reads the policies once for each case. */
function promise<Given extends { readonly given: Case }, Read>(
  injected: string,
  arbitrary: (applicants: number) => fc.Arbitrary<Given>,
  prepare: (given: Given, folder: string) => Read,
  check: (applicant: PlainFacts, read: Read, given: Given) => Promise<void>,
): Promised {
  return {
    injected,
    property: (applicants, folder, note) =>
      fc.asyncProperty(arbitrary(applicants), async (given) => {
        const read = prepare(given, folder);
        for (const applicant of given.given.applicants) {
          await check(applicant, read, given);
          note();
        }
      }) as fc.IAsyncPropertyWithHooks<[unknown]>,
  };
}

const cases = (options: { isPlain?: boolean } = {}) => {
  return (applicants: number) => aCase({ ...options, applicants }).map((given) => ({ given }));
};

/** A random number from 0 to below 1, for shuffles that fast-check chooses. */
const aDie = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));

const casesWithDie = (applicants: number) => fc.record({ given: aCase({ applicants }), die: aDie });

/** Two policies, read. */
interface Pair {
  readonly policy: Policy;
  readonly other: Policy;
}

function readBoth(plain: PlainPolicy, other: PlainPolicy, folder: string): Pair {
  return { policy: loadPlainPolicy(plain, folder), other: loadPlainPolicy(other, `${folder}/other`) };
}

/** Holds where the other policy is as strict as the first, or stricter. */
async function staysAsStrict(applicant: PlainFacts, { policy, other }: Pair, { day }: Case): Promise<void> {
  const facts = readPlainFacts(applicant, policy, day);
  const [{ outcome }, more] = [await decideLive(policy, facts, day), await decideLive(other, facts, day)];
  ok(strictness(more.outcome) >= strictness(outcome), `${outcome} became ${more.outcome}`);
}

/** The promises by name. */
export const PROMISES: Readonly<Record<string, Promised>> = {
  missing_never_helps: promise(
    'each fact in turn taken away',
    (applicants) => fc.record({ given: aCase({ isPlain: true, applicants }), missing: fc.constantFrom(...CAUSES) }),
    ({ given }, folder) => loadPlainPolicy(given.policy, folder),
    async (applicant, policy, { given: { day }, missing }) => {
      const facts = readPlainFacts(applicant, policy, day);
      const { outcome } = await decideLive(policy, facts, day);
      for (const [path, fact] of outcome === 'accept' ? [] : facts) {
        if (isMissing(fact)) continue;
        const without = await decideLive(policy, new Map([...facts, [path, { missing }]]), day);
        ok(without.outcome !== 'accept', `accepted without ${path}`);
      }
    },
  ),

  order_of_rules_changes_nothing: promise(
    'rules, tables and rows shuffled, rules moved to other files',
    casesWithDie,
    ({ given, die }, folder) => {
      const policy = withMoreFinals(given.policy);
      return readBoth(policy, withRulesShuffled(policy, die), folder);
    },
    async (applicant, { policy, other }, { given: { day } }) => {
      const facts = readPlainFacts(applicant, policy, day);
      const [{ outcome, score }, shuffled] = [
        await decideLive(policy, facts, day),
        await decideLive(other, facts, day),
      ];
      deepEqual({ outcome: shuffled.outcome, score: shuffled.score }, { outcome, score });
    },
  ),

  order_of_keys_changes_nothing: promise(
    'the keys of every map shuffled',
    casesWithDie,
    ({ given: { policy }, die }, folder) => readBoth(policy, withKeysShuffled(policy, die) as PlainPolicy, folder),
    async (applicant, { policy, other }, { given: { day } }) => {
      const facts = readPlainFacts(applicant, policy, day);
      equal(canonicalJson(await decideLive(other, facts, day)), canonicalJson(await decideLive(policy, facts, day)));
    },
  ),

  one_more_strict_rule_never_makes_milder: promise(
    'one more rule that asks for review or reject',
    (applicants) =>
      aCase({ isPlain: true, applicants }).chain((given) =>
        fc.record({ given: fc.constant(given), rule: aStrictRule(given), at: fc.nat(given.policy.rules?.length ?? 0) }),
      ),
    ({ given: { policy }, rule, at }, folder) => {
      const plain: PlainPolicy = { ...policy, default: 'accept' };
      return readBoth(plain, { ...plain, rules: (plain.rules ?? []).toSpliced(at, 0, rule) }, folder);
    },
    (applicant, read, { given }) => staysAsStrict(applicant, read, given),
  ),

  one_more_final_reject_never_makes_milder: promise(
    'one more final rule that asks for reject',
    (applicants) =>
      aCase({ isPlain: true, applicants }).chain((given) =>
        fc.record({
          given: fc.constant(given),
          rule: aFinalReject(given),
          at: fc.nat(given.policy.rules?.length ?? 0),
        }),
      ),
    ({ given, rule, at }, folder) => {
      const policy = withMoreFinals(given.policy);
      return readBoth(policy, { ...policy, rules: (policy.rules ?? []).toSpliced(at, 0, rule) }, folder);
    },
    (applicant, read, { given }) => staysAsStrict(applicant, read, given),
  ),

  no_rule_is_silenced_by_an_error: promise(
    'an error in every test with a pattern or a list',
    cases({ isPlain: true }),
    ({ given }, folder) => {
      const policy = loadPlainPolicy(given.policy, folder);
      return { policy, broken: withBrokenTests(policy) };
    },
    async (applicant, { policy, broken }, { given: { policy: plain, day } }) => {
      const facts = readPlainFacts(applicant, policy, day);
      const [sound, verdict] = [await decideLive(policy, facts, day), await decideLive(broken, facts, day)];
      equal(canonicalJson(verdict), canonicalJson(referenceVerdict(plain, applicant, day, BREAKABLE)));
      if (sound.outcome !== 'accept') ok(verdict.outcome !== 'accept', 'accepted because of an error');
      const still = [...verdict.reasons, ...verdict.undetermined].map((each) => ('rule' in each ? each.rule : ''));
      for (const reason of sound.reasons) {
        if (reason.because === 'fired') ok(still.includes(reason.rule), `${reason.rule} is silent`);
      }
    },
  ),

  reasons_do_not_depend_on_arrival: promise(
    'facts that arrive in any order',
    (applicants) => fc.record({ given: aCase({ applicants }), scheduler: fc.scheduler() }),
    ({ given }, folder) => loadPlainPolicy(given.policy, folder),
    async (applicant, policy, { given: { day }, scheduler }) => {
      const facts = readPlainFacts(applicant, policy, day);
      const verdict = scheduler.waitFor(decideAsFactsArrive(policy, facts, day, scheduler));
      equal(canonicalJson(await verdict), canonicalJson(await decideLive(policy, facts, day)));
    },
  ),
};

async function decideAsFactsArrive(policy: Policy, facts: Facts, day: string, scheduler: fc.Scheduler) {
  const arrive = (path: string) =>
    scheduler.schedule(Promise.resolve(facts.get(path) ?? { missing: 'notGiven' as const }));
  const { verdict } = await runLive(policy, arrive, day);
  return verdict;
}

function shuffled<Item>(items: readonly Item[], die: Iterator<number>): Item[] {
  return items
    .map((item) => ({ item, at: Number(die.next().value) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Every other rule with an outcome decides alone: random policies rarely have two final rules that fire at once. */
function withMoreFinals({ rules = [], ...plain }: PlainPolicy): PlainPolicy {
  return {
    ...plain,
    rules: rules.map((rule, i) => (i % 2 === 0 && rule.then !== undefined ? { ...rule, final: true } : rule)),
  };
}

/** The same rules in another order; the later half of them is in a rule set (case.ts). */
function withRulesShuffled({ rules = [], tables, ...plain }: PlainPolicy, die: Iterator<number>): PlainPolicy {
  return {
    ...plain,
    rules: shuffled(rules, die),
    ...(tables
      ? { tables: shuffled(tables, die).map((table) => ({ ...table, rows: shuffled(table.rows, die) })) }
      : {}),
  };
}

function withKeysShuffled(data: unknown, die: Iterator<number>): unknown {
  if (Array.isArray(data)) return data.map((item) => withKeysShuffled(item, die));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    shuffled(Object.entries(data), die).map(([key, value]) => [key, withKeysShuffled(value, die)]),
  );
}

/** The operators whose argument is an object, which can be made to throw. */
const BREAKABLE = ['matches', 'inList', 'notInList', 'inDomainList'];

/** The policy with every test of these operators throwing in evaluation. */
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
  const rules = policy.rules.map((rule) => ({ ...rule, when: breakIn(rule.when) }));
  return keepData({ ...policy, rules }, '{}');
}
