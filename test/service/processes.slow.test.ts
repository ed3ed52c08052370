/** Two processes of one service: a reference is billed once, whichever is killed. */

import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { IS_SOAK, sampled } from '../support/sampled.ts';
import { type Decided, ServeProcess, serveFolder } from '../support/service/process.ts';

const idsOf = (answers: readonly Decided[]) =>
  new Set(answers.flatMap((answer) => (answer.status === 200 ? [answer.body.id] : [])));

/** Kills of the process that decides; each with references of its own. */
const KILLS = sampled(10, 500);
const PER_LIFE = sampled(10, 4);

test('what a killed process was deciding is given, running or in doubt, and never billed twice unasked', async () => {
  await using sandbox = await startSandbox();
  const place = await serveFolder({ more: 'limits: { drain: 0 seconds, deadline: 3 seconds }' });
  const survivor = new ServeProcess(place, sandbox);
  await survivor.url;
  const seen = { given: 0, inDoubt: 0, free: 0 };
  for (let n = 0; n < KILLS; n += PER_LIFE) {
    const victim = new ServeProcess(place, sandbox);
    await victim.url;
    const references = Array.from({ length: PER_LIFE }, (_, i) => `R-${n + i}`);
    const before = sandbox.counts.verifies;
    // The first is answered before the kill.
    const acknowledged = await victim.decide(references[0] ?? '');
    const asked = references.map(async (reference, i) => (i === 0 ? acknowledged : victim.decide(reference)));
    await setTimeout(((n / PER_LIFE + 1) * 7) % 45);
    victim.signal('SIGKILL');
    await victim.ended;
    const first = await Promise.all(asked);
    const again = await Promise.all(references.map((reference) => survivor.decide(reference)));
    expect(sandbox.counts.verifies - before).toBeLessThanOrEqual(PER_LIFE);
    const doubtful: string[] = [];
    for (const [i, reference] of references.entries()) {
      const [one, other] = [first[i], again[i]];
      // An acknowledged decision is the decision.
      if (one?.status === 200) expect(other).toMatchObject({ status: 200, body: { id: one.body.id }, repeated: true });
      if (other?.status === 200) seen[other.repeated ? 'given' : 'free'] += 1;
      else {
        expect(other).toMatchObject({ status: 409, body: { code: 'REFERENCE_IN_DOUBT' } });
        doubtful.push(reference);
      }
    }
    seen.inDoubt += doubtful.length;
    const billed = sandbox.counts.verifies;
    const resent = await Promise.all(
      doubtful.flatMap((reference) => [1, 2].map(() => survivor.decide(reference, { resend: true }))),
    );
    expect(resent.map((answer) => answer.status)).toEqual(resent.map(() => 200));
    expect(idsOf(resent).size).toBe(doubtful.length);
    expect(sandbox.counts.verifies - billed).toBe(doubtful.length);
  }
  expect(seen.given + seen.inDoubt + seen.free).toBe(KILLS);
  expect(seen.given).toBeGreaterThanOrEqual(KILLS / PER_LIFE);
  if (IS_SOAK) expect(seen.inDoubt).toBeGreaterThan(0);
  process.stderr.write(`of ${KILLS} references: ${JSON.stringify(seen)}\n`);
});
