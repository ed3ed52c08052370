/** The index of a log in SQLite and in PostgreSQL: of the same lines both say the same, and no note is lost. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { IndexFile } from '../../../src/audit/index/index-file.ts';
import { addToIndex, forgetSegments, postgresIndex } from '../../../src/audit/index/index-postgres.ts';
import type { DayCount, IndexResult, IndexSearch, NewLine } from '../../../src/audit/index/index-sql.ts';
import { keyOf, termsOfDecision } from '../../../src/audit/index/terms.ts';
import { filterOf, type Term } from '../../../src/audit/read/filter.ts';
import type { IndexedPosition } from '../../../src/audit/read/read-log.ts';
import { type Connections, openConnections } from '../../../src/platform/homes/connections.ts';
import type { Query } from '../../../src/platform/homes/query.ts';
import { dice } from '../../bench/dice.ts';
import { LineMaker, searchLines } from '../../support/audit/index-lines.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';
import { SEED } from '../../support/seed.ts';
import { HAS_POSTGRES, PostgresServer } from '../../support/stores/state/postgres.ts';

/** Of decisions that are counted up to a number, it is not told which ones are; others are in any order. */
function told({ found, total, undecidable }: IndexResult, { mostCounted }: IndexSearch) {
  const result = found.map(({ others, ...decision }) => ({ ...decision, others: sorted(others) }));
  return total + undecidable === mostCounted ? { result, mostCounted } : { result, total, undecidable };
}

const sorted = (positions: readonly IndexedPosition[] | undefined) =>
  positions?.map((each) => JSON.stringify(each)).sort();

const HALF_MS = 43_200_000;

/** By the lines themselves. */
function checkCounts(file: IndexFile, terms: readonly Term[], day: number, lines: readonly NewLine[]): void {
  const decisions = lines
    .flatMap(({ entry }) => (entry.kind === 'decision' ? [entry] : []))
    .map((entry) => ({ at: Date.parse(entry.at), terms: termsOfDecision(entry).map(keyOf) }));
  const having = (term: Term, some = decisions) => some.filter((each) => each.terms.includes(keyOf(term)));
  const early = decisions.filter(({ at }) => at >= day && at < day + HALF_MS);
  const expected = terms.map((term) => having(term, early).length);
  expect(file.counts(terms, { from: day, until: day + HALF_MS })).toEqual(expected);
  const begins = terms.map((term) =>
    having(term).reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY),
  );
  expect(file.begins(terms).map((at) => at ?? Number.POSITIVE_INFINITY)).toEqual(begins);
  for (const term of terms) {
    const all = having(term);
    const beside = terms.map((other) => having(other, all).length);
    expect(file.counts(terms, { term, newest: lines.length })).toEqual(beside);
    const [own = 0] = file.counts([term], { term, newest: 2 });
    expect(own).toBe(Math.min(2, all.length));
  }
}

const KINDS = ['outcome', 'policyVersion', 'decisive', 'rule', 'openRule', 'missing'] as const;

/** PostgreSQL has no NUL in texts. */
const storable = ({ text, ...count }: DayCount) => ({ ...count, text: text?.replaceAll('\0', '\ufffd') ?? null });

const newFile = () => new IndexFile(join(temporaryFolder(), 'index.sqlite'));

const add = (connections: Connections, lines: readonly NewLine[]) =>
  connections.transaction(`add ${lines[0]?.position.chain}`, (query) => addToIndex(query, lines));

