/** A policy, applicants of then and applicants of now -> what changed: outcomes, missing facts, tests, and cells. */

import { findCell } from '../../decision/matcher/cell-lookup.ts';
import { factAt } from '../../decision/meaning/truth.ts';
import { type Cause, isMissing } from '../../facts/fact.ts';
import { asRead } from '../../facts/fact-reader.ts';
import { type Axis, Cells } from '../../policy/cells/cells.ts';
import { type Policy, type Test, testsOf, variablesOf } from '../../policy/language.ts';
import { describeTest } from '../../policy/operators.ts';
import type { Applicant } from './applicants.ts';
import { type Backtest, BacktestTally } from './backtest.ts';
import { joinFacts } from './joint-facts.ts';

/** Of the applicants of then and of those of now. */
export type Both<Value> = Record<'baseline' | 'now', Value>;

/** How far the applicants of then and of now are apart, in some respect. */
export interface Stability {
  /** The population stability index. */
  readonly psi: number;
  /** If nothing changes, some PSI of a list is above its critical value in one of 20 lists. */
  readonly critical: number;
}

/** How many applicants are without a fact, for one cause. Its source is who is asked, or the beginning of its path. */
type Missing = Both<number> & { readonly fact: string; readonly source: string; readonly cause: Cause };

export const TRUTHS = ['true', 'false', 'unknown'] as const;

/** How many applicants have each truth of a test, such as `phone.score is at least 80`. */
type Truths = Both<Record<(typeof TRUTHS)[number], number>> & { readonly test: string };

/** How the applicants are spread over the cells into which the policy's tests cut a fact, or two that are compared. */
interface Spread {
  readonly fact: string;
  /** Those with somebody in them; `missing` is one of its own. */
  readonly cells: readonly (Both<number> & { readonly cell: string })[];
}

/** What changed. In each list that is first which is furthest above its critical value. */
export interface Drift extends Both<Pick<Backtest, 'rows' | 'decided' | 'period' | 'outcomes' | 'undecided'>> {
  readonly missing: readonly (Missing & Stability)[];
  readonly tests: readonly (Truths & Stability)[];
  readonly facts: readonly (Spread & Stability)[];
}

/** Whether something changed by more than chance. */
export function isChange({ psi, critical }: Stability): boolean {
  return psi > critical;
}

type Bin = Both<number> & { readonly cells: readonly number[] };

/** Counts the applicants of both. The memory does not grow with the applicants. */
export class DriftTally implements Both<BacktestTally> {
  readonly baseline: BacktestTally;
  readonly now: BacktestTally;
  readonly #policy: Policy;
  readonly #tests: ReadonlyMap<string, Test>;
  readonly #cells: Cells;
  /** The axes of each fact (a date has one of its age, one of its day), and the applicants by their cells on these. */
  readonly #facts: ReadonlyMap<string, { readonly axes: readonly Axis[]; readonly bins: Map<string, Bin> }>;
  readonly #missing = new Map<string, Missing>();

