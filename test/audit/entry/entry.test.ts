import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type DecisionFields,
  type EntryFields,
  type EntryHeader,
  formatEntry,
  MAX_LINE_BYTES,
  NO_HASH,
  parseEntry,
} from '../../../src/audit/entry/entry.ts';

const ID = '01a1fd40-0000-7000-8000-000000000001';
const CHAIN = '01a1fd40-0000-7000-8000-000000000002';
const HEADER: EntryHeader = { chain: CHAIN, seq: 1, prev: NO_HASH, batch: 1 };
const HASH = 'a'.repeat(64);
const DIGEST = `sha256:${HASH}`;
const AT = { at: '2026-11-20T12:00:00.000Z' };
const KEY = `${CHAIN}.1.1:0`;
const SEALED = Buffer.alloc(30, 7).toString('base64');

const CLEAR = {
  kind: 'decision',
  ...AT,
  id: ID,
  writtenAt: '2026-11-20T12:00:01.000Z',
  subjects: { phoneNo: `1:${HASH}`, email: `12:${HASH}`, ip: `1:${HASH}` },
  reference: `1:${HASH}`,
  links: { 'context.device': `1:${HASH}`, mailbox: `12:${HASH}` },
  outcome: 'review',
  reasons: { decisive: ['A_B', 'C'], fired: [], undetermined: ['D'] },
  rules: ['z', 'a'],
  undetermined: ['q'],
  missing: { notReturned: ['a', 'b'], invalid: ['c'], error: ['a'] },
  policy: { name: 'ü "q"\u2028', version: '1', digest: DIGEST },
  mapping: DIGEST,
  engine: '0.1.0',
} as const;
const DECISION: DecisionFields = { ...CLEAR, key: KEY, sealed: SEALED };
const { reasons: _, links: __, ...OF_BEFORE } = DECISION;
/** The earlier form. */
const EARLIER: DecisionFields = { ...OF_BEFORE, codes: ['A_B', 'C'] };

const EVENT: EntryFields = {
  ...{ kind: 'event', ...AT, id: ID, type: 'case.opened', object: ID, detail: 'recheck' },
  ...{ actor: `1:${HASH}`, subjects: {}, key: KEY, sealed: SEALED },
};

const RESOLUTION: EntryFields = {
  ...{ kind: 'note', ...AT, id: ID, decision: ID, disposition: 'approve' },
  ...{ resolves: { case: ID, token: 1, actor: `1:${HASH}` }, subjects: {}, key: KEY, sealed: SEALED },
};

const ALL: readonly EntryFields[] = [
  { kind: 'open', ...AT, log: ID, epoch: 1, engine: '0.1.0', segment: 1 },
  {
    kind: 'open',
    ...AT,
    log: ID,
    epoch: 2,
    engine: '',
    segment: 3,
    torn: { segment: 3, offset: 0, bytes: 1, sha256: HASH },
  },
  DECISION,
  {
    ...DECISION,
    subjects: {},
    reasons: { decisive: [], fired: [], undetermined: [] },
    rules: [],
    undetermined: [],
    missing: {},
  },
  EARLIER,
  { ...CLEAR, plain: { decision: { 10: 'a', 9: [null, true, -0.5, '\ud800'] }, toJSON: 1 } },
  { kind: 'note', ...AT, id: ID, decision: ID, disposition: 'approve', subjects: {}, key: KEY, sealed: SEALED },
  { kind: 'note', ...AT, id: ID, decision: ID, disposition: 'decline', subjects: {}, plain: { by: 'x', why: 'y' } },
  {
    ...{ kind: 'note', ...AT, id: ID, decision: ID, disposition: 'fraud', knownOn: '2026-11-20', subjects: {} },
    plain: {},
  },
  RESOLUTION,
  EVENT,
  { kind: 'event', ...AT, id: ID, type: 'key.changed', actor: `1:${HASH}`, subjects: {}, plain: {} },
  { kind: 'erasure', ...AT, subject: [`1:${HASH}`], records: [ID] },
  { kind: 'seal', ...AT, segment: 1, records: 4 },
];

const bytesOf = (fields: EntryFields) => Buffer.from(formatEntry({ ...fields, ...HEADER }).text).subarray(0, -1);
const problemOf = (text: string | Uint8Array) => {
  const parsed = parseEntry(Buffer.from(text));
  return 'problem' in parsed ? parsed.problem : undefined;
};

