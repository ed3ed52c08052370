/**
 * `node test/bench/pages.ts [--home folder|postgres] [--records 1000000] [--cases 10000] [--turn-ms 10000] [--turns 5]`
 * A service before a log with that many decisions, in files or in PostgreSQL, and as many open cases -> the time to the
 * first byte of its pages, alone and beside 64 callers, and what 20 reviewers at work cost these callers, as Markdown.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { copyLog } from '../../src/audit/copy.ts';
import { openLogIndex } from '../../src/audit/index/open-index.ts';
import { keysFolder } from '../../src/audit/place.ts';
import { createSessions } from '../../src/service/auth/sessions.ts';
import { openState } from '../../src/stores/state/state.ts';
import { PostgresServer } from '../support/stores/state/postgres.ts';
import { writeRecords } from './audit-records.ts';
import { type Contestant, running } from './http-clients.ts';
import { middle } from './measure.ts';
import { headOf, rounded, table } from './report.ts';
import { beside, csrfOf, decide, open, quantile, startServed } from './visits.ts';

const { values: options } = parseArgs({
  options: {
    home: { type: 'string', default: 'folder' },
    records: { type: 'string', default: '1000000' },
    cases: { type: 'string', default: '10000' },
    'turn-ms': { type: 'string', default: '10000' },
    turns: { type: 'string', default: '5' },
  },
});
const [records, turnMs, turns] = [Number(options.records), Number(options['turn-ms']), Number(options.turns)];
const openCases = Number(options.cases);
const postgres = options.home === 'postgres' ? await PostgresServer.start({ fsync: 'on' }) : undefined;
const root = mkdtempSync(join(tmpdir(), 'verdict-pages-'));

/** A reviewer takes ten seconds for a case, which is faster than people are. */
const [REVIEWERS, THINKING_MS, LOADS] = [20, 10_000, 100];

const [MASTER_KEY, STATE_KEY] = ['cd', 'ab'].map((byte) => byte.repeat(32)) as [string, string];

async function startService(database: string | undefined) {
  const homes = database
    ? [
        'audit: { postgresVariable: DATABASE_URL, keys: { masterKeyVariable: MASTER_KEY } }',
        'state: { postgresVariable: DATABASE_URL, keyVariable: STATE_KEY }',
      ]
    : ['audit: { dir: log }', 'state: { dir: state }'];
  const rules = `rules: { folder: ${join(import.meta.dirname, '../../rules')} }`;
  const lines = ['policies: { onboarding: onboarding.yaml }', rules, 'limits: { drain: 0 seconds }', ...homes];
  const service = await startServed(root, lines, database ? { DATABASE_URL: database, MASTER_KEY, STATE_KEY } : {});
  const place = database ? { postgres: database, key: STATE_KEY } : { dir: join(root, 'state') };
  const state = await openState({ ...place, rememberMs: 86_400_000 });
  const sessions = createSessions(state);
  const cookies: string[] = [];
  for (let i = 0; i < REVIEWERS; i++) {
    const subject = `reviewer-${i}`;
    const person = { subject, display: subject, name: `Reviewer <${subject}>`, roles: ['review', 'read'] } as const;
    cookies.push(`verdict=${await sessions.begin(person)}`);
  }
  const roles = ['read', 'review', 'edit', 'approve', 'audit'] as const;
  const lead = await sessions.begin({ subject: 'lead', display: 'lead', name: 'Lead <lead>', roles });
  await state.close();
  return { service, cookies, lead: `verdict=${lead}` };
}

/** One reviewer: the queue, the next case, a decision, and so on, with time to think. */
async function review(service: Contestant, cookie: string, signal: AbortSignal): Promise<void> {
  // They do not begin at once.
  await setTimeout(Math.random() * THINKING_MS, undefined, { signal }).catch(() => {});
  while (!signal.aborted) {
    const queue = await open(service, cookie, '/queue');
    const { to } = await open(service, cookie, '/queue/take', { csrf: csrfOf(queue.text) });
    if (to.startsWith('/cases/')) {
      const { text } = await open(service, cookie, to);
      await setTimeout(THINKING_MS, undefined, { signal }).catch(() => {});
      const token = /name="token" value="(\d+)"/.exec(text)?.[1] ?? '';
      const said = { csrf: csrfOf(text), token, disposition: 'approve', reason: 'Identity document seen' };
      await open(service, cookie, `${to}/resolve`, said);
    } else await setTimeout(THINKING_MS, undefined, { signal }).catch(() => {});
  }
}

