/** Searches: line by line and by the index they find the same, and reject the same lines. */

import { hash, randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { v7 as uuidV7 } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type EntryFields,
  formatEntry,
  NO_HASH,
  type NoteFields,
  RECORDED_OUTCOMES,
  type RecordFields,
} from '../../../src/audit/entry/entry.ts';
import type { LogIndex } from '../../../src/audit/index/log-index.ts';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { initAuditLog } from '../../../src/audit/init.ts';
import { addIndexKey, readIndexKeys } from '../../../src/audit/keys/key-folder.ts';
import { referenceHash, subjectsOf } from '../../../src/audit/keys/subject.ts';
import { keysFolder } from '../../../src/audit/place.ts';
import { type SearchResult, searchLog } from '../../../src/audit/query/search.ts';
import type { CountKey, CountRow } from '../../../src/audit/read/count-by.ts';
import type { SearchQuery } from '../../../src/audit/read/criteria.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { SEGMENTS } from '../../../src/audit/store/segment.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import type { DiagnosticsError } from '../../../src/diagnostics.ts';
import { VerdictError } from '../../../src/errors.ts';
import { DISPOSITIONS } from '../../../src/policy/language.ts';
import { keepData } from '../../../src/policy/source-map.ts';
import { normaliseVariable } from '../../../src/signals/request.ts';
import { localVerifier, logFolder } from '../../support/audit/decisions.ts';
import { makeSmallLog } from '../../support/audit/log.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const AT = '2026-11-20T12:00:00.000Z';
const DIGEST = `sha256:${'7'.repeat(64)}`;
const POLICY = { name: 'onboarding', version: '2026.11', digest: DIGEST };
const PHONE = '+12025550101';

type DecisionLine = Extract<RecordFields, { kind: 'decision' }>;
type Given = Partial<Omit<DecisionLine, 'kind' | 'key' | 'sealed' | 'plain'>> & { readonly plain?: object };

function decision({ plain, ...given }: Given = {}): DecisionLine {
  const { codes: _, ...others } = given;
  const clear = {
    ...{ kind: 'decision' as const, at: AT, id: uuidV7(), writtenAt: AT, subjects: {}, reference: HASHES[0] ?? '' },
    ...{ outcome: 'accept' as const },
    ...(given.reasons ? {} : { codes: given.codes ?? [] }),
    ...{ rules: [], undetermined: [], missing: {}, policy: POLICY, mapping: DIGEST, engine: '0.1.0' },
    ...others,
  };
  if (plain) return { ...clear, plain: { ...plain } };
  return { ...clear, key: `${uuidV7()}.1.1:0`, sealed: randomBytes(60).toString('base64') };
}

function note(decided: string, disposition: NoteFields['disposition'], at = AT): RecordFields {
  return { kind: 'note', at, id: uuidV7(), decision: decided, disposition, subjects: {}, plain: { by: 'A', why: 'B' } };
}

function event(object: string): RecordFields {
  const plain = { by: 'A', why: '', details: { outcome: 'reject' } };
  const what = { type: 'case.opened', object, actor: HASHES[0] ?? '', subjects: {} } as const;
  return { kind: 'event', at: AT, id: uuidV7(), ...what, plain };
}

const erasure = (...records: string[]): RecordFields => ({ kind: 'erasure', at: AT, subject: [], records });

/** Creates a log. */
async function createLog() {
  const dir = join(temporaryFolder(), 'log');
  const { log } = await initAuditLog({ dir });
  return { dir, log };
}

/** Writes a chain with `perSegment` records a segment; returns the files of its segments. */
function writeChain(
  { dir, log }: { readonly dir: string; readonly log: string },
  records: readonly RecordFields[],
  perSegment: number,
): string[] {
  const chain = uuidV7();
  const folder = join(dir, 'chains', chain);
  mkdirSync(folder);
  let [seq, prev] = [0, NO_HASH];
  const format = (fields: EntryFields) => {
    const { text, hash } = formatEntry({ chain, seq: seq + 1, prev, batch: seq + 1, ...fields });
    [seq, prev] = [seq + 1, hash];
    return text;
  };
  const count = Math.ceil(records.length / perSegment) || 1;
  return Array.from({ length: count }, (_, i) => {
    const lines = i === 0 ? [format({ kind: 'open', at: AT, log, epoch: 1, engine: '0.1.0', segment: 1 })] : [];
    for (const record of records.slice(i * perSegment, (i + 1) * perSegment)) lines.push(format(record));
    if (i < count - 1) lines.push(format({ kind: 'seal', at: AT, segment: i + 1, records: lines.length }));
    const file = join(folder, SEGMENTS.of(i + 1));
    writeFileSync(file, lines.join(''));
    return file;
  });
}