describe.skipIf(!HAS_POSTGRES)('an index in PostgreSQL (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.shared();

  const opened: Connections[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((connections) => connections.end()));
  });

  async function connect(): Promise<Connections> {
    const url = await server.newSchema();
    await server.sql(url, readFileSync('src/migrations/log/0001-tables.sql', 'utf8'));
    const connections = await openConnections(url, { limitMs: 5000, what: 'log' }, (code) => new Error(code));
    opened.push(connections);
    return connections;
  }

  /** Asks both the same, and reads the lines if they are given; returns how many decisions were found. */
  async function compare(
    connections: Connections,
    file: IndexFile,
    maker: LineMaker,
    times: number,
    lines?: readonly NewLine[],
  ): Promise<number> {
    const index = postgresIndex(connections);
    let found = 0;
    for (let i = 0; i < times; i++) {
      const search = maker.search();
      const result = file.search(search);
      expect([search, told(await index.search(search), search)]).toEqual([search, told(result, search)]);
      if (lines) expect([search, told(result, search)]).toEqual([search, told(searchLines(lines, search), search)]);
      expect(sorted(await index.narrow(search.filter))).toEqual(sorted(file.narrow(search.filter)));
      found += result.found.length;
    }
    expect(await index.entries()).toBe(file.entries);
    for (const kind of KINDS) {
      const counts = file.dayCounts(kind);
      expect(await index.dayCounts(kind)).toEqual(counts.map(storable));
      const terms = [...new Set(counts.map(({ text }) => text))].map((text) => ({ kind, text }));
      const texts = counts.flatMap(({ text }) => text ?? []);
      expect([...file.texts(kind)].sort()).toEqual([...new Set(texts)].sort());
      const stored = texts.map((text) => text.replaceAll('\0', '\ufffd'));
      expect(new Set(await index.texts(kind))).toEqual(new Set(stored));
      expect(await index.begins(terms)).toEqual(file.begins(terms));
      const [term = { kind: 'rule', text: 'none' }] = terms;
      const day = Date.parse(counts.at(-1)?.day ?? '2026-01-01');
      for (const among of [
        { from: day, until: day + HALF_MS },
        { term, newest: 3 },
      ]) {
        expect(await index.counts(terms, among)).toEqual(file.counts(terms, among));
      }
      if (lines) checkCounts(file, terms, day, lines);
    }
    return found;
  }

  it('says what an index in SQLite says, of random lines, also after segments were pruned', async () => {
    const die = dice(SEED);
    let found = 0;
    for (let round = 0; round < sampled(1, 40); round++) {
      const [connections, file, maker] = [await connect(), newFile(), new LineMaker(die, 3)];
      let all: NewLine[] = [];
      for (let n = 0; n < 12; n++) {
        const { chain, from, to, lines } = maker.batch(1 + Math.floor(die() * 20));
        file.add(chain, from, to, lines);
        await add(connections, lines);
        all.push(...lines);
        if (n === 8) {
          const segments = [1, 3];
          maker.forget(chain, segments);
          all = all.filter(({ position }) => position.chain !== chain || !segments.includes(position.segment));
          file.forget(chain, segments);
          await connections.transaction('forget', (query) => forgetSegments(query, chain, segments));
        }
        found += await compare(connections, file, maker, sampled(8, 20), all);
      }
      const index = postgresIndex(connections);
      for (const id of maker.ids) {
        expect(await index.find(id)).toEqual(file.find(id));
        expect(await index.find(id, false)).toEqual(file.find(id, false));
      }
      expect(await index.about(maker.ids)).toHaveLength(maker.ids.flatMap((id) => file.find(id)).length);
      file.close();
    }
    expect(found).toBeGreaterThan(sampled(40, 100));
  });

  it('that several processes write at once says the same, and no transaction fails', async () => {
    const [connections, file, die] = [await connect(), newFile(), dice(SEED)];
    const first = new LineMaker(die, 1);
    const begin = first.batch(60);
    const makers = Array.from({ length: 4 }, () => new LineMaker(die, 1, first.ids.slice(0, -1)));
    const batches = makers.map((maker) => Array.from({ length: sampled(15, 100) }, () => maker.batch(8)));
    await add(connections, begin.lines);
    await Promise.all(
      batches.map(async (own) => {
        for (const { lines } of own) await add(connections, lines);
      }),
    );
    for (const { chain, from, to, lines } of [begin, ...batches.flat()]) file.add(chain, from, to, lines);
    for (const maker of makers) await compare(connections, file, maker, sampled(15, 100));
    file.close();
  });

  it('has the later of two notes that are added at once', async () => {
    const connections = await connect();
    const maker = new LineMaker(dice(SEED), 2);
    const decision = maker.ids[0] ?? '';
    while (maker.ids[0] === maker.ids.at(-1)) await add(connections, maker.batch(1).lines);
    const note = (disposition: 'approve' | 'decline', at: number): NewLine => {
      const { position } = maker.batch(1).lines[0] as NewLine;
      const entry = { at: new Date(at).toISOString(), id: decision, decision, disposition, chain: decision, seq: 1 };
      return { position, entry: { kind: 'note', ...entry } };
    };
    const [before, after] = [note('approve', 1e12), note('decline', 2e12)];
    let added: Promise<unknown> | undefined;
    await connections.transaction('one', async (query) => {
      await addToIndex(query, [before]);
      const later = connections.transaction('other', (query) => addToIndex(query, [after]));
      let isDone = false;
      added = later.finally(() => {
        isDone = true;
      });
      const isWaiting = async () =>
        (await connections.query("select from pg_locks where locktype = 'advisory' and not granted")).length > 0;
      while (!isDone && !(await isWaiting()));
    });
    await added;
    const index = postgresIndex(connections);
    const found = async (disposition: 'approve' | 'decline') =>
      (await index.search({ filter: filterOf({ dispositions: [disposition] }), limit: 100 })).found.map(({ id }) => id);
    expect(await found('decline')).toContain(decision);
    expect(await found('approve')).not.toContain(decision);
  });

  it('is written by who may read and write the rows of tables, and no more', async () => {
    const url = await server.newSchema();
    await server.sql(url, readFileSync('src/migrations/log/0001-tables.sql', 'utf8'));
    const clerk = await server.clerk(url);
    const connections = await openConnections(clerk, { limitMs: 5000, what: 'log' }, (code) => new Error(code));
    opened.push(connections);
    const { lines } = new LineMaker(dice(SEED), 1).batch(30);
    await add(connections, lines);
    const entries = lines.filter(({ entry }) => entry.kind !== 'open' && entry.kind !== 'seal');
    expect(await postgresIndex(connections).entries()).toBe(entries.length);
  });

  it.each(['never made', 'of before'])(
    'reads few rows for a page, and for what is pruned, with statistics that were %s',
    async (made) => {
      const connections = await connect();
      const maker = new LineMaker(dice(SEED), 1);
      await add(connections, maker.batch(3000).lines);
      if (made === 'of before') await connections.query('analyze');
      const { lines } = maker.batch(3000);
      const renamed = lines.map(({ position, entry }) => ({
        position,
        entry: entry.kind === 'decision' ? { ...entry, reasons: { ...NO_REASONS, decisive: ['NEW'] } } : entry,
      }));
      await add(connections, renamed);
      let rows = 0;
      const explained = (query: Query) => async (text: string, parameters?: readonly unknown[]) => {
        const [explain] = await query(`explain (analyze, format json) ${text}`, parameters);
        // Counts that choose what leads are limited by themselves.
        if (!text.includes('as told'))
          rows += rowsOf((explain as { 'QUERY PLAN': { Plan: PlanNode }[] })['QUERY PLAN'][0]?.Plan);
        return query(text, parameters);
      };
      const reading: Connections['reading'] = (settings, work) =>
        connections.reading(settings, (query) => work(explained(query)));
      const index = postgresIndex({ ...connections, reading });
      const page = { limit: 20, after: { at: Date.UTC(2026, 10, 3), id: maker.ids[0] ?? '' } };
      for (const asked of [{ reasons: ['NEW'] }, { reasons: ['NEW'], outcomes: ['accept'] }, {}]) {
        rows = 0;
        const filter = filterOf(asked);
        const { found } = await index.search({ filter, ...page });
        expect(found).toHaveLength(20);
        expect([filter, rows < 500 ? 'few' : rows]).toEqual([filter, 'few']);
      }
      rows = 0;
      const [chain] = new Set(lines.map(({ position }) => position.chain));
      await connections.transaction('forget', (query) => forgetSegments(explained(query), chain ?? '', [1, 2, 3]));
      expect(await index.entries()).toBe(0);
      expect(rows).toBeLessThan(40 * 6000);
    },
  );
});

const NO_REASONS = { decisive: [], fired: [], undetermined: [] };

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows the scans of a plan went through. */
function rowsOf(node: PlanNode | undefined): number {
  if (!node) return 0;
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const plans = node.Plans ?? [];
  return plans.length === 0 ? each * node['Actual Loops'] : plans.reduce((sum, plan) => sum + rowsOf(plan), 0);
}
