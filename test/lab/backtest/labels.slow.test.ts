/** Labels are joined to the right applicants, and what nobody knows of the rejected is a range that has the truth. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addNote } from '../../../src/audit/query/note.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import type { Applicant } from '../../../src/lab/backtest/applicants.ts';
import type { DecidedThen } from '../../../src/lab/backtest/decided-then.ts';
import {
  differenceOf,
  isCaught,
  LabelTally,
  precisionOf,
  recallOf,
  shareRise,
  wilson,
} from '../../../src/lab/backtest/label-counts.ts';
import { LabelJoin, readLabels, readNotedLabels } from '../../../src/lab/backtest/labels.ts';
import { createRandom } from '../../../src/platform/random.ts';
import { OUTCOMES, type Outcome } from '../../../src/policy/language.ts';
import { localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const fileOf = (text: string) => `${temporaryFolder({ 'labels.csv': text })}/labels.csv`;
const applicant = (reference: string, day = '2026-08-01') =>
  ({ name: { line: 1 }, day, facts: new Map(), reference }) as unknown as Applicant;

describe('a file of labels', () => {
  it('has frauds alone, or labels of which one means fraud', () => {
    expect([...readLabels(fileOf('reference\nA\nB\n'), 'fraud').labels]).toEqual([
      ['A', { isFraud: true, at: undefined }],
      ['B', { isFraud: true, at: undefined }],
    ]);
    const { by, labels } = readLabels(fileOf('decision,label,at\nx,loss,2026-10-01T12:00:00Z\ny,genuine,\n'), 'loss');
    expect(by).toBe('decision');
    expect([...labels]).toEqual([
      ['x', { isFraud: true, at: '2026-10-01' }],
      ['y', { isFraud: false, at: undefined }],
    ]);
  });

  it.each([
    ['no key', 'referense,label\nA,fraud\n', /expected a column reference or decision; did you mean "reference"/],
    ['a misspelled column', 'reference,lable\nA,genuine\n', /: the column lable is not read; did you mean "label"/],
    ['a column in capitals', 'reference,label,At\nA,fraud,2026-10-01\n', /column At is not read; did you mean "at"/],
    [
      'labels under another name',
      'reference,status\nA,\nB, genuine \n',
      /line 3: the column status has labels and is not read; expected the name label/,
    ],
    ['a row without its key', 'reference,label\n,fraud\n', /line 2: there is no reference/],
    ['a row without a label', 'reference,label\nA,\n', /line 2: there is no label/],
    ['a day that is none', 'reference,at\nA,2026-13-01\n', /line 2: "at" is not a calendar day/],
    ['two labels for one', 'reference,label\nA,fraud\nA,genuine\n', /line 3: this reference has another label before/],
    [
      'another word',
      'reference,label\nA,chargeback\n',
      /line 2: the label is none of fraud and genuine; --label names/,
    ],
    [
      'a slip',
      'reference,label\nA,fraud\nB,Fraud\n',
      /line 3: the label is none of fraud and genuine; did you mean "fraud"/,
    ],
    ['no rows', 'reference\n', /there are no labels/],
    ['a row that is too long', 'reference\nA,B\n', /line 2: 2 values; the header has 1 column/],
  ])('with %s is refused', (_what, text, message) => {
    expect(() => readLabels(fileOf(text), 'fraud')).toThrow(message);
  });

  it('may have columns for people', () => {
    const text = 'reference,label,at,date,note\nA,genuine,2026-10-01,2026-09-30,fraud\n';
    expect([...readLabels(fileOf(text), 'fraud').labels]).toEqual([['A', { isFraud: false, at: '2026-10-01' }]]);
    expect([...readLabels(fileOf('reference,team\nA,cards\n'), 'fraud').labels.keys()]).toEqual(['A']);
  });

  it('may be the notes of a log, of which the last one counts', async () => {
    const folder = await logFolder();
    const log = await folder.open({});
    const policy = policyOf(`${HEAD}rules: [{ id: a, when: { phone.riskLevel: high }, then: reject }]\n`);
    const decider = createDecider({ policy, verify: localVerifier, audit: log });
    const [one, other] = [await decider.decide(personOf(0)), await decider.decide(personOf(1))];
    const note = { log, by: 'R', why: 'w' };
    await addNote({ ...note, decision: one.id, disposition: 'approve' });
    await addNote({ ...note, decision: one.id, disposition: 'genuine' });
    await addNote({ ...note, decision: one.id, disposition: 'fraud' });
    await addNote({ ...note, decision: other.id, disposition: 'decline' });
    await log.close();
    const { by, labels } = await readNotedLabels(folder.place);
    expect(by).toBe('decision');
    expect([...labels].map(([id, { isFraud }]) => [id, isFraud])).toEqual([[one.id, true]]);
  });

  it('takes the note of a log that was recorded last, whatever its chain, and dates it by when it was known', async () => {
    const folder = await logFolder();
    const [first, second] = [await folder.open({}), await folder.open({})];
    const policy = policyOf(`${HEAD}rules: [{ id: a, when: { phone.riskLevel: high }, then: reject }]\n`);
    const { id: decision } = await createDecider({ policy, verify: localVerifier, audit: first }).decide(personOf(0));
    const note = { by: 'R', why: 'w', decision };
    const later = () => Date.now() + 1000;
    await addNote({ ...note, log: first, disposition: 'genuine', knownOn: '2026-10-07', now: later });
    await addNote({ ...note, log: second, disposition: 'fraud' });
    await Promise.all([first.close(), second.close()]);
    const { labels } = await readNotedLabels(folder.place);
    expect([...labels]).toEqual([[decision, { isFraud: false, at: '2026-10-07' }]]);
  });

  it('of a log say nothing of those whom a reviewer declined, or who wait for one', async () => {
    const folder = await logFolder();
    const log = await folder.open({});
    const policy = policyOf(`${HEAD}rules: [{ id: a, when: { phone.riskLevel: high }, then: reject }]\n`);
    const decider = createDecider({ policy, verify: localVerifier, audit: log });
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await decider.decide(personOf(i))).id);
    const [declined = '', approved = '', corrected = '', caught = ''] = ids;
    const note = { log, by: 'R', why: 'w' };
    for (const decision of [declined, corrected, caught]) {
      await addNote({ ...note, decision, disposition: 'decline' });
    }
    for (const decision of [approved, corrected]) await addNote({ ...note, decision, disposition: 'approve' });
    await addNote({ ...note, decision: caught, disposition: 'fraud' });
    await log.close();
    const join = new LabelJoin(await readNotedLabels(folder.place), { asOf: '2026-11-01', matureDays: 0 });
    const labelsOf = (outcome: Outcome) =>
      ids.map((decision) => join.judge({ ...applicant(''), name: { decision }, decided: { outcome } }, 'accept').label);
    expect(labelsOf('review')).toEqual(['notLetIn', 'good', 'good', 'fraud', 'unknown']);
    expect(labelsOf('accept')).toEqual(['notLetIn', 'good', 'good', 'fraud', 'good']);
    expect(labelsOf('reject')).toEqual(['notLetIn', 'good', 'good', 'fraud', 'notLetIn']);
    expect(join.result()).toMatchObject({ filled: 0, notDecided: 0, reviewsLetIn: 0 });
  });
});

describe('a join', () => {
  const labels = readLabels;
  const joined = (text: string, options = { asOf: '2026-11-01', matureDays: 30 }) =>
    new LabelJoin(labels(fileOf(text), 'fraud'), options);

  it('knows who was rejected, who is too recent, and takes others without a label for good', () => {
    const join = joined('reference\nA\n');
    const labelOf = (reference: string, decided: DecidedThen, then?: Outcome, day?: string) =>
      join.judge({ ...applicant(reference, day), decided }, then).label;
    expect(labelOf('A', {}, 'accept')).toBe('fraud');
    expect(labelOf('A', {})).toBe('fraud');
    expect(labelOf('B', {}, 'accept')).toBe('good');
    expect(labelOf('B', {}, 'review')).toBe('good');
    expect(labelOf('B', {}, 'reject')).toBe('notLetIn');
    expect(labelOf('B', {})).toBe('unknown');
    expect(labelOf('B', { outcome: 'reject' }, 'accept')).toBe('notLetIn');
    expect(labelOf('B', { outcome: 'accept' }, 'reject')).toBe('good');
    expect(labelOf('B', { outcome: 'review', disposition: null }, 'accept')).toBe('unknown');
    expect(labelOf('B', { disposition: 'decline' }, 'review')).toBe('notLetIn');
    expect(labelOf('A', {}, 'accept', '2026-10-03')).toBe('immature');
    expect(labelOf('A', {}, 'accept', '2026-10-02')).toBe('fraud');
    expect(join.result()).toEqual({
      ...{ asOf: '2026-11-01', isDated: false },
      labels: 1,
      unused: 0,
      several: 1,
      filled: 7,
      notDecided: 2,
      reviewsLetIn: 1,
      heldOut: 0,
    });
  });

  it('finds a row that stands twice, labels of nobody, and those from before the applicant', () => {
    const join = joined('reference,at\nA,2026-09-01\nB,2026-07-01\nC,2026-09-01\n');
    const labels = ['A', 'A', 'B'].map((each) => join.judge(applicant(each), 'accept').label);
    expect(labels).toEqual(['fraud', 'fraud', 'tooEarly']);
    expect(join.result()).toMatchObject({ labels: 3, unused: 1, several: 1 });
    expect(join.judge(applicant('B'), 'reject').label).toBe('tooEarly');
  });

  it.each([
    ['A,2026-07-01\nA,2026-10-20', '2026-10-20'],
    ['A,2026-10-20\nA,2026-07-01', '2026-10-20'],
    ['A,\nA,2026-07-01\nB,2026-09-01', '2026-09-01'],
  ])('of rows of one reference takes the one in time, and all tell how far the labels go: %s', (rows, lastDay) => {
    const file = fileOf(`reference,at\n${rows}\n`);
    expect(readLabels(file, 'fraud').lastDay).toBe(lastDay);
    const join = joined(`reference,at\n${rows}\n`);
    expect(join.judge(applicant('A'), 'accept').label).toBe('fraud');
  });
});

describe('bounds', () => {
  it('contain the truth, whatever the labels that are hidden', () => {
    const somebody = fc.record({
      isFraud: fc.boolean(),
      from: fc.constantFrom(...OUTCOMES),
      to: fc.constantFrom(...OUTCOMES),
    });
    fc.assert(
      fc.property(fc.array(somebody, { minLength: 1, maxLength: 40 }), (people) => {
        const tally = new LabelTally();
        for (const { isFraud, from, to } of people) {
          tally.add(from === 'reject' ? 'notLetIn' : isFraud ? 'fraud' : 'good', { from, to }, 1);
        }
        const { now } = tally.result();
        const frauds = people.filter(({ isFraud }) => isFraud);
        const rejected = people.filter(({ to }) => to === 'reject');
        if (now.recall) {
          const recall = frauds.filter(({ to }) => isCaught(to)).length / frauds.length;
          expect(now.recall.least).toBeLessThanOrEqual(recall);
          expect(now.recall.most).toBeGreaterThanOrEqual(recall);
        }
        if (rejected.length > 0) {
          const precision = rejected.filter(({ isFraud }) => isFraud).length / rejected.length;
          expect(now.precision?.least).toBeLessThanOrEqual(precision);
          expect(now.precision?.most).toBeGreaterThanOrEqual(precision);
        }
      }),
      { numRuns: sampled(167, 50_000) },
    );
  });

  it('are reached: they are as narrow as they can be', () => {
    expect(precisionOf({ fraud: 2, good: 3, notLetIn: 4, unknown: 1 })).toEqual({ least: 0.2, most: 0.7 });
    expect(recallOf({ caught: 2, missed: 2, unknownCaught: 4, unknownMissed: 4 })).toEqual({ least: 0.25, most: 0.75 });
    expect(precisionOf({ fraud: 0, good: 0, notLetIn: 0, unknown: 0 })).toBeUndefined();
    expect(recallOf({ caught: 0, missed: 0, unknownCaught: 0, unknownMissed: 0 })).toBeUndefined();
    // Of no known fraud, all are caught, and none is.
    expect(recallOf({ caught: 0, missed: 0, unknownCaught: 3, unknownMissed: 0 })).toBeUndefined();
  });

  it('are narrowed by a holdout, whose weights are right on average', () => {
    // 400 are rejected before, and a tenth of them are let in. A fifth of them are frauds; the new policy rejects half.
    const random = createRandom();
    const shares = Array.from({ length: sampled(200, 5000) }, () => {
      const tally = new LabelTally();
      for (let i = 0; i < 400; i++) {
        const change = { from: 'reject', to: i % 2 === 0 ? 'reject' : 'accept' } as const;
        const label = i % 10 < 2 ? 'fraud' : 'good';
        const isLetIn = random() < 0.1;
        tally.add(isLetIn ? label : 'notLetIn', change, isLetIn ? 10 : 1);
      }
      for (let i = 0; i < 100; i++) tally.add(i < 10 ? 'fraud' : 'good', { from: 'accept', to: 'accept' });
      const { precision = 0, recall = 0 } = tally.result().now.byHoldout ?? {};
      return { precision, recall };
    });
    const mean = (of: keyof (typeof shares)[number]) => shares.reduce((sum, each) => sum + each[of], 0) / shares.length;
    // 40 frauds of 200 who are rejected, and 40 of 90 frauds.
    expect(Math.abs(mean('precision') - 0.2)).toBeLessThan(0.02);
    expect(Math.abs(mean('recall') - 40 / 90)).toBeLessThan(0.03);
    expect(new LabelTally().result().now).not.toHaveProperty('byHoldout');
  });

  it('of a difference are those of the draws, and the same each time', () => {
    const one = differenceOf(100, 50);
    expect(one).toEqual(differenceOf(100, 50));
    // The standard deviation of a difference of two Poisson variables is the root of the sum of their means.
    const [least, most] = [50 - 1.96 * Math.sqrt(150), 50 + 1.96 * Math.sqrt(150)];
    expect(one.by).toBe(50);
    expect(Math.abs(one.least - least)).toBeLessThan(3);
    expect(Math.abs(one.most - most)).toBeLessThan(3);
    expect(differenceOf(4, 0)).toMatchObject({ by: 4, least: 1 });
    expect(differenceOf(0, 0)).toEqual({ by: 0, least: 0, most: 0 });
  });

  it('count who came in and who went out', () => {
    const tally = new LabelTally();
    const times = (n: number, count: () => void) => Array.from({ length: n }).forEach(count);
    times(5, () => tally.add('fraud', { from: 'accept', to: 'review' }));
    times(2, () => tally.add('fraud', { from: 'reject', to: 'accept' }));
    times(9, () => tally.add('fraud', { from: 'review', to: 'reject' }));
    times(4, () => tally.add('good', { from: 'review', to: 'reject' }));
    times(7, () => tally.add('unknown', { from: 'accept', to: 'reject' }));
    expect(tally.result().more).toMatchObject({ caught: { by: 3 }, goodRejected: { by: 4 } });
  });

  it('of money contain the truth, whatever the labels that are hidden', () => {
    const costs = { review: 4, acceptedFraud: 900, rejectedGood: 60 };
    const costOf = (isFraud: boolean, outcome: Outcome) =>
      ({ accept: isFraud ? 900 : 0, review: 4, reject: isFraud ? 0 : 60 })[outcome];
    const somebody = fc.record({
      isFraud: fc.boolean(),
      isKnown: fc.boolean(),
      from: fc.constantFrom(...OUTCOMES),
      to: fc.constantFrom(...OUTCOMES),
    });
    fc.assert(
      fc.property(fc.array(somebody, { maxLength: 40 }), (people) => {
        const tally = new LabelTally(costs);
        for (const { isFraud, isKnown, from, to } of people) {
          tally.add(isKnown ? (isFraud ? 'fraud' : 'good') : 'unknown', { from, to });
          // Whose label may still come, or is of somebody else, is not counted.
          tally.add('immature', { from, to });
          tally.add('tooEarly', { from, to });
        }
        const { money } = tally.result();
        const sum = (of: (somebody: (typeof people)[number]) => number) =>
          people.reduce((all, each) => all + of(each), 0);
        const [before, now] = [
          sum(({ isFraud, from }) => costOf(isFraud, from)),
          sum(({ isFraud, to }) => costOf(isFraud, to)),
        ];
        for (const [range, truth] of [
          [money?.before.sum, before],
          [money?.now.sum, now],
          [money?.more, now - before],
        ] as const) {
          expect(range?.least).toBeLessThanOrEqual(truth);
          expect(range?.most).toBeGreaterThanOrEqual(truth);
          if (people.every(({ isKnown }) => isKnown)) expect(range).toEqual({ least: truth, most: truth });
        }
      }),
      { numRuns: sampled(167, 50_000) },
    );
    expect(new LabelTally().result()).not.toHaveProperty('money');
  });

  it('of chance are those of Wilson', () => {
    // Brown, Cai and DasGupta (2001), and R: prop.test(15, 148, correct = FALSE).
    expect(wilson(15, 148)?.least).toBeCloseTo(0.0624, 4);
    expect(wilson(15, 148)?.most).toBeCloseTo(0.1605, 4);
    expect(wilson(0, 10)?.least).toBe(0);
    expect(wilson(10, 10)?.most).toBeCloseTo(1, 12);
    expect(wilson(0, 0)).toBeUndefined();
  });

  it('of a rise are those of Newcombe', () => {
    // Newcombe (1998), table II, method 10: 56 of 70 beside 48 of 80.
    const rise = shareRise([48, 80], [56, 70]);
    expect([rise?.by, rise?.least, rise?.most].map((each) => each?.toFixed(4))).toEqual(['0.2000', '0.0524', '0.3339']);
    expect(shareRise([0, 0], [1, 2])).toBeUndefined();
    expect(shareRise([1, 2], [0, 0])).toBeUndefined();
  });
});
