/**
 * `verdict backtest --engine clickhouse`, over HTTP: a stub gives the answers that ClickHouse gave, or none that can be
 * used. `npm run test:clickhouse` holds the answers to ClickHouse itself.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { MOST_KINDS_COUNTED } from '../../../../src/lab/limits.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { type Answering, answerRows, type ClickHouseStub, startClickHouse } from '../../../support/lab/clickhouse.ts';
import {
  counted,
  EXAMPLE_FILES,
  exampleArguments,
  inClickHouse,
  keptAnswers,
} from '../../../support/lab/sql-backtests.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';
import { certificates } from '../../../support/signals/certificates.ts';

/** A secret, or a value of a row. */
const CANARY = 'canary-4711';
const LOGIN = { VERDICT_CLICKHOUSE_USERNAME: 'analyst', VERDICT_CLICKHOUSE_PASSWORD: CANARY };

let stub: ClickHouseStub | undefined;
afterEach(async () => {
  await stub?.close();
  stub = undefined;
});

/** The answer of ClickHouse to a query; `change` makes another one of its rows. */
function asKept(change: (data: readonly unknown[], query: string) => readonly unknown[] = (data) => data): Answering {
  return (response, { query }) => {
    const kept = keptAnswers().find((each) => each.query === query);
    if (kept) return answerRows(response, change(kept.data, query));
    response.statusCode = 500;
    response.end('the query is not the one that was kept: npm run test:clickhouse -- --keep');
  };
}

const isKindsQuery = (query: string) => query.includes('LIMIT');

async function start(answer: Answering, tls?: Parameters<typeof startClickHouse>[1]) {
  await stub?.close();
  stub = await startClickHouse(answer, tls);
  const { url, requests } = stub;
  const folder = temporaryFolder(EXAMPLE_FILES);
  const run = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    runCli(exampleArguments(folder, [...inClickHouse(folder, url), ...args]), { env });
  const inFile = (...args: string[]) =>
    runCli(exampleArguments(folder, ['--facts', join(folder, 'facts.ndjson'), ...args]));
  return { folder, requests, run, inFile };
}

