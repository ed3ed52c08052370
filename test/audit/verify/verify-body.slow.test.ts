/** Verification with the keys: bodies agree with their clear fields, and shredded records have an erasure on record. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import {
  decisionTexts,
  eventTexts,
  joinTexts,
  noteTexts,
  plainBody,
  splitTexts,
} from '../../../src/audit/entry/body.ts';
import { MISSING_CAUSES } from '../../../src/audit/entry/entry.ts';
import { searchableFields } from '../../../src/audit/entry/searchable.ts';
import { dataFolder, eraseDataKeys } from '../../../src/audit/keys/data-keys.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import type { Decision } from '../../../src/decision/decision.ts';
import { decisionOf, digestOf, makeLog, openTestChain, type TestLog } from '../../support/audit/log.ts';
import { Victim } from '../../support/audit/victim.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

/** A decision whose clear fields are those of the test logs. */
function decisionNamed(id: string, outcome: Decision['outcome'] = 'review'): Decision {
  const { policy, mapping } = decisionOf(id, 0, {}) as unknown as Pick<Decision, 'policy' | 'mapping'>;
  const reason = { because: 'fired', rule: 'ported', code: 'PORTED', outcome, decisive: true, evidence: [] } as const;
  return {
    ...{ id, clientReference: id, decidedAt: '2026-11-20T00:00:00.000Z', outcome, engine: '0.1.0', mapping },
    reasons: [reason],
    undetermined: [
      { rule: 'dark-web', asks: null, missing: [{ fact: 'email.darkWeb.hitCount', cause: 'sourceFailed' }] },
    ],
    score: { least: 0, most: 0, band: null },
    shadow: [],
    policy: { ...policy, language: 1 },
    signals: { requested: [], calls: [], spared: [], missing: { 'phone.score': 'notReturned' }, warnings: [] },
  };
}

const FACTS = new Map([['phone.type', { value: 'mobile' as const }]]);

const AT = '2026-11-20T00:00:00.000Z';

const SUBJECT = `1:${'a'.repeat(64)}`;
const RESOLVES = { case: uuidV7(), token: 1, actor: SUBJECT };

const NOTE = { by: 'an analyst', why: 'called back' };

/** The fields of an entry's position, kind and body. */
const NOT_BODY = ['chain', 'seq', 'prev', 'batch', 'hash', 'kind', 'key', 'sealed'];

interface Opened {
  readonly log: TestLog;
  readonly victim: Victim;
  /** Three decisions, the last one with a plain body, a note and an event. */
  readonly ids: readonly string[];
}

/** A log with genuine bodies, changed where a test wants it. */
async function makeOpened(
  change = (body: string) => body,
  noteBody = joinTexts(noteTexts(NOTE)),
  eventBody = joinTexts(eventTexts({ ...NOTE, details: {} })),
): Promise<Opened> {
  const log = await makeLog(temporaryFolder(), { chains: 0, decisions: 0, segmentBytes: 4000 });
  const writer = await openTestChain(log, 100_000);
  const ids = Array.from({ length: 5 }, () => uuidV7());
  const [first = '', second = '', third = '', note = '', event = ''] = ids;
  const clearOf = (id: string) =>
    ({
      kind: 'decision',
      ...searchableFields(decisionNamed(id)),
      writtenAt: AT,
      subjects: { phoneNo: SUBJECT },
      reference: SUBJECT,
      links: { 'ip/24': SUBJECT, mailbox: SUBJECT },
      replaces: note,
    }) as const;
  const bodyOf = (id: string) => change(joinTexts(decisionTexts({ decision: decisionNamed(id), facts: FACTS })));
  for (const id of [first, second]) await writer.append({ clear: clearOf(id), body: bodyOf(id) });
  const plain = plainBody(splitTexts(bodyOf(third), 'decision') ?? ['[]', '[]', 'null', 'null'], 'decision');
  await writer.append({ ...clearOf(third), plain });
  const subjects = { phoneNo: SUBJECT };
  const said = { decision: first, disposition: 'fraud', knownOn: '2026-11-20', resolves: RESOLVES } as const;
  await writer.append({ clear: { kind: 'note', at: AT, id: note, ...said, subjects }, body: noteBody });
  const what = { type: 'case.opened', object: first, detail: 'recheck', actor: SUBJECT } as const;
  await writer.append({ clear: { kind: 'event', at: AT, id: event, ...what, subjects }, body: eventBody });
  await writer.close();
  const made = { ...log, chains: [writer.chain] };
  return { log: made, victim: new Victim(made), ids };
}

const keyOf = (victim: Victim, line: number): string => JSON.parse(victim.lines(0, 1)[line - 1] ?? '').key;

async function verify({ log }: Opened) {
  const { findings, erased } = await verifyLog({ dir: log.dir, keys: log.keys });
  return { found: findings.map(({ code, line }) => `${code} ${line}`), erased };
}

