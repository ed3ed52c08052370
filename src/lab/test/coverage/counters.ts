/** A policy -> the counters of what its cases reach: one for each cell of each axis, and for each truth of a rule. */

import { findCell } from '../../../decision/matcher/cell-lookup.ts';
import { evaluate, FALSE, factAt, TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Reason, Verdict } from '../../../decision/meaning/verdict.ts';
import type { Facts } from '../../../facts/fact.ts';
import { isMissing } from '../../../facts/fact.ts';
import { type Axis, Cells } from '../../../policy/cells/cells.ts';
import { type Band, isActive, type Policy, testsOf } from '../../../policy/language.ts';

/** The counts of the cases of one day, which have the same active rules. */
export interface DayCounts {
  readonly cases: number;
  readonly counts: Float64Array;
  /** By rule, whether it is active. */
  readonly isActive: readonly boolean[];
}

/** The bands of a score. */
export const BANDS: readonly Band[] = ['review', 'reject'];

/** What can have a notice, apart from rules. */
export const NOTICES = [...BANDS, 'default'] as const;

/** An axis, and its first counter; `numbers` has the counters of single numbers. */
interface AxisCounters {
  readonly axis: Axis;
  readonly first: number;
  readonly numbers: Map<number, number>;
}

/** Counts cases. Everything that is counted has an index; the counts of a test are those of its cells. */
export class Counters {
  readonly policy: Policy;
  readonly cells: Cells;
  readonly days = new Map<string, DayCounts & { cases: number }>();
  readonly #axes: ReadonlyMap<Axis, AxisCounters>;
  readonly #rules: ReadonlyMap<string, number>;
  readonly #conditions: readonly string[];
  readonly #firstRule: number;
  readonly #firstCondition: number;
  readonly #firstBand: number;
  readonly #firstFinal: number;
  readonly #firstNotice: number;
  #size: number;

  constructor(policy: Policy) {
    const { rules, facts, conditions } = policy;
    this.policy = policy;
    this.cells = new Cells(
      rules.flatMap(({ when }) => [...testsOf(when)]),
      facts,
    );
    let next = 0;
    const reserve = (count: number) => {
      const first = next;
      next += count;
      return first;
    };
    this.#axes = new Map(
      this.cells.axes.map((axis) => [axis, { axis, first: reserve(axis.cells.length), numbers: new Map() }]),
    );
    this.#rules = new Map(rules.map(({ id }, i) => [id, i]));
    this.#conditions = [...conditions.keys()];
    this.#firstRule = reserve(3 * rules.length);
    this.#firstCondition = reserve(3 * conditions.size);
    this.#firstBand = reserve(3 * BANDS.length);
    this.#firstFinal = reserve(rules.length);
    this.#firstNotice = reserve(rules.length + NOTICES.length);
    this.#size = next;
  }

  cellAt(axis: Axis, cell: number): number {
    return (this.#axes.get(axis)?.first ?? 0) + cell;
  }

  /** The counter of a single number of an axis. INVARIANT: asked for before the first case is counted. */
  numberAt(axis: Axis, number: number): number {
    const { numbers } = this.#axes.get(axis) as AxisCounters;
    const at = numbers.get(number) ?? this.#size++;
    numbers.set(number, at);
    return at;
  }

  ruleAt(rule: number, truth: Truth): number {
    return this.#firstRule + 3 * rule + truth + 1;
  }

  conditionAt(name: string, truth: Truth): number {
    return this.#firstCondition + 3 * this.#conditions.indexOf(name) + truth + 1;
  }

  /** Whether the score reaches a band; unknown if only its upper end does. */
  bandAt(band: Band, truth: Truth): number {
    return this.#firstBand + 3 * BANDS.indexOf(band) + truth + 1;
  }

  /** How often a final rule decided. */
  finalAt(rule: number): number {
    return this.#firstFinal + rule;
  }

  /** How often a notice was given: that of a rule, by its index, of a band or of the default. */
  noticeAt(of: number | (typeof NOTICES)[number]): number {
    return this.#firstNotice + (typeof of === 'number' ? of : this.policy.rules.length + NOTICES.indexOf(of));
  }

  /** Counts a case. `facts` are as `readFacts` gives them for this policy, the verdict is that of these facts. */
  add(verdict: Verdict, facts: Facts, day: string): void {
    const on = this.#on(day);
    const { counts } = on;
    on.cases += 1;
    for (const { axis, first, numbers } of this.#axes.values()) {
      const fact = factAt(facts, axis.fact);
      const other = axis.other === undefined ? undefined : factAt(facts, axis.other);
      increment(counts, first + findCell(axis, fact, other, day));
      if (numbers.size === 0 || isMissing(fact)) continue;
      const number = axis.numbers?.toNumber(fact.value, day);
      const at = number === undefined ? undefined : numbers.get(number);
      if (at !== undefined) increment(counts, at);
    }
    for (const name of this.#conditions) {
      const condition = this.policy.conditions.get(name);
      if (condition) increment(counts, this.conditionAt(name, evaluate(condition, facts, day)));
    }
    this.#addVerdict(verdict, counts);
  }

  #addVerdict({ reasons, undetermined, shadow, score }: Verdict, counts: Float64Array): void {
    const indexOf = (rule: string) => this.#rules.get(rule) as number;
    const given = new Set<number>();
    for (const reason of reasons) {
      const of = reason.because === 'fired' ? indexOf(reason.rule) : noticeOf(reason);
      if (typeof of === 'number') {
        increment(counts, this.ruleAt(of, TRUE));
        // Where a final rule fired, the rules that decide are the decisive ones.
        if (reason.decisive && this.policy.rules[of]?.final) increment(counts, this.finalAt(of));
      }
      if (reason.decisive && of !== undefined) given.add(this.noticeAt(of));
    }
    // Both ends of a score can be reasons, with one notice.
    for (const notice of given) increment(counts, notice);
    for (const { rule } of undetermined) increment(counts, this.ruleAt(indexOf(rule), UNKNOWN));
    for (const { rule, result } of shadow) {
      increment(counts, this.ruleAt(indexOf(rule), result === 'fires' ? TRUE : UNKNOWN));
    }
    for (const band of BANDS) {
      const from = this.policy.score[band];
      if (from === undefined) continue;
      increment(counts, this.bandAt(band, score.least >= from ? TRUE : score.most >= from ? UNKNOWN : FALSE));
    }
  }

  #on(day: string): DayCounts & { cases: number } {
    const cached = this.days.get(day);
    if (cached) return cached;
    const isActiveOn = this.policy.rules.map((rule) => isActive(rule, day));
    const on = { cases: 0, counts: new Float64Array(this.#size), isActive: isActiveOn };
    this.days.set(day, on);
    return on;
  }
}

/** What can give the notice of a reason other than a rule that fired. */
function noticeOf({ because, outcome }: Reason): (typeof NOTICES)[number] | undefined {
  if (because === 'default') return 'default';
  return because === 'score' ? BANDS.find((band) => band === outcome) : undefined;
}

function increment(counts: Float64Array, at: number): void {
  counts[at] = (counts[at] as number) + 1;
}
