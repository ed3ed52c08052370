/** Checkpoints: what is signed, which notes are refused, and what a log is compared with. */

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeCheckpoint } from '../../../src/audit/checkpoint/take.ts';
import { keyIdOf } from '../../../src/audit/keys/signature.ts';
import { readCheckpoint, signCheckpoint } from '../../../src/audit/verify/checkpoint.ts';
import { addDecision, BEGIN, makeLog, openTestChain, type TestLog } from '../../support/audit/log.ts';
import { askBoth } from '../../support/audit/two-verifiers.ts';
import { Victim } from '../../support/audit/victim.ts';

const root = mkdtempSync(join(tmpdir(), 'verdict-'));
let log: TestLog;
let note = '';
/** The key of another log. */
const other = generateKeyPairSync('ed25519');

const take = (of: TestLog) => takeCheckpoint({ dir: of.dir, signingKey: of.privateKey, now: () => BEGIN });

beforeAll(async () => {
  log = await makeLog(join(root, 'log'), { chains: 2, decisions: 3, segmentBytes: 2000 });
  note = (await take(log)).note ?? '';
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Any text, signed as a note. */
function signed(text: string, key: KeyObject = log.privateKey, origin = log.origin): string {
  return `${text}\n— ${origin} ${keyIdOf(key)} ${sign(null, Buffer.from(text), key).toString('base64')}\n`;
}

/** The signed text of a note. */
const textOf = (of: string) => of.slice(0, of.indexOf('\n\n') + 1);
const rowsOf = (of: string) => textOf(of).split('\n').slice(3, -1);
const withRows = (rows: readonly string[]) => [...textOf(note).split('\n').slice(0, 3), ...rows, ''].join('\n');
const row = (chain: number, length: string) => rowsOf(note)[chain]?.replace(/ \d+ /, ` ${length} `) ?? '';

describe('a checkpoint', () => {
  it('names the log, its origin, the instant, and each chain with its length and last hash, sorted', () => {
    const { log: id, origin, chains } = log;
    const [title, ...lines] = textOf(note).split('\n');
    expect([title, lines[0], lines[1]]).toEqual([
      `verdict-audit/1 ${id}`,
      `origin ${origin}`,
      'at 2026-11-20T00:00:00.000Z',
    ]);
    expect(rowsOf(note).map((line) => line.split(' ')[0])).toEqual(chains);
    expect(note).toBe(signed(textOf(note)));
  });

  it('is read back as it was signed, with the trusted key', () => {
    const checked = readCheckpoint(Buffer.from(note), new Map([[keyIdOf(log.publicKey), log.publicKey]]), log);
    expect(checked).toMatchObject({ keyId: keyIdOf(log.publicKey), checkpoint: { log: log.log, origin: log.origin } });
  });

  it('is continued by a log that has grown since', async () => {
    const grown = await makeLog(join(root, 'grown'), { chains: 1, decisions: 3, segmentBytes: 2000 });
    const { note: before = '' } = await take(grown);
    const writer = await openTestChain(grown, 2000);
    for (let n = 0; n < 5; n++) await addDecision(writer, n, false);
    await writer.close();
    const { first, second, report } = await askBoth(grown.dir, before, grown.publicKey);
    expect({ first, second }).toEqual({ first: [], second: [] });
    expect(report.checkpoint).toEqual({ at: '2026-11-20T00:00:00.000Z', keyId: keyIdOf(grown.publicKey), chains: 1 });
  });

  it('of a log without entries names no chain', async () => {
    const empty = await makeLog(join(root, 'empty'), { chains: 0, decisions: 0, segmentBytes: 2000 });
    mkdirSync(join(empty.dir, 'chains', uuidV7()));
    const { note: first = '' } = await take(empty);
    expect(rowsOf(first)).toEqual([]);
    expect((await askBoth(empty.dir, first, empty.publicKey)).first).toEqual([]);
    expect((await askBoth(empty.dir, first, empty.publicKey)).second).toEqual([]);
  });

  it('is not taken of a log with a finding', async () => {
    const bad = await makeLog(join(root, 'bad'), { chains: 1, decisions: 1, segmentBytes: 2000 });
    writeFileSync(join(bad.dir, 'more'), '');
    const { note: none, report } = await take(bad);
    expect(none).toBeUndefined();
    expect(report.findings.map(({ code }) => code)).toEqual(['file-unexpected']);
  });

  it('is not signed with a key that does not belong to the log', async () => {
    const taken = takeCheckpoint({ dir: log.dir, signingKey: other.privateKey });
    await expect(taken).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  });

  it('is not signed with a public key, or with a key that is not Ed25519', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    for (const key of [log.publicKey, ec]) {
      const taken = takeCheckpoint({ dir: log.dir, signingKey: key });
      await expect(taken).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
    }
  });

  it.each([
    ['an origin of two lines', { origin: 'a\nb' }],
    [
      'a chain without entries',
      { heads: [{ chain: '01a1fd50-c2a6-755d-a2da-75c178a52591', length: 0, hash: '0'.repeat(64) }] },
    ],
    ['a malformed instant', { at: 'today' }],
  ])('is not signed with %s', (_, change) => {
    const checkpoint = { log: log.log, origin: log.origin, at: '2026-11-20T00:00:00.000Z', heads: [], ...change };
    expect(() => signCheckpoint(checkpoint, log.privateKey)).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }));
  });
});

