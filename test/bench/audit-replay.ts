/**
 * `node test/bench/audit-replay.ts [--records 20000] [--turns 5]`: a log of decisions on people that the sandbox knows, by the shipped policy
 * -> how many of its records are decided again in a second, on one thread.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { initAuditLog, openAuditLog } from '../../src/audit/log.ts';
import { replayLog } from '../../src/audit/replay.ts';
import { createDecider } from '../../src/decision/decide.ts';
import { loadPolicy } from '../../src/policy/parse.ts';
import { hastyFiles, localVerifier, personOf } from '../support/audit-decisions.ts';
import { middle } from './measure.ts';

/** Decisions that are made at once. */
const CALLERS = 64;

const { values: options } = parseArgs({
  options: { records: { type: 'string', default: '20000' }, turns: { type: 'string', default: '5' } },
});
const [records, turns] = [Number(options.records), Number(options.turns)];
const root = mkdtempSync(join(tmpdir(), 'verdict-replay-'));
try {
  const dir = join(root, 'log');
  await initAuditLog({ dir });
  const audit = await openAuditLog({ dir }, hastyFiles);
  const policy = loadPolicy(join(import.meta.dirname, '../../rules/onboarding.yaml'));
  const decider = createDecider({ policy, verify: localVerifier, audit, runner: 'matcher' });
  let next = 0;
  const caller = async () => {
    while (next < records) await decider.decide(personOf(next++));
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await audit.close();
  const rates: number[] = [];
  const cpuRates: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const { same } = await replayLog({ dir });
    if (same !== records) throw new Error(`${records - same} came out otherwise`);
    const { user, system } = process.cpuUsage(cpu);
    rates.push((records * 1000) / (performance.now() - began));
    cpuRates.push((records * 1e6) / (user + system));
  }
  const show = (rate: number) => Math.round(rate).toLocaleString('en');
  process.stdout.write(
    `${records.toLocaleString('en')} records replayed, ${turns} turns: ${show(middle(rates))} a second by the clock, ` +
      `${show(middle(cpuRates))} a second of processor time; Node ${process.version}, ${cpus()[0]?.model}\n`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
