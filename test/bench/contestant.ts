/** A decision function -> a loop over the applicants that uses every result, and a check against the verdict. */

import type { Matcher } from '../../src/decision/matcher/matcher.ts';
import type { Verdict } from '../../src/decision/meaning/verdict.ts';
import type { Facts } from '../../src/facts/fact.ts';
import type { Policy } from '../../src/policy/language.ts';
import type { Logic, View } from './logic.ts';

/** An applicant in this project's form and in the form for other engines. */
export interface Applicant {
  readonly facts: Facts;
  readonly view: View;
}

/** The task that all contestants get. */
export interface Contest {
  readonly policy: Policy;
  readonly matcher: Matcher;
  /** The rules for engines that cannot read this project's policies. */
  readonly rules: readonly { readonly id: string; readonly logic: Logic }[];
  /** First the applicants of the timed runs, with some facts missing; then the same number with all facts present. */
  readonly applicants: readonly Applicant[];
  /** The number of applicants in the timed runs. */
  readonly measured: number;
}

/** A runner or engine that takes part. */
export interface Contestant {
  /** How its rules were written for it, if there are several ways. */
  readonly way?: string;
  /** Makes `count` decisions, one applicant after the other, and returns a sum that depends on every result. */
  readonly run: (count: number) => number | Promise<number>;
  /** Whether it uses threads of its own. */
  readonly hasThreads?: boolean;
  /** The number of applicants per decision. */
  readonly size: number;
  /** Whether its result for an applicant agrees with the verdict, as far as the result goes. */
  readonly agrees: (applicant: number, verdict: Verdict) => boolean | Promise<boolean>;
}

/** A function that decides on the n-th applicant; `weigh` turns a result into a number. */
export interface Way<Result> {
  readonly way?: string;
  readonly decide: (applicant: number) => Result;
  readonly weigh: (result: Awaited<Result>) => number;
  readonly agrees: (result: Awaited<Result>, verdict: Verdict) => boolean;
  /** The number of concurrent decisions; 0 if `decide` is synchronous. */
  readonly inFlight?: number;
  readonly hasThreads?: boolean;
}

/** Holds the last result, which keeps the compiler from removing the work. */
export const sink: { last: unknown } = { last: undefined };

type Decide = (applicant: number) => unknown;
type Weigh = (result: unknown) => number;
type Loop = (decide: Decide, weigh: Weigh, kept: typeof sink, applicants: number) => Contestant['run'];

// Each contestant gets a loop that is compiled for it alone: a shared loop would be slow for all but the first.
const LOOP = `let at = -1;
return (count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    at = at + 1 === applicants ? 0 : at + 1;
    const result = decide(at);
    kept.last = result;
    sum += weigh(result);
  }
  return sum;
};`;
const WAITING_LOOP = LOOP.replace('(count) =>', 'async (count) =>').replace('decide(at)', 'await decide(at)');

/** Turns a decision function into a contestant. */
export function contestant<Result>(ways: Way<Result>, applicants: number): Contestant {
  const { way, decide, weigh, agrees, inFlight = 0, hasThreads = false } = ways;
  const text = inFlight > 0 ? WAITING_LOOP : LOOP;
  const loop = new Function('decide', 'weigh', 'kept', 'applicants', text) as Loop;
  const run = loop(decide, weigh as Weigh, sink, applicants);
  return {
    ...(way === undefined ? {} : { way }),
    size: 1,
    hasThreads,
    run: inFlight > 1 ? (count) => runSeveral(run, count, inFlight) : run,
    agrees: async (applicant, verdict) => agrees(await decide(applicant), verdict),
  };
}

async function runSeveral(run: Contestant['run'], count: number, inFlight: number): Promise<number> {
  const callers = Math.min(inFlight, count);
  const sums = Array.from({ length: callers }, (_, i) => run(Math.floor((count + i) / callers)));
  return (await Promise.all(sums)).reduce((sum, more) => sum + more, 0);
}

/** The ids of the rules that fired in a verdict, sorted. */
export function firedRules(verdict: Verdict): string[] {
  return verdict.reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : [])).sort();
}

/** Whether these ids are exactly the rules that fired in a verdict. */
export function areFired(ids: readonly string[], verdict: Verdict): boolean {
  return ids.toSorted().join() === firedRules(verdict).join();
}
