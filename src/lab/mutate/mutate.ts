/** Files of tests -> how many mutants of the policies they kill, and the cases that kill the others. */

import { VerdictError } from '../../errors.ts';
import { FLAG, listOf, optionsReader, readArgument, TEXT } from '../../platform/given/options.ts';
import { count } from '../../text.ts';
import { DEFAULT_STEPS, FIRST_MUTANTS_SOUGHT, STEPS_A_CASE } from '../limits.ts';
import { STEPS } from '../question/reasoner.ts';
import { Steps } from '../steps.ts';
import { Policies } from '../test/named-files.ts';
import { TestReader } from '../test/read-tests.ts';
import { type CaseInFile, readTests, runCases, type TestResult } from '../test/run-tests.ts';
import type { TestCase, TestedPolicy } from '../test/test-case.ts';
import { runMutants } from './judge.ts';
import type { KillingCase } from './killing-case.ts';
import { type Mutant, mutantsOf, type NotMutated } from './mutants.ts';
import type { WithParameters } from './policy-mutations.ts';
import { type Kept, seekKillings } from './seek-killings.ts';

/** How policies are mutated. */
export interface MutationOptions {
  /** Only cases whose name has this text, whatever its case. Default: all. */
  readonly filter?: string;
  /** Whether `only: true` is allowed, which leaves the other cases out. Default: true. */
  readonly allowOnly?: boolean;
  /** Whether to seek a killing case or a proof for all mutants that live, not only for the first 50. Default: false. */
  readonly thorough?: boolean;
  /**
   * After so many steps of the solver, no further mutant of a policy is run, and those that are not proved are
   * undecided. 30,000,000 by default.
   */
  readonly steps?: number;
}

/** How the cases judge a mutant. */
export type MutantStatus =
  /** An expectation of a case fails. */
  | 'killed'
  /** Cases reach it (a rule does something else there), but expect nothing that it changes. */
  | 'survived'
  /** No rule does anything else in any case. */
  | 'notReached'
  /** Proved: on the days of the tests, no case can tell it from the policy. */
  | 'equivalent'
  /** The steps were over before the cases were run against it. It does not count. */
  | 'notRun';

/** A mutant, and what the cases say of it. */
export interface MutantResult extends Pick<Mutant, 'key' | 'operator' | 'rules' | 'place' | 'before' | 'after'> {
  readonly status: MutantStatus;
  readonly killedBy: TestCase | undefined;
  /** The cases that reach it. */
  readonly reachedBy: readonly TestCase[];
  /**
   * Of a mutant that lives: a case that kills it, which others may share; `undecided` if none was found in time;
   * `personal` if it has a value of a personal fact that the policy names, which is not shown; `notSought`.
   */
  readonly killing: KillingCase | 'undecided' | 'personal' | 'notSought' | undefined;
}

/** The mutants of one policy. */
export interface PolicyMutation {
  readonly tested: TestedPolicy;
  readonly cases: readonly CaseInFile[];
  readonly results: readonly MutantResult[];
  readonly notMutated: readonly NotMutated[];
  /** Whether the solver is installed: without it, no case is found and nothing is proved. */
  readonly hasSolver: boolean;
  /** What was found, for later runs. */
  readonly kept: Kept;
  /** How many cases and proofs are those of an earlier run. */
  readonly reused: { readonly cases: number; readonly proofs: number };
}

/** Whether a mutant counts in the score: it was run, and is not proved to be equivalent. */
export function isCounted({ status }: Pick<MutantResult, 'status'>): boolean {
  return status !== 'equivalent' && status !== 'notRun';
}

/** The share of the mutants that count that are killed, in percent, rounded down. */
export function scoreOf(results: readonly Pick<MutantResult, 'status'>[]): number {
  const counted = results.filter(isCounted).length;
  const killed = results.filter(({ status }) => status === 'killed').length;
  return counted === 0 ? 100 : Math.floor((1000 * killed) / counted) / 10;
}

const PATHS = listOf(TEXT, 'a list of paths');

const readOptions = optionsReader<MutationOptions>('the options of the mutation', {
  ...{ 'filter?': TEXT, 'allowOnly?': FLAG, 'thorough?': FLAG, 'steps?': STEPS },
});

/**
 * Mutates the policies that files of tests test, and runs the tests against each mutant. Throws as `runTests` does, and
 * REQUEST_INVALID if a test fails: only tests that pass can judge mutants.
 */
export async function mutate(
  paths: readonly string[],
  options: MutationOptions = {},
): Promise<readonly PolicyMutation[]> {
  const { filter, allowOnly = true, ...limits } = readOptions(options);
  readArgument('the paths', PATHS, paths);
  const cases = readTests(paths, new TestReader({ allowOnly }));
  const { results } = runCases(cases, { filter });
  const failed = results.filter(({ result }) => result === 'failed').length;
  if (failed > 0) {
    throw new VerdictError(
      'REQUEST_INVALID',
      `${count(failed, 'test')} failed: only tests that pass can judge mutants`,
    );
  }
  return mutateCases(cases, results, limits);
}

