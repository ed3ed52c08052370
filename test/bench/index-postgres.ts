/**
 * `node test/bench/index-postgres.ts [--records 100000] [--batch 64] [--seed 1]`: decisions in the index of a log in
 * PostgreSQL -> rows a second as they are added, its size, and the time of pages, pruning and counts, as Markdown. With
 * each tenfold number of decisions from 10,000 on, so that the slope shows.
 */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { addToIndex, forgetSegments, postgresIndex } from '../../src/audit/index/index-postgres.ts';
import type { NewLine } from '../../src/audit/index/index-sql.ts';
import { subjectText } from '../../src/audit/read/criteria.ts';
import { type Filter, filterOf } from '../../src/audit/read/filter.ts';
import type { SearchEntry } from '../../src/audit/read/search-entry.ts';
import { openConnections } from '../../src/platform/homes/connections.ts';
import { PostgresServer } from '../support/stores/state/postgres.ts';
import { type Die, dice, pick } from './dice.ts';
import { headOf, rounded, table } from './report.ts';

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    batch: { type: 'string', default: '64' },
    seed: { type: 'string', default: '1' },
  },
});
const [records, batch] = [Number(options.records), Number(options.batch)];

/** A decision a minute. */
const [BEGIN, STEP_MS] = [Date.UTC(2025, 0, 1), 60_000];
const SEGMENT_LINES = 20_000;
const CHAIN = '01940000-0000-7000-8000-000000000000';
const RULES = Array.from({ length: 30 }, (_, i) => `rule-number-${i + 1}`);
const TIMES = 40;

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
const atOf = (n: number) => BEGIN + n * STEP_MS;
const idOf = (n: number) =>
  hex(atOf(n), 12)
    .replace(/^(.{8})/, '$1-')
    .concat(`-7000-8000-${hex(n, 12)}`);
const hashOf = (die: Die) => `1:${Array.from({ length: 8 }, () => hex(Math.floor(die() * 2 ** 32), 8)).join('')}`;

function decisionOf(n: number, die: Die): SearchEntry {
  const outcome = die() < 0.85 ? 'accept' : die() < 0.8 ? 'review' : 'reject';
  const rules = outcome === 'accept' ? [] : [...new Set([pick(RULES, die), pick(RULES, die)])];
  const codes = rules.map((rule) => rule.toUpperCase().replaceAll('-', '_'));
  const decisive = n % 50_000 === 49 ? ['RARE'] : codes.length > 0 ? codes.slice(0, 1) : ['DEFAULT'];
  const version = `2025.${1 + Math.floor((4 * n) / records)}`;
  const person = Math.floor((die() * records) / 4);
  return {
    ...{ kind: 'decision', at: new Date(atOf(n)).toISOString(), id: idOf(n), outcome, rules },
    ...{ reasons: { decisive, fired: codes.slice(1), undetermined: [] }, undetermined: [], missing: {} },
    policy: { name: 'onboarding', version, digest: `sha256:${version}` },
    subjects: { phoneNo: hashOf(die), email: `1:${hex(person, 64)}`, ip: hashOf(die) },
    reference: `1:${hex(n, 64)}`,
  } as SearchEntry;
}

function lineOf(n: number, die: Die): NewLine {
  const [segment, line] = [1 + Math.floor(n / SEGMENT_LINES), 1 + (n % SEGMENT_LINES)];
  const position = { chain: CHAIN, segment, line, start: line * 4000, end: line * 4000 + 4000 };
  return { position, entry: decisionOf(n, die) };
}

