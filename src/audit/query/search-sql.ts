/** Closed segments, read by DuckDB in one pass -> the decisions that pass a filter, and the notes and erasures that are about them. */

import type { DuckDb } from '../../decision/sql/duckdb/duckdb.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { DISPOSITIONS, type Entry, MAX_LINE_BYTES } from '../entry/entry.ts';
import type { ResultCollector } from './collector.ts';
import type { Filter } from './filter.ts';
import { type ClearDecision, type ClearNote, ID_FORM, INSTANT_FORM } from './search-entry.ts';

/**
 * What is read of a line: neither its body nor its hash. All as JSON: `records` is a list of ids in one kind of line and a count in
 * another, and DuckDB would make a text of a number that stands where a text has to.
 */
const COLUMNS = [
  ...['kind', 'at', 'id', 'subjects', 'outcome', 'codes', 'rules', 'undetermined', 'causes', 'policy'],
  ...['decision', 'disposition', 'records'],
];

const ID = `"${ID_FORM}"`;
const INSTANT = `"${INSTANT_FORM}"`;
const TEXT = '"([^"\\\\]|\\\\.)*"';
const TEXTS = listForm(TEXT);

/** The columns of each kind of line that has some, and the regular expression of what has to be there, as DuckDB writes JSON. */
const FORMS: Readonly<Partial<Record<Entry['kind'], Readonly<Record<string, string>>>>> = {
  decision: {
    ...{ at: INSTANT, id: ID, outcome: oneForm(OUTCOMES) },
    ...{ codes: TEXTS, rules: TEXTS, undetermined: TEXTS, causes: TEXTS },
    policy: `\\{"name":${TEXT},"version":${TEXT},"digest":${TEXT}\\}`,
  },
  note: { at: INSTANT, id: ID, decision: ID, disposition: oneForm(DISPOSITIONS) },
  erasure: { records: listForm(ID) },
};

function listForm(element: string): string {
  return `\\[(${element}(,${element})*)?\\]`;
}

function oneForm(texts: readonly string[]): string {
  return `"(${texts.join('|')})"`;
}

/**
 * Whether a line has what a search needs. A line that is no JSON comes with nothing in it. All columns are looked at as one text, which
 * takes two thirds of the time: each is one value, so that none can stand for another. INVARIANT: it asks for as much as `readSearchLine`
 * at least. Two things DuckDB takes that are no JSON as we read it, a comma behind the last entry and a key that stands twice: only a
 * hand can have written them, and `verifyLog` finds it.
 */
const IS_READABLE = `CASE kind
  ${Object.entries(FORMS)
    .map(([kind, forms]) => {
      const columns = Object.keys(forms).map((name) => `"${name}"`);
      return `WHEN '"${kind}"' THEN regexp_full_match(concat(${columns}), '${Object.values(forms).join('')}')`;
    })
    .join('\n  ')}
  ELSE kind IN ('"open"', '"seal"') END`;

const hasAny = (column: string, parameter: string) => `list_has_any(from_json(${column}, '["VARCHAR"]'), ${parameter})`;

/** What each part of a filter asks; `$…` are parameters. */
const CONDITIONS: Readonly<Record<keyof Filter, string>> = {
  from: '"at" >= $from',
  to: '"at" <= $to',
  outcomes: 'list_contains($outcomes, outcome)',
  reasons: hasAny('codes', '$reasons'),
  rules: hasAny('rules', '$rules'),
  policies: `list_has_any([policy->>'$.name', (policy->>'$.name') || '@' || (policy->>'$.version'), policy->>'$.digest'], $policies)`,
  undetermined: hasAny('undetermined', '$undetermined'),
  subject: 'list_contains($hashes, json_extract_string(subjects, $variable))',
};
const ANY_UNDETERMINED = `undetermined <> '[]'`;

type Parameters = Readonly<Record<string, string | readonly string[]>>;

/** The condition of a filter, and its parameters. `at` and `outcome` are compared as JSON, in quotes. */
function conditionOf({ from, to, outcomes, undetermined, subject, ...lists }: Filter): {
  readonly sql: string;
  readonly parameters: Parameters;
} {
  const asked = Object.entries({ from, to, outcomes, undetermined, subject, ...lists }).flatMap(([name, value]) =>
    value === undefined ? [] : [name as keyof Filter],
  );
  const parts = asked.map((name) =>
    name === 'undetermined' && undetermined === true ? ANY_UNDETERMINED : CONDITIONS[name],
  );
  const parameters = {
    ...lists,
    ...(from === undefined ? {} : { from: quoted(from) }),
    ...(to === undefined ? {} : { to: quoted(to) }),
    ...(outcomes === undefined ? {} : { outcomes: outcomes.map(quoted) }),
    ...(undetermined === undefined || undetermined === true ? {} : { undetermined }),
    ...(subject === undefined ? {} : { hashes: subject.hashes, variable: `$.${subject.variable}` }),
  };
  return { sql: [`kind = '"decision"'`, ...parts].join(' AND '), parameters };
}

const quoted = (text: string) => JSON.stringify(text);

