/**
 * `node test/bench/audit-search.ts [--records 1000000] [--seed 1]`: an audit log with that many decisions -> time
 * and memory of each search, line by line and by the index of the log; then the making of that index, and pages,
 * decisions by id and notes by it, as Markdown.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { homeOf } from '../../src/audit/home.ts';
import { openLogIndex } from '../../src/audit/index/open-index.ts';
import { createAuditLog } from '../../src/audit/log.ts';
import { addNote } from '../../src/audit/query/note.ts';
import { searchLog } from '../../src/audit/query/search.ts';
import { searchIndex } from '../../src/audit/query/search-index.ts';
import type { SearchQuery } from '../../src/audit/read/criteria.ts';
import { filterOf, readQuery } from '../../src/audit/read/filter.ts';
import { findDecision } from '../../src/audit/read/read-log.ts';
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

const READERS = ['line by line', 'index'];

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
  await using index = reader === 'index' ? await openLogIndex({ dir }) : undefined;
  const { rows, total } = await searchLog({ dir }, SEARCHES[name] ?? {}, index ? { index } : {});
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
    const indexed = await measureIndex(dir, bytes);
    const lines = Object.keys(SEARCHES).flatMap((name) => {
      process.stderr.write(`${name}\n`);
      const measured = READERS.map((reader) => [reader, measureApart(name, reader, dir)] as const);
      if (new Set(measured.map(([, { digest, total }]) => `${total} ${digest}`)).size !== 1) {
        throw new Error(`the readers find different rows: ${name}`);
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
    return `${headOf([])}\n${size} ${note}\n\n${table(titles, lines)}\n\n${indexed}`;
  } finally {
    rmSync(root, { recursive: true });
  }
}

const TIMES = 200;

/** Makes the index, and asks it: the median and the 99th percentile of many times. */
async function measureIndex(dir: string, bytes: number): Promise<string> {
  process.stderr.write('the index\n');
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await using index = await openLogIndex({ dir });
  await index.catchUp();
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const entries = await index.entries();
  const perSecond = (entries * 1000) / ms;
  const perCpuSecond = (entries * 1_000_000) / (user + system);
  const size = statSync(join(dir, 'index.sqlite')).size;
  const place = { dir };
  const { rows } = await searchLog(place, {}, { index, limit: TIMES });
  await using log = await createAuditLog({ dir });
  const page = { limit: 50 };
  const home = await homeOf(place);
  const queries = Object.values(SEARCHES).filter(({ subject }) => subject === undefined);
  const filters = await Promise.all(queries.map(({ reference: _, ...query }) => readQuery(query, home)));
  const works: Readonly<Record<string, (i: number) => Promise<unknown>>> = {
    'a page of 50 by one code': () => searchIndex(index, { filter: filterOf({ rules: ['rule-number-7'] }), ...page }),
    'a page of 50, each search in turn': (i) =>
      searchIndex(index, { filter: filters[i % filters.length] ?? {}, ...page }),
    'a decision by id': (i) => findDecision(index.log, rows[i]?.id ?? '', { index }),
    'a note': (i) => addNote({ log, index, decision: rows[i]?.id ?? '', disposition: 'approve', by: 'A', why: 'B' }),
    'a page of 50 by disposition': () =>
      searchIndex(index, { filter: filterOf({ dispositions: ['approve'] }), ...page }),
  };
  const lines: string[][] = [];
  for (const [name, work] of Object.entries(works)) {
    const ms: number[] = [];
    for (let i = 0; i < TIMES; i++) {
      const at = performance.now();
      await work(i);
      ms.push(performance.now() - at);
    }
    ms.sort((one, other) => one - other);
    lines.push([name, rounded(ms[TIMES / 2] ?? 0), rounded(ms[Math.floor(TIMES * 0.99)] ?? 0)]);
  }
  const [speed, ofProcessor] = [perSecond, perCpuSecond].map((n) => Math.round(n).toLocaleString('en'));
  const made = `The index: ${speed} entries a second, ${ofProcessor} a second of processor time`;
  const share = `${rounded(size / 2 ** 20)} MiB, ${rounded((100 * size) / bytes)} % of the log.`;
  return `${made}; ${share}\n\n${table(['', 'median, ms', 'p99, ms'], lines)}`;
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
