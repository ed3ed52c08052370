import { generateKeyPairSync, sign } from 'node:crypto';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { keyIdOf } from '../../../src/audit/keys/signature.ts';
import { canonicalJson } from '../../../src/platform/digest.ts';
import { type Tamper, tamper } from './tamper.ts';
import { FILES, LINES } from './tampers.ts';
import { edit, type Json, replaceByLink, sha256, swapFiles, type Victim, withHash } from './victim.ts';

/** The form of a line, with valid hashes. */
const FORGED: readonly Tamper[] = (
  [
    ['a key twice', (text) => text.replace('"seq":2,', '"seq":2,"seq":2,')],
    ['a number as 2e0', (text) => text.replace('"seq":2,', '"seq":2e0,')],
    ['a number beyond what is exact', (text) => text.replace('"seq":2,', '"seq":9007199254740993,')],
    ['__proto__', (text) => text.replace('"seq":2,', '"seq":2,"__proto__":{"seq":2},')],
    ['a space', (text) => text.replace('"seq":2,', '"seq": 2,')],
    ['a needless escape', (text) => text.replace('"kind":"decision"', '"kind":"\\u0064ecision"')],
    ['an unknown kind', (text) => text.replace('"kind":"decision"', '"kind":"constructor"')],
    ['codes out of order', (text) => text.replace('["B","C"]', '["C","B"]')],
    [
      'base64 with other last bits',
      // The last digit has four bits that no byte uses: the next digit decodes to the same bytes.
      (text) => text.replace(/([AQgw])(?===","hash")/, (digit) => String.fromCharCode(digit.charCodeAt(0) + 1)),
    ],
    ['no body', (text) => text.replace(/,"sealed":"[^"]*"/, '')],
    [
      'nested 100,000 deep',
      (text) => text.replace('"rules":[', `"rules":[${'['.repeat(100_000)}${']'.repeat(100_000)},`),
    ],
  ] as const satisfies readonly (readonly [string, (text: string) => string])[]
).map(([name, change]) => tamper(`forged: ${name}`, 'line-shape', (log) => log.forge(0, 1, 2, change)));

const NESTED = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

/** The same, with other codes. */
const FORGED_OTHERWISE: readonly Tamper[] = [
  tamper('forged: a body in clear nested 100,000 deep', 'line-shape', (log) =>
    log.forge(1, 1, 2, (text) => text.replace(/"plain":\{.*\},"hash"/, `"plain":${NESTED},"hash"`)),
  ),
  tamper('forged: a body in clear with a key twice', 'line-shape', (log) =>
    log.forge(1, 1, 2, (text) => text.replace('"plain":{', '"plain":{"day":"2020-01-01",')),
  ),
  tamper('forged: bytes that are not UTF-8', 'line-not-json', (log) => {
    const [first = '', second = ''] = log.lines(0, 1);
    const head = Buffer.from(second.slice(0, -75).replace('port-and-email', 'port-and-\u00ff'), 'latin1');
    const line = Buffer.concat([head, Buffer.from(`,"hash":"${sha256(head)}"}\n`)]);
    writeFileSync(log.at(0, 1), Buffer.concat([Buffer.from(`${first}\n`), line]));
  }),
  tamper('forged: not linked to the line before', 'link-broken', (log) =>
    log.forge(0, 1, 3, (text) => text.replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${'0'.repeat(64)}"`)),
  ),
  tamper('forged: a number left out', 'sequence-broken', (log) =>
    log.forge(0, 1, 3, (text) => text.replace('"seq":3', '"seq":4')),
  ),
  tamper('forged: a chain of another log', 'log-differs', (log) =>
    log.forge(0, 1, 1, (text) => text.replace(/"log":"[^"]+"/, `"log":"${uuidV7()}"`)),
  ),
  tamper('forged: the opening of another segment', 'open-wrong', (log) =>
    log.forge(0, 1, 1, (text) => text.replace('"segment":1', '"segment":2')),
  ),
  tamper('forged: the seal of another segment', 'seal-wrong', (log) =>
    log.forge(0, 1, log.lines(0, 1).length, (text) => text.replace('"segment":1', '"segment":2')),
  ),
  tamper(
    'forged: a policy that is not kept',
    'archive-missing',
    (log) =>
      log.forge(0, 1, 2, (text) => text.replace(/"digest":"sha256:[0-9a-f]+"/, `"digest":"sha256:${'0'.repeat(64)}"`)),
    'archive-missing checkpoint-rewritten',
  ),
  ...(
    [
      ['of an unknown type', '"type":"case.opened"', '"type":"case.closed"'],
      ['about something without an id', /"object":"[^"]+"/, '"object":"ONB-7"'],
    ] as const
  ).map(([name, from, to]) =>
    tamper(`forged: an event ${name}`, 'line-shape', (log) => {
      const line = log.lines(1, log.last(1)).findIndex((text) => text.includes('"kind":"event"'));
      log.forge(1, log.last(1), line + 1, (text) => text.replace(from, to));
    }),
  ),
  tamper('forged: another tail set aside', 'torn-differs', (log) => {
    const [segment = 0, line = 0] = whereTorn(log);
    log.forge(0, segment, line, (text) => text.replace(/"bytes":\d+/, '"bytes":9'));
  }),
];

function whereTorn(log: Victim): [number, number] | [] {
  for (let segment = 1; segment <= log.last(0); segment++) {
    const line = log.lines(0, segment).findIndex((text) => text.includes('"torn":'));
    if (line >= 0) return [segment, line + 1];
  }
  return [];
}

/** A whole chain with valid hashes, wrong only if it contradicts itself or a checkpoint. */
const REWRITTEN: readonly Tamper[] = [
  tamper(
    'a rewritten chain with another outcome',
    '',
    (log) => log.rewrite(1, ([first]) => Object.assign(first?.[1] ?? {}, { outcome: 'reject' })),
    'checkpoint-rewritten',
  ),
  tamper(
    'a rewritten chain without a record',
    '',
    (log) => log.rewrite(1, ([first]) => void first?.splice(1, 1)),
    'checkpoint-cut',
  ),
  tamper(
    'a rewritten chain with one record more',
    '',
    (log) => log.rewrite(1, (segments) => void segments[0]?.splice(1, 0, { ...segments[0]?.[1], id: uuidV7() })),
    'checkpoint-rewritten',
  ),
  tamper(
    'a record moved to another chain',
    '',
    (log) => {
      let moved: Json = {};
      log.rewrite(1, (segments) => {
        moved = segments[0]?.splice(1, 1)[0] ?? {};
      });
      log.rewrite(2, (segments) => void segments[0]?.splice(1, 0, { ...moved, chain: log.log.chains[2] }));
    },
    'checkpoint-cut checkpoint-rewritten',
  ),
  tamper(
    'a repeated record with the same id',
    'duplicate-id',
    (log) => log.rewrite(1, (segments) => void segments[0]?.splice(2, 0, { ...segments[0]?.[1] })),
    'checkpoint-rewritten duplicate-id',
  ),
  tamper(
    'a repeated record, with no line behind it',
    'duplicate-id line-not-json',
    (log) => {
      log.rewrite(1, (segments) => void segments[0]?.splice(2, 0, { ...segments[0]?.[1] }));
      log.change(1, log.last(1), (lines) => [...lines, 'no line']);
    },
    'checkpoint-rewritten duplicate-id line-not-json',
  ),
  tamper('a chain of before the log was begun', 'chain-too-old', (log) => {
    const [opening] = log.lines(1, 1).map((line) => JSON.parse(line) as Json);
    const chain = '01000000-0000-7000-8000-000000000001';
    mkdirSync(join(log.dir, 'chains', chain));
    writeFileSync(
      join(log.dir, 'chains', chain, '00000001.ndjson'),
      `${withHash(JSON.stringify({ ...opening, chain }))}\n`,
    );
  }),
  tamper('a record of one chain in another too', 'duplicate-id', (log) => {
    const record = JSON.parse(log.lines(1, 1)[1] ?? '') as Json;
    log.rewrite(2, (segments) => void segments.at(-1)?.push({ ...record, chain: log.log.chains[2] }));
  }),
  tamper(
    'a record that names the key of the one before it',
    'key-shared',
    (log) => log.rewrite(0, ([first]) => void Object.assign(first?.[2] ?? {}, { key: first?.[1]?.['key'] })),
    'checkpoint-rewritten key-shared',
  ),
  tamper(
    'a record that names the key of another chain',
    'key-shared',
    (log) => {
      const { key } = JSON.parse(log.lines(2, 1)[1] ?? '') as Json;
      log.rewrite(0, ([first]) => void Object.assign(first?.[1] ?? {}, { key }));
    },
    'checkpoint-rewritten key-shared',
  ),
  tamper(
    'a second opening in one epoch',
    'open-wrong',
    (log) => log.rewrite(1, (segments) => void segments[0]?.splice(2, 0, { ...segments[0]?.[0] })),
    'open-wrong',
  ),
  tamper('a chain that begins with a record', 'open-wrong', (log) =>
    log.rewrite(1, (segments) => void segments[0]?.splice(0, 1)),
  ),
  tamper('a line behind a seal, well hashed', 'after-seal', (log) =>
    log.rewrite(0, (segments) => void segments[0]?.push({ ...segments[0]?.[1], id: uuidV7() })),
  ),
];

/** Every way to tamper with a log. */
export const TAMPERS: readonly Tamper[] = [...LINES, ...FILES, ...FORGED, ...FORGED_OTHERWISE, ...REWRITTEN];

/** Ways to tamper with a log whose first segments were pruned. */
export const PRUNED_TAMPERS: readonly Tamper[] = [
  tamper('a tombstone removed', 'segment-missing', (log) => rmSync(log.at(0, TOMBSTONE))),
  tamper('a tombstone emptied', 'tombstone-invalid', (log) => writeFileSync(log.at(0, TOMBSTONE), '')),
  tamper('a tombstone with another count', 'tombstone-invalid', (log) =>
    edit(log.at(0, TOMBSTONE), /"records":\d+/, '"records":1'),
  ),
  tamper('a tombstone with a key twice', 'tombstone-invalid', (log) =>
    edit(log.at(0, TOMBSTONE), '"to":', '"to":"","to":'),
  ),
  tamper('a tombstone with a signature of zeros', 'tombstone-invalid', (log) =>
    edit(log.at(0, TOMBSTONE), /"signature":"[^"]+"/, `"signature":"${'A'.repeat(86)}=="`),
  ),
  tamper('the tombstone of another chain', 'tombstone-invalid', (log) =>
    swapFiles(log.at(0, TOMBSTONE), log.at(1, TOMBSTONE)),
  ),
  tamper('a tombstone once more, for a segment that stands', 'tombstone-invalid', (log) =>
    copyFileSync(log.at(0, TOMBSTONE), log.at(0, 'tombstone-00000002.json')),
  ),
  tamper('a pruned segment that is there again', 'segment-unexpected', (log) =>
    copyFileSync(log.at(0, 2), log.at(0, 1)),
  ),
  tamper('a link in place of a tombstone', 'file-unexpected segment-missing', (log) =>
    replaceByLink(log.at(0, TOMBSTONE), log),
  ),
  tamper('a public key removed', 'tombstone-invalid', (log) => rmSync(log.only('public')), ''),
  tamper('a segment removed, with a tombstone that nobody signed', 'tombstone-invalid', (log) => bury(log, 'nobody')),
  tamper("a segment removed, with a tombstone of one's own", '', (log) => bury(log, 'self'), 'tombstone-invalid'),
  ...(
    [
      ['follows another line', () => ({ prev: '0'.repeat(64) })],
      ['begins with another number', ({ first, last }) => ({ first: first + 1, last: last + 1 })],
      ['is of another segment', () => ({ segment: 3 })],
      ['is of another chain', () => ({ chain: uuidV7() })],
      ['counts other lines', ({ records }) => ({ records: records + 1 })],
      ['ends before it begins', () => ({ to: '2026-11-19T00:00:00.000Z' })],
    ] as const satisfies readonly (readonly [string, (fields: Buried) => Json])[]
  ).map(([name, changes]) =>
    tamper(`a tombstone of one's own that ${name}`, 'tombstone-invalid', (log) => bury(log, 'self', changes)),
  ),
];

const TOMBSTONE = 'tombstone-00000001.json';

type Buried = { readonly first: number; readonly last: number; readonly records: number };

/** Replaces the second segment by a tombstone, without a valid signature, or with a key added to the log's own. */
function bury(log: Victim, by: 'nobody' | 'self', change = (_: Buried): Json => ({})): void {
  const lines = log.lines(0, 2).map((line) => JSON.parse(line) as { seq: number; prev: string; hash: string });
  const { seq: first = 0, prev = '' } = lines[0] ?? {};
  const { seq: last = 0, hash: head = '' } = lines.at(-1) ?? {};
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const at = '2026-11-20T00:00:00.000Z';
  const key = keyIdOf(by === 'self' ? publicKey : log.log.publicKey);
  const stood = { chain: log.log.chains[0], segment: 2, first, last, records: lines.length - 1, prev, head };
  const fields = { ...stood, from: at, to: at, prunedAt: at, key };
  Object.assign(fields, change(fields));
  const signature = sign(null, Buffer.from(canonicalJson(fields)), privateKey).toString('base64');
  writeFileSync(log.at(0, 'tombstone-00000002.json'), `${canonicalJson({ ...fields, signature })}\n`);
  if (by === 'self') {
    writeFileSync(
      join(log.dir, 'public', `${keyIdOf(publicKey)}.pem`),
      publicKey.export({ type: 'spki', format: 'pem' }),
    );
  }
  rmSync(log.at(0, 2));
}
