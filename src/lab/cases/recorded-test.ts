/** A decision -> a test of it, for an invented applicant whom no rule can tell from the one on record. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { firedReasons, type Verdict } from '../../decision/meaning/verdict.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { givenFacts } from '../../facts/compute.ts';
import { DAY } from '../../facts/day.ts';
import { type Fact, type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import { readAgain, readFacts } from '../../facts/read.ts';
import { MAP, optionsReader } from '../../platform/given/options.ts';
import { fillBetween, toNumber, toValue, validValues } from '../../policy/cells/sample-values.ts';
import { conditionsOf, type Policy } from '../../policy/language.ts';
import { POLICY } from '../../policy/source-map.ts';
import { MOST_CODES_IN_NAME } from '../limits.ts';
import { findFacts } from '../question/find-facts.ts';
import { withoutNeedless } from '../question/needed.ts';
import { givenByName, OLD_NAME, withOwnComputations } from '../space/own-computations.ts';
import { createSpace, type Space } from '../space/space.ts';
import { mayIdentify, personalTextsOf } from './personal-texts.ts';
import { expectationOf, testLines, type WrittenTest, writtenFacts } from './test-yaml.ts';

/** A decision, as it is on record. */
export interface Recorded {
  readonly facts: Facts;
  /** yyyy-MM-dd. */
  readonly day: string;
  /** The policy that decided. */
  readonly policy: Policy;
}

/** Why no test was made, in words that name facts and no values. */
export interface NoTest {
  readonly problem: string;
}

/**
 * A test of a decision. Every value in it is invented: a sample of those that the tests of the policy, and of `other`,
 * cannot tell from the one on record. Facts that no rule asks for are left out. Throws REQUEST_INVALID if the two
 * policies declare a fact in ways that cannot be compared, unless both compute it.
 */
export function recordedTest({ facts, day, policy }: Recorded, other?: Policy): WrittenTest | NoTest {
  const policies = other ? [withOwnComputations(policy, other, givenByName(OLD_NAME)), other] : [policy];
  // Rules in shadow mode, and those of other days, can tell applicants apart too.
  const space = createSpace(policies, day, conditionsOf(other ?? policy));
  const table: FactTable = new Map(policies.flatMap((each) => [...each.facts]));
  const statesOf = (all: Facts) => space.variables.map(({ find }) => find(all));
  const states = statesOf(readAgain(facts, table, day));
  const isSame = (given: Facts) => statesOf(readFacts(given, table, day)).every((state, i) => state === states[i]);
  const result = states.includes(-1) ? undefined : findFacts(space, states);
  if (!result || !('facts' in result) || !isSame(result.facts))
    return { problem: 'no applicant could be invented whom its rules cannot tell apart' };

  const needed = new Map(withoutNeedless(result.facts, table, isSame));
  const isOfPolicy = personalTextsOf(policies);
  /** A list that names nobody, as of domains, has it: it is one of many applicants. */
  const lists = policies.flatMap((each) => [...each.lists.values()]);
  const isShared = (one: Fact) => !isMissing(one) && lists.some(({ entries }) => entries.has(String(one.value)));
  for (const [path, fact] of needed) {
    if (!mayIdentify(path, table) || isMissing(fact)) continue;
    const isInvented = (one: Fact) => !isOfPolicy(path, one) && (isShared(one) || !isEqual(one, facts.get(path)));
    // A sample may be the value on record by chance.
    const invented = [fact, ...otherFacts(path, fact.value, { space, table })].find(
      (one) => isInvented(one) && isSame(new Map(needed).set(path, one)),
    );
    if (!invented) return { problem: `a rule asks for the very value of ${path}, so that none can be invented` };
    needed.set(path, invented);
  }
  const verdict = matcherOf(policy).verdict(readFacts(needed, policy.facts, day), day);
  const knownFacts = new Map([...needed].filter(([, fact]) => !isMissing(fact)));
  return {
    name: nameOf(verdict, day),
    at: day,
    missing: causesOf(facts, needed, {
      paths: givenFacts(
        space.variables.map(({ path }) => path),
        table,
      ),
      isSame,
    }),
    facts: writtenFacts(knownFacts, day, table),
    expect: expectationOf(verdict, policy),
  };
}

/** How far from a number, or how many days from a date, other values lie: far ones are less like it. */
const STEPS = [10_000, 1000, 100, 10, 1];

/** Other values of a fact, some of them in no state that tests tell from its own. */
function otherFacts(
  path: string,
  value: FactValue,
  { space, table }: { readonly space: Space; readonly table: FactTable },
): readonly Fact[] {
  const definition = table.get(path);
  if (!definition) return [];
  const samples = (space.samples.get(path) ?? []).flatMap((fact) => (isMissing(fact) ? [] : fact.value));
  const number = toNumber(value, definition);
  const near =
    number === undefined
      ? fillBetween(samples, definition, 1)
      : [1, -1].flatMap((sign) => STEPS.map((step) => toValue(number + sign * step, definition)));
  return validValues([...near, ...samples], definition, space.day).map((one) => ({ value: one }));
}

function isEqual(fact: Fact, other: Fact | undefined): boolean {
  return other !== undefined && !isMissing(other) && !isMissing(fact) && other.value === fact.value;
}

/** Why facts are missing that rules ask for, as far as it is on record and changes nothing. */
function causesOf(
  facts: Facts,
  needed: Facts,
  { paths, isSame }: { readonly paths: Iterable<string>; readonly isSame: (given: Facts) => boolean },
): Readonly<Record<string, string>> {
  const given = new Map(needed);
  for (const path of paths) {
    const fact = facts.get(path);
    if (!fact || !isMissing(fact) || fact.missing === 'notGiven' || given.has(path)) continue;
    given.set(path, { missing: fact.missing });
    if (!isSame(given)) given.delete(path);
  }
  return Object.fromEntries([...given].flatMap(([path, fact]) => (isMissing(fact) ? [[path, fact.missing]] : [])));
}

/** `review on 2026-11-20 for PORTED_RECENTLY`. */
function nameOf(verdict: Verdict, day: string): string {
  const codes = [...new Set(firedReasons(verdict).map(({ code }) => code))].slice(0, MOST_CODES_IN_NAME);
  return `${verdict.outcome} on ${day}${codes.length > 0 ? ` for ${codes.join(', ')}` : ''}`;
}

/** A decision that was made. */
export interface DecisionToTest {
  /** The facts that it was made of, as an `AuditEntry` has them. */
  readonly facts: Facts;
  /** The day of the decision, yyyy-MM-dd. */
  readonly at: string;
  /** The policy that decided. */
  readonly policy: Policy;
}

/** A test, as an item of `tests` in a file of tests, with a final line break. */
export interface TestInYaml {
  readonly yaml: string;
}

const readDecision = optionsReader<DecisionToTest>('the decision', { facts: MAP, at: DAY, policy: POLICY });

/**
 * Makes a test of a decision, with an invented applicant whom no rule can tell from the real one. If a rule asks for
 * one value of a personal fact, there cannot be such an applicant: the result says so, and has no test.
 */
export function recordTest(decision: DecisionToTest): TestInYaml | NoTest {
  const { facts, at, policy } = readDecision(decision);
  const recorded = recordedTest({ facts, day: at, policy });
  return 'problem' in recorded ? recorded : { yaml: `${testLines(recorded).join('\n')}\n` };
}