/** Each is signed with the log's own key, unless its name says otherwise. */
const REFUSED: readonly (readonly [string, () => string])[] = [
  ['nothing', () => ''],
  ['any other text', () => 'nothing to see here'],
  ['a note without its signature', () => textOf(note)],
  ['a note with a second signature', () => `${note}${note.split('\n').at(-2)}\n`],
  ['a note with CRLF line ends', () => note.replaceAll('\n', '\r\n')],
  ['a signature of zeros', () => note.replace(/\S+\n$/, `${'A'.repeat(86)}==\n`)],
  // Four bits of the last character (A, Q, g or w) are unused: other characters decode to the same bytes.
  [
    'a signature with other unused bits',
    () => note.replace(/[AQgw]==\n$/, (end) => `${'BRhx'['AQgw'.indexOf(end[0] ?? '')]}==\n`),
  ],
  ['a text that was changed', () => note.replace(/at 2026/, 'at 2027')],
  ['the signature of another key', () => signed(textOf(note), other.privateKey)],
  [
    'the signature of another key with the id of this one',
    () => signed(textOf(note), other.privateKey).replace(keyIdOf(other.publicKey), keyIdOf(log.publicKey)),
  ],
  ['the signature of another origin', () => signed(textOf(note), log.privateKey, 'another')],
  ['another log', () => signed(textOf(note).replace(log.log, log.chains[0] ?? ''))],
  [
    'another origin',
    () => signed(textOf(note).replace('origin verdict-audit', 'origin another'), log.privateKey, 'another'),
  ],
  ['an instant in another format', () => signed(textOf(note).replace('T00:00:00.000Z', 'T00:00:00Z'))],
  ['a chain twice', () => signed(withRows([row(0, '1'), row(0, '1'), row(1, '1')]))],
  ['chains out of order', () => signed(withRows(rowsOf(note).toReversed()))],
  ['a length of 0', () => signed(withRows([row(0, '0')]))],
  ['a length of 1e9', () => signed(withRows([row(0, '1e9')]))],
  ['a length beyond the safe integers', () => signed(withRows([row(0, '9007199254740993')]))],
  ['a hash in upper case', () => signed(withRows([row(0, '7').replace(/[0-9a-f]{64}$/, 'A'.repeat(64))]))],
  ['a blank line between chains', () => signed(withRows([row(0, '7'), '', row(1, '7')]))],
  ['a chain whose name is not a UUID', () => signed(withRows([`constructor 7 ${'0'.repeat(64)}`]))],
];

describe('a note', () => {
  it.each(REFUSED)('is refused by both verifiers if it is %s', async (_, make) => {
    expect(make()).not.toBe(note);
    const { codes, first, second, report } = await askBoth(log.dir, make(), log.publicKey);
    expect(codes).toBe('checkpoint-invalid');
    expect(second).toEqual(first);
    expect(report.checkpoint).toBeUndefined();
    expect(report.unseen[0]).toContain('without a checkpoint that is kept elsewhere');
  });

  it('with a length of 1,000,000,000 shows that the chain was truncated', async () => {
    const { codes, first, second } = await askBoth(log.dir, signed(withRows([row(0, '1000000000')])), log.publicKey);
    expect(codes).toBe('checkpoint-cut');
    expect(second).toEqual(first);
  });

  it('with a missing chain leads to a finding for that chain', async () => {
    const gone = '01a1fd50-c2a6-755d-a2da-75c178a52591';
    const { first, second } = await askBoth(log.dir, signed(withRows([`${gone} 7 ${'0'.repeat(64)}`])), log.publicKey);
    expect(first).toEqual([{ code: 'checkpoint-chain-missing', chain: gone, segment: 0, line: 0 }]);
    expect(second).toEqual(first);
  });

  it('with another hash for an entry in the middle leads to a finding at that entry', async () => {
    const { first, second } = await askBoth(log.dir, signed(withRows([row(0, '2')])), log.publicKey);
    expect(first).toEqual([{ code: 'checkpoint-rewritten', chain: log.chains[0], segment: 1, line: 2 }]);
    expect(second).toEqual(first);
  });

  it('is checked with the key in the log if none is given, and the report names that limitation', async () => {
    const { first, second, report } = await askBoth(log.dir, note);
    expect({ first, second }).toEqual({ first: [], second: [] });
    expect(report.unseen.some((text) => text.includes("in the log's own folder"))).toBe(true);
    const given = await askBoth(log.dir, note, log.publicKey);
    expect(given.report.unseen.some((text) => text.includes("in the log's own folder"))).toBe(false);
  });
});

describe('a checkpoint that continues an earlier one', () => {
  it('is signed if the log continues the earlier one', async () => {
    const { dir, privateKey: signingKey } = log;
    const options = { dir, signingKey, previous: Buffer.from(note), publicKeys: [log.publicKey], now: () => BEGIN };
    expect(await takeCheckpoint(options)).toMatchObject({ note, against: [] });
  });

  it('is not signed for a log rewritten with valid hashes, or after a note signed with another key', async () => {
    const written = await makeLog(join(root, 'anew'), { chains: 1, decisions: 3, segmentBytes: 2000 });
    const signingKey = written.privateKey;
    const previous = Buffer.from((await take(written)).note ?? '');
    const refused = await takeCheckpoint({ dir: written.dir, signingKey, previous, publicKeys: [log.publicKey] });
    expect(refused).toMatchObject({ note: undefined, against: [{ code: 'checkpoint-invalid' }] });
    new Victim(written).rewrite(0, (segments) => {
      for (const line of segments.flat()) if (line['outcome'] === 'review') line['outcome'] = 'accept';
    });
    expect((await takeCheckpoint({ dir: written.dir, signingKey })).note).toBeDefined();
    const { note: none, against } = await takeCheckpoint({ dir: written.dir, signingKey, previous });
    expect([none, against.map(({ code }) => code)]).toEqual([undefined, ['checkpoint-rewritten']]);
  });
});
