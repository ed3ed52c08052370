/** Runner 2: a policy compiled to bit vectors, and facts -> the outcome, or the whole verdict. */

import { dayNumber, LAST_DAY, readDay } from '../../facts/day.ts';
import type { Facts } from '../../facts/fact.ts';
import { asRead, isSameTable } from '../../facts/fact-reader.ts';
import { cached } from '../../platform/cached.ts';
import { type Kind, MAP, readArgument } from '../../platform/given/options.ts';
import { readGiven, unreadable } from '../../platform/given/read-given.ts';
import { isActive, type Policy, strictness } from '../../policy/language.ts';
import { POLICY } from '../../policy/source-map.ts';
import { weigh } from '../../policy/weight.ts';
import { type OutcomeAndScore, OutcomeTally, type RuleTruth } from '../meaning/outcome.ts';
import { TRUE, UNKNOWN } from '../meaning/truth.ts';
import { giveVerdict, type Verdict } from '../meaning/verdict.ts';
import { type Columns, everyRowOn } from './columns.ts';
import { EncodedFacts } from './encoded-facts.ts';
import { compileProgram, type Program } from './program.ts';
import { createRowScan, type RowScan } from './row-scan.ts';
import { createScan, type ScanInput } from './scan.ts';

/**
 * A compiled policy. It keeps no state between calls: one matcher serves any number of decisions. Its functions throw
 * REQUEST_INVALID for a day that does not exist, and for facts or columns that cannot be read.
 */
export interface Matcher {
  readonly policy: Policy;
  /** The outcome and the score of facts on a day, yyyy-MM-dd. Encoded facts (`encodeFacts`) are faster. */
  outcome(facts: Facts | EncodedFacts, at: string): OutcomeAndScore;
  /** The whole verdict, equal to that of `runLive` for the same facts and day, byte for byte as canonical JSON. */
  verdict(facts: Facts | EncodedFacts, at: string): Verdict;
  /**
   * The outcomes and scores of many applicants at once. No fact of the catalog is derived from others: each needs its
   * own column. Facts that the policy computes must not have one.
   */
  batch(columns: Columns, at: string): BatchResult;
}

/** A matcher that also returns the truth of each rule. */
export interface RuleMatcher extends Matcher {
  /** The active rules that fire or are undetermined, shadow rules too, in the policy's order. */
  truths(facts: Facts | EncodedFacts, at: string): readonly RuleTruth[];
  /** A scan of rows of columns, each as of its own day. */
  rowScan(): RowScan;
}

