/** `verdict backtest --engine clickhouse`: policies and a table there -> its counts, over the HTTP interface. */

import type { FileColumns } from '../../../../decision/rows/column-gaps.ts';
import type { Backtest } from '../../../../lab/backtest/backtest.ts';
import type { Ask, SqlCounting } from '../../../../lab/backtest/count-by-sql.ts';
import type { JointFacts } from '../../../../lab/backtest/joint-facts.ts';
import { ownValue } from '../../../../platform/given/read-given.ts';
import { isObject, parseJson } from '../../../../platform/json.ts';
import type { Policy } from '../../../../policy/language.ts';
import { transportWords } from '../../../../signals/failure.ts';
import { createAgent } from '../../../../signals/http/agent.ts';
import { createHttpClient, type Exchange } from '../../../../signals/http/http.ts';
import { CLEAR_TEXT_PROBLEM, isClearText } from '../../../../signals/options.ts';
import { ColumnNotes } from '../../../input/column-notes.ts';
import { loadColumns } from '../../../input/columns.ts';
import { CouldNotRunError, type Io, orCannotRun, UsageError } from '../../../io.ts';
import { readCertificates } from '../../../options/connection.ts';
import { createProgressLine } from '../../../progress.ts';

/** The options of the command. */
export interface ClickHouseOptions extends Omit<SqlCounting, 'columns'> {
  readonly url: string;
  /** Of each query, in seconds. */
  readonly timeout?: number | undefined;
  /** The file that names the columns outside the convention. */
  readonly columns?: string | undefined;
}

/** Counts a table, and says which columns do not fit. Throws a usage error for options that do not fit. */
export async function countInClickHouse(
  policies: readonly [old: Policy, now: Policy],
  joint: JointFacts,
  { url, timeout = MOST_SECONDS, columns, ...options }: ClickHouseOptions,
  io: Io,
): Promise<{ readonly backtest: Backtest; readonly columns: readonly FileColumns[] }> {
  const { countBySql } = await import('../../../../lab/backtest/count-by-sql.ts');
  const date = options.by.find((path) => joint.facts.get(path)?.type === 'date');
  if (date !== undefined) throw new UsageError(`--by: ${date} is a date, which --engine clickhouse does not group by`);
  const [before, now] = policies.map(({ timeZone }) => timeZone);
  if (options.compares && before !== now) {
    throw new UsageError(`--engine clickhouse counts days of one time zone; the policies have ${before} and ${now}`);
  }
  const ask = connect(url, timeout, io.env);
  const given = { ...options, ...(await loadColumns(columns, joint.facts)) };
  const line = createProgressLine(io);
  if (line.isTerminal) line.draw('counting in ClickHouse');
  const { backtest, gaps } = await orCannotRun(() => countBySql(policies, joint, given, ask)).finally(() => line.end());
  const notes = new ColumnNotes();
  await notes.add(options.table, gaps, io.stderr);
  return { backtest, columns: notes.files };
}

/** A query that takes longer is given up, unless `--timeout` says otherwise. */
const MOST_SECONDS = 600;

/** An answer has counts alone, so that a greater one has too many values of a fact. */
const MOST_BYTES = 64 * 2 ** 20;

const [USERNAME, PASSWORD, CA_FILE] = [
  'VERDICT_CLICKHOUSE_USERNAME',
  'VERDICT_CLICKHOUSE_PASSWORD',
  'VERDICT_CLICKHOUSE_CA_FILE',
];

/** What the queries need; a user with `readonly = 1` may not set it. */
const SETTINGS = {
  default_format: 'JSONCompact',
  // Otherwise an error after the first rows would come with the status 200.
  wait_end_of_query: 1,
  // A query that may write is not cancelled when its client is gone.
  readonly: 2,
  cancel_http_readonly_queries_on_client_close: 1,
  // Twice what docs/at-scale.md sets for one policy: there may be two.
  max_query_size: 33_554_432,
  max_ast_elements: 2_000_000,
  max_expanded_ast_elements: 2_000_000,
};

function connect(url: string, seconds: number, env: Io['env']): Ask {
  const endpoint = readUrl(url);
  for (const [name, value] of Object.entries({ ...SETTINGS, max_execution_time: seconds })) {
    endpoint.searchParams.set(name, String(value));
  }
  const { [USERNAME]: username = '', [PASSWORD]: password = '', [CA_FILE]: caFile } = env;
  if (password !== '' && isClearText(url)) throw new UsageError(`--url ${CLEAR_TEXT_PROBLEM}: use https`);
  const login = Buffer.from(`${username || 'default'}:${password}`).toString('base64');
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    ...(username + password === '' ? {} : { Authorization: `Basic ${login}` }),
  };
  const isSecure = endpoint.protocol === 'https:';
  const { ca } = readCertificates({ caFile }, () => CA_FILE);
  const agent = createAgent(isSecure, 1, ca === undefined ? {} : { ca: [String(ca)] });
  const client = createHttpClient(isSecure, MOST_BYTES, agent, true);
  return async (query) => {
    const message = { url: endpoint.href, headers, body: query };
    return readAnswer(await client.post(message, AbortSignal.timeout(seconds * 1000)), seconds);
  };
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError('--url is malformed, expected one such as https://clickhouse.bank.example:8443');
  }
  const isSecret =
    url.username + url.password !== '' || ['user', 'password'].some((name) => url.searchParams.has(name));
  if (isSecret) throw new UsageError(`--url has a user name or a password: set ${USERNAME} and ${PASSWORD} instead`);
  return url;
}

/** The rows of an answer. Of an error only the number and the name are said: its text repeats the query and values. */
function readAnswer(exchange: Exchange, seconds: number): readonly (readonly unknown[])[] {
  if (exchange.failure === 'stopped') throw new CouldNotRunError(`ClickHouse had not answered after ${seconds} s`);
  // No function of a caller's takes part.
  if (exchange.failure === 'caller') throw new Error(exchange.fault.text);
  if (exchange.failure !== undefined) {
    const cause = exchange.cause === undefined ? '' : ` (${exchange.cause})`;
    throw new CouldNotRunError(`ClickHouse ${transportWords(exchange.failure)}${cause}`);
  }
  const { status, headers, body } = exchange;
  if (status !== 200) throw new CouldNotRunError(`ClickHouse answered ${status}${errorWords(headers, body)}`);
  const { value } = { value: undefined, ...parseJson(body) };
  const { data, rows } = isObject(value) ? value : {};
  if (Array.isArray(data) && data.length === rows && data.every(Array.isArray)) return data;
  throw new CouldNotRunError('the answer of ClickHouse is not the whole JSON of a result');
}

/** What helps, by the number of the error. */
const HINTS: Readonly<Record<string, string>> = {
  164: '; its user may not change settings: give it readonly = 2',
  516: `; set ${USERNAME} and ${PASSWORD}`,
};

function errorWords(headers: unknown, body: Uint8Array): string {
  const code = ownValue(headers, 'x-clickhouse-exception-code');
  if (typeof code !== 'string' || !/^\d{1,5}$/.test(code)) return '';
  const [, name] =
    [
      ...Buffer.from(body)
        .toString()
        .matchAll(/\(([A-Z][A-Z0-9_]{2,63})\) \(version /g),
    ].at(-1) ?? [];
  return `, error ${code}${name === undefined ? '' : ` ${name}`}${HINTS[code] ?? ''}`;
}
