/** What labels say in `verdict backtest` of an invented bank is what an evaluator says that shares no code with it. */

import { describe, expect, it } from 'vitest';
import type { Seen } from '../../support/lab/bank/counts.ts';
import { EDITS } from '../../support/lab/bank/editions.ts';
import { type Decided, decideAll, ruleNumbers } from '../../support/lab/bank/evaluate.ts';
import { csvOf, linesOf, writeParquet } from '../../support/lab/bank/files.ts';
import type { Past } from '../../support/lab/bank/history.ts';
import { costOf, judge, type Known, labelNumbers, lastDayOf, moreCostOf } from '../../support/lab/bank/judge.ts';
import { applicants, bankProject, countsOf, decidedBy, past, withoutSource } from '../../support/lab/bank/project.ts';
import { type Edition, NOW, type Outcome } from '../../support/lab/bank/rules.ts';

const project = bankProject();
const { backtest, write, writePolicy } = project;

interface Found {
  readonly caught: number;
  readonly goodRejected: number;
  readonly precision: Readonly<Record<string, number>>;
  readonly byHoldout: Readonly<Record<string, number>>;
}

/** Shares to nine digits: sums of weights depend on their order. */
function close(shares: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, share.toFixed(9)]));
}

describe('a backtest of an invented bank with labels', () => {
  const lastDay = lastDayOf(past);
  const costs = { review: 4, acceptedFraud: 900, rejectedGood: 60 };
  const options = [
    ...['--holdout', 'let_in', '--mature', '60 days'],
    ...['--cost', 'review=4,accepted-fraud=900,rejected-good=60'],
  ];

  interface Labelled {
    readonly hasDispositions?: boolean;
    /** Of those without an outcome of then, the outcome by a policy of then. */
    readonly filled?: ReadonlyMap<string, Outcome>;
  }

  /** What is known of each. */
  function knownOf({ hasDispositions = false, filled = new Map() }: Labelled): readonly Known[] {
    return applicants.map((applicant) => {
      const { reference } = applicant;
      const { outcome, disposition, letIn, labels } = past.get(reference) as Past;
      const by = filled.get(reference);
      const said = hasDispositions ? { disposition: by === undefined ? disposition : ('' as const) } : {};
      const judged = judge(applicant, { outcome: by ?? outcome, letIn, ...said }, labels, lastDay, 60);
      return { judged, weight: letIn === undefined ? 1 : 1 / letIn };
    });
  }

  /** What an edition decides, where labels are counted. */
  const decidedWith = (edition: Partial<Edition> = {}, seen?: ReadonlyMap<string, Seen>) =>
    decidedBy(edition, { hasLabels: true, ...(seen ? { seen } : {}) });

  const labelled = (...args: readonly string[]) => backtest('--labels', 'labels.csv', ...options, ...args);

  /** What the report says of one side. */
  function sideOf(decided: readonly Decided[], known: readonly Known[]) {
    const { caught, goodRejected, precision, byHoldout } = labelNumbers(decided, known);
    return { caught, goodRejected, precision: close(precision), byHoldout: close(byHoldout) };
  }

  function foundOf({ caught, goodRejected, precision, byHoldout }: Found) {
    return { caught, goodRejected, precision: close(precision), byHoldout: close(byHoldout) };
  }

  it.each([false, true])('says what they say, where a file has what people decided: %s', async (hasDispositions) => {
    const file = write(`people-${hasDispositions}.csv`, csvOf(applicants, past, { hasDispositions }));
    const { labels, rules, joined } = await labelled('--facts', file);
    const [decided, known] = [decidedWith(), knownOf({ hasDispositions })];
    const numbers = labelNumbers(decided, known);
    expect(labels.labels).toEqual(numbers.labels);
    for (const [judged, n] of Object.entries(numbers.labels))
      expect(n > 0).toBe(hasDispositions || judged !== 'unknown');
    expect(foundOf(labels.now)).toEqual(sideOf(decided, known));
    const { review, sum } = costOf(decided, known, costs);
    expect([labels.money.now.review, labels.money.now.sum]).toEqual([review, sum]);
    for (const { rule, labels } of rules) expect([rule, labels]).toEqual([rule, numbers.rule(rule)]);
    const count = (isMeant: (past: Past) => boolean) => [...past.values()].filter(isMeant).length;
    expect(joined).toMatchObject({
      labels: count((each) => each.labels.length > 0),
      ...{ unused: 0, several: 0, filled: 0, notDecided: 0 },
      reviewsLetIn: hasDispositions ? 0 : count(({ outcome }) => outcome === 'review'),
      heldOut: count(({ letIn }) => letIn !== undefined),
    });
    const { fired } = rules.find(({ rule }: { rule: string }) => rule === 'fraud-before');
    expect(fired).toBe(ruleNumbers(decided, 'fraud-before', NOW).fired);
    expect(fired).toBeGreaterThan(10);
  });

  it('says the same of each kind of file', async () => {
    write('kinds.csv', csvOf(applicants, past, { hasDispositions: true }));
    const parquet = await writeParquet(project.folder(), 'kinds.csv', applicants);
    const [decided, known] = [decidedWith(), knownOf({ hasDispositions: true })];
    for (const file of [parquet, write('kinds.ndjson', linesOf(applicants, past))]) {
      const { labels } = await labelled('--facts', file);
      expect(labels.labels).toEqual(labelNumbers(decided, known).labels);
      expect(foundOf(labels.now)).toEqual(sideOf(decided, known));
    }
  });

  it('says it of each value, and without rules, with some alone, and with a source down', async () => {
    const file = write('people.csv', csvOf(applicants, past, { hasDispositions: true }));
    const known = knownOf({ hasDispositions: true });
    const { sweep } = await labelled('--facts', file, '--sweep', 'score.reject=50..110/20');
    for (const [i, reject] of [50, 70, 90, 110].entries()) {
      expect(foundOf(sweep[i].labels.now)).toEqual(sideOf(decidedWith({ reject }), known));
    }
    const { sum } = costOf(decidedWith({ reject: 110 }), known, costs);
    expect(sweep[3].labels.money.now.sum).toEqual(sum);
    expect(
      new Set(sweep.map(({ labels }: { labels: { now: Found } }) => labels.now.goodRejected)).size,
    ).toBeGreaterThan(2);
    const { labels, rules } = await labelled('--facts', file, '--drop', 'load-high');
    expect(foundOf(labels.before)).toEqual(sideOf(decidedWith(), known));
    expect(foundOf(labels.now)).toEqual(sideOf(decidedWith({ dropped: ['load-high'] }), known));
    expect(labels.now.goodRejected).toBeLessThan(labels.before.goodRejected);
    const more = moreCostOf(decidedWith(), decidedWith({ dropped: ['load-high'] }), known, costs);
    expect(labels.money.more).toEqual(more);
    const others = (rules as readonly { rule: string }[]).map(({ rule }) => rule).filter((rule) => rule !== 'minor');
    const alone = await labelled('--facts', file, '--only', 'minor', 'load-high');
    expect(foundOf(alone.labels.now)).toEqual(sideOf(decidedWith({ dropped: others }), known));
    const drilled = await labelled('--facts', file, '--drill', 'phone');
    const left = decideAll(withoutSource('phone'), countsOf(NOW, { hasLabels: true }), NOW);
    expect(foundOf(drilled.labels.now)).toEqual(sideOf(left, known));
  });

  it('says what each of ten edits does alone, and what is left without it', async () => {
    const file = write('edits.csv', csvOf(applicants, past, { hasDispositions: true }));
    const policy = writePolicy(
      'all',
      EDITS.flatMap(({ edits }) => edits),
    );
    const { edits } = await labelled('--policy', policy, '--against', 'now/tidewater.yaml', '--facts', file);
    const [now, known] = [decidedWith(), knownOf({ hasDispositions: true })];
    const of = labelNumbers(now, known);
    const moreBy = (those: typeof EDITS) => {
      const decided = decidedWith(Object.assign({}, ...those.map(({ edition }) => edition)));
      const { caught, goodRejected } = labelNumbers(decided, known);
      const more = { caught: { by: caught - of.caught }, goodRejected: { by: goodRejected - of.goodRejected } };
      return { more: { ...more, cost: moreCostOf(now, decided, known, costs) } };
    };
    expect(edits.edits).toHaveLength(EDITS.length);
    for (const one of EDITS) {
      const found = edits.edits.find(({ name }: { name: string }) => name === one.part);
      expect(found.alone).toMatchObject(moreBy([one]));
      expect(found.left).toMatchObject(moreBy(EDITS.filter((each) => each !== one)));
    }
    expect(edits).toMatchObject(moreBy(EDITS));
  });

  it.each([
    ['alone', [], {}],
    ['without a rule', ['--drop', 'load-high'], { dropped: ['load-high'] }],
    ['by values', ['--sweep', 'loadLimit=0.3..0.5/0.2'], {}],
  ])('fills what was decided then by the policy before, %s', async (what, more, edition) => {
    const isBlank = (_: unknown, at: number) => at % 5 === 0;
    const file = write('gaps.csv', csvOf(applicants, past, { hasDispositions: true, isBlank }));
    const { edits, edition: before } = EDITS.find(({ name }) => name === 'a list in a file') as (typeof EDITS)[number];
    const gaps = new Map(
      [...past].map(([reference, { labels, ...of }], at) => {
        return [reference, isBlank(of, at) ? { labels } : { ...of, labels }] as const;
      }),
    );
    const [then, is] = [decidedWith(before, gaps), decidedWith(edition, gaps)];
    const blank = then.filter(isBlank);
    const filled = new Map(blank.map(({ applicant, outcome }) => [applicant.reference, outcome]));
    const found = await labelled('--facts', file, '--against', writePolicy('before', edits), ...more);
    const known = knownOf({ hasDispositions: true, filled });
    expect(found.labels.labels).toEqual(labelNumbers(is, known).labels);
    expect(foundOf(found.labels.now)).toEqual(sideOf(is, known));
    expect(foundOf(found.labels.before)).toEqual(sideOf(what === 'alone' ? then : decidedWith({}, gaps), known));
    expect(found.joined.filled).toBe(blank.length);
    const runs: readonly { readonly value: string; readonly labels: { readonly now: Found } }[] = found.sweep ?? [];
    expect(runs.map(({ value, labels }) => [value, foundOf(labels.now)])).toEqual(
      (what === 'by values' ? [0.3, 0.5] : []).map((loadLimit) => {
        return [String(loadLimit), sideOf(decidedWith({ loadLimit }, gaps), known)];
      }),
    );
  });
});