/** The line with one text replaced, and the hash of the new line. */
function changed(fields: EntryFields, from: string, to: string): string {
  const text = bytesOf(fields).toString();
  expect(text).toContain(from);
  const head = text.replace(from, to).slice(0, -75);
  return `${head},"hash":"${createHash('sha256').update(head).digest('hex')}"}`;
}

describe('a line', () => {
  it.each(ALL.map((fields, i) => [`${fields.kind} ${i}`, fields] as const))(
    'of each kind is parsed as it was formatted: %s',
    (_, fields) => {
      const { text, hash } = formatEntry({ ...fields, ...HEADER });
      expect(text.endsWith(`,"hash":"${hash}"}\n`)).toBe(true);
      expect(hash).toBe(createHash('sha256').update(text.slice(0, -76)).digest('hex'));
      expect(parseEntry(Buffer.from(text.slice(0, -1)))).toEqual({ line: { ...HEADER, ...fields, hash } });
      expect(
        text.startsWith(`{"chain":"${CHAIN}","seq":1,"prev":"${NO_HASH}","batch":1,"kind":"${fields.kind}","at":"`),
      ).toBe(true);
    },
  );

  it('is the same for its data in any order of keys', () => {
    const reversed = Object.fromEntries(
      Object.entries({ ...DECISION, ...HEADER }).reverse(),
    ) as unknown as EntryHeader & EntryFields;
    expect(formatEntry(reversed)).toEqual(formatEntry({ ...DECISION, ...HEADER }));
  });

  it('is rejected with any one bit flipped', () => {
    const bytes = bytesOf(DECISION);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(problemOf(flipped), `bit ${bit}`).toBeDefined();
    }
  });

  it('is rejected when it is cut anywhere', () => {
    const bytes = bytesOf(DECISION);
    for (let end = 0; end < bytes.length; end++) expect(problemOf(bytes.subarray(0, end))).toBeDefined();
  });

  it.each([
    ['another value and the old hash', bytesOf(DECISION).toString().replace('review', 'accept'), 'hash-differs'],
    ['a space', changed(DECISION, '"seq":1', '"seq": 1'), 'line-shape'],
    ['an extra escape', changed(DECISION, 'review', '\\u0072eview'), 'line-shape'],
    ['a key twice', changed(DECISION, '"seq":1', '"seq":2,"seq":1'), 'line-shape'],
    ['an extra key', changed(DECISION, '"seq":1', '"seq":1,"more":1'), 'line-format'],
    ['the key __proto__', changed(DECISION, '"seq":1', '"seq":1,"__proto__":{}'), 'line-format'],
    ['an extra inner key', changed(DECISION, '"version":"1"', '"version":"1","more":1'), 'line-format'],
    ['a missing key', changed(DECISION, '"rules":["z","a"],', ''), 'line-format'],
    [
      'keys in another order',
      changed(DECISION, `"mapping":"${DIGEST}","engine":"0.1.0"`, `"engine":"0.1.0","mapping":"${DIGEST}"`),
      'line-shape',
    ],
    ['a number in another notation', changed(DECISION, '"seq":1', '"seq":1.0'), 'line-shape'],
    ['no JSON', 'x', 'line-not-json'],
    ['nothing', '', 'line-not-json'],
    ['a line break', `${bytesOf(DECISION)}\n`, 'line-shape'],
    ['a byte-order mark', `\ufeff${bytesOf(DECISION)}`, 'line-not-json'],
    ['bytes that are not UTF-8', Buffer.concat([bytesOf(DECISION), Buffer.from([0xff])]), 'line-not-json'],
    ['a list', '[]', 'line-shape'],
    ['null', 'null', 'line-shape'],
    ['too many bytes', Buffer.alloc(MAX_LINE_BYTES + 1, 0x20), 'line-shape'],
    ['too deep a nesting', `{"kind":"decision","plain":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'line-shape'],
  ])('is rejected with %s', (_, text, code) => {
    expect(problemOf(text)?.code).toBe(code);
  });

  it.each([
    ['seq 0', { seq: 0 }],
    ['seq beyond what a number holds', { seq: 2 ** 53 }],
    ['a hash in capitals', { prev: 'A'.repeat(64) }],
    ['a UUID of another version', { id: '01a1fd40-0000-4000-8000-000000000001' }],
    ['an instant without its milliseconds', { at: '2026-11-20T12:00:00Z' }],
    ['an instant that does not exist', { at: '2026-02-30T12:00:00.000Z' }],
    ['an instant after the year 9999', { at: '+010000-01-01T00:00:00.000Z' }],
    ['another outcome', { outcome: 'approve' }],
    ['codes that are not sorted', { reasons: { ...CLEAR.reasons, fired: ['B', 'A'] } }],
    ['a code twice', { reasons: { ...CLEAR.reasons, decisive: ['A', 'A'] } }],
    ['a list of codes too few', { reasons: { decisive: [], fired: [] } }],
    ['codes that are not sorted in the earlier form', { reasons: undefined, codes: ['B', 'A'] }],
    ['the codes in both forms', { codes: ['A'] }],
    ['no codes', { reasons: undefined }],
    ['a subject without the number of its key', { subjects: { phoneNo: HASH } }],
    ['a subject with a number from 0', { subjects: { phoneNo: `01:${HASH}` } }],
    ['a reference in clear', { reference: 'ONB-7' }],
    ['a link in clear', { links: { mailbox: 'ann@mail.example' } }],
    ['links that are not sorted', { links: { mailbox: `1:${HASH}`, 'ip/24': `1:${HASH}` } }],
    ['links that are no object', { links: [`1:${HASH}`] }],
    ['an unknown cause', { missing: { other: ['a'] } }],
    ['missing facts that are not sorted', { missing: { invalid: ['b', 'a'] } }],
    ['another subject', { subjects: { name: `1:${HASH}` } }],
    ['base64 that is not canonical', { sealed: `${SEALED.slice(0, -2)}B=` }],
    ['an encrypted body that is too short', { sealed: 'AAAA' }],
    ['both kinds of body', { plain: {} }],
    ['a body without its key', { key: undefined }],
    ['no body', { key: undefined, sealed: undefined }],
    ['another kind', { kind: 'other' }],
    ['a hash of its own', { hash: HASH }],
  ])('is not written with %s', (_, wrong) => {
    const fields = { ...DECISION, ...HEADER, ...wrong } as unknown as EntryHeader & EntryFields;
    expect(() => formatEntry(fields)).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }));
  });

  it.each([
    ['an unknown type', { type: 'case.closed' }],
    ['an object that is no id', { object: 'ONB-7' }],
    ['a detail of two words', { detail: 're check' }],
    ['an actor in clear', { actor: 'A. Okafor' }],
    ['no actor', { actor: undefined }],
    ['no subjects', { subjects: undefined }],
    ['no body', { key: undefined, sealed: undefined }],
  ])('of an event is not written with %s', (_, wrong) => {
    const fields = { ...EVENT, ...HEADER, ...wrong } as unknown as EntryHeader & EntryFields;
    expect(() => formatEntry(fields)).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }));
  });

  it.each([
    ['a token from 0', { token: 0 }],
    ['a holder in clear', { actor: 'A. Okafor' }],
    ['no case', { case: undefined }],
    ['anything else', { by: ID }],
  ])('of a resolution is not written with %s', (_, wrong) => {
    const { resolves } = RESOLUTION as { readonly resolves: object };
    const fields = { ...RESOLUTION, ...HEADER, resolves: { ...resolves, ...wrong } } as EntryHeader & EntryFields;
    expect(() => formatEntry(fields)).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }));
  });

  it('is not written with more than 16 MiB', () => {
    const write = (bytes: number) => formatEntry({ ...CLEAR, ...HEADER, plain: { text: 'x'.repeat(bytes) } });
    const spare = MAX_LINE_BYTES - (write(0).text.length - 1) - 5;
    expect(parseEntry(Buffer.from(write(spare - 5).text).subarray(0, -1))).toHaveProperty('line');
    expect(() => write(spare + 10)).toThrow('16 MiB');
  });
});

it('the message for an invalid line repeats nothing of the line', () => {
  const canary = '+447700900461';
  for (const wrong of [
    { outcome: canary },
    { [canary]: 1 },
    { kind: canary },
    { subjects: { [canary]: 'x' } },
    { id: canary },
  ]) {
    const text = JSON.stringify({ ...DECISION, ...HEADER, hash: HASH, ...wrong });
    expect(problemOf(text)?.text).toBeDefined();
    expect(problemOf(text)?.text).not.toContain('447700');
  }
});