/** The results of a batch, by row. */
export interface BatchResult {
  /** 0 accept, 1 review, 2 reject. */
  readonly outcomes: Uint8Array;
  /** The range of the score. */
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** The matcher of a policy, compiled on first use. */
export const matcherOf = cached(compileRules);

/** Compiles a policy: 10,000 rules take about a second. Throws REQUEST_INVALID for a policy that was not read. */
export function compile(policy: Policy): Matcher {
  return compileRules(policy);
}

function compileRules(policy: Policy): RuleMatcher {
  readArgument('the policy', POLICY, policy);
  const program = compileProgram(policy);
  const { rules, facts: table } = policy;
  const tally = new OutcomeTally(policy);
  const activeOn = masksByDay(program);
  const scan = createScan(program);
  let scanRows: RowScan | undefined;
  // Encoded facts usually share one table. A table other than the policy's own may encode in the same way.
  let lastTable = table;
  let isLastTableSame = true;
  // Consecutive decisions are usually about one day, which is then checked only once.
  let lastDay: string = LAST_DAY;
  let today = dayNumber(lastDay);
  const checkDay = (day: string): void => {
    if (day === lastDay) return;
    lastDay = readDay(day);
    today = dayNumber(day);
  };
  const inputOf = (facts: Facts | EncodedFacts, day: string): ScanInput => {
    checkDay(day);
    if (!(facts instanceof EncodedFacts))
      return { facts: asRead(readArgument('the facts', MAP, facts), table, day), encoded: undefined, day };
    if (facts.table !== lastTable) {
      lastTable = facts.table;
      isLastTableSame = isSameTable(facts.table, table);
    }
    // By another table, or on a day before one of their dates, the facts may have other values.
    return isLastTableSame && facts.latest <= today
      ? { facts: facts.facts, encoded: facts, day }
      : { facts: asRead(facts.facts, table, day), encoded: undefined, day };
  };

  const weights = rules.map((rule) => (rule.shadow ? undefined : weigh(rule)));
  const addToTally = (index: number, isFired: boolean) => {
    const weight = weights[index];
    if (weight) tally.add(weight, isFired);
  };

  const findRules = (input: ScanInput, at: string): readonly RuleTruth[] => {
    const truths: RuleTruth[] = [];
    scan(input, activeOn(at), (index, isFired) => {
      const rule = rules[index];
      if (rule) truths.push({ rule, truth: isFired ? TRUE : UNKNOWN });
    });
    return truths;
  };

  return {
    policy,
    outcome(facts, at) {
      try {
        tally.reset();
        scan(inputOf(facts, at), activeOn(at), addToTally);
        return tally.answer();
      } catch (error) {
        throw unreadable('REQUEST_INVALID', 'the facts', error);
      }
    },
    verdict(facts, at) {
      return readGiven('REQUEST_INVALID', 'the facts', () => {
        const input = inputOf(facts, at);
        return giveVerdict(policy, findRules(input, at), input.facts, at);
      });
    },
    truths(facts, at) {
      return readGiven('REQUEST_INVALID', 'the facts', () => findRules(inputOf(facts, at), at));
    },
    batch(columns, at) {
      return readGiven('REQUEST_INVALID', 'the columns', () => decideRows(columns, at));
    },
    rowScan: () => createRowScan(program, activeOn),
  };

  function decideRows(columns: Columns, at: string): BatchResult {
    checkDay(at);
    const { rows } = columns;
    readArgument('the number of rows', ROWS, rows);
    const outcomes = new Uint8Array(rows);
    const [least, most] = [new Float64Array(rows), new Float64Array(rows)];
    scanRows ??= createRowScan(program, activeOn);
    scanRows(columns, everyRowOn(at), ({ row, size, rules: fired, isFired }) => {
      tally.reset();
      for (let i = 0; i < size; i++) addToTally(fired[i] as number, isFired[i] === 1);
      const { outcome, score } = tally.answer();
      outcomes[row] = strictness(outcome);
      least[row] = score.least;
      most[row] = score.most;
    });
    return { outcomes, least, most };
  }
}

const ROWS: Kind = { expected: 'a whole number', is: (value) => Number.isSafeInteger(value) && Number(value) >= 0 };

/** Returns the vector of the conjunctions whose rules are active on a day. Those of the last days are cached. */
function masksByDay({ policy: { rules }, ruleOf, every }: Program): (day: string) => Int32Array {
  if (rules.every(({ from, until }) => from === undefined && until === undefined)) return () => every;
  const masks = new Map<string, Int32Array>();
  let last: { readonly day: string; readonly mask: Int32Array } | undefined;
  return (day) => {
    if (last?.day === day) return last.mask;
    const mask = masks.get(day) ?? maskOf(day);
    if (masks.size >= MOST_MASKS) masks.clear();
    masks.set(day, mask);
    last = { day, mask };
    return mask;
  };

  function maskOf(day: string): Int32Array {
    const mask = every.slice();
    for (const [conjunction, index] of ruleOf.entries()) {
      const rule = rules[index];
      const word = conjunction >> 5;
      if (rule && !isActive(rule, day)) mask[word] = (mask[word] ?? 0) & ~(1 << (conjunction & 31));
    }
    return mask;
  }
}

/** A year of days, in the order in which the rows of a file come. */
const MOST_MASKS = 400;
