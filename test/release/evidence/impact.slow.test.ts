/** The impact of a change on a log: the counts of a backtest, and what is left of them when it is counted again. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyLog } from '../../../src/audit/copy.ts';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { impactText, makeImpact, readImpact, rerunImpact } from '../../../src/release/evidence/impact.ts';
import { type LogFolder, localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { runCli } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { edited, RULES, type RuleFiles } from '../../support/release/rule-folders.ts';
import { HAS_POSTGRES, PostgresServer } from '../../support/stores/state/postgres.ts';

const server = PostgresServer.shared();

const UNTIL = '2026-11-20T23:59:59.999Z';
const NOW = edited({
  'atLeast: 80': 'atLeast: 60',
  'context.debt: { atLeast: 60 } }, then: review': 'context.debt: { atLeast: 60 } }, then: reject',
});

interface Decided {
  readonly day: string;
  readonly debt: number;
  readonly person?: object;
}

/** Decides on applicants, a day each; gives the ids. */
async function decideOn(folder: LogFolder, policy: Policy, people: readonly Decided[]): Promise<string[]> {
  const audit = await folder.open();
  const ids: string[] = [];
  for (const { day, debt, person = {} } of people) {
    const now = () => Date.parse(`${day}T12:00:00Z`);
    const decider = createDecider({ policy, verify: localVerifier, audit, now });
    ids.push((await decider.decide(person, { context: { debt } })).id);
  }
  await audit.close();
  return ids;
}

function policyIn(files: RuleFiles) {
  const folder = temporaryFolder(files);
  const policy = loadPolicy(join(folder, 'signup.yaml'), { mapping: loadMapping(join(folder, 'signals.yaml')) });
  return { folder, policy };
}

const PEOPLE: readonly Decided[] = [
  { day: '2026-10-01', debt: 70 },
  { day: '2026-11-01', debt: 10 },
  { day: '2026-11-02', debt: 70, person: personOf(1) },
  { day: '2026-11-02', debt: 75 },
  { day: '2026-11-03', debt: 85 },
  { day: '2026-11-21', debt: 70 },
];

/** A log of decisions, of which three are labelled, and both policies. */
async function decidedLog() {
  const folder = await logFolder();
  const [before, after] = [policyIn(RULES), policyIn(NOW)];
  const ids = await decideOn(folder, before.policy, PEOPLE);
  const audit = await folder.open();
  const note = { log: audit, by: 'R', why: 'w' };
  for (const [i, disposition] of [
    [1, 'genuine'],
    [2, 'fraud'],
    [3, 'genuine'],
  ] as const) {
    await addNote({ ...note, decision: ids[i] ?? '', disposition });
  }
  await audit.close();
  const maps = { base: new Map([['signup', before.policy]]), release: new Map([['signup', after.policy]]) };
  return { folder, before, after, sources: { place: folder.place, ...maps } };
}

const COSTS = { review: 4, acceptedFraud: 900, rejectedGood: 60 };