/** Nothing is written to the disk, nothing fetched, and nothing kept of a file that was read. */
const SETTINGS = [
  `SET temp_directory = ''`,
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
  'SET enable_external_file_cache = false',
];

/** A line break, and what the reader adds. */
const MOST_BYTES = MAX_LINE_BYTES + 1024;

/** DuckDB takes the name of a file for a pattern, which another file may fit. */
function asPattern(file: string): string {
  return file.replace(/[[*?]/g, '[$&]');
}

/** All that one pass over the files finds, in one row. */
function findIn(condition: string): string {
  const columns = COLUMNS.map((name) => `"${name}": 'JSON'`).join(', ');
  // Without `records` the reader looks whether there are any, and holds each file in memory meanwhile.
  const options = `format = 'newline_delimited', records = true, compression = 'uncompressed', hive_partitioning = false, ignore_errors = true, filename = true, maximum_object_size = ${MOST_BYTES}, columns = {${columns}}`;
  const shown = ['at', 'id', 'outcome', 'codes', 'rules', 'undetermined', 'causes', 'policy'];
  const struct = (names: readonly string[]) => `{${names.map((name) => `"${name}": "${name}"`).join(', ')}}`;
  const moment = struct(['at', 'id']);
  return `CREATE OR REPLACE TEMP TABLE found AS
    SELECT count(*) FILTER (WHERE is_found) AS total,
      max_by(${struct(shown)}, ${moment}, $limit) FILTER (WHERE is_found) AS newest,
      list(${struct(['at', 'id', 'decision', 'disposition'])}) FILTER (WHERE kind = '"note"') AS notes,
      list(records) FILTER (WHERE kind = '"erasure"') AS erasures,
      list(DISTINCT filename) FILTER (WHERE NOT is_readable) AS unread
    FROM (SELECT *, coalesce(${IS_READABLE}, false) AS is_readable, coalesce(${condition}, false) AS is_found
      FROM read_json($files, ${options}))`;
}

const DECISIONS = 'SELECT unnest(d) FROM (SELECT unnest(newest) AS d FROM found)';
/** The decisions whose notes and erasures are wanted: those found here, and those that others found. */
const WANTED = 'SELECT unnest(newest).id::VARCHAR FROM found UNION ALL SELECT unnest($ids)';
const NOTES = `SELECT unnest(n) FROM (SELECT unnest(notes) AS n FROM found) WHERE n.decision::VARCHAR IN (${WANTED})`;
const ERASED = `SELECT DISTINCT id
  FROM (SELECT unnest(flatten(list_transform(erasures, lambda e: from_json(e, '["VARCHAR"]')))) AS id FROM found)
  WHERE '"' || id || '"' IN (${WANTED})`;

/**
 * Adds what the files, by their absolute names, hold to what was gathered. Gives the files that have a line which DuckDB cannot read; then nothing was
 * added. Rejects with DuckDB's own error where it cannot read on.
 */
export async function searchWithDuckDb(
  { connection, package: duckdb }: DuckDb,
  files: readonly string[],
  filter: Filter,
  limit: number,
  gathering: ResultCollector,
): Promise<readonly string[]> {
  const { LIST, VARCHAR, BIGINT, listValue } = duckdb;
  const bind = (given: Parameters) => {
    const entries = Object.entries(given).map(([name, value]) =>
      typeof value === 'string'
        ? ([name, value, VARCHAR] as const)
        : ([name, listValue([...value]), LIST(VARCHAR)] as const),
    );
    return {
      values: Object.fromEntries(entries.map(([name, value]) => [name, value])),
      types: Object.fromEntries(entries.map(([name, , type]) => [name, type])),
    };
  };
  for (const setting of SETTINGS) await connection.run(setting);
  const { sql, parameters } = conditionOf(filter);
  const { values, types } = bind({ ...parameters, files: files.map(asPattern) });
  await connection.run(findIn(sql), { ...values, limit: BigInt(limit) }, { ...types, limit: BIGINT });
  const [summary] = (await connection.runAndReadAll('SELECT total, unread FROM found')).getRowsJS();
  const [total, unread] = summary ?? [];
  if (Array.isArray(unread)) return unread.map(String);

  const rowsOf = async (query: string, given: Parameters = {}) => {
    const bound = bind(given);
    return (await connection.runAndReadAll(query, bound.values, bound.types)).getRowObjectsJS();
  };
  const ids = gathering.ids().map(quoted);
  const notes = await rowsOf(NOTES, { ids });
  const erased = await rowsOf(ERASED, { ids });
  const decisions = await rowsOf(DECISIONS);
  // From here on nothing fails: what cannot be read is not half added.
  for (const row of notes) gathering.addNote(dataOf(row) as ClearNote);
  gathering.addErasure(erased.map((row) => String(row['id'])));
  gathering.count(Number(total) - decisions.length);
  for (const row of decisions) gathering.addDecision(dataOf(row) as ClearDecision);
  return [];
}

/** A row of JSON texts as the data that it stands for. */
function dataOf(row: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(row).map(([name, json]) => [name, JSON.parse(String(json))]));
}