/** The searches of a page by name, of a log with that many decisions. */
const searches = (size: number): Readonly<Record<string, { readonly filter: Filter; readonly page?: number }>> => {
  const instant = (n: number) => new Date(atOf(n)).toISOString();
  const middle = Math.floor(size / 2);
  return {
    'no filter': { filter: {} },
    'an outcome': { filter: filterOf({ outcomes: ['review'] }) },
    'a code': { filter: filterOf({ reasons: ['RULE_NUMBER_7'] }) },
    'a code of one in 50,000': { filter: filterOf({ reasons: ['RARE'] }) },
    'two days': { filter: { from: instant(middle), to: instant(middle + 2880) } },
    'two days, an outcome': {
      filter: filterOf({ outcomes: ['reject'] }, { from: instant(middle), to: instant(middle + 2880) }),
    },
    'a code, a rule and a policy': {
      filter: filterOf({ reasons: ['RULE_NUMBER_7'], rules: ['rule-number-3'], policies: ['onboarding'] }),
    },
    'a reference': { filter: filterOf({ reference: [`1:${hex(middle, 64)}`, `2:${hex(middle, 64)}`] }) },
    'a person': {
      filter: filterOf({ subject: [1, 2].map((n) => subjectText('email', `${n}:${hex(7, 64)}`)) }),
    },
    'an outcome, from the middle on': { filter: filterOf({ outcomes: ['review'] }), page: middle },
  };
};

const median = (ms: readonly number[]) => ms.toSorted((one, other) => one - other)[Math.floor(ms.length / 2)] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const server = await PostgresServer.start({ shared_buffers: '256MB', max_wal_size: '4GB' });
try {
  const url = await server.newSchema();
  await server.sql(url, readFileSync('src/migrations/log/0001-tables.sql', 'utf8'));
  const unavailable = (code: string) => new Error(code);
  const connections = await openConnections(url, { limitMs: 600_000, what: 'log' }, unavailable);
  const index = postgresIndex(connections);
  const die = dice(Number(options.seed));
  const sizes: number[] = [];
  for (let size = records; size >= Math.min(records, 10_000); size /= 10) sizes.unshift(Math.floor(size));
  const rates: string[][] = [];
  const times = new Map<string, string[]>();
  const add = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), rounded(ms)]);
  let n = 0;
  for (const size of sizes) {
    const first = n;
    let ms = 0;
    while (n < size) {
      const lines = Array.from({ length: Math.min(batch, size - n) }, () => lineOf(n++, die));
      ms += await timed(() => connections.transaction('append', (query) => addToIndex(query, lines)));
    }
    const [row] = await connections.query(
      'select sum(pg_relation_size(oid)) as bytes from pg_class where relnamespace = current_schema()::regnamespace',
    );
    const bytes = Number((row as { readonly bytes: string }).bytes) / size;
    rates.push([size.toLocaleString('en'), Math.round(((n - first) * 1000) / ms).toLocaleString('en'), rounded(bytes)]);
    for (const [name, { filter, page }] of Object.entries(searches(size))) {
      const after = page === undefined ? {} : { after: { at: atOf(page), id: idOf(page) } };
      for (const [counted, mostCounted] of [
        ['', undefined],
        [', counted to 10,000', 10_000],
      ] as const) {
        const search = { filter, limit: 50, ...after, ...(mostCounted ? { mostCounted } : {}) };
        const each: number[] = [];
        for (let i = 0; i < TIMES; i++) each.push(await timed(() => index.search(search)));
        add(name + counted, median(each));
      }
    }
    add('counts of 30 days', median([await timed(() => index.dayCounts('decisive', atOf(size) - 30 * 86_400_000))]));
    const found: number[] = [];
    for (let i = 0; i < TIMES; i++) found.push(await timed(() => index.find(idOf(i * 7))));
    add('entries about an id', median(found));
    process.stderr.write(`${size} decisions\n`);
  }
  const segment = Math.ceil(n / SEGMENT_LINES / 2);
  const pruned = await timed(() =>
    connections.transaction('prune', (query) => forgetSegments(query, CHAIN, [segment])),
  );
  await connections.end();
  const titles = ['', ...sizes.map((size) => size.toLocaleString('en'))];
  process.stdout.write(`${headOf([])}

${table(['decisions', `a second, ${batch} a transaction`, 'bytes each'], rates)}

A page of the newest 50, median of ${TIMES}, in milliseconds:

${table(
  titles,
  [...times].map(([name, each]) => [name, ...each]),
)}

A segment of ${SEGMENT_LINES} decisions is forgotten in ${rounded(pruned / 1000)} s.
`);
} finally {
  await server.stop();
}