describe('the impact of a change', () => {
  it('has the counts of a backtest of the last days', async () => {
    const { folder, before, after, sources } = await decidedLog();
    const impact = await makeImpact({ ...sources, until: UNTIL, costs: COSTS });
    const { stdout } = await runCli([
      ...['backtest', '--log', folder.dir, '--keys', folder.keys, '--from', '2026-10-22', '--to', '2026-11-20'],
      ...['--policy', join(after.folder, 'signup.yaml'), '--against', join(before.folder, 'signup.yaml')],
      ...['--mapping', join(after.folder, 'signals.yaml'), '--labels', 'log', '--json'],
      ...['--cost', 'review=4,accepted-fraud=900,rejected-good=60'],
    ]);
    const backtest = JSON.parse(stdout);
    const [{ counted } = { counted: null }] = impact.policies;
    expect(counted).toMatchObject({ decided: 4, changed: 3, days: 3, reviewsADay: { before: 1 / 3, after: 0 } });
    expect(counted?.decided).toBe(backtest.decided);
    expect(counted?.flows).toEqual(
      backtest.flows.flatMap(({ from, to, applicants }: { from: string; to: string; applicants: number }) =>
        applicants > 0 ? [{ from, to, applicants }] : [],
      ),
    );
    expect(counted?.labels).toMatchObject({
      ...{ fraud: backtest.labels.labels.fraud, good: backtest.labels.labels.good, more: backtest.labels.more },
      before: { caught: 0, goodRejected: 0 },
      after: { caught: 1, goodRejected: 1 },
    });
    expect(counted?.money?.more).toEqual(backtest.labels.money.more);
    await using index = await openLogIndex(folder.place);
    expect(await makeImpact({ ...sources, index, until: UNTIL, costs: COSTS })).toEqual(impact);
    expect(readImpact(impactText(impact))).toEqual(impact);
    expect(readImpact(` ${impactText(impact)}`)).toBeUndefined();
  });

  it('counts each policy by the decisions that name it, and says how many others there are', async () => {
    const { folder, sources } = await decidedLog();
    const [other, card] = ['loan', 'card'].map(
      (name) => policyIn(edited({ 'policy: signup': `policy: ${name}` })).policy,
    );
    if (!other || !card) throw new Error('expected two policies');
    await decideOn(folder, card, PEOPLE.slice(1, 2));
    await decideOn(
      folder,
      other,
      [PEOPLE[1], PEOPLE[2], PEOPLE[5]].flatMap((each) => each ?? []),
    );
    const one = await makeImpact({ ...sources, until: UNTIL });
    expect(one).toMatchObject({ others: 3, policies: [{ name: 'signup', counted: { decided: 4 } }] });
    expect(one.policies[0]?.counted?.money).toBeUndefined();
    const [base, release] = [sources.base, sources.release].map((map) => new Map([...map, ['loan', other]] as const));
    const both = await makeImpact({ ...sources, base: base ?? new Map(), release: release ?? new Map(), until: UNTIL });
    expect(both).toMatchObject({ others: 1, policies: [{ name: 'loan', counted: { decided: 2, changed: 0 } }, {}] });
  });

  it('is undecided where policies cannot be compared', async () => {
    const { sources } = await decidedLog();
    const release = new Map([
      ['signup', policyIn(edited({ 'debt: { type: integer }': 'debt: { type: number }' })).policy],
    ]);
    expect((await makeImpact({ ...sources, release, until: UNTIL })).policies).toMatchObject([{ counted: null }]);
  });

  it('is the same when it is counted again, whatever was written since', async () => {
    const { folder, before, sources } = await decidedLog();
    const impact = await makeImpact({ ...sources, until: UNTIL });
    const [late] = await decideOn(folder, before.policy, [{ day: '2026-11-02', debt: 95 }]);
    const audit = await folder.open();
    const [decision = ''] = folder
      .decisions()
      .flatMap(({ id }) => (id === late ? [] : id))
      .slice(4);
    await addNote({ log: audit, by: 'R', why: 'w', decision, disposition: 'fraud' });
    await audit.close();
    expect(await rerunImpact(impact, sources)).toEqual({ impact, isSame: true, gone: 0 });
  });

  it.runIf(HAS_POSTGRES)('is the same of a log in a database, with the same heads', async () => {
    const { sources } = await decidedLog();
    const keys = { postgres: await server.newSchema(), masterKey: 'cd'.repeat(32) };
    const place = { postgres: await server.newSchema(), keys };
    await copyLog({ from: sources.place, to: place });
    const impact = await makeImpact({ ...sources, until: UNTIL });
    expect(await makeImpact({ ...sources, place, until: UNTIL })).toEqual(impact);
    expect(await rerunImpact(impact, { ...sources, place })).toMatchObject({ isSame: true, gone: 0 });
  });

  it('says how many of its records were erased or pruned since', async () => {
    const { folder, before, sources } = await decidedLog();
    const [first] = (await makeImpact({ ...sources, until: UNTIL })).heads;
    const [held, own] = [await folder.open(), await folder.open()];
    await held.close();
    const decider = createDecider({
      policy: before.policy,
      verify: localVerifier,
      audit: own,
      now: () => Date.parse(UNTIL),
    });
    await decider.decide({}, { context: { debt: 70 } });
    await own.close();
    const impact = await makeImpact({ ...sources, until: UNTIL });
    expect(impact).toMatchObject({ heads: [{ chain: first?.chain }, {}], policies: [{ counted: { decided: 5 } }] });
    const audit = await folder.open();
    await eraseSubject({ log: audit, subject: personOf(1).email });
    await audit.close();
    const erased = await rerunImpact(impact, sources);
    expect(erased).toMatchObject({ isSame: false, gone: 1 });
    expect(erased.impact.policies[0]?.counted?.notJudged.erased).toBe(1);
    const chain = impact.heads[1]?.chain ?? '';
    rmSync(join(folder.dir, 'chains', chain), { recursive: true });
    expect(await rerunImpact(impact, sources)).toMatchObject({ isSame: false, gone: 2 });
    const other = await logFolder();
    await expect(rerunImpact(impact, { ...sources, place: other.place })).rejects.toThrow(/of another log/);
  });
});