const indexes = new Map<string, LogIndex>();

/** The index of a log, as it is left by earlier searches of the test. */
async function indexOf(dir: string): Promise<LogIndex> {
  const index = indexes.get(dir) ?? (await openLogIndex({ dir }));
  indexes.set(dir, index);
  return index;
}

async function closeIndexes() {
  for (const index of indexes.values()) await index.close();
  indexes.clear();
}

afterEach(closeIndexes);

/** The result line by line, which is that by the index. */
async function both(
  dir: string,
  query: SearchQuery = {},
  limit = 100,
  counting: { readonly countBy?: readonly CountKey[] } = {},
): Promise<SearchResult> {
  const byLines = await searchLog({ dir }, query, { limit, ...counting });
  expect(await searchLog({ dir }, query, { limit, index: await indexOf(dir), ...counting })).toEqual(byLines);
  return byLines;
}

/** The error of both readers. */
async function bothFail(dir: string, query: SearchQuery = {}): Promise<VerdictError> {
  const byLines = await searchLog({ dir }, query).catch((error: unknown) => error);
  expect(byLines).toBeInstanceOf(VerdictError);
  const index = await indexOf(dir);
  expect(await searchLog({ dir }, query, { index }).catch((error: unknown) => error)).toEqual(byLines);
  return byLines as VerdictError;
}

const ids = ({ rows }: SearchResult) => rows.map(({ id }) => id);

/** A log of two segments with these records in the first, closed one. */
async function logOf(...records: RecordFields[]) {
  const log = await createLog();
  const files = writeChain(log, [...records, note(uuidV7(), 'approve')], Math.max(records.length, 1));
  return { ...log, files };
}

const TIMES = ['2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00.000Z', AT, '2026-11-20T23:59:59.999Z'];
/** Texts with a special meaning in SQL, JSON or regular expressions. */
const TEXTS = ['A', 'B', 'a","b', "x' OR ''='", 'é', '\u001f', '\\', '["A"]', '', '$.name', '\ud83d\ude00', 'A"'];
const HASHES = ['1', '2', '3'].map((digit) => `1:${digit.repeat(64)}`);