  constructor(policy: Policy, joint = joinFacts(policy, policy)) {
    this.#policy = policy;
    this.#tests = new Map(policy.rules.flatMap(({ when }) => [...testsOf(when)].map((test) => [test.key, test])));
    this.#cells = new Cells(this.#tests.values(), policy.facts);
    const bySubject = Map.groupBy(this.#cells.axes, ({ subject }) => subject);
    this.#facts = new Map([...bySubject].map(([fact, axes]) => [fact, { axes, bins: new Map() }]));
    const sample = (side: keyof Both<unknown>) => {
      const onDecided = (applicant: Applicant) => this.#add(side, applicant, joint.read);
      return new BacktestTally([policy, policy], joint, { by: [], worst: 0, compares: false, onDecided });
    };
    [this.baseline, this.now] = [sample('baseline'), sample('now')];
  }

  result(): Drift {
    const [baseline, now] = [summaryOf(this.baseline.result()), summaryOf(this.now.result())];
    const change = (n: Both<number>) => Math.abs(n.now / now.decided - n.baseline / baseline.decided);
    const tests = [...this.#tests.values()].map((test) => this.#truthsOf(test));
    const facts = [...this.#facts].map(([fact, { axes, bins }]): Spread => {
      const cells = [...bins.values()].map(({ cells, ...n }) => {
        // What several axes say of the same values.
        const words = new Set(axes.map((axis, i) => axis.cells[cells[i] ?? 0]?.words));
        return { cell: [...words].join(' and '), ...n };
      });
      return { fact, cells: sorted(cells, change) };
    });
    // Nothing can be compared with nobody.
    const ifAny = <Item>(items: Iterable<Item>) => (baseline.decided * now.decided === 0 ? [] : [...items]);
    const others = (n: Both<number>) => ({ baseline: baseline.decided - n.baseline, now: now.decided - n.now });
    return {
      ...{ baseline, now },
      missing: withStability(ifAny(this.#missing.values()), (n) => [n, others(n)]),
      tests: withStability(ifAny(tests), (test) =>
        TRUTHS.map((truth) => ({ baseline: test.baseline[truth], now: test.now[truth] })),
      ),
      facts: withStability(ifAny(facts), ({ cells }) => cells),
    };
  }

  #add(side: keyof Both<unknown>, { facts: given, day }: Applicant, read: ReadonlySet<string>): void {
    const facts = asRead(given, this.#policy.facts, day);
    for (const { axes, bins } of this.#facts.values()) {
      const cells = axes.map((axis) => {
        const other = axis.other === undefined ? undefined : factAt(facts, axis.other);
        return findCell(axis, factAt(facts, axis.fact), other, day);
      });
      count(bins, cells.join(), { cells, baseline: 0, now: 0 }, side);
    }
    for (const fact of read) {
      const known = factAt(facts, fact);
      if (!isMissing(known)) continue;
      const of = { fact, source: sourceOf(fact, this.#policy), cause: known.missing };
      count(this.#missing, `${fact} ${of.cause}`, { ...of, baseline: 0, now: 0 }, side);
    }
  }

  /** A test has one truth in all of a cell. */
  #truthsOf(test: Test): Truths {
    const { axis, isTrue, isUnknown } = this.#cells.of(test);
    const truths = { baseline: { true: 0, false: 0, unknown: 0 }, now: { true: 0, false: 0, unknown: 0 } };
    const { axes = [], bins = new Map<string, Bin>() } = this.#facts.get(axis.subject) ?? {};
    for (const { cells, baseline, now } of bins.values()) {
      const cell = 1n << BigInt(cells[axes.indexOf(axis)] ?? 0);
      const truth = isUnknown & cell ? 'unknown' : isTrue & cell ? 'true' : 'false';
      truths.baseline[truth] += baseline;
      truths.now[truth] += now;
    }
    return { test: `${test.fact} ${describeTest(test)}`, ...truths };
  }
}

function count<Counts extends Both<number>>(all: Map<string, Counts>, name: string, none: Counts, side: keyof Both<0>) {
  const counts = all.get(name) ?? none;
  counts[side] += 1;
  all.set(name, counts);
}

function summaryOf({ rows, decided, period, outcomes, undecided }: Backtest): Drift['now'] {
  return { rows, decided, ...(period ? { period } : {}), outcomes, undecided };
}

function sorted<Item>(items: readonly Item[], by: (item: Item) => number): readonly Item[] {
  return items.toSorted((one, other) => by(other) - by(one));
}

function sourceOf(path: string, { facts }: Policy): string {
  const sources = new Set(variablesOf(path, facts).map((each) => (each === 'phoneNo' ? 'phone' : each)));
  return sources.size === 0 ? path.replace(/\..*/, '') : [...sources].join(' and ');
}

/** Each item with its stability, by how far that is above chance. */
function withStability<Item>(
  items: readonly Item[],
  binsOf: (item: Item) => readonly Both<number>[],
): readonly (Item & Stability)[] {
  const compared = items.filter((item) => binsOf(item).filter(hasSomebody).length > 1).length;
  const measured = items.map((item) => ({ ...item, ...stabilityOf(binsOf(item), compared) }));
  return sorted(measured, ({ psi, critical }) => (critical === 0 ? 0 : psi / critical));
}

function hasSomebody({ baseline, now }: Both<number>): boolean {
  return baseline + now > 0;
}

/**
 * The population stability index over bins: the sum of (p - q) ln(p / q). A bin that is empty in one sample gets a half
 * added to both of its counts; one that is empty in both is none. Without a change, PSI is about (1/n + 1/m) times a
 * chi-squared variable with a degree of freedom less than bins (Yurdakul 2018, Statistical Properties of Population
 * Stability Index).
 *
 * @param compared how many are compared beside it: by chance, one of them is above its critical value in 1 of 20 cases
 */
export function stabilityOf(counts: readonly Both<number>[], compared = 1): Stability {
  const bins = counts.filter(hasSomebody);
  const n = bins.reduce((sum, { baseline }) => sum + baseline, 0);
  const m = bins.reduce((sum, { now }) => sum + now, 0);
  const psi = bins.reduce((sum, { baseline, now }) => {
    const half = baseline === 0 || now === 0 ? 0.5 : 0;
    const [q, p] = [(baseline + half) / n, (now + half) / m];
    return sum + (p - q) * Math.log(p / q);
  }, 0);
  return { psi, critical: (1 / n + 1 / m) * chiSquared(bins.length - 1, CHANCE / Math.max(1, compared)) };
}

/** How probable it is that a list without a change names one (Bonferroni: each item gets its part). */
const CHANCE = 0.05;

/** What a chi-squared variable exceeds with a probability, by the normal one (Wilson and Hilferty 1931). */
function chiSquared(degrees: number, probability: number): number {
  const spread = 2 / (9 * Math.max(1, degrees));
  return degrees * (1 - spread + normal(probability) * Math.sqrt(spread)) ** 3;
}

/** What a normal variable exceeds with a probability of at most a half (Abramowitz and Stegun 1964, 26.2.23). */
function normal(probability: number): number {
  const t = Math.sqrt(-2 * Math.log(probability));
  return t - (2.515517 + 0.802853 * t + 0.010328 * t ** 2) / (1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3);
}
