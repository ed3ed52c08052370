/** Closed segments, read by DuckDB in one pass -> the decisions that match a filter, with their notes and erasures. */

import type { DuckDb } from '../../decision/sql/duckdb/duckdb.ts';
import { asPattern } from '../../decision/sql/duckdb/row-file.ts';
import { MAX_LINE_BYTES } from '../entry/entry.ts';
import { combinationSql } from './count-by.ts';
import { type Filter, REASON_CRITERIA } from './filter.ts';
import { type DecisionSummary, type NoteSummary, type ResultCollector, SEARCH_FIELDS } from './search-entry.ts';

/**
 * The fields to read: neither bodies nor hashes. All as JSON, because `records` is a list in one kind of entry and a
 * count in another, and because DuckDB would convert a number to a text where a text is required.
 */
const COLUMNS = new Set([
  'kind',
  'subjects',
  'reference',
  ...Object.values(SEARCH_FIELDS).flatMap((fields) => Object.keys(fields)),
]);

/**
 * Whether a line has the required fields; a line that is not JSON arrives without any. Matching all fields as one text
 * takes two thirds of the time, and is as strict, because each field is one JSON value. DuckDB accepts two things that
 * are not JSON to us, a trailing comma and a repeated key. No writer leaves them, and `verifyLog` reports them.
 */
const IS_READABLE = `CASE kind
  ${Object.entries(SEARCH_FIELDS)
    .map(([kind, fields]) => {
      const columns = Object.keys(fields).map((name) => `"${name}"`);
      const pattern = Object.values(fields).map(({ json }) => json);
      const check = columns.length === 0 ? 'true' : `regexp_full_match(concat(${columns}), '${pattern.join('')}')`;
      return `WHEN '"${kind}"' THEN ${check}`;
    })
    .join('\n  ')}
  ELSE false END`;

const hasAny = (column: string, parameter: string) => `list_has_any(from_json(${column}, '["VARCHAR"]'), ${parameter})`;

const hasReason = (criterion: keyof typeof REASON_CRITERIA) =>
  hasAny(`json_extract(reasons, '$.${REASON_CRITERIA[criterion]}')`, `$${criterion}`);

const POLICY_NAMES = `[policy->>'$.name', (policy->>'$.name') || '@' || (policy->>'$.version'), policy->>'$.digest']`;

/** The condition of each criterion of a filter; `$…` are parameters. */
const CONDITIONS: Readonly<Record<keyof Filter, string>> = {
  from: '"at" >= $from',
  to: '"at" <= $to',
  outcomes: 'list_contains($outcomes, outcome)',
  reasons: hasReason('reasons'),
  firedReasons: hasReason('firedReasons'),
  undeterminedReasons: hasReason('undeterminedReasons'),
  rules: hasAny('rules', '$rules'),
  policies: `list_has_any(${POLICY_NAMES}, $policies)`,
  undetermined: hasAny('undetermined', '$undetermined'),
  dispositions: 'id::VARCHAR IN (SELECT unnest($noted))',
  subject: 'list_contains($hashes, json_extract_string(subjects, $variable))',
  reference: 'list_contains($reference, reference)',
};
const ANY_UNDETERMINED = `undetermined <> '[]'`;

const IS_DECISION = `kind = '"decision"'`;
const IS_EARLIER = `coalesce(reasons, 'null') = 'null'`;

type Parameters = Readonly<Record<string, string | readonly string[]>>;

/**
 * The condition of a filter, and its parameters. `at`, `outcome`, `reference` and the ids of decisions that were noted
 * as the filter says are compared as JSON, with quotes.
 */
function conditionOf(
  { from, to, outcomes, undetermined, dispositions, subject, reference, ...lists }: Filter,
  collector: ResultCollector,
): {
  readonly sql: string;
  /** The condition of records of the earlier form, which cannot tell whether they match. */
  readonly undecidable: string;
  readonly parameters: Parameters;
} {
  const given = { from, to, outcomes, undetermined, dispositions, subject, reference, ...lists };
  const criteria = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [name as keyof Filter],
  );
  const conditions = criteria.map((name) =>
    name === 'undetermined' && undetermined === true ? ANY_UNDETERMINED : CONDITIONS[name],
  );
  const isOfReasons = (name: string) => Object.hasOwn(REASON_CRITERIA, name);
  const earlier = criteria.map((name, i) => (isOfReasons(name) ? hasAny('codes', `$${name}`) : conditions[i]));
  const undecidable = criteria.some(isOfReasons) ? [IS_DECISION, IS_EARLIER, ...earlier].join(' AND ') : 'false';
  const parameters = {
    ...lists,
    ...(from === undefined ? {} : { from: quoted(from) }),
    ...(to === undefined ? {} : { to: quoted(to) }),
    ...(outcomes === undefined ? {} : { outcomes: outcomes.map(quoted) }),
    ...(undetermined === undefined || undetermined === true ? {} : { undetermined }),
    ...(dispositions === undefined ? {} : { noted: collector.notedAs(dispositions).map(quoted) }),
    ...(reference === undefined ? {} : { reference: reference.map(quoted) }),
    ...(subject === undefined ? {} : { hashes: subject.hashes, variable: `$.${subject.variable}` }),
  };
  return { sql: [IS_DECISION, ...conditions].join(' AND '), undecidable, parameters };
}

const quoted = (text: string) => JSON.stringify(text);