const someTexts = fc.subarray(TEXTS, { maxLength: 3 });
const sortedTexts = someTexts.map((texts) => [...texts].sort());
const aPolicy = fc.record({ name: fc.constantFrom(...TEXTS), version: fc.constantFrom(...TEXTS) });
const aDecision = fc.record({
  at: fc.constantFrom(...TIMES),
  outcome: fc.constantFrom(...RECORDED_OUTCOMES),
  reasons: fc.option(fc.record({ decisive: sortedTexts, fired: sortedTexts, undetermined: sortedTexts }), {
    nil: undefined,
  }),
  codes: sortedTexts,
  rules: someTexts,
  undetermined: someTexts,
  missing: fc.record({ error: sortedTexts, invalid: sortedTexts }, { requiredKeys: [] }),
  policy: aPolicy.map((policy) => ({ ...policy, digest: DIGEST })),
  subjects: fc.record({ phoneNo: fc.constantFrom(...HASHES), email: fc.constantFrom(...HASHES) }, { requiredKeys: [] }),
  plain: fc.option(fc.constantFrom({}, { text: '\ud800' }, { kind: 'note', text: 'é"\n' }), { nil: undefined }),
});
/** Records of chains; notes and erasures name a decision by its number across all chains. */
const aRecord = fc.oneof(
  { weight: 4, arbitrary: fc.record({ decision: aDecision }) },
  {
    weight: 2,
    arbitrary: fc.record({
      note: fc.nat(3),
      disposition: fc.constantFrom(...DISPOSITIONS),
      at: fc.constantFrom(...TIMES),
    }),
  },
  { weight: 1, arbitrary: fc.record({ erasure: fc.array(fc.nat(3), { maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ event: fc.nat(3) }) },
);
const aLog = fc.record({
  chains: fc.array(fc.array(aRecord, { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
  perSegment: fc.integer({ min: 1, max: 4 }),
  torn: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
});
const aQuery: fc.Arbitrary<SearchQuery> = fc.record(
  {
    from: fc.constantFrom('2026-11-20', '2026-11-20T12:00:00.000Z', '2026-11-20T13:00+01:00'),
    to: fc.constantFrom('2026-11-20', '2026-11-20T12:00:00.000Z', '2026-11-20T13:00+01:00'),
    outcomes: fc.subarray([...RECORDED_OUTCOMES]),
    reasons: someTexts,
    firedReasons: someTexts,
    undeterminedReasons: someTexts,
    rules: someTexts,
    policies: fc.subarray([...TEXTS, 'A@B', 'B@A', DIGEST], { maxLength: 4 }),
    undetermined: fc.oneof(fc.constant(true as const), someTexts),
    dispositions: fc.subarray([...DISPOSITIONS]),
  },
  { requiredKeys: [] },
);
/** Few random logs have a decision that meets several criteria, and a note. */
const aNoted: fc.Arbitrary<SearchQuery> = fc.record({ dispositions: fc.subarray([...DISPOSITIONS], { minLength: 1 }) });

type PlainLog = typeof aLog extends fc.Arbitrary<infer Value> ? Value : never;

/** The records of a generated log, by chain and together. */
function recordsOf({ chains }: PlainLog) {
  const known = Array.from({ length: 10 }, () => uuidV7());
  let next = 0;
  const records = chains.map((plain) =>
    plain.map((each): RecordFields => {
      if ('decision' in each) {
        const { plain: body, ...clear } = each.decision;
        const id = known[next++] ?? uuidV7();
        return decision({ ...clear, id, ...(body === undefined ? {} : { plain: body }) } as Given);
      }
      if ('note' in each) return note(known[each.note] ?? '', each.disposition, each.at);
      if ('event' in each) return event(known[each.event] ?? '');
      return erasure(...each.erasure.map((n) => known[n] ?? ''));
    }),
  );
  return { records, all: records.flat() };
}

const overlap = (found: readonly string[], asked: readonly string[] | undefined) =>
  asked === undefined || found.some((one) => asked.includes(one));
const INSTANTS: Readonly<Record<string, string>> = { '2026-11-20T13:00+01:00': AT };
const byMoment = (one: { at: string; id: string }, other: { at: string; id: string }) =>
  one.at + one.id < other.at + other.id ? 1 : -1;
/** Those of the same instant stay in the order of the log. */
const byTime = (one: { at: string }, other: { at: string }) => (one.at < other.at ? -1 : Number(one.at > other.at));

function expected(all: readonly RecordFields[], { from, to, undetermined, ...query }: SearchQuery) {
  const begins = from?.length === 10 ? `${from}T00` : (INSTANTS[from ?? ''] ?? from ?? '');
  const ends = to?.length === 10 ? `${to}T24` : (INSTANTS[to ?? ''] ?? to ?? 'Z');
  const rows = all.flatMap((record) => {
    if (record.kind !== 'decision') return [];
    const { at, id, outcome, reasons, codes, rules, undetermined: open, missing, policy } = record;
    const named = [policy.name, `${policy.name}@${policy.version}`, policy.digest];
    const isFound =
      at >= begins &&
      at <= ends &&
      overlap([outcome], query.outcomes) &&
      overlap(rules, query.rules) &&
      overlap(named, query.policies) &&
      (undetermined === true ? open.length > 0 : overlap(open, undetermined));
    const asked = [query.reasons, query.firedReasons, query.undeterminedReasons];
    const lists = reasons ? [reasons.decisive, reasons.fired, reasons.undetermined] : [codes, codes, codes];
    const hasReasons = lists.every((list, i) => overlap(list ?? [], asked[i]));
    const isUndecidable = !reasons && asked.some((each) => each !== undefined);
    const notes = all.flatMap((one) => (one.kind === 'note' && one.decision === id ? [one] : [])).sort(byTime);
    const erased = all.some((one) => one.kind === 'erasure' && one.records.includes(id));
    const last = (...any: readonly string[]) => notes.findLast(({ disposition }) => any.includes(disposition));
    const [review, label] = [last('approve', 'decline'), last('fraud', 'genuine')];
    const said = {
      ...(review ? { review: review.disposition } : {}),
      ...(label ? { label: label.disposition } : {}),
    };
    const isNoted = overlap(Object.values(said), query.dispositions);
    const recorded = reasons ? { reasons } : { codes };
    const row = { at, id, outcome, ...recorded, rules, undetermined: open, missing, policy, ...said, erased };
    return isFound && isNoted && hasReasons ? [{ row, isUndecidable }] : [];
  });
  return {
    rows: rows.flatMap(({ row, isUndecidable }) => (isUndecidable ? [] : [row])).sort(byMoment),
    undecidable: rows.filter(({ isUndecidable }) => isUndecidable).length,
  };
}

it('both readers find what a reference search finds, in any log, also with half a line at its end', async () => {
  await fc.assert(
    fc.asyncProperty(aLog, fc.oneof(aQuery, aNoted), fc.integer({ min: 1, max: 12 }), async (plain, query, limit) => {
      const log = await createLog();
      const { records, all } = recordsOf(plain);
      for (const chain of records) {
        const last = writeChain(log, chain, plain.perSegment).at(-1) ?? '';
        if (plain.torn === undefined) continue;
        const line = formatEntry({ chain: uuidV7(), seq: 1, prev: NO_HASH, batch: 1, ...decision() }).text;
        // The longest one lacks only its line break.
        appendFileSync(last, line.slice(0, Math.ceil(plain.torn * (line.length - 1))));
      }
      const { rows, undecidable } = expected(all, query);
      expect(await both(log.dir, query, limit)).toEqual({
        rows: rows.slice(0, limit),
        total: rows.length,
        undecidable,
        prunedSegments: 0,
      });
    }),
    { numRuns: sampled(5, 40) },
  );
});

/** What a row of a search does not say: count-people.test.ts has these. */
type OfNotes = 'person' | 'why' | 'waited';

/** The values of a decision by which it is counted; undefined if its record does not say. */
const VALUES: Readonly<
  Record<Exclude<CountKey, OfNotes>, (row: SearchResult['rows'][number]) => readonly string[] | undefined>
> = {
  month: ({ at }) => [at.slice(0, 7)],
  day: ({ at }) => [at.slice(0, 10)],
  outcome: ({ outcome }) => [outcome],
  reason: ({ reasons }) => reasons?.decisive,
  rule: ({ rules }) => rules,
  policy: ({ policy }) => [`${policy.name}@${policy.version}`],
  review: ({ review }) => [review ?? []].flat(),
  label: ({ label }) => [label ?? []].flat(),
  disposition: ({ review, label }) => [label ?? review ?? []].flat(),
};

/** The rows of a count in any order: each decision once for each choice of its values. */
function expectedCounts(found: SearchResult['rows'], [first, second]: readonly (keyof typeof VALUES)[]) {
  const told = found.filter((row) => ![first, second].some((key) => key && VALUES[key](row) === undefined));
  const choices = (row: SearchResult['rows'][number], key: keyof typeof VALUES | undefined) => {
    if (key === undefined) return ['unused'];
    const values = VALUES[key](row) ?? [];
    return values.length === 0 ? [null] : values;
  };
  const rows = told.flatMap((row) =>
    choices(row, first).flatMap((one) =>
      choices(row, second).map((other) => JSON.stringify(second === undefined ? [one] : [one, other])),
    ),
  );
  const counts = [...new Set(rows)].map((values) => [values, rows.filter((row) => row === values).length]);
  return { rows: counts.sort(), decisions: told.length, earlier: found.length - told.length };
}

const unsorted = (rows: readonly CountRow[]) =>
  rows.map(({ values, decisions }) => [JSON.stringify(values), decisions]).sort();

it('both readers count what a reference counts, in any log, by one key or two, with any filter', async () => {
  const someKeys = fc.uniqueArray(fc.constantFrom(...(Object.keys(VALUES) as (keyof typeof VALUES)[])), {
    minLength: 1,
    maxLength: 2,
  });
  await fc.assert(
    // Most queries of random texts find nothing to count.
    fc.asyncProperty(aLog, fc.oneof(fc.constant({}), aQuery, aNoted), someKeys, async (plain, query, countBy) => {
      const log = await createLog();
      const { records, all } = recordsOf(plain);
      for (const chain of records) writeChain(log, chain, plain.perSegment);
      const { counts } = await both(log.dir, query, 1, { countBy });
      if (!counts) throw new Error('no counts');
      const { rows, decisions, earlier } = counts;
      const found = expected(all, query).rows as SearchResult['rows'];
      expect({ rows: unsorted(rows), decisions, earlier }).toEqual(expectedCounts(found, countBy));
    }),
    { numRuns: sampled(2, 40) },
  );
});

it('counts are sorted by each key in turn: times in their order, all else the most frequent first', async () => {
  const of = (at: string, ...decisive: string[]) =>
    decision({ at, reasons: { decisive, fired: [], undetermined: ['C'] }, rules: ['x', 'x'] });
  const [december, november] = ['2026-12-01T00:00:00.000Z', AT];
  const { dir } = await logOf(
    ...[of(december, 'A'), of(november, 'B'), of(december, 'A', 'B'), of(november, 'B'), of(november), decision()],
  );
  const countBy = async (...keys: CountKey[]) => {
    const { counts } = await both(dir, {}, 1, { countBy: keys });
    return { ...counts, rows: counts?.rows.map(({ values, decisions }) => [...values, decisions]) };
  };
  expect(await countBy('reason', 'month')).toEqual({
    keys: ['reason', 'month'],
    rows: [
      ['B', '2026-11', 2],
      ['B', '2026-12', 1],
      ['A', '2026-12', 2],
      [null, '2026-11', 1],
    ],
    decisions: 5,
    earlier: 1,
  });
  // A record that repeats a rule counts once.
  expect(await countBy('rule')).toMatchObject({
    rows: [
      ['x', 5],
      [null, 1],
    ],
    decisions: 6,
    earlier: 0,
  });
  expect(await searchLog({ dir }, {})).not.toHaveProperty('counts');
  const unknown = searchLog({ dir }, {}, { countBy: ['week' as CountKey] });
  await expect(unknown).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
});

it.each([
  ['not JSON', '{"chain":'],
  ['not an object', '[1]'],
  ['of an unknown kind', '{"kind":"verdict"}'],
  ['a decision with a number as outcome', '{"kind":"decision","outcome":5}'],
  ['only null characters', '\0\0\0\0'],
])('a line that is %s rejects the search in any segment, and the message names the line', async (_, line) => {
  const { dir, files } = await logOf(decision({ outcome: 'reject' }));
  for (const [segment, file] of files.entries()) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${line}\n${text}`);
    const { code, message } = await bothFail(dir, { outcomes: ['accept'] });
    expect(code).toBe('AUDIT_FAILED');
    expect(message).toMatch(new RegExp(`^line 1 of segment ${segment + 1} of chain .* verdict audit verify`));
    writeFileSync(file, text);
  }
});

it.each([
  [2, 'decision', ['at', 'id', 'outcome', 'reasons', 'codes', 'rules', 'undetermined', 'missing', 'policy']],
  [3, 'note', ['at', 'id', 'decision', 'disposition']],
  [4, 'erasure', ['records']],
] as const)('the record in line %i, a %s, cannot be read if one of its fields is a number', async (line, _, keys) => {
  const { dir, files } = await logOf(decision(), note(uuidV7(), 'approve'), erasure());
  const file = files[0] ?? '';
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const key of keys) {
    const spoilt = JSON.stringify({ ...JSON.parse(lines[line - 1] ?? ''), [key]: 5 });
    writeFileSync(file, lines.with(line - 1, spoilt).join('\n'));
    expect((await bothFail(dir)).message, key).toMatch(new RegExp(`^line ${line} of segment 1`));
  }
});

it('a closed segment is read to its last byte, and blank lines are skipped', async () => {
  const { dir, files } = await logOf(decision());
  const file = files[0] ?? '';
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, -1));
  expect(await both(dir)).toMatchObject({ total: 1 });
  writeFileSync(file, text.replaceAll('\n', '\n\n \r\n'));
  expect(await both(dir)).toMatchObject({ total: 1 });
  writeFileSync(file, text.slice(0, -2));
  expect((await bothFail(dir)).message).toMatch(/^line 3 of segment 1/);
});
it('a day lasts from its first to its last instant, and both ends are inclusive', async () => {
  const records = TIMES.map((at) => decision({ at }));
  const { dir } = await logOf(...records);
  const [before, first, noon, last] = records.map(({ id }) => id);
  expect(ids(await both(dir, { from: '2026-11-20', to: '2026-11-20' }))).toEqual([last, noon, first]);
  expect(ids(await both(dir, { to: '2026-11-20T13:00:00+01:00' }))).toEqual([noon, first, before]);
  expect(ids(await both(dir, { from: '2026-11-20T12:00:00.001Z' }))).toEqual([last]);
});

it.each([
  { from: '2026-02-30' },
  { to: 'yesterday' },
  { to: '2026-11-20T12:00:00' },
  { from: '2026-02-30T00:00:00Z' },
  { from: '9999-12-31T23:00:00-23:00' },
  { from: '2026-11-21', to: '2026-11-20' },
  { outcomes: ['maybe'] as unknown as SearchQuery['outcomes'] & object },
  { dispositions: ['maybe'] as unknown as SearchQuery['dispositions'] & object },
  { subject: 'nobody' },
])('an invalid query is refused (%o)', async (query) => {
  const { dir } = await createLog();
  expect((await bothFail(dir, query)).code).toBe('REQUEST_INVALID');
});

it('a subject is found in any notation, with every index key, and only as its own variable', async () => {
  const log = await createLog();
  const keys = folderAt(keysFolder(log));
  await addIndexKey(keys);
  const [old, present] = await readIndexKeys(keys, log.log);
  if (!old || !present) throw new Error('two keys were expected');
  const subject = (key: typeof old, phoneNo = PHONE) => {
    const read = normaliseVariable('phoneNo', phoneNo);
    if ('problem' in read) throw new Error(read.problem);
    return subjectsOf(
      new Map([['phoneNo', read.value] as const, ['email', 'nora@juniper-lane.example'] as const]),
      key,
    );
  };
  const [one, two, three] = [
    decision({ at: TIMES[0] ?? '', subjects: subject(old) }),
    decision({ subjects: subject(present) }),
    decision({ subjects: subject(present, '+12025550102') }),
  ];
  writeChain(log, [one, two, three, note(two.id, 'decline')], 1);
  expect(ids(await both(log.dir, { subject: '+1 (202) 555-0101' }))).toEqual([two.id, one.id]);
  expect((await both(log.dir, { subject: 'NORA@juniper-lane.example' })).total).toBe(3);
  // The same hash under another variable.
  const swapped = decision({ subjects: { ip: one.subjects.phoneNo ?? '' } });
  writeChain(log, [swapped, swapped], 1);
  expect((await both(log.dir, { subject: PHONE })).total).toBe(2);
});

it('a reference is found with every index key, in both kinds of segments', async () => {
  const log = await createLog();
  const keys = folderAt(keysFolder(log));
  await addIndexKey(keys);
  const [old, present] = await readIndexKeys(keys, log.log);
  if (!old || !present) throw new Error('two keys were expected');
  const of = (key: typeof old, reference = 'ONB-7') => decision({ reference: referenceHash(reference, key) });
  const [one, two, other] = [of(old), of(present), of(present, 'onb-7')];
  writeChain(log, [one, two, other], 1);
  expect(ids(await both(log.dir, { reference: 'ONB-7' })).sort()).toEqual([one.id, two.id].sort());
  await expect(searchLog({ dir: log.dir, keys: join(log.dir, 'none') }, { reference: 'ONB-7' })).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
  });
});

it('an invalid subject is not repeated, and only a search for a subject needs keys', async () => {
  const { dir } = await logOf(decision());
  const elsewhere = { dir, keys: join(dir, 'no-keys') };
  expect((await searchLog(elsewhere, {})).total).toBe(1);
  await expect(searchLog(elsewhere, { subject: PHONE })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  const { message } = await bothFail(dir, { subject: '2025550101 nobody' });
  expect(message).not.toMatch(/2025550101|nobody/);
});

it('a decision is found by its last review and its last label, as notes come in any order and segments go', async () => {
  const log = await createLog();
  const decided = decision();
  const find = async () => {
    const found = new Map<string, number>();
    for (const disposition of DISPOSITIONS) {
      const query = { dispositions: [disposition] };
      const { total } = await both(log.dir, query);
      const { counts } = await both(log.dir, query, 1, { countBy: ['outcome'] });
      expect(counts?.decisions).toBe(total);
      if (total > 0) found.set(disposition, total);
    }
    return Object.fromEntries(found);
  };
  // Of a chain that the index reads before the decision, in a segment that a search reads after it.
  writeChain(log, [note(decided.id, 'approve', TIMES[1]), decision()], 1);
  expect(await find()).toEqual({});
  writeChain(log, [decision(), decided], 1);
  expect(await find()).toEqual({ approve: 1 });
  const [, last = ''] = writeChain(
    log,
    [note(decided.id, 'decline', TIMES[0]), note(decided.id, 'fraud', TIMES[3])],
    1,
  );
  expect(await find()).toEqual({ approve: 1, fraud: 1 });
  expect((await both(log.dir, { dispositions: ['approve', 'fraud'] })).total).toBe(1);
  rmSync(last);
  expect(await find()).toEqual({ approve: 1 });
});

it('the newest decisions are returned up to the limit, and all are counted', async () => {
  const log = await createLog();
  const records = Array.from({ length: 2500 }, (_, i) =>
    decision({ at: new Date(Date.UTC(2026, 0, 1) + ((i * 7919) % 2500) * 1000).toISOString() }),
  );
  writeChain(log, records, 600);
  const newest = [...records].sort(byMoment).map(({ id }) => id);
  const found = await both(log.dir, {}, 3);
  expect(found).toMatchObject({ total: 2500 });
  expect(ids(found)).toEqual(newest.slice(0, 3));
  expect(ids(await both(log.dir, {}, 100_000))).toEqual(newest);
  for (const limit of [0, 1.5, 100_001]) {
    await expect(searchLog({ dir: log.dir }, {}, { limit })).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  }
});

describe('facts that are sought', () => {
  const WITH_MARKET = `${HEAD}facts:
  context.market: { type: enum, values: [DE, FR] }
  context.age: { type: integer, personal: true }
  context.isStaff: { type: boolean }
rules:
  - { id: minor, when: { context.age: { below: 18 } }, then: reject }
  - { id: staff, when: { context.isStaff: true }, points: -5 }
  - { id: french, when: { context.market: FR }, points: 5 }
`;
  const FRENCH = { market: 'FR', age: 40, isStaff: false };

  /** A log of these contexts, one decision each; returns the ids. */
  async function decided(pii: 'sealed' | 'plain', ...contexts: object[]) {
    const folder = await logFolder();
    const audit = await folder.open({ pii });
    const decider = createDecider({ policy: policyOf(WITH_MARKET), verify: localVerifier, audit });
    const found: string[] = [];
    for (const context of contexts) {
      found.push((await decider.decide({ email: 'nora@juniper-lane.example' }, { context } as object)).id);
    }
    return { folder, audit, found };
  }

  it.each(['sealed', 'plain'] as const)(
    'are compared in %s bodies, all of them, beside the clear fields',
    async (pii) => {
      const contexts = [FRENCH, { ...FRENCH, age: 17 }, { market: 'DE', age: 17, isStaff: true }, { market: 'FR' }];
      const { folder, audit, found } = await decided(pii, ...contexts);
      await audit.close();
      const numbersOf = async (facts: Readonly<Record<string, string>>, query: SearchQuery = {}) => {
        const result = await searchLog(folder.place, query, { facts });
        expect(result).toMatchObject({ unopened: 0, unknownFacts: [] });
        return result.rows.map(({ id }) => found.indexOf(id)).sort();
      };
      expect(await numbersOf({ 'context.market': 'FR' })).toEqual([0, 1, 3]);
      expect(await numbersOf({ 'context.market': 'FR', 'context.age': '17' })).toEqual([1]);
      expect(await numbersOf({ 'context.isStaff': 'true' })).toEqual([2]);
      expect(await numbersOf({ 'applicant.emailDomain': 'juniper-lane.example' })).toEqual([0, 1, 2, 3]);
      expect(await numbersOf({ 'context.age': '' })).toEqual([]);
      expect(await numbersOf({ 'context.market': 'FR' }, { outcomes: ['reject'] })).toEqual([1]);
      const { counts } = await searchLog(folder.place, {}, { facts: { 'context.market': 'FR' }, countBy: ['reason'] });
      expect(counts?.rows.map(({ values, decisions }) => [...values, decisions])).toEqual(
        expect.arrayContaining([['MINOR', 1]]),
      );
      expect(counts?.decisions).toBe(3);
    },
  );

  it.each(['sealed', 'plain'] as const)(
    'may have to meet a condition, in the names of the policy that decided, in %s bodies',
    async (pii) => {
      const contexts = [FRENCH, { ...FRENCH, age: 17 }, { market: 'DE', age: 17, isStaff: true }, { market: 'FR' }];
      const { folder, audit, found } = await decided(pii, ...contexts);
      // Another policy has other facts, and no decision that meets a condition on these.
      const decider = createDecider({ policy: policyOf(`${HEAD}rules: []\n`), verify: localVerifier, audit });
      found.push((await decider.decide({ email: 'nora@juniper-lane.example' })).id);
      await audit.close();
      const numbersOf = async (where: string, more: object = {}) => {
        const { rows } = await searchLog(folder.place, {}, { where, ...more });
        return rows.map(({ id }) => found.indexOf(id)).sort();
      };
      expect(await numbersOf('context.age: { below: 18 }')).toEqual([1, 2]);
      expect(await numbersOf('context.age: { between: [18, 40] }')).toEqual([0]);
      expect(await numbersOf('context.age: { known: false }')).toEqual([3]);
      expect(await numbersOf('any: [context.isStaff: true, context.age: 40]')).toEqual([0, 2]);
      expect(await numbersOf('applicant.emailDomain: { startsWith: juniper }')).toEqual([0, 1, 2, 3, 4]);
      expect(await numbersOf('context.age: { below: 18 }', { facts: { 'context.market': 'DE' } })).toEqual([2]);
    },
  );

  it('and decisions by a policy that this version cannot read are counted apart, not taken for a mistake', async () => {
    const { folder, audit } = await decided('plain', FRENCH);
    const written = JSON.stringify({ default: 'accept', policy: 'old', rules: [{ gone: true }], version: '1' });
    const digest = `sha256:${hash('sha256', written, 'hex')}`;
    const earlier = keepData({ ...policyOf(`${HEAD}rules: []\n`), digest }, written);
    const decider = createDecider({ policy: earlier, verify: localVerifier, audit });
    await decider.decide({ email: 'nora@juniper-lane.example' });
    await audit.close();
    expect(await searchLog(folder.place, {}, { where: 'context.age: 40' })).toMatchObject({ total: 1, unopened: 1 });
  });

  it('and a condition that no policy on record can read, is refused', async () => {
    const { folder, audit } = await decided('sealed', FRENCH);
    await audit.close();
    const codesOf = (where: string) =>
      searchLog(folder.place, {}, { where }).catch((error: DiagnosticsError) =>
        error.diagnostics.map(({ code }) => code),
      );
    expect(await codesOf('context.agge: { below: 18 }')).toEqual(['unknown-fact']);
    expect(await codesOf('context.age: { belov: 18 }')).toEqual(['unknown-operator']);
    expect(await codesOf('context.age: young')).toEqual(['wrong-type']);
  });

  it('leave out decisions that cannot be opened, and say how many; and which facts no decision has', async () => {
    const { folder, audit, found } = await decided('sealed', FRENCH, FRENCH);
    await eraseSubject({ log: audit, reference: found[0] ?? '' });
    await audit.close();
    const facts = { 'context.market': 'FR', 'context.markt': 'FR' };
    expect(await searchLog(folder.place, {}, { facts })).toMatchObject({
      ...{ total: 0, unopened: 1, unknownFacts: ['context.markt'] },
    });
    const none = await searchLog(folder.place, { outcomes: ['aborted'] }, { facts });
    expect(none).toMatchObject({ total: 0, unopened: 0, unknownFacts: [] });
    expect(await searchLog(folder.place, {}, {})).not.toHaveProperty('unopened');
    const elsewhere = { dir: folder.dir, keys: join(folder.dir, 'none') };
    await expect(searchLog(elsewhere, {}, { facts })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  });
});

it('pruned segments are counted, and the other segments are searched', async () => {
  const { dir } = await makeSmallLog(temporaryFolder());
  const { prunedSegments, total } = await both(dir);
  expect(prunedSegments).toBe(1);
  expect(total).toBeGreaterThan(0);
});

it('a changed record is found as it is: a search verifies nothing', async () => {
  const decided = decision({ outcome: 'reject' });
  const { dir, files } = await logOf(decided);
  const file = files[0] ?? '';
  writeFileSync(file, readFileSync(file, 'utf8').replace('"reject"', '"accept"'));
  expect((await both(dir, { outcomes: ['accept'] })).rows).toMatchObject([{ id: decided.id }]);
});

it('an aborted search rejects', async () => {
  const { dir } = await logOf(decision());
  const searched = searchLog({ dir }, {}, { signal: AbortSignal.abort() });
  await expect(searched).rejects.toMatchObject({ code: 'ABORTED' });
});

it('a folder without a log is refused, and a search writes nothing', async () => {
  await expect(searchLog({ dir: temporaryFolder() }, {})).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  const { dir } = await logOf(decision());
  const before = readdirSync(dir, { recursive: true });
  await searchLog({ dir }, {});
  expect(readdirSync(dir, { recursive: true })).toEqual(before);
});