interface Limits extends Pick<MutationOptions, 'thorough' | 'steps'> {
  /** Called with how many mutants were run. */
  readonly tell?: (done: number) => void;
  /** What an earlier run found, by the name of the policy. */
  readonly earlier?: ReadonlyMap<string, Kept> | undefined;
}

/**
 * Mutates the policies of cases, by those that passed. Of a policy whose cases are all to be skipped, no mutant is
 * killed; one whose cases were not asked for is left out.
 */
export async function mutateCases(
  cases: readonly CaseInFile[],
  results: readonly TestResult[],
  limits: Limits,
): Promise<readonly PolicyMutation[]> {
  // In a file, each case has a name of its own.
  const keyOf = (file: string, name: string) => JSON.stringify([file, name]);
  const resultOf = new Map(results.map(({ result, file, name }) => [keyOf(file, name), result]));
  const names = cases.map((each) => each.case.name);
  const asked = cases.filter((each) => {
    const result = resultOf.get(keyOf(each.file, each.case.name));
    return result === 'passed' || (result === 'skipped' && each.case.skip !== undefined);
  });
  const mutations: PolicyMutation[] = [];
  for (const ofPolicy of Map.groupBy(asked, (each) => each.case.tested.policy).values()) {
    mutations.push(await mutateOne(ofPolicy, names, limits));
  }
  return mutations;
}

async function mutateOne(
  asked: readonly CaseInFile[],
  names: readonly string[],
  limits: Limits,
): Promise<PolicyMutation> {
  const { thorough = false, steps: most = DEFAULT_STEPS, tell, earlier } = limits;
  const [first] = asked as readonly [CaseInFile];
  const { tested } = first.case;
  const { policy } = tested;
  const cases = asked.filter((each) => each.case.skip === undefined);
  const testCases = cases.map((each) => each.case);
  const days = daysOf((cases.length > 0 ? cases : asked).map((each) => each.case));
  const { mutants, notMutated } = mutantsOf(policy, days, readerOf(tested, testCases));
  const steps = new Steps(most);
  const affordable: Mutant[] = [];
  for (const mutant of mutants) {
    if (steps.areOver) break;
    steps.spend(testCases.length * STEPS_A_CASE);
    affordable.push(mutant);
  }
  const runs = runMutants(affordable, testCases, tell);
  const living = affordable.filter((mutant) => !runs.get(mutant)?.killedBy);
  // What tests reach and do not check comes first.
  const isReached = (mutant: Mutant) => Number(runs.get(mutant)?.reachedBy[0] !== undefined);
  const inOrder = living.toSorted((one, other) => isReached(other) - isReached(one));
  const { answers, ...found } = await seekKillings({
    ...{
      tested,
      days,
      steps,
      mutants: inOrder.slice(0, thorough ? undefined : FIRST_MUTANTS_SOUGHT),
    },
    ...{ names, earlier: earlier?.get(policy.name) },
  });
  const results = mutants.map((mutant): MutantResult => {
    const { key, operator, rules, place, before, after } = mutant;
    const run = runs.get(mutant);
    const about = { key, operator, rules, place, before, after };
    if (!run) return { ...about, status: 'notRun', killedBy: undefined, reachedBy: [], killing: undefined };
    const { reachedBy, killedBy } = run;
    const judged = { ...about, reachedBy, killedBy };
    if (killedBy) return { ...judged, status: 'killed', killing: undefined };
    const answer = answers.get(mutant) ?? 'notSought';
    if (answer === 'equivalent') return { ...judged, status: 'equivalent', killing: undefined };
    return { ...judged, status: reachedBy.length > 0 ? 'survived' : 'notReached', killing: answer };
  });
  return { tested, cases, results, notMutated, ...found };
}

/** The days of cases, that of the most cases first. */
function daysOf(cases: readonly TestCase[]): readonly string[] {
  const byDay = [...Map.groupBy(cases, ({ at }) => at)];
  return byDay.sort(([, one], [, other]) => other.length - one.length).map(([day]) => day);
}

/** Reads the policy of the cases with other values of parameters, over those that a case sets. */
function readerOf({ path, mapping }: TestedPolicy, cases: readonly TestCase[]): WithParameters {
  const policies = new Policies(new Map());
  const parametersOf = new Map(cases.map(({ policy, parameters }) => [policy, parameters]));
  return (values, of) => policies.policy(path, mapping, { ...parametersOf.get(of), ...values }).policy;
}
