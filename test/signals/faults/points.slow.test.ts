import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { naiveOf, openClient } from '../../support/signals/clients.ts';
import { breachesOf, caseOf, type Outcome, POINTS, runCase } from '../../support/signals/points.ts';

/** A sample; `node test/soak/faults.ts` runs hundreds of cases for each point. */
const SEEDS = Array.from({ length: 12 }, (_, i) => i + 1);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

function run(point: (typeof POINTS)[number], seed: number, kind: 'verdict' | 'naive'): Promise<Outcome> {
  const connect = ({ url }: { readonly url: string }, timeoutMs: number) =>
    kind === 'naive' ? naiveOf({ url }, timeoutMs) : openClient(url, { timeoutMs });
  return runCase(caseOf(point, seed), { target: sandbox.url, connect });
}

describe.concurrent.each(POINTS)('$name', (point) => {
  it('bills a stage at most once, and accepts nobody without an answer', async () => {
    const outcomes = await Promise.all(SEEDS.map((seed) => run(point, seed, 'verdict')));
    expect(outcomes.map(breachesOf)).toEqual(SEEDS.map(() => []));
  });
});

describe.concurrent.each(POINTS.filter(({ naive }) => naive))('$name', (point) => {
  it('makes a naive client break the promise', async () => {
    const outcomes = await Promise.all(SEEDS.map((seed) => run(point, seed, 'naive')));
    expect(outcomes.flatMap(breachesOf)).toContainEqual(expect.stringContaining(point.naive ?? ''));
  });
});

it('an applicant whose calls all succeed is accepted, so the cases above mean something', async () => {
  const held = await run({ name: 'no fault' }, 1, 'verdict');
  expect(held).toMatchObject({ decision: { outcome: 'accept' }, billed: 1, received: 1, isDelivered: true });
});
