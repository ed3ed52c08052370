/** Runner 2: a policy compiled to bit vectors over cells; facts in hand -> the outcome, or the whole verdict. */

import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells.ts';
import { type Condition, isActive, type Outcome, type Policy, type Rule } from '../../policy/language.ts';
import { type Score, Tally } from '../outcome.ts';
import { evaluate, FALSE, factAt, TRUE, type Truth, UNKNOWN } from '../truth.ts';
import { giveVerdict, type Verdict } from '../verdict.ts';
import { compileProgram, DIRECT_CELLS } from './program.ts';

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
}

/** Compiles a policy: 10,000 rules take about a second. */
export function compile(policy: Policy): Matcher {
  const program = compileProgram(policy);
  const { words, bits, ruleOf, every } = program;
  const { rules } = policy;
  const finders = program.axes.map(({ source, base }) => ({ base, find: finderOf(source) }));
  const axisCount = finders.length;
  const starts = new Int32Array(axisCount);
  const tally = new Tally(policy);
  const activeOn = masksByDay(rules, ruleOf, every);
  const stride = 2 * words;

  /** Tells of each rule that fired or is undetermined, in the policy's order. */
  function match(facts: Facts, day: string, tell: (rule: number, isFired: boolean) => void): void {
    for (let i = 0; i < axisCount; i++) {
      const finder = finders[i] as (typeof finders)[number];
      starts[i] = finder.base + finder.find(facts, day) * stride;
    }
    const active = activeOn(day);
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
  }

  const count = (index: number, isFired: boolean) => {
    const rule = rules[index];
    if (rule && !rule.shadow) tally.add(rule, isFired);
  };

  return {
    policy,
    outcome(facts, at) {
      tally.reset();
      match(facts, at, count);
      const { outcome, score } = tally.settle();
      return { outcome, score };
    },
    verdict(facts, at) {
      const active = rules.filter((rule) => isActive(rule, at));
      const truths = new Map<number, Truth>();
      match(facts, at, (rule, isFired) => truths.set(rule, isFired ? TRUE : UNKNOWN));
      const all = rules.flatMap((rule, i) => (isActive(rule, at) ? [truths.get(i) ?? FALSE] : []));
      return giveVerdict(policy, active, all, facts, at);
    },
  };
}

/** The cell of an axis in which facts lie on a day. */
type Finder = (facts: Facts, day: string) => number;

/** How many cells an axis has before those of values: one for what is missing. */
const MISSING_CELL = 0;

function finderOf(source: Axis | Condition): Finder {
  if ('kind' in source) return (facts, day) => DIRECT_CELL_OF[evaluate(source, facts, day)];
  const { fact, other } = source;
  // INVARIANT: facts are as `readFacts` gives them, so that each value has its cell; an error in finding it is as good as none.
  const find = (found: Fact, against: Fact | undefined, day: string) => {
    try {
      return source.find(found, against, day) ?? MISSING_CELL;
    } catch {
      return MISSING_CELL;
    }
  };
  if (other !== undefined) return (facts, day) => find(factAt(facts, fact), factAt(facts, other), day);
  return (facts, day) => {
    const found = facts.get(fact);
    return found === undefined || isMissing(found) ? MISSING_CELL : find(found, undefined, day);
  };
}

const DIRECT_CELL_OF: Readonly<Record<Truth, number>> = {
  [TRUE]: DIRECT_CELLS.true,
  [UNKNOWN]: DIRECT_CELLS.unknown,
  [FALSE]: DIRECT_CELLS.false,
};

/** The conjunctions of the rules that are active on a day, as a vector. That of the last day asked for is kept. */
function masksByDay(rules: readonly Rule[], ruleOf: Int32Array, every: Int32Array): (day: string) => Int32Array {
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