describe('a log with its keys', () => {
  it('verifies if every body opens and agrees with its clear fields', async () => {
    expect(await verify(await makeOpened())).toEqual({ found: [], erased: 0 });
  });

  it('has a finding for the first record of a chain that was shredded without an erasure on record', async () => {
    const opened = await makeOpened();
    await eraseDataKeys(folderAt(opened.log.keys), [keyOf(opened.victim, 2), keyOf(opened.victim, 3)]);
    expect(await verify(opened)).toEqual({ found: ['key-missing 2'], erased: 0 });
  });

  it('counts shredded records whose erasure is on record in any chain', async () => {
    const opened = await makeOpened();
    const [first = '', , , note = ''] = opened.ids;
    await eraseDataKeys(folderAt(opened.log.keys), [keyOf(opened.victim, 2), keyOf(opened.victim, 5)]);
    const holder = await openTestChain(opened.log, 100_000);
    const writer = await openTestChain(opened.log, 100_000);
    await writer.append({
      kind: 'erasure',
      at: AT,
      subject: [`2:${'b'.repeat(64)}`, SUBJECT],
      records: [first, note],
    });
    await holder.close();
    await writer.close();
    expect(await verify(opened)).toEqual({ found: [], erased: 2 });
  });

  it('has a finding for a shredded record whose erasure is on record for another subject only', async () => {
    const opened = await makeOpened();
    const [first = '', second = ''] = opened.ids;
    await eraseDataKeys(folderAt(opened.log.keys), [keyOf(opened.victim, 2), keyOf(opened.victim, 3)]);
    const writer = await openTestChain(opened.log, 100_000);
    await writer.append({ kind: 'erasure', at: AT, subject: [SUBJECT], records: [first] });
    await writer.append({ kind: 'erasure', at: AT, subject: [`1:${'b'.repeat(64)}`], records: [second] });
    await writer.close();
    expect((await verify(opened)).found).toEqual(['erasure-differs 3']);
  });

  it('has a limitation for a shredded record whose erasure entry may be in an unread part', async () => {
    const opened = await makeOpened();
    const [first = ''] = opened.ids;
    await eraseDataKeys(folderAt(opened.log.keys), [keyOf(opened.victim, 2)]);
    const writer = await openTestChain(opened.log, 100_000);
    await writer.append({ kind: 'erasure', at: AT, subject: [SUBJECT], records: [first] });
    await writer.close();
    opened.victim.change(0, 1, (lines) => lines.with(3, 'rubbish'));
    const { findings, unseen } = await verifyLog({ dir: opened.log.dir, keys: opened.log.keys });
    expect(findings.map(({ code }) => code)).toEqual(['line-not-json']);
    expect(unseen.join(' ')).toContain('the keys of 1 record are erased or missing');
    expect(unseen.join(' ')).toContain('follows the first bad entry of 1 chain');
  });

  it('has a finding if a file of data keys is missing', async () => {
    const opened = await makeOpened();
    rmSync(join(dataFolder(folderAt(opened.log.keys)).path, `${keyOf(opened.victim, 2).split(':')[0]}.keys`));
    expect(await verify(opened)).toEqual({ found: ['key-missing 2'], erased: 0 });
  });

  it.each([
    ['outcome', 'accept'],
    ['reasons', { decisive: ['OTHER'], fired: [], undetermined: [] }],
    ['rules', []],
    ['undetermined', []],
    ['missing', { notReturned: ['email.domain.type'] }],
  ])(
    'has a finding for a clear field %s that was changed, with an encrypted body and with a plain one',
    async (name, value) => {
      const opened = await makeOpened();
      for (const [line, found] of [
        [1, 'body-unreadable 2'],
        [3, 'clear-differs 4'],
      ] as const) {
        const before = opened.victim.lines(0, 1);
        opened.victim.rewrite(0, ([lines]) => Object.assign(lines?.[line] ?? {}, { [name]: value }));
        expect(await verify(opened)).toEqual({ found: [found], erased: 0 });
        opened.victim.write(0, 1, before);
      }
    },
  );

  it('has a finding for any other clear field that was changed: the body does not decrypt', async () => {
    const opened = await makeOpened();
    const digest = digestOf('{"signals":[]}');
    writeFileSync(join(opened.log.dir, 'mappings', `${digest.slice(7)}.json`), '{"signals":[]}');
    const policy = digestOf('{"policy":[]}');
    writeFileSync(join(opened.log.dir, 'policies', `${policy.slice(7)}.json`), '{"policy":[]}');
    const before = opened.victim.lines(0, 1);
    const hash = `1:${'c'.repeat(64)}`;
    const of = (line: number) => JSON.parse(before[line - 1] ?? '');
    const changes: [number, object][] = [
      [2, { at: '2026-11-21T00:00:00.000Z' }],
      [2, { id: uuidV7() }],
      [2, { writtenAt: '2026-11-21T00:00:00.000Z' }],
      ...['phoneNo', 'email', 'ip'].map((variable): [number, object] => [2, { subjects: { [variable]: hash } }]),
      [2, { reference: hash }],
      [2, { replaces: uuidV7() }],
      [2, { links: { ...of(2).links, mailbox: hash } }],
      [2, { links: { mailbox: of(2).links.mailbox } }],
      [2, { links: undefined }],
      ...MISSING_CAUSES.map((cause): [number, object] => [2, { missing: { [cause]: ['a'] } }]),
      ...['name', 'version'].map((name): [number, object] => [2, { policy: { ...of(2).policy, [name]: 'other' } }]),
      [2, { policy: { ...of(2).policy, digest: policy } }],
      [2, { mapping: digest }],
      [2, { engine: 'other' }],
      [5, { at: '2026-11-21T00:00:00.000Z' }],
      [5, { id: uuidV7() }],
      [5, { decision: uuidV7() }],
      [5, { disposition: 'decline' }],
      [5, { knownOn: '2026-11-21' }],
      [5, { resolves: { ...RESOLVES, token: 2 } }],
      [5, { subjects: { phoneNo: hash } }],
      [6, { at: '2026-11-21T00:00:00.000Z' }],
      [6, { id: uuidV7() }],
      [6, { type: 'data.revealed' }],
      [6, { object: uuidV7() }],
      [6, { object: undefined }],
      [6, { detail: 'challenge' }],
      [6, { detail: undefined }],
      [6, { actor: hash }],
      [6, { subjects: { phoneNo: hash } }],
    ];
    for (const [line, change] of changes) {
      opened.victim.rewrite(0, ([lines]) => Object.assign(lines?.[line - 1] ?? {}, change));
      expect([change, (await verify(opened)).found]).toEqual([change, [`body-unreadable ${line}`]]);
      opened.victim.write(0, 1, before);
    }
    // Every clear field was changed, here or above.
    const changed = new Set(changes.flatMap(([, change]) => Object.keys(change)));
    for (const name of ['outcome', 'reasons', 'rules', 'undetermined', 'missing', ...NOT_BODY]) changed.add(name);
    expect([2, 5, 6].flatMap((line) => Object.keys(of(line)).filter((name) => !changed.has(name)))).toEqual([]);
  });

  it('has a finding for the body and key of another record: a body opens for its own record only', async () => {
    const opened = await makeOpened();
    opened.victim.rewrite(0, ([lines]) => {
      const { key, sealed } = lines?.[1] ?? {};
      Object.assign(lines?.[2] ?? {}, { key, sealed });
    });
    expect(await verify(opened)).toEqual({ found: ['key-shared 3', 'body-unreadable 3'], erased: 0 });
  });

  it.each([
    ['other JSON', (body: string) => body.replace(/.*$/, '7'), 'body-unreadable 2'],
    ['JSON that is not canonical', (body: string) => body.replace('[', '[ '), 'body-unreadable 2'],
    ['one part less', (body: string) => body.replace('\n', ''), 'body-unreadable 2'],
    ['a fact that is an object', (body: string) => body.replace('["mobile"]', '[{"a":1}]'), 'body-unreadable 2'],
    [
      'a fact missing with an unknown cause',
      (body: string) => body.replace('["mobile"]', '[{"missing":7}]'),
      'body-unreadable 2',
    ],
    ['a reason of an unknown kind', (body: string) => body.replace('"fired"', '"toString"'), 'body-unreadable 2'],
    ['an empty verdict', (body: string) => body.replace(/{"outcome".*/, '{}'), 'body-unreadable 2'],
    [
      'another outcome',
      (body: string) => body.replace('{"outcome":"review"', '{"outcome":"accept"'),
      'clear-differs 2',
    ],
  ])('has a finding for an encrypted decision body with %s', async (_, change, found) => {
    expect(await verify(await makeOpened(change))).toEqual({ found: [found], erased: 0 });
  });

  it.each([
    ['no author', '"called back"'],
    ['a further part', '"a"\n"b"\n"c"'],
    ['a list as author', '["an analyst"]\n"called back"'],
    ['no content', ''],
  ])('has a finding for an encrypted note body with %s', async (_, body) => {
    expect(await verify(await makeOpened(undefined, body))).toEqual({ found: ['body-unreadable 5'], erased: 0 });
  });

  it.each([
    ['no details', '"a"\n"b"'],
    ['no author', 'null\n"b"\n{}'],
    ['a list as details', '"a"\n"b"\n[]'],
    ['a number in its details', '"a"\n"b"\n{"c":7}'],
  ])('has a finding for an encrypted event body with %s', async (_, body) => {
    const opened = await makeOpened(undefined, undefined, body);
    expect(await verify(opened)).toEqual({ found: ['body-unreadable 6'], erased: 0 });
  });

  it('is not verified with the keys of another log', async () => {
    const opened = await makeOpened();
    writeFileSync(join(opened.log.keys, 'keys.json'), `{"format":1,"log":"${uuidV7()}"}\n`);
    await expect(verify(opened)).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  });
});
