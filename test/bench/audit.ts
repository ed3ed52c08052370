/**
 * `npm run bench:audit [-- --turn-ms 1000 --turns 5 --folder DIR]`: decisions recorded for 1, 8 and 64 concurrent
 * callers, and direct writes of lines of the same length to the same disk, in rotation in one process -> durable
 * decisions per second, as Markdown.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { initAuditLog } from '../../src/audit/init.ts';
import { createAuditLog } from '../../src/audit/log.ts';
import { createDecider } from '../../src/decision/decide.ts';
import type { Verifier } from '../../src/decision/fetch/service-call.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { PERSONAS } from '../../src/sandbox/personas.ts';
import { localVerifier, personOf } from '../support/audit/decisions.ts';
import { middle } from './measure.ts';

const CALLERS = [1, 8, 64];

const { values: options } = parseArgs({
  options: {
    'turn-ms': { type: 'string', default: '1000' },
    turns: { type: 'string', default: '5' },
    // Choose another disk if temporary files are kept in memory.
    folder: { type: 'string', default: tmpdir() },
  },
});
const [turnMs, turns] = [Number(options['turn-ms']), Number(options.turns)];
const root = mkdtempSync(join(options.folder, 'verdict-bench-'));
const dir = join(root, 'log');
await initAuditLog({ dir });
const audit = await createAuditLog({ dir });
const policy = loadPolicy(join(import.meta.dirname, '../../rules/onboarding.yaml'));
const verify = await prepareAnswers();
const recorded = createDecider({ policy, verify, audit });
const unrecorded = createDecider({ policy, verify });
const raw = await open(join(root, 'raw'), 'a', 0o600);

/** Prepares all answers in advance: generating them must not count as decision time. */
async function prepareAnswers(): Promise<Verifier> {
  const bodies = new Map<string, object>();
  for (let n = 0; n < PERSONAS.length; n++) {
    const person = personOf(n);
    const { body } = await localVerifier.verify({ ...person, clientReference: 'bench' });
    bodies.set(person.phoneNo.slice(1), body as object);
  }
  return { verify: async ({ phoneNo, clientReference }) => ({ body: { ...bodies.get(phoneNo), clientReference } }) };
}

/** Runs `work` with `callers` concurrent callers for one turn and returns the rate per second. */
async function measure(callers: number, work: () => Promise<unknown>, each = 1): Promise<number> {
  const began = performance.now();
  const isOver = () => performance.now() - began >= turnMs;
  let done = 0;
  const caller = async () => {
    while (!isOver()) {
      await work();
      done += each;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (done * 1000) / (performance.now() - began);
}

async function writeDurably(file: FileHandle, bytes: Buffer): Promise<void> {
  await file.write(bytes);
  await file.datasync();
}

function meanLineLength(): number {
  const [chain = ''] = readdirSync(join(dir, 'chains'));
  const lines = readFileSync(join(dir, 'chains', chain, '00000001.ndjson'), 'utf8')
    .split('\n')
    .slice(0, -1);
  const decisions = lines.filter((line) => line.includes('"kind":"decision"'));
  return Math.round(decisions.reduce((sum, line) => sum + line.length + 1, 0) / decisions.length);
}

try {
  let next = 0;
  const decide = () => recorded.decide(personOf(next++));
  const decideOnly = () => unrecorded.decide(personOf(next++));
  await measure(64, decide);
  await measure(64, decideOnly);
  const length = meanLineLength();
  const rates = new Map<string, number[]>();
  const add = (name: string, rate: number) => rates.set(name, [...(rates.get(name) ?? []), rate]);
  for (let turn = 0; turn < turns; turn++) {
    const line = Buffer.alloc(length, 'x');
    add('one', await measure(1, () => writeDurably(raw, line)));
    for (const callers of CALLERS) {
      add(`decisions ${callers}`, await measure(callers, decide));
      // The best case of grouping: each sync writes one line of every caller, and nothing else happens.
      const lines = Buffer.alloc(length * callers, 'x');
      add(`lines ${callers}`, await measure(1, () => writeDurably(raw, lines), callers));
      add(`alone ${callers}`, await measure(callers, decideOnly));
    }
  }
  const rateOf = (name: string) => middle(rates.get(name) ?? []);
  const whole = (rate: number) => Math.round(rate).toLocaleString('en');
  const one = rateOf('one');
  const rows = CALLERS.map((callers) => {
    const [decisions, lines, alone] = ['decisions', 'lines', 'alone'].map((name) => rateOf(`${name} ${callers}`));
    return [
      String(callers),
      whole(decisions ?? 0),
      whole(one),
      ((decisions ?? 0) / one).toFixed(2),
      whole(lines ?? 0),
      ((decisions ?? 0) / (lines ?? 1)).toFixed(2),
      whole(alone ?? 0),
    ];
  });
  const titles = [
    'callers',
    'durable decisions/s',
    'one line, one fdatasync, /s',
    'ratio',
    'one line per caller, one fdatasync, lines/s',
    'ratio',
    'decisions/s without a log',
  ];
  const table = [titles, titles.map(() => '---:'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const pace = `Lines of ${whole(length)} bytes, median of ${turns} turns of ${turnMs} ms each`;
  const machine = `Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model}`;
  process.stdout.write(`${pace}; ${machine}\n\n${table}\n`);
} finally {
  await audit.close();
  await raw.close();
  rmSync(root, { recursive: true, force: true });
}
