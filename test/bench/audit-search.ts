/**
 * `node test/bench/audit-search.ts [--records 1000000] [--seed 1]`: an audit log of so many decisions, searched by DuckDB and line by
 * line -> how long each search takes and how much memory, as Markdown.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SearchQuery } from '../../src/audit/query/filter.ts';
import { searchLog } from '../../src/audit/query/search.ts';
import { emailOf, writeRecords } from './audit-records.ts';
import { headOf, rounded, table } from './report.ts';

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    // One search, in a process of its own, so that it has a peak of its own.
    measure: { type: 'string' },
    reader: { type: 'string', default: '' },
    dir: { type: 'string', default: '' },
  },
});

/** What is searched for, by name. */
const SEARCHES: Readonly<Record<string, SearchQuery>> = {
  'everything, the newest 100': {},
  'one applicant': { subject: emailOf(77) },
  'two days, a rule undetermined': { from: '2026-03-01', to: '2026-03-02', undetermined: true },
  'one rule that fired, rejected': { rules: ['rule-number-7'], outcomes: ['reject'] },
  'one version of the policy': { policies: ['onboarding@2026.1'] },
};

const READERS: Readonly<Record<string, boolean>> = { DuckDB: true, 'line by line': false };

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
  readonly total: number;
  /** Of what was found. */
  readonly digest: string;
}

async function measure(name: string, reader: string, dir: string): Promise<Measured> {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const { rows, total } = await searchLog({ dir }, SEARCHES[name] ?? {}, { duckDb: READERS[reader] === true });
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  // KiB, says libuv; the process has been no larger.
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  const digest = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  return { ms, cpuMs: (user + system) / 1000, peakBytes, total, digest };
}

function measureApart(name: string, reader: string, dir: string): Measured {
  const args = [import.meta.filename, '--measure', name, '--reader', reader, '--dir', dir];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
}

async function measureAll(records: number, seed: number): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'verdict-search-'));
  try {
    const dir = join(root, 'log');
    process.stderr.write(`${records} records are written\n`);
    await writeRecords(dir, records, seed);
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ndjson'));
    const bytes = files.reduce((sum, file) => sum + statSync(join(dir, file)).size, 0);
    const lines = Object.keys(SEARCHES).flatMap((name) => {
      process.stderr.write(`${name}\n`);
      const measured = Object.keys(READERS).map((reader) => [reader, measureApart(name, reader, dir)] as const);
      if (new Set(measured.map(([, { digest, total }]) => `${total} ${digest}`)).size !== 1) {
        throw new Error(`the readers do not find the same: ${name}`);
      }
      return measured.map(([reader, { ms, cpuMs, peakBytes, total }]) => [
        `${name}; ${reader}`,
        total.toLocaleString('en'),
        rounded(ms / 1000),
        rounded(cpuMs / 1000),
        `${rounded(peakBytes / 2 ** 20)} MiB`,
      ]);
    });
    const size = `${records.toLocaleString('en')} decisions in ${files.length} segments, ${rounded(bytes / 2 ** 30)} GiB; each search in a process of its own, its peak the whole process's.`;
    const titles = ['', 'found', 'seconds', 'seconds of processor time', 'peak memory'];
    return `${headOf([])}\n${size}\n\n${table(titles, lines)}`;
  } finally {
    rmSync(root, { recursive: true });
  }
}

const [records, seed] = [Number(options.records), Number(options.seed)];
if (options.measure !== undefined) {
  process.stdout.write(JSON.stringify(await measure(options.measure, options.reader, options.dir)));
} else {
  if (!Number.isSafeInteger(records) || records < 1 || !Number.isSafeInteger(seed)) {
    throw new Error('--records is a count, and --seed an integer');
  }
  process.stdout.write(`${await measureAll(records, seed)}\n`);
}
