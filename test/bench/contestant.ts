/** A way to decide -> a loop over the applicants whose results are used, and whether what it says is right. */

import type { Matcher } from '../../src/decision/matcher/matcher.ts';
import type { Verdict } from '../../src/decision/meaning/verdict.ts';
import type { Facts } from '../../src/facts/fact.ts';
import type { Policy } from '../../src/policy/language.ts';
import type { Logic, View } from './logic.ts';

/** An applicant as we take them, and as rivals do. */
export interface Applicant {
  readonly facts: Facts;
  readonly view: View;
}

/** What all are to decide. */
export interface Contest {
  readonly policy: Policy;
  readonly matcher: Matcher;
  /** The rules for whoever cannot read our policies. */
  readonly rules: readonly { readonly id: string; readonly logic: Logic }[];
  /** Those who are decided on while time is taken, some of their facts missing; then as many with all facts present. */
  readonly applicants: readonly Applicant[];
  /** How many of them are decided on while time is taken. */
  readonly measured: number;
}

/** One who decides. */
export interface Contestant {
  /** How its rules were put to it, where there are several ways. */
  readonly way?: string;
  /** Decides so many times, one applicant after the other, and gives a sum that depends on every result. */
  readonly run: (count: number) => number | Promise<number>;
  /** Whether others than this thread work for it. */
  readonly hasThreads?: boolean;
  /** How many applicants one decision is about. */
  readonly size: number;
  /** Whether what it says of an applicant is what the verdict says, as far as it says anything. */
  readonly agrees: (applicant: number, verdict: Verdict) => boolean | Promise<boolean>;
}

/** A contestant that decides on the n-th applicant; `weigh` makes a number of a result. */
export interface Way<Result> {
  readonly way?: string;
  readonly decide: (applicant: number) => Result;
  readonly weigh: (result: Awaited<Result>) => number;
  readonly agrees: (result: Awaited<Result>, verdict: Verdict) => boolean;
  /** How many decisions are under way at a time; 0 for one who does not have to be waited for. */
  readonly inFlight?: number;
  readonly hasThreads?: boolean;
}

/** The last result of all: who holds on to it makes sure that it is made. */
export const sink: { last: unknown } = { last: undefined };

type Decide = (applicant: number) => unknown;
type Weigh = (result: unknown) => number;
type Loop = (decide: Decide, weigh: Weigh, kept: typeof sink, applicants: number) => Contestant['run'];

// Each contestant gets a loop of its own, compiled anew: one that all share would be slow for whoever comes second.
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

/** Makes a contestant of a way to decide. */
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

/** The rules that fired by a verdict, in an order of their own. */
export function firedRules(verdict: Verdict): string[] {
  return verdict.reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : [])).sort();
}

/** Whether these are the rules that fired by a verdict. */
export function areFired(ids: readonly string[], verdict: Verdict): boolean {
  return ids.toSorted().join() === firedRules(verdict).join();
}