/** Room for the line break and for what DuckDB's reader adds. */
const MAX_OBJECT_BYTES = MAX_LINE_BYTES + 1024;

const READ_OPTIONS = [
  // Without `records`, the reader tests for records and holds each file in memory meanwhile.
  `format = 'newline_delimited', records = true, compression = 'uncompressed', hive_partitioning = false`,
  `ignore_errors = true, filename = true, maximum_object_size = ${MAX_OBJECT_BYTES}`,
  `columns = {${[...COLUMNS].map((name) => `"${name}": 'JSON'`).join(', ')}}`,
].join(', ');

const struct = (names: readonly string[]) => `{${names.map((name) => `"${name}": "${name}"`).join(', ')}}`;

/** Reads the files once into a table of one row. */
function findIn(condition: string, undecidable: string, combination: string | undefined): string {
  const counted = combination && `to_json(histogram(${combination}) FILTER (WHERE is_found))::VARCHAR`;
  const newest = `max_by(${struct(Object.keys(SEARCH_FIELDS.decision))}, ${struct(['at', 'id'])}, $limit)`;
  return `CREATE OR REPLACE TEMP TABLE found AS
    SELECT count(*) FILTER (WHERE is_found) AS total,
      count(*) FILTER (WHERE is_undecidable) AS undecidable,
      ${newest} FILTER (WHERE is_found) AS newest,
      ${counted ?? 'NULL'} AS combinations,
      list(${struct(Object.keys(SEARCH_FIELDS.note))}) FILTER (WHERE kind = '"note"') AS notes,
      list(records) FILTER (WHERE kind = '"erasure"') AS erasures,
      list(DISTINCT filename) FILTER (WHERE NOT is_readable) AS refused
    FROM (SELECT *, coalesce(${IS_READABLE}, false) AS is_readable, coalesce(${condition}, false) AS is_found,
        coalesce(${undecidable}, false) AS is_undecidable
      FROM read_json($files, ${READ_OPTIONS}))`;
}

const DECISIONS = 'SELECT unnest(d) FROM (SELECT unnest(newest) AS d FROM found)';
/** The decisions whose notes and erasures are needed: those found here, and those already collected. */
const WANTED = 'SELECT unnest(newest).id::VARCHAR FROM found UNION ALL SELECT unnest($ids)';
const NOTES = `SELECT unnest(n) FROM (SELECT unnest(notes) AS n FROM found) WHERE n.decision::VARCHAR IN (${WANTED})`;
const ERASED = `SELECT DISTINCT id
  FROM (SELECT unnest(flatten(list_transform(erasures, lambda e: from_json(e, '["VARCHAR"]')))) AS id FROM found)
  WHERE '"' || id || '"' IN (${WANTED})`;

/**
 * Searches files, given by absolute names, and adds the results to the collector. Returns the files that contain a
 * line which DuckDB cannot read; if there are any, nothing was added. Rejects with DuckDB's own error if it fails. The
 * collector has all notes already if the filter asks for dispositions.
 */
export async function searchWithDuckDb(
  { connection, package: duckdb }: DuckDb,
  files: readonly string[],
  filter: Filter,
  limit: number,
  collector: ResultCollector,
): Promise<readonly string[]> {
  const { LIST, VARCHAR, BIGINT, listValue } = duckdb;
  const bind = (parameters: Parameters) => {
    const entries = Object.entries(parameters).map(([name, value]) =>
      typeof value === 'string'
        ? ([name, value, VARCHAR] as const)
        : ([name, listValue([...value]), LIST(VARCHAR)] as const),
    );
    return {
      values: Object.fromEntries(entries.map(([name, value]) => [name, value])),
      types: Object.fromEntries(entries.map(([name, , type]) => [name, type])),
    };
  };
  const { sql, undecidable, parameters } = conditionOf(filter, collector);
  const { values, types } = bind({ ...parameters, files: files.map(asPattern) });
  const combination = collector.tally && combinationSql(collector.tally.keys);
  await connection.run(
    findIn(sql, undecidable, combination),
    { ...values, limit: BigInt(limit) },
    { ...types, limit: BIGINT },
  );
  const summaries = await connection.runAndReadAll('SELECT total, undecidable, refused, combinations FROM found');
  const [summary] = summaries.getRowsJS();
  const [total, undecided, refused, combinations] = summary ?? [];
  if (Array.isArray(refused)) return refused.map(String);

  const rowsOf = async (query: string, parameters: Parameters = {}) => {
    const bound = bind(parameters);
    return (await connection.runAndReadAll(query, bound.values, bound.types)).getRowObjectsJS();
  };
  const ids = collector.ids().map(quoted);
  const notes = await rowsOf(NOTES, { ids });
  const erased = await rowsOf(ERASED, { ids });
  const decisions = await rowsOf(DECISIONS);
  const counted: Readonly<Record<string, number>> = JSON.parse(String(combinations ?? '{}'));
  // Nothing below can fail, so results are added completely or not at all.
  for (const row of notes) collector.addNote(dataOf(row) as NoteSummary);
  collector.addErasure(erased.map((row) => String(row['id'])));
  collector.count(Number(total) - decisions.length);
  collector.countUndecidable(Number(undecided));
  collector.tally?.addAll(counted);
  for (const row of decisions) collector.addDecision(dataOf(row) as DecisionSummary);
  return [];
}

/** A row of JSON texts as data. */
function dataOf(row: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(row).map(([name, json]) => [name, JSON.parse(String(json))]));
}
