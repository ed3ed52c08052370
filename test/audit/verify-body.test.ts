/** Verification with the keys: bodies open, and say what their records say in clear; a key that is gone was erased, or is missed. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { dataFolder, eraseKeys } from '../../src/audit/blocks.ts';
import type { NoteFields } from '../../src/audit/line.ts';
import { bodyText, clearFields } from '../../src/audit/record.ts';
import { sealText } from '../../src/audit/seal.ts';
import { verifyLog } from '../../src/audit/verify.ts';
import type { Decision } from '../../src/decision/decide.ts';
import { canonicalJson } from '../../src/digest.ts';
import { decisionOf, makeLog, openTestChain, type TestLog } from '../support/audit-log.ts';
import { temporaryFolder } from '../support/policy.ts';
import { Victim } from '../support/victim.ts';

/** What a test log's records in clear were made from, as far as they show it. */
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

const NOTE = { by: 'an analyst', why: 'called back' };

interface Opened {
  readonly log: TestLog;
  readonly victim: Victim;
  /** Three decisions, of which the last has its body in clear, and a note. */
  readonly ids: readonly string[];
}

/** A log whose bodies are what records are made of. */
async function makeOpened(change = (body: string) => body, noteBody: unknown = NOTE): Promise<Opened> {
  const log = await makeLog(temporaryFolder(), { chains: 0, decisions: 0, segmentBytes: 4000 });
  const writer = await openTestChain(log, 100_000);
  const ids = [uuidV7(), uuidV7(), uuidV7(), uuidV7()];
  const [first = '', second = '', third = '', note = ''] = ids;
  for (const id of [first, second]) {
    const decision = decisionNamed(id);
    await writer.appendSealed(({ name, key }) => {
      const sealed = sealText(change(bodyText({ decision, facts: FACTS })), key, {
        chain: writer.chain,
        kind: 'decision',
        id,
      });
      return { kind: 'decision', ...clearFields(decision), subjects: {}, key: name, sealed };
    });
  }
  const plain = JSON.parse(change(bodyText({ decision: decisionNamed(third), facts: FACTS })));
  await writer.append(() => ({ kind: 'decision', ...clearFields(decisionNamed(third)), subjects: {}, plain }));
  await writer.appendSealed(({ name, key }): NoteFields => {
    const body = canonicalJson(noteBody);
    const sealed = sealText(body, key, { chain: writer.chain, kind: 'note', id: note });
    const fields = {
      at: '2026-11-20T00:00:00.000Z',
      id: note,
      decision: first,
      disposition: 'approve',
      subjects: {},
    } as const;
    return { kind: 'note', ...fields, key: name, sealed };
  });
  await writer.close();
  const made = { ...log, chains: [writer.chain] };
  return { log: made, victim: new Victim(made), ids };
}

const keyOf = (victim: Victim, line: number): string => JSON.parse(victim.lines(0, 1)[line - 1] ?? '').key;

async function verify({ log }: Opened) {
  const { findings, erased } = await verifyLog(log.dir, { keysDir: log.keys });
  return { found: findings.map(({ code, line }) => `${code} ${line}`), erased };
}

describe('a log with its keys', () => {
  it('verifies: every body opens and says what its record says in clear', async () => {
    expect(await verify(await makeOpened())).toEqual({ found: [], erased: 0 });
  });

  it('has a key that is gone, and no erasure of the record: the first of the chain is named, and the chain read on', async () => {
    const opened = await makeOpened();
    await eraseKeys(opened.log.keys, [keyOf(opened.victim, 2), keyOf(opened.victim, 3)]);
    expect(await verify(opened)).toEqual({ found: ['key-missing 2'], erased: 0 });
  });

  it('has a key that is gone, and tells of the erasure, in whatever chain: that is counted', async () => {
    const opened = await makeOpened();
    const [first = '', , , note = ''] = opened.ids;
    await eraseKeys(opened.log.keys, [keyOf(opened.victim, 2), keyOf(opened.victim, 5)]);
    const holder = await openTestChain(opened.log, 100_000);
    const writer = await openTestChain(opened.log, 100_000);
    await writer.append(() => ({
      kind: 'erasure',
      at: '2026-11-20T00:00:00.000Z',
      subject: [],
      records: [first, note],
    }));
    await holder.close();
    await writer.close();
    expect(await verify(opened)).toEqual({ found: [], erased: 2 });
  });

  it('has lost a file of keys', async () => {
    const opened = await makeOpened();
    rmSync(join(dataFolder(opened.log.keys), `${keyOf(opened.victim, 2).split(':')[0]}.keys`));
    expect(await verify(opened)).toEqual({ found: ['key-missing 2'], erased: 0 });
  });

  it.each([
    ['outcome', 'accept'],
    ['codes', ['OTHER']],
    ['rules', []],
    ['undetermined', []],
    ['causes', ['notReturned']],
    ['at', '2026-11-21T00:00:00.000Z'],
  ])('is written anew with another %s in clear: sealed or not, the body says otherwise', async (name, value) => {
    const opened = await makeOpened();
    for (const line of [1, 3]) {
      const before = opened.victim.lines(0, 1);
      opened.victim.rewrite(0, ([lines]) => Object.assign(lines?.[line] ?? {}, { [name]: value }));
      expect(await verify(opened)).toEqual({ found: [`clear-differs ${line + 1}`], erased: 0 });
      opened.victim.write(0, 1, before);
    }
  });

  it('is written anew with the body and key of another record: it opens for no other', async () => {
    const opened = await makeOpened();
    opened.victim.rewrite(0, ([lines]) => {
      const { key, sealed } = lines?.[1] ?? {};
      Object.assign(lines?.[2] ?? {}, { key, sealed });
    });
    expect(await verify(opened)).toEqual({ found: ['body-unreadable 3'], erased: 0 });
  });

  it.each([
    ['other JSON', () => '{}', 'body-unreadable 2'],
    ['no canonical JSON', (body: string) => body.replace('{', '{ '), 'body-unreadable 2'],
    ['null', () => '{"decision":null,"facts":{}}', 'body-unreadable 2'],
    [
      'another decision',
      (body: string) => body.replace('"outcome":"review","policy"', '"outcome":"accept","policy"'),
      'clear-differs 2',
    ],
  ])('has sealed bodies that hold %s', async (_, change, found) => {
    expect(await verify(await makeOpened(change))).toEqual({ found: [found], erased: 0 });
  });

  it.each([
    ['nobody', { why: 'called back' }],
    ['something more', { ...NOTE, decision: {} }],
    ['a list', [NOTE]],
    ['nothing', null],
  ])('has a sealed note that holds %s', async (_, body) => {
    expect(await verify(await makeOpened(undefined, body))).toEqual({ found: ['body-unreadable 5'], erased: 0 });
  });

  it('is not verified with the keys of another log', async () => {
    const opened = await makeOpened();
    writeFileSync(join(opened.log.keys, 'keys.json'), `{"format":1,"log":"${uuidV7()}"}\n`);
    await expect(verify(opened)).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  });
});