describe('verdict backtest --engine clickhouse', () => {
  it('counts what a backtest of the same rows in a file counts', async () => {
    const { run, inFile } = await start(asKept());
    const [table, file] = [await run(['--json']), await inFile('--json')];
    expect([table.exitCode, table.stderr]).toEqual([0, '']);
    expect(counted(table.stdout)).toEqual(counted(file.stdout));
    expect(JSON.parse(table.stdout)).toMatchObject({ decided: 51, notCounted: ['missing', 'overlap', 'worst'] });
  });

  it('says in a text and on a page what the database does not count', async () => {
    const { folder, run } = await start(asKept());
    const page = join(folder, 'page.html');
    const { stdout } = await run(['--html', page]);
    expect(stdout).toContain('  rule          fired before  fired  alone  without it');
    const words = 'because of which facts a rule is undetermined; which rules fire together; the worst changes.';
    expect(stdout).toContain(`Not counted by the database: ${words}\n`);
    expect(stdout).not.toMatch(/fires most with|because of {2}|The worst/);
    expect(readFileSync(page, 'utf8')).toContain(`Not counted by the database: ${words}`);
  });

  it('does not say what rules decide alone if there are too many combinations of them', async () => {
    const many = Array.from({ length: MOST_KINDS_COUNTED + 1 }, () => ['accept', [], [], [[], []]]);
    const { run } = await start(asKept((data, query) => (isKindsQuery(query) ? many : data)));
    const { rules, notCounted } = JSON.parse((await run(['--json'])).stdout);
    expect(notCounted).toEqual(['missing', 'overlap', 'worst', 'alone']);
    expect(rules[0]).toEqual({ rule: 'risky', fired: 10, firedBefore: 18, undetermined: 3 });
    const { stdout } = await run();
    expect(stdout).toContain('  rule          fired before  fired  undetermined\n');
    expect(stdout).toContain('for whom a rule decides alone (more than 50,000 combinations of rules fire)');
  });

  it('posts queries with the settings that they need, and a login that is in no URL', async () => {
    const { run, requests } = await start(asKept());
    await run(['--timeout', '7'], LOGIN);
    expect(requests).toHaveLength(3);
    for (const { method, url, headers } of requests) {
      expect(method).toBe('POST');
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        default_format: 'JSONCompact',
        wait_end_of_query: '1',
        max_execution_time: '7',
        readonly: '2',
        cancel_http_readonly_queries_on_client_close: '1',
      });
      expect(headers.authorization).toBe(`Basic ${Buffer.from(`analyst:${CANARY}`).toString('base64')}`);
      expect(url.href).not.toContain(CANARY);
    }
    const anonymous = await start(asKept());
    await anonymous.run();
    expect(anonymous.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('says which columns the table lacks, and refuses one without any that a policy reads', async () => {
    const lacking = (columns: RegExp) =>
      asKept((data, query) =>
        query.startsWith('DESCRIBE') ? data.filter((row) => !columns.test(String((row as unknown[])[0]))) : [],
      );
    const named = await start(lacking(/risk_score/));
    expect((await named.run()).stderr).toBe(
      'verdict: the table has no column risk_score, which the map names for phone.score\n',
    );
    const answers = keptAnswers().map(({ data }) => data);
    const [described = []] = answers;
    answers[0] = described.map((row) => ((row as unknown[])[0] === 'context_old' ? ['Old', 'String'] : row));
    const absent = await start((response) => answerRows(response, answers.shift() ?? []));
    const { exitCode: done, stderr: note } = await absent.run();
    expect([done, note]).toEqual([
      0,
      'note: no column context_old: its fact is missing in every row\n' +
        'note: the column Old is not read; did you mean "context_old"?\n',
    ]);
    expect(absent.requests[1]?.query).not.toContain('context_old');
    const none = await start(lacking(/^(context|risk|ported|has)/));
    writeFileSync(join(none.folder, 'columns.yaml'), 'ip.isp: ~\n');
    const { exitCode, stderr } = await none.run();
    expect([exitCode, stderr]).toEqual([
      3,
      'verdict: the table has no column of any fact that the policy reads, such as phone_score\n',
    ]);
  });

  it('is certain that both queries counted the same rows', async () => {
    const { run } = await start(asKept((data, query) => (isKindsQuery(query) ? data.slice(1) : data)));
    const { exitCode, stderr } = await run();
    expect(exitCode).toBe(3);
    expect(stderr).toBe(
      'verdict: the table changed while it was counted; ' +
        'count the rows up to a day on which no more are written: --to\n',
    );
  });
});

/** An error as ClickHouse writes it: it repeats the query and the value that it stumbled over. */
function failing(status: number, code: number, name: string): Answering {
  return (response) => {
    response.statusCode = status;
    response.setHeader('X-ClickHouse-Exception-Code', String(code));
    response.end(
      `Code: ${code}. DB::Exception: '${CANARY}' in SELECT ${CANARY}. (${name}) (version 26.7.2.1 (official))\n`,
    );
  };
}

const FAULTS: Readonly<Record<string, readonly [Answering, says: string]>> = {
  'a wrong password': [
    failing(403, 516, 'AUTHENTICATION_FAILED'),
    'answered 403, error 516 AUTHENTICATION_FAILED; ' +
      'set VERDICT_CLICKHOUSE_USERNAME and VERDICT_CLICKHOUSE_PASSWORD',
  ],
  'a user who may not set anything': [
    failing(500, 164, 'READONLY'),
    'answered 500, error 164 READONLY; its user may not change settings: give it readonly = 2',
  ],
  'a table that is not there': [failing(404, 60, 'UNKNOWN_TABLE'), 'answered 404, error 60 UNKNOWN_TABLE'],
  'an error of a proxy': [
    (response) => {
      response.statusCode = 502;
      response.end(`<html>${CANARY} (NOT_OURS) (version 1)</html>`);
    },
    'answered 502',
  ],
  'a redirect': [
    (response) => {
      response.writeHead(302, { Location: `http://127.0.0.1:1/${CANARY}` }).end();
    },
    'answered 302',
  ],
  'a connection that ends within the answer': [
    (response) => {
      response.writeHead(200, { 'Content-Length': 1000 });
      response.write(`{"data":[["${CANARY}"`);
      setImmediate(() => response.destroy());
    },
    'closed the connection before its answer was complete (ECONNRESET)',
  ],
  'a server that does not answer': [() => {}, 'had not answered after 1 s'],
};

const UNREADABLE: Readonly<Record<string, string>> = {
  'half an answer': `{"meta":[],"data":[["${CANARY}","String"],`,
  'fewer rows than it says': `{"meta":[],"data":[["${CANARY}","String"]],"rows":2}`,
  'rows that are objects': `{"meta":[],"data":[{"name":"${CANARY}"}],"rows":1}`,
  'no JSON': `Code: 241. ${CANARY}`,
  nothing: '',
};

describe('of ClickHouse', () => {
  it.each(Object.entries(FAULTS))('%s is said without a value', async (_, [answer, says]) => {
    const { run } = await start(answer);
    const { exitCode, stdout, stderr } = await run(['--timeout', '1'], LOGIN);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 3, stdout: '', stderr: `verdict: ClickHouse ${says}\n` });
  });

  it.each(Object.entries(UNREADABLE))('%s is not taken for a result', async (_, body) => {
    const { run } = await start((response) => void response.end(body));
    const { exitCode, stderr } = await run();
    expect(stderr).toBe('verdict: the answer of ClickHouse is not the whole JSON of a result\n');
    expect(exitCode).toBe(3);
  });

  it.each([
    ['an outcome that is none', [['accept', 'maybe', 1, [[], []], [[], []], [[], []], [[], []], [[], []]]]],
    ['fewer columns', [['accept', 'accept', 1, [[], []]]]],
    ['counts that are no lists', [['accept', 'accept', 1, 1, 1, 1, 1, 1]]],
  ])('%s is not taken for counts', async (_, rows) => {
    const { run } = await start(asKept((data, query) => (query.startsWith('DESCRIBE') ? data : rows)));
    const { exitCode, stderr } = await run();
    expect([exitCode, stderr]).toEqual([3, 'verdict: the answer of ClickHouse has not the columns of the query\n']);
  });

  it('a port where nobody listens is said', async () => {
    const { run } = await start(asKept());
    await stub?.close();
    stub = undefined;
    const { exitCode, stderr } = await run();
    const said = 'verdict: ClickHouse cannot be reached: the connection was refused (ECONNREFUSED)\n';
    expect([exitCode, stderr]).toEqual([3, said]);
  });

  it('a certificate is accepted of an authority that is named, and of no other', async () => {
    const { ca, service } = await certificates();
    const { folder, run } = await start(asKept(), service);
    writeFileSync(join(folder, 'ca.pem'), ca);
    expect((await run([], LOGIN)).stderr).toMatch(/^verdict: ClickHouse cannot be reached: TLS failed/);
    const trusting = await run([], { ...LOGIN, VERDICT_CLICKHOUSE_CA_FILE: join(folder, 'ca.pem') });
    expect([trusting.exitCode, trusting.stderr]).toEqual([0, '']);
  });
});

