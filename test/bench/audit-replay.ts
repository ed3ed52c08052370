/**
 * `node test/bench/audit-replay.ts [--records 20000] [--turns 9]`: logs of decisions by the shipped policy ->
 * records replayed per second on one thread. One log is about people that the sandbox generates, most of them
 * accepted; the other about the sandbox's personas, most of them not accepted.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { initAuditLog } from '../../src/audit/init.ts';
import { openAuditLog } from '../../src/audit/log.ts';
import { replayLog } from '../../src/audit/query/replay/replay.ts';
import { createDecider } from '../../src/decision/decide.ts';
import type { Applicant } from '../../src/decision/request.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { hastyFiles, inventedPerson, localVerifier, personOf } from '../support/audit/decisions.ts';
import { middle } from './measure.ts';

/** The number of concurrent decisions. */
const CALLERS = 64;

const { values: options } = parseArgs({
  options: { records: { type: 'string', default: '20000' }, turns: { type: 'string', default: '9' } },
});
const [records, turns] = [Number(options.records), Number(options.turns)];
const policy = loadPolicy(join(import.meta.dirname, '../../rules/onboarding.yaml'));
const show = (rate: number) => Math.round(rate).toLocaleString('en');

/** Records decisions on `records` people, then replays the log once per turn. */
async function measure(who: string, dir: string, applicant: (n: number) => Applicant): Promise<string> {
  await initAuditLog({ dir });
  const audit = await openAuditLog({ dir }, { files: hastyFiles });
  const decider = createDecider({ policy, verify: localVerifier, audit });
  let next = 0;
  let accepted = 0;
  const caller = async () => {
    while (next < records) {
      const { outcome } = await decider.decide(applicant(next++));
      if (outcome === 'accept') accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await audit.close();
  const rates: number[] = [];
  const cpuRates: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const { same } = await replayLog({ dir });
    if (same !== records) throw new Error(`${records - same} records were decided differently`);
    const { user, system } = process.cpuUsage(cpu);
    rates.push((records * 1000) / (performance.now() - began));
    cpuRates.push((records * 1e6) / (user + system));
  }
  const range = `${show(Math.min(...rates))} to ${show(Math.max(...rates))}`;
  const share = Math.round((100 * accepted) / records);
  const speed = `${show(middle(rates))} records/s (${range}), ${show(middle(cpuRates))} per second of processor time`;
  return `${who}, ${share} % accepted: ${speed}\n`;
}

const root = mkdtempSync(join(tmpdir(), 'verdict-replay-'));
try {
  process.stdout.write(
    `${show(records)} records replayed, ${turns} turns; Node ${process.version}, ${cpus()[0]?.model}\n`,
  );
  process.stdout.write(await measure('generated people', join(root, 'invented'), inventedPerson));
  process.stdout.write(await measure('the eleven people of the sandbox', join(root, 'known'), personOf));
} finally {
  rmSync(root, { recursive: true, force: true });
}
