import { describe, expect, it } from 'vitest';
import { type EntryFields, type EntryHeader, formatEntry, NO_HASH } from '../../../src/audit/entry/entry.ts';
import { readSegment, readTornName, SEGMENTS, TOMBSTONES, tornName } from '../../../src/audit/store/segment.ts';

const LOG = '01a1fd40-0000-7000-8000-000000000001';
const CHAIN = '01a1fd40-0000-7000-8000-000000000002';
const OTHER = '01a1fd40-0000-7000-8000-000000000003';
const AT = { at: '2026-11-20T12:00:00.000Z' };
const OPEN = { kind: 'open', ...AT, log: LOG, epoch: 1, engine: '1', segment: 1 } as const;
const ERASURE = { kind: 'erasure', ...AT, subject: [], records: [] } as const;
const SEAL = { kind: 'seal', ...AT, segment: 1, records: 2 } as const;
const START = { seq: 0, hash: NO_HASH };

/** The lines of a chain, each continuing from the one before unless its fields say otherwise. */
function linesOf(...all: readonly (EntryFields & Partial<EntryHeader>)[]): string[] {
  let before = START;
  return all.map((fields) => {
    const { text, hash } = formatEntry({
      chain: CHAIN,
      seq: before.seq + 1,
      prev: before.hash,
      batch: 1,
      ...fields,
    } as EntryHeader & EntryFields);
    before = { seq: before.seq + 1, hash };
    return text;
  });
}

/** The kind of each valid line, then what ended the reading, with its position. */
async function read(text: string | Buffer, segment = 1, before: typeof START | 'unknown' = START) {
  const bytes = Buffer.from(text);
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
  };
  const head = before === 'unknown' ? undefined : before;
  const found: string[] = [];
  for await (const item of readSegment(chunks(), { log: LOG, chain: CHAIN, segment, before: head })) {
    if ('line' in item) found.push(item.line.kind);
    else found.push(`${'torn' in item ? 'torn' : item.problem.code} at line ${item.number}, byte ${item.start}`);
  }
  return found;
}

describe('a segment', () => {
  it('is read line by line, up to its footer', async () => {
    expect(await read(linesOf(OPEN, ERASURE, SEAL).join(''))).toEqual(['open', 'erasure', 'seal']);
    expect(await read('')).toEqual([]);
  });

  it('continues from the segment before it', async () => {
    const [first = ''] = linesOf(OPEN);
    const hash = first.slice(-67, -3);
    const [second = ''] = linesOf({ ...ERASURE, seq: 2, prev: hash });
    expect(await read(second, 2, { seq: 1, hash })).toEqual(['erasure']);
    expect(await read(second, 2, 'unknown')).toEqual(['erasure']);
    expect(await read(second, 2, { seq: 1, hash: NO_HASH })).toEqual(['link-broken at line 1, byte 0']);
    expect(await read(second, 2, { seq: 2, hash })).toEqual(['sequence-broken at line 1, byte 0']);
  });

  it('ends with the bytes behind the last line break, whatever they are', async () => {
    const lines = linesOf(OPEN, ERASURE);
    const [first = '', second = ''] = lines;
    for (let cut = 1; cut < second.length; cut++) {
      const torn = `torn at line 2, byte ${first.length}`;
      expect(await read(first + second.slice(0, cut))).toEqual(['open', torn]);
    }
    expect(await read(`${lines.join('')}\0\0\0`)).toEqual([
      'open',
      'erasure',
      `torn at line 3, byte ${lines.join('').length}`,
    ]);
  });

  const [open = ''] = linesOf(OPEN);
  const second = `at line 2, byte ${open.length}`;
  it.each([
    ['a line of another chain', linesOf(OPEN, { ...ERASURE, chain: OTHER }), ['open', `chain-differs ${second}`]],
    ['a line of another log', linesOf({ ...OPEN, log: OTHER }), ['log-differs at line 1, byte 0']],
    ['a missing line', linesOf(OPEN, ERASURE, ERASURE).toSpliced(1, 1), ['open', `sequence-broken ${second}`]],
    ['a repeated line', linesOf(OPEN, OPEN).toSpliced(1, 1, open), ['open', `sequence-broken ${second}`]],
    [
      'a line with the previous hash of another',
      linesOf(OPEN, { ...ERASURE, prev: NO_HASH }),
      ['open', `link-broken ${second}`],
    ],
    ['a footer with a wrong count', linesOf(OPEN, SEAL), ['open', `seal-wrong ${second}`]],
    [
      'the footer of another segment',
      linesOf(OPEN, { ...SEAL, records: 1, segment: 2 }),
      ['open', `seal-wrong ${second}`],
    ],
    ['the opening of another segment', linesOf({ ...OPEN, segment: 2 }), ['open-wrong at line 1, byte 0']],
    ['no opening', linesOf(ERASURE), ['open-wrong at line 1, byte 0']],
    ['an empty line', [open, '\n'], ['open', `line-not-json ${second}`]],
  ])('is read up to %s', async (_, lines, found) => {
    expect(await read(lines.join(''))).toEqual(found);
  });

  it('is read up to a line behind the footer', async () => {
    const lines = linesOf(OPEN, { ...SEAL, records: 1 }, ERASURE);
    expect((await read(lines.join(''))).at(-1)).toMatch(/^after-seal at line 3/);
  });
});

it('file names are recognised only as they are written', () => {
  expect(SEGMENTS.of(12)).toBe('00000012.ndjson');
  expect(SEGMENTS.of(123_456_789)).toBe('123456789.ndjson');
  expect(tornName(3, 4096)).toBe('torn-00000003-4096');
  for (const number of [1, 99_999_999, 100_000_000]) expect(SEGMENTS.numberOf(SEGMENTS.of(number))).toBe(number);
  for (const name of [
    '1.ndjson',
    '00000000.ndjson',
    '000000001.ndjson',
    '00000001.ndjson.bak',
    '0000001e.ndjson',
    'owner-000001.json',
  ]) {
    expect(SEGMENTS.numberOf(name), name).toBeUndefined();
  }
  expect(TOMBSTONES.numberOf('tombstone-00000001.json')).toBe(1);
  expect(readTornName('torn-00000003-4096')).toEqual({ segment: 3, offset: 4096 });
  for (const name of ['torn-3-4096', 'torn-00000003-04096', 'torn-00000003-', 'torn-00000003-1x'])
    expect(readTornName(name)).toBeUndefined();
});
