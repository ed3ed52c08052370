/** Runner 2: a policy compiled to bit vectors over cells; facts in hand -> the outcome, or the whole verdict. */

import type { Facts } from '../../facts/fact.ts';
import { isActive, type Outcome, type Policy } from '../../policy/language.ts';
import { type Score, strictness, Tally } from '../outcome.ts';
import { TRUE, UNKNOWN } from '../truth.ts';
import { giveVerdict, type RuleTruth, type Verdict } from '../verdict.ts';
import { cellWriter } from './batch.ts';
import type { Columns } from './columns.ts';
import { planPlacement } from './placement.ts';
import { type BitAxis, compileProgram, type Program } from './program.ts';

/** A policy's answer without its reasons. */
export interface OutcomeAndScore {
  readonly outcome: Outcome;
  readonly score: Score;
}

/** A compiled policy. It has no state that a caller could see: one serves any number of decisions. */
export interface Matcher {
  readonly policy: Policy;
  /** The outcome and the score of facts on a day, yyyy-MM-dd. */
  outcome(facts: Facts, at: string): OutcomeAndScore;
  /** The whole verdict: that of `runLive` for the same facts and day, byte for byte as canonical JSON. */
  verdict(facts: Facts, at: string): Verdict;
  /** The outcomes and scores of many applicants at once. Facts are taken as they stand: none is derived from others. */
  batch(columns: Columns, at: string): BatchResult;
}

/** What a batch comes to, by row. */
export interface BatchResult {
  /** 0 accept, 1 review, 2 reject. */
  readonly outcomes: Uint8Array;
  /** The range of the score. */
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** Compiles a policy: 10,000 rules take about a second. */
export function compile(policy: Policy): Matcher {
  const program = compileProgram(policy);
  const { rules, facts: table } = policy;
  const { axes, words } = program;
  const stride = 2 * words;
  const place = planPlacement(program);
  const starts = new Int32Array(axes.length);
  const tally = new Tally(policy);
  const activeOn = masksByDay(program);
  const scan = createScan(program);

  const count = (index: number, isFired: boolean) => {
    const rule = rules[index];
    if (rule && !rule.shadow) tally.add(rule, isFired);
  };

  return {
    policy,
    outcome(facts, at) {
      tally.reset();
      place(facts, at, starts);
      scan(starts, activeOn(at), count);
      const { outcome, score } = tally.settle();
      return { outcome, score };
    },
    verdict(facts, at) {
      const found: RuleTruth[] = [];
      place(facts, at, starts);
      scan(starts, activeOn(at), (index, isFired) => {
        const rule = rules[index];
        if (rule) found.push({ rule, truth: isFired ? TRUE : UNKNOWN });
      });
      return giveVerdict(policy, found, facts, at);
    },
    batch(columns, at) {
      const { rows } = columns;
      const outcomes = new Uint8Array(rows);
      const [least, most] = [new Float64Array(rows), new Float64Array(rows)];
      const writers = axes.map(({ source }) => cellWriter(source, columns, table, at));
      const cells = axes.map(() => new Int32Array(BLOCK));
      const active = activeOn(at);
      for (let from = 0; from < rows; from += BLOCK) {
        const size = Math.min(BLOCK, rows - from);
        for (const [i, write] of writers.entries()) write((cells[i] as Int32Array).subarray(0, size), from);
        for (let row = 0; row < size; row++) {
          for (let i = 0; i < starts.length; i++) {
            starts[i] = (axes[i] as BitAxis).base + ((cells[i] as Int32Array)[row] as number) * stride;
          }
          tally.reset();
          scan(starts, active, count);
          const { outcome, score } = tally.settle();
          outcomes[from + row] = strictness(outcome);
          least[from + row] = score.least;
          most[from + row] = score.most;
        }
      }
      return { outcomes, least, most };
    },
  };
}

/** Rows that are looked at together: their cells stay in the processor's cache. */
const BLOCK = 1024;

/** Tells of each rule that fired or is undetermined, in the policy's order. */
type Scan = (starts: Int32Array, active: Int32Array, tell: (rule: number, isFired: boolean) => void) => void;

/** What ands the vectors of the cells in which facts lie; `starts` is where those of each axis stand. */
function createScan({ words, bits, ruleOf, axes }: Program): Scan {
  const axisCount = axes.length;
  return (starts, active, tell) => {
    let rule = -1;
    let isFired = false;
    for (let word = 0; word < words; word++) {
      let possible = active[word] as number;
      for (let i = 0; i < axisCount && possible !== 0; i++) possible &= bits[(starts[i] as number) + word] as number;
      if (possible === 0) continue;
      let certain = possible;
      for (let i = 0; i < axisCount && certain !== 0; i++) {
        certain &= bits[(starts[i] as number) + words + word] as number;
      }
      for (let rest = possible; rest !== 0; rest &= rest - 1) {
        const lowest = rest & -rest;
        const next = ruleOf[word * 32 + (31 - Math.clz32(lowest))] as number;
        if (next !== rule) {
          if (rule >= 0) tell(rule, isFired);
          rule = next;
          isFired = false;
        }
        if ((certain & lowest) !== 0) isFired = true;
      }
    }
    if (rule >= 0) tell(rule, isFired);
  };
}

/** The conjunctions of the rules that are active on a day, as a vector. That of the last day asked for is kept. */
function masksByDay({ policy: { rules }, ruleOf, every }: Program): (day: string) => Int32Array {
  if (rules.every(({ from, until }) => from === undefined && until === undefined)) return () => every;
  let last: { readonly day: string; readonly mask: Int32Array } | undefined;
  return (day) => {
    if (last?.day === day) return last.mask;
    const mask = every.slice();
    for (const [conjunction, index] of ruleOf.entries()) {
      const rule = rules[index];
      const word = conjunction >> 5;
      if (rule && !isActive(rule, day)) mask[word] = (mask[word] ?? 0) & ~(1 << (conjunction & 31));
    }
    last = { day, mask };
    return mask;
  };
}
