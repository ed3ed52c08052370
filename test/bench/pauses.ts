/**
 * `node test/bench/pauses.ts`: decisions on answers that are in hand, one after another, each after a pause of this
 * thread -> the time of a decision without its pause, and of plain arithmetic, as Markdown.
 */

import { createDecider } from '../../src/decision/decide.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { PERSONAS } from '../../src/sandbox/personas.ts';
import { localVerifier, personOf } from '../support/audit/decisions.ts';
import { middle } from './measure.ts';

const PAUSES_MS = [0, 0.05, 1];
const TIMES = 3_000;

const answers = new Map<string, object>();
for (let n = 0; n < PERSONAS.length; n++) {
  const person = personOf(n);
  const { body } = await localVerifier.verify({ ...person, clientReference: 'bench' });
  answers.set(person.phoneNo.slice(1), body as object);
}
const decider = createDecider({
  policy: loadPolicy('rules/onboarding.yaml'),
  verify: {
    verify: async ({ phoneNo, clientReference }) => ({ body: { ...answers.get(phoneNo), clientReference } }),
  },
});

let references = 0;
const decide = () => decider.decide(personOf(references), { clientReference: `bench-${references++}` });

async function calculate(): Promise<number> {
  let sum = 0;
  for (let i = 0; i < 100_000; i++) sum = (sum * 31 + i) | 0;
  return sum;
}

const lock = new Int32Array(new SharedArrayBuffer(4));

async function measure(work: () => Promise<unknown>, pauseMs: number): Promise<number> {
  const micros: number[] = [];
  for (let i = 0; i < TIMES; i++) {
    // The thread sleeps, and runs nothing meanwhile.
    if (pauseMs > 0) Atomics.wait(lock, 0, 0, pauseMs);
    const at = performance.now();
    await work();
    micros.push((performance.now() - at) * 1000);
  }
  return middle(micros);
}

for (const work of [decide, calculate]) for (let i = 0; i < 3; i++) await measure(work, 0);
const lines = ['| pause before each, ms | a decision, µs | arithmetic, µs |', '| ---: | ---: | ---: |'];
for (const pauseMs of PAUSES_MS) {
  const [decision, arithmetic] = [await measure(decide, pauseMs), await measure(calculate, pauseMs)];
  lines.push(`| ${pauseMs} | ${decision.toFixed(0)} | ${arithmetic.toFixed(0)} |`);
}
process.stdout.write(`${lines.join('\n')}\n`);