describe('the options of --engine clickhouse', () => {
  const url = 'http://127.0.0.1:1';
  const run = (args: readonly string[], env = {}) =>
    runCli(['backtest', '--policy', join(temporaryFolder(EXAMPLE_FILES), 'new.yaml'), ...args], { env });
  const there = ['--engine', 'clickhouse', '--table', 'facts'];

  it.each<readonly [args: readonly string[], says: string]>([
    [there, 'expected --url and --table with --engine clickhouse'],
    [['--engine', 'clickhouse', '--url', url], 'expected --url and --table with --engine clickhouse'],
    [['--facts', 'x.csv', '--url', url], '--url goes with --engine'],
    [['--facts', 'x.csv', '--timeout', '5'], '--timeout goes with --engine'],
    [[...there, '--url', `ftp://${CANARY}`], '--url is malformed, expected one such as https://'],
    [[...there, '--url', CANARY], '--url is malformed, expected one such as https://'],
    [
      [...there, '--url', `http://u:${CANARY}@127.0.0.1`],
      '--url has a user name or a password: set VERDICT_CLICKHOUSE',
    ],
    [[...there, '--url', `${url}?password=${CANARY}`], '--url has a user name or a password: set VERDICT_CLICKHOUSE'],
    [[...there, '--url', 'http://clickhouse.bank.example:8123'], '--url is http to another machine, which sends passw'],
    [[...there, '--url', url, '--by', 'phone.porting.portedDate'], '--by: phone.porting.portedDate is a date, which'],
  ])('say what is wrong with %j', async (args, says) => {
    const { exitCode, stderr } = await run(args, LOGIN);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain(CANARY);
  });
});
