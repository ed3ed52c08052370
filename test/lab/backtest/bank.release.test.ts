/** `verdict backtest` of an invented bank says what an evaluator says that shares no code with it. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { EDITS, THEN } from '../../support/lab/bank/editions.ts';
import { byMonth, changesFrom, decideAll, OUTCOMES, outcomesOf, ruleNumbers } from '../../support/lab/bank/evaluate.ts';
import { csvOf, linesOf, writeParquet } from '../../support/lab/bank/files.ts';
import { applicants, bankProject, countsOf, decidedBy, past, withoutSource } from '../../support/lab/bank/project.ts';
import { NOW } from '../../support/lab/bank/rules.ts';

const { backtest, folder, write, writePolicy } = bankProject();
const counts = countsOf(NOW);
const now = decidedBy();

interface Flow {
  readonly from: string;
  readonly to: string;
  readonly applicants: number;
}

/** The changes among the flows, as `accept to review`. */
function changesIn({ flows }: { readonly flows: readonly Flow[] }): Record<string, number> {
  const changes = flows.filter(({ from, to, applicants }) => from !== to && applicants > 0);
  return Object.fromEntries(changes.map(({ from, to, applicants }) => [`${from} to ${to}`, applicants]));
}

describe('a backtest of an invented bank', () => {
  it('has the outcomes, and how often each rule fired, is open and decides alone', async () => {
    const { decided, outcomes, rules } = await backtest();
    expect(decided).toBe(applicants.length);
    expect(outcomes).toEqual(outcomesOf(now));
    const numbers = rules.map(({ rule, fired, undetermined, alone }: Record<string, unknown>) => {
      return { rule, fired, undetermined, alone };
    });
    const ids = rules.map(({ rule }: { rule: string }) => rule);
    expect(numbers).toEqual(ids.map((rule: string) => ({ rule, ...ruleNumbers(now, rule, NOW) })));
    expect(ids).toHaveLength(29);
    // Nobody says who was a fraud.
    for (const { rule, fired } of rules) expect(fired > 0).toBe(rule !== 'fraud-before');
  });

  it('has the same numbers of each kind of file, and of several', async () => {
    const half = applicants.length / 2;
    write('early.ndjson', linesOf(applicants.slice(0, half), past));
    write('late.csv', csvOf(applicants.slice(half), past));
    const parquet = await writeParquet(folder(), 'past.csv', applicants);
    const expected = await backtest();
    for (const files of [['late.csv', 'early.ndjson'], [parquet]]) {
      const { outcomes, rules } = await backtest('--facts', ...files);
      expect(outcomes).toEqual(expected.outcomes);
      const firings = (those: readonly Record<string, unknown>[]) => those.map(({ rule, fired }) => [rule, fired]);
      expect(firings(rules)).toEqual(firings(expected.rules));
    }
  });

  it('has the changes since the policy before, by month', async () => {
    const then = decideAll(applicants, counts, THEN);
    const found = await backtest('--against', 'then/tidewater.yaml', '--by', 'month');
    expect(found.before).toEqual(outcomesOf(then));
    expect(changesIn(found)).toEqual(changesFrom(then, now));
    const [{ values }] = found.groups;
    const months = byMonth(now);
    expect(months).toHaveLength(6);
    expect(values.map(({ value, outcomes }: Record<string, unknown>) => [value, outcomes])).toEqual(months);
    expect(values.map(({ before }: Record<string, unknown>) => before)).toEqual(byMonth(then).map(([, each]) => each));
  });

  it('has the changes without rules, and with some alone', async () => {
    const dropped = ['blocked-domain', 'partner'];
    const found = await backtest('--drop', ...dropped);
    expect(changesIn(found)).toEqual(changesFrom(now, decidedBy({ dropped })));
    const kept = ['just-ported', 'phone-again', 'line/2', 'hosting'];
    const others = (found.rules as readonly { rule: string }[]).map(({ rule }) => rule).concat(dropped);
    const alone = decidedBy({ dropped: others.filter((rule) => !kept.includes(rule)) });
    expect(changesIn(await backtest('--only', ...kept))).toEqual(changesFrom(now, alone));
  });

  it.each(['phone', 'email', 'ip'] as const)('has the changes with %s down', async (source) => {
    const found = await backtest('--drill', source);
    expect(changesIn(found)).toEqual(changesFrom(now, decideAll(withoutSource(source), counts, NOW)));
    expect(found.outcomes.review).toBeGreaterThan(outcomesOf(now).review);
  });

  it.each([
    ['a parameter', 'loadLimit', '0.4..0.7/0.1', [0.4, 0.5, 0.6, 0.7], (loadLimit: number) => ({ loadLimit })],
    ['a band', 'score.review', '30..60/10', [30, 40, 50, 60], (review: number) => ({ review })],
  ] as const)('has a line for each value of %s', async (_what, of, range, values, editionOf) => {
    const { sweep } = await backtest('--sweep', `${of}=${range}`);
    expect(sweep.map(({ value, outcomes }: Record<string, unknown>) => ({ value, outcomes }))).toEqual(
      values.map((value) => ({ value: String(value), outcomes: outcomesOf(decidedBy(editionOf(value))) })),
    );
    expect(new Set(sweep.map(({ outcomes }: Record<string, unknown>) => JSON.stringify(outcomes))).size).toBe(4);
  });

  it.each(EDITS)('has the changes by an edit of $name', async ({ name, edits, edition }) => {
    const policy = writePolicy(name, edits);
    const before = 'now/tidewater.yaml';
    const found = await backtest('--policy', policy, '--against', before);
    const changes = changesFrom(now, decidedBy(edition));
    expect(changesIn(found)).toEqual(changes);
    expect(Object.keys(changes)).not.toEqual([]);
  });

  it('has what each of ten edits does alone, and what is left without it, as diff does', async () => {
    const policy = writePolicy(
      'all',
      EDITS.flatMap(({ edits }) => edits),
    );
    const { edits } = await backtest('--policy', policy, '--against', 'now/tidewater.yaml');
    const decidedWith = (those: typeof EDITS) => decidedBy(Object.assign({}, ...those.map(({ edition }) => edition)));
    const whole = decidedWith(EDITS);
    const alone = EDITS.map((each) => decidedWith([each]));
    const expected = EDITS.map((one, i) => ({
      name: one.part,
      alone: changesFrom(now, alone[i] ?? []),
      left: changesFrom(now, decidedWith(EDITS.filter((each) => each !== one))),
    }));
    const found = edits.edits.map(({ name, alone, left }: Record<string, { readonly flows: readonly Flow[] }>) => {
      return { name, alone: alone && changesIn(alone), left: left && changesIn(left) };
    });
    const byName = (one: { name: unknown }, other: { name: unknown }) =>
      String(one.name) < String(other.name) ? -1 : 1;
    expect(found.sort(byName)).toEqual(expected.sort(byName));
    const changed = now.flatMap(({ outcome }, i) => (outcome === whole[i]?.outcome ? [] : i));
    const doing = changed.map((i) => alone.filter((each) => each[i]?.outcome === whole[i]?.outcome).length);
    const countOf = (isMeant: (n: number) => boolean) => doing.filter(isMeant).length;
    expect(edits).toMatchObject({
      changed: changed.length,
      severalAlone: countOf((n) => n > 1),
      togetherOnly: countOf((n) => n === 0),
    });
    const only = edits.edits.reduce((sum: number, each: { only: number }) => sum + each.only, 0);
    expect(only).toBe(countOf((n) => n === 1));
    const [before, file] = [join(folder(), 'now', 'tidewater.yaml'), join(folder(), 'past.csv')];
    const { stdout } = await runCli(['diff', before, policy, '--facts', file, '--json']);
    expect(JSON.parse(stdout).impact.edits).toEqual(edits);
  });
});

it('the invented bank has each outcome then and now', () => {
  for (const outcome of OUTCOMES) {
    expect([...past.values()].filter((each) => each.outcome === outcome).length).toBeGreaterThan(100);
    expect(outcomesOf(now)[outcome]).toBeGreaterThan(100);
  }
});
