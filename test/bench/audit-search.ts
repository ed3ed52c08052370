/**
 * `node test/bench/audit-search.ts [--records 1000000] [--seed 1]`: an audit log with that many decisions -> time
 * and memory of each search, with DuckDB and line by line, as Markdown.
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
    // One search in its own process, which gives it its own memory peak.
    measure: { type: 'string' },
    reader: { type: 'string', default: '' },
    dir: { type: 'string', default: '' },
  },
});

/** The queries by name. */
const SEARCHES: Readonly<Record<string, SearchQuery>> = {
  'all decisions, the newest 100': {},
  'one applicant': { subject: emailOf(77) },
  'two days, at least one rule undetermined': { from: '2026-03-01', to: '2026-03-02', undetermined: true },
  'rejected, one rule fired': { rules: ['rule-number-7'], outcomes: ['reject'] },
  'one policy version': { policies: ['onboarding@2026.1'] },
};

const READERS: Readonly<Record<string, boolean>> = { DuckDB: true, 'line by line': false };

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
  readonly total: number;
  /** The digest of the rows found. */
  readonly digest: string;
}

async function measure(name: string, reader: string, dir: string): Promise<Measured> {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const { rows, total } = await searchLog({ dir }, SEARCHES[name] ?? {}, { duckDb: READERS[reader] === true });
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  // libuv reports the peak of the process in KiB.
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
    process.stderr.write(`${records} records: writing the log\n`);
    await writeRecords(dir, records, seed);
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ndjson'));
    const bytes = files.reduce((sum, file) => sum + statSync(join(dir, file)).size, 0);
    const lines = Object.keys(SEARCHES).flatMap((name) => {
      process.stderr.write(`${name}\n`);
      const measured = Object.keys(READERS).map((reader) => [reader, measureApart(name, reader, dir)] as const);
      if (new Set(measured.map(([, { digest, total }]) => `${total} ${digest}`)).size !== 1) {
        throw new Error(`DuckDB and the line reader find different rows: ${name}`);
      }
      return measured.map(([reader, { ms, cpuMs, peakBytes, total }]) => [
        `${name}; ${reader}`,
        total.toLocaleString('en'),
        rounded(ms / 1000),
        rounded(cpuMs / 1000),
        `${rounded(peakBytes / 2 ** 20)} MiB`,
      ]);
    });
    const gib = rounded(bytes / 2 ** 30);
    const size = `${records.toLocaleString('en')} decisions in ${files.length} segments, ${gib} GiB.`;
    const note = 'Each search runs in its own process; the peak is that of the whole process.';
    const titles = ['', 'found', 'seconds', 'seconds of processor time', 'peak memory'];
    return `${headOf([])}\n${size} ${note}\n\n${table(titles, lines)}`;
  } finally {
    rmSync(root, { recursive: true });
  }
}

const [records, seed] = [Number(options.records), Number(options.seed)];
if (options.measure !== undefined) {
  process.stdout.write(JSON.stringify(await measure(options.measure, options.reader, options.dir)));
} else {
  if (!Number.isSafeInteger(records) || records < 1 || !Number.isSafeInteger(seed)) {
    throw new Error('--records must be a positive whole number, and --seed an integer');
  }
  process.stdout.write(`${await measureAll(records, seed)}\n`);
}
