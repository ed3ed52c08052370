/** A policy and a hundred applicants -> `verdict backtest` on them, in a folder of its own. */

import { join } from 'node:path';
import { openDuckDb } from '../../../src/decision/rows/duckdb.ts';
import { temporaryFolder } from '../policy/policy.ts';
import { type RunSetting, runCli } from './cli.ts';

export const POLICY = `policy: onboarding
version: "1"
default: accept
parameters:
  risky: { value: 80 }
rules:
  - { id: risky-score, when: { phone.score: { atLeast: $risky } }, then: reject, whenUnknown: ignore }
  - { id: porting, when: { phone.porting.riskLevel: { atLeast: high } }, then: review }
`;

/** Ten applicants a day on ten days: scores 0 to 99, and each tenth without a risk of porting. */
export const LINES = Array.from({ length: 100 }, (_, i) => {
  const porting = i % 10 === 9 ? {} : { 'phone.porting.riskLevel': i % 10 === 5 ? 'high' : 'low' };
  const facts = { 'phone.score': i, 'phone.country': i % 4 === 0 ? 'DE' : 'US', ...porting };
  return JSON.stringify({
    facts,
    at: `2026-11-${String(1 + Math.floor(i / 10)).padStart(2, '0')}`,
    clientReference: `A${i}`,
  });
});

/** Arguments that name a file of the project, or are `.`, are placed in its folder. */
export function backtestProject(files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder({
    'old.yaml': POLICY,
    'new.yaml': POLICY.replace('value: 80', 'value: 60').replace('version: "1"', 'version: "2"'),
    'facts.ndjson': `${LINES.join('\n')}\n`,
    'fraud.csv': 'reference,at\nA65,2026-12-01\nA95,2026-12-01\nA7,2026-12-20\nZ1,2026-12-01\n',
    ...files,
  });
  const placed = (arg: string) => (/^(?:[\w*-]+\.(?:yaml|ndjson|csv)|\.\/.*)$/.test(arg) ? join(folder, arg) : arg);
  const runWith = (setting: RunSetting, ...args: string[]) =>
    runCli(['backtest', '--policy', 'new.yaml', ...args].map(placed), setting);
  const run = (...args: string[]) => runWith({}, ...args);
  const data = async (...args: string[]) =>
    JSON.parse((await run('--facts', 'facts.ndjson', ...args, '--json')).stdout);
  /** The rows of `facts.ndjson` as a Parquet file; gives its name. */
  const toParquet = async () => {
    const db = await openDuckDb();
    const [from, to] = [join(folder, 'facts.ndjson'), join(folder, 'facts.parquet')];
    const columns = `"at", "clientReference" AS client_reference, facts."phone.score" AS phone_score, facts."phone.country" AS phone_country,
      facts."phone.porting.riskLevel" AS phone_porting_risk_level`;
    await db.connection.run(`COPY (SELECT ${columns} FROM read_json('${from}')) TO '${to}' (FORMAT parquet)`);
    db.close();
    return to;
  };
  return { folder, toParquet, placed, runWith, run, data };
}