/** The pages that people work with, and how long their first byte takes, in milliseconds. */
async function firstBytes(service: Contestant, cookie: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const queue = await open(service, cookie, '/queue');
  const { to } = await open(service, cookie, '/queue/take', { csrf: csrfOf(queue.text) });
  const paths = [
    ...['/', '/queue', '/queue?sort=score', to, '/decisions', '/decisions?outcome=review&code=IP_ABROAD'],
    ...[to.replace('cases', 'decisions'), '/policies'],
  ];
  const found = new Map<string, readonly number[]>();
  for (const path of paths) {
    const times: number[] = [];
    for (let i = 0; i < LOADS; i++) times.push((await open(service, cookie, path)).ms);
    found.set(
      path.replace(/[\da-f-]{36}/, '{id}'),
      times.sort((one, other) => one - other),
    );
  }
  return found;
}

/** The same alone, and while 64 callers decide. */
async function comparePages(service: Contestant, cookie: string): Promise<readonly (readonly string[])[]> {
  const alone = await firstBytes(service, cookie);
  const during = await beside(service, turnMs, () => firstBytes(service, cookie));
  return [...alone].map(([path, times]) => {
    const both = [times, during.get(path) ?? []];
    return [path, ...both.flatMap((each) => [0.5, 0.95].map((share) => rounded(quantile(each, share))))];
  });
}

/** Turns without and with reviewers, one after the other. */
async function race(service: Contestant, cookies: readonly string[]): Promise<readonly (readonly string[])[]> {
  const alone: number[] = [];
  const loaded: number[] = [];
  for (let turn = -1; turn < turns; turn++) {
    const without = quantile(await decide(service, turnMs), 0.99);
    const ended = new AbortController();
    const reviewers = cookies.map((cookie) => review(service, cookie, ended.signal));
    const during = quantile(await decide(service, turnMs), 0.99);
    ended.abort();
    await Promise.all(reviewers);
    // The first turn only warms up.
    if (turn >= 0) [alone, loaded].forEach((all, i) => void all.push(i === 0 ? without : during));
  }
  const ratios = loaded.map((each, i) => each / (alone[i] ?? Number.NaN));
  const spread = `${rounded(middle(ratios))} (${rounded(Math.min(...ratios))} to ${rounded(Math.max(...ratios))})`;
  return [[rounded(middle(alone)), rounded(middle(loaded)), spread]];
}

try {
  process.stderr.write(`${records} records: writing the log\n`);
  await writeRecords(join(root, 'log'), records, 1);
  process.stderr.write('the index\n');
  await openLogIndex({ dir: join(root, 'log') }).then(async (index) => {
    await index.catchUp();
    await index.close();
  });
  const database = await postgres?.newSchema();
  if (database) {
    const from = { dir: join(root, 'log'), keys: keysFolder({ dir: join(root, 'log') }) };
    process.stderr.write('the copy in PostgreSQL\n');
    const to = { postgres: database, keys: { masterKey: MASTER_KEY } };
    await copyLog({ from, to });
    await openLogIndex(to).then(async (index) => {
      await index.catchUp();
      await index.close();
    });
  }
  const { service, cookies, lead } = await startService(database);
  process.stderr.write('the cases\n');
  while ((await open(service, lead, '/queue').catch(() => undefined)) === undefined) await setTimeout(500);
  // Decisions whose facts can be read.
  for (let waiting = 0; waiting < openCases; ) {
    await decide(service, turnMs);
    const [, count = '0'] = /([\d,]+) cases? waiting/.exec((await open(service, lead, '/queue')).text) ?? [];
    waiting = Number(count.replaceAll(',', ''));
  }
  process.stderr.write('the pages\n');
  const columns = ['page', 'median, ms', 'p95, ms', 'median beside 64 callers, ms', 'p95, ms'];
  const pages = table(columns, await comparePages(service, lead));
  const titles = ['p99 of a decision, ms', `with ${REVIEWERS} reviewers, ms`, 'ratio'];
  const load = table(titles, await race(service, cookies));
  process.stdout.write(
    `${headOf([])}\nFirst byte at ${records.toLocaleString('en')} decisions and ${openCases.toLocaleString('en')} cases:\n\n${pages}\n\n${load}\n`,
  );
} finally {
  for (const each of running) each.kill();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
}
