/** Erasing a subject makes its bodies unreadable in every chain, and changes nothing else. */

import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type BodyEntry, hasBody } from '../../../src/audit/entry/entry.ts';
import { DataKeyReader, dataFolder, eraseDataKeys, readKeyName } from '../../../src/audit/keys/data-keys.ts';
import { addIndexKey } from '../../../src/audit/keys/key-folder.ts';
import { homeOfLog, type OpenAuditLog, type RecordWriter, writerOf } from '../../../src/audit/log.ts';
import { addEvent } from '../../../src/audit/query/event.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { replayLog } from '../../../src/audit/query/replay/replay.ts';
import { BodyReader } from '../../../src/audit/read/read-log.ts';
import { type Erased, eraseRecords, eraseSubject, planErasure } from '../../../src/audit/retain/erase.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { SEGMENTS } from '../../../src/audit/store/segment.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import type { Applicant } from '../../../src/decision/request.ts';
import { changeOwner, leaveCrashed } from '../../support/audit/crashed-owner.ts';
import { type LogFolder, localVerifier, logFolder } from '../../support/audit/decisions.ts';
import { withHash } from '../../support/audit/victim.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const NORA = { phoneNo: '+44 7700 900123', email: 'Nora.Whitfield@Juniper-Lane.example', ip: '203.0.113.11' };
const OWEN = { phoneNo: '+44 7700 900456', email: 'owen@saltbush-books.example', ip: '203.0.113.12' };

const POLICY = `${HEAD}rules:
  - { id: risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
`;

/** Decides on applicants, one after the other; returns the ids. */
async function decideOn(audit: OpenAuditLog, applicants: readonly Applicant[]): Promise<string[]> {
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit });
  const ids: string[] = [];
  for (const applicant of applicants) ids.push((await decider.decide(applicant)).id);
  return ids;
}

const noteOn = (audit: OpenAuditLog, decision = '') =>
  addNote({ log: audit, decision, disposition: 'approve', by: 'an analyst', why: 'called back' });

const dataOf = ({ keys }: LogFolder) => dataFolder(folderAt(keys)).path;

/** The ids of the records that still open. */
async function openable(folder: LogFolder): Promise<string[]> {
  const reader = new BodyReader(folderAt(folder.keys));
  const bodies = folder.lines().filter(hasBody);
  const opened: string[] = [];
  for (const line of bodies) if ('texts' in (await reader.open(line))) opened.push(line.id);
  return opened;
}

async function expectGood(folder: LogFolder, erased: number): Promise<void> {
  expect(await verifyLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ findings: [], erased });
}

/** Opens a log, uses it, and closes it. */
async function using<Result>(folder: LogFolder, use: (audit: OpenAuditLog) => Promise<Result>): Promise<Result> {
  const audit = await folder.open();
  try {
    return await use(audit);
  } finally {
    await audit.close();
  }
}

/** An empty result, except for the given fields. */
const erasedOf = (found: Partial<Erased>): Erased => ({
  ...{ records: [], again: 0, before: 0, plain: [], missing: [], unopened: [], torn: 0, unsearchable: 0 },
  ...{ policyTexts: 0, policyTextsBefore: 0, withoutSubject: [] },
  ...{ references: found.records?.length ?? 0, applicants: found.records?.length ? 1 : 0 },
  ...found,
});

const erase = (folder: LogFolder, subject: string) => using(folder, (audit) => eraseSubject({ log: audit, subject }));

describe('a subject that is erased', () => {
  it('has no body that opens and no byte of its keys left, and other subjects keep theirs', async () => {
    const folder = await logFolder();
    const [nora = '', owen, second = '', note = '', other] = await using(folder, async (audit) => {
      const [one = '', two = '', three = ''] = await decideOn(audit, [NORA, OWEN, NORA]);
      return [one, two, three, await noteOn(audit, one), await noteOn(audit, two)];
    });
    const keyOf = (id: string | undefined) => {
      const line = folder.lines().find((found) => 'id' in found && found.id === id);
      return line && 'key' in line ? (line.key ?? '') : '';
    };
    const bytesOf = (id: string | undefined) => {
      const { block = '', slot = 0 } = readKeyName(keyOf(id)) ?? {};
      return readFileSync(join(dataOf(folder), `${block}.keys`)).subarray(slot * 32, (slot + 1) * 32);
    };
    const kept = [owen, other].map((id) => Buffer.from(bytesOf(id)));
    const erased = await erase(folder, '+447700900123');
    expect(erased).toEqual(erasedOf({ references: 2, records: [nora, second, note] }));
    expect(await openable(folder)).toEqual([owen, other]);
    for (const id of [nora, second, note]) expect(bytesOf(id).equals(Buffer.alloc(32))).toBe(true);
    expect([owen, other].map(bytesOf)).toEqual(kept);
    await expectGood(folder, 3);
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({
      compared: 1,
      same: 1,
      erased: 2,
      problemCount: 0,
    });
  });

  it.each([
    ['a phone number with the national prefix 0', '+44 (0)7700-900.123'],
    ['an email in upper case, with spaces around it', ' NORA.WHITFIELD@JUNIPER-LANE.EXAMPLE '],
    ['an email in full-width letters', 'nora.whitfield@juniper-l\uff41ne\uff0eexample'],
    ['an IP in IPv6', '::ffff:203.0.113.11'],
  ])('is found by %s', async (_, subject) => {
    const folder = await logFolder();
    const [nora] = await using(folder, (audit) => decideOn(audit, [NORA, OWEN]));
    expect((await erase(folder, subject)).records).toEqual([nora]);
  });

  it.each([
    ['0123', 'read as a phone number, starts with 0'],
    ['nobody', 'read as a phone number, has letters'],
    ['two@at@example', 'read as an email, has more than one @'],
    ['<nora@there.example>', 'read as an email, has characters before the @'],
    ['mailto:nora@there.example', 'read as an email, has characters before the @'],
    ['nora@there.example,', 'read as an email, has no domain after the @'],
    ['nora@there.example;', 'read as an email, has no domain after the @'],
    ['nora@there.example;+12025550102', 'read as an email, has no domain after the @'],
    ['2001:db8::1', 'read as an IP address, is not IPv4'],
    ['', 'read as a phone number, is empty'],
  ])('cannot be "%s", and the message does not repeat it', async (text, said) => {
    const folder = await logFolder();
    const thrown = await erase(folder, text).catch((caught: Error) => caught);
    expect(thrown).toMatchObject({ code: 'REQUEST_INVALID', message: expect.stringContaining(`the subject, ${said}`) });
    if (text.length > 5) expect(String(thrown)).not.toContain(text);
  });

  it('is found among records of every index key', async () => {
    const folder = await logFolder();
    const [old] = await using(folder, (audit) => decideOn(audit, [NORA]));
    await addIndexKey(folderAt(folder.keys));
    const [recent] = await using(folder, (audit) => decideOn(audit, [NORA]));
    const numbers = folder.decisions().map(({ subjects }) => subjects.phoneNo?.split(':')[0]);
    expect(numbers).toEqual(['1', '2']);
    expect((await erase(folder, NORA.email)).records).toEqual([old, recent]);
    await expectGood(folder, 2);
  });

  it('is found in the chains of other processes', async () => {
    const folder = await logFolder();
    const [one, other] = [await folder.open(), await folder.open()];
    const ids = [...(await decideOn(one, [NORA])), ...(await decideOn(other, [NORA]))];
    expect((await eraseSubject({ log: one, subject: NORA.email })).records).toEqual(ids);
    await one.close();
    await other.close();
    await expectGood(folder, 2);
  });

  it('may be erased again, also by another identifier, and nothing more is written', async () => {
    const folder = await logFolder();
    await using(folder, (audit) => decideOn(audit, [NORA]));
    await erase(folder, NORA.phoneNo);
    for (const subject of [NORA.phoneNo, NORA.email]) {
      expect(await erase(folder, subject)).toEqual(erasedOf({ before: 1 }));
    }
    expect(folder.lines().filter(({ kind }) => kind === 'erasure')).toHaveLength(1);
    await expectGood(folder, 1);
  });

  it('gets its erasure entry from the next erasure if one was interrupted after erasing the keys', async () => {
    const folder = await logFolder();
    const [nora = '', second = ''] = await using(folder, (audit) => decideOn(audit, [NORA, NORA]));
    const [key = ''] = folder.decisions().map((line) => line.key);
    await eraseDataKeys(folderAt(folder.keys), [key]);
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toMatchObject([{ code: 'key-missing' }]);
    expect((await erase(folder, NORA.email)).records).toEqual([nora, second]);
    await expectGood(folder, 2);
  });

  it('has its plain bodies, and records whose keys are missing, reported as not erased', async () => {
    const folder = await logFolder();
    const audit = await folder.open({ pii: 'plain' });
    const [clear = ''] = await decideOn(audit, [NORA]);
    await audit.close();
    const [lost = ''] = await using(folder, (sealed) => decideOn(sealed, [NORA, OWEN]));
    for (const name of readdirSync(dataOf(folder))) rmSync(join(dataOf(folder), name));
    expect(await erase(folder, NORA.ip)).toEqual(erasedOf({ plain: [clear], missing: [lost] }));
  });

  it('without any record is erased without an entry', async () => {
    const folder = await logFolder();
    await using(folder, (audit) => decideOn(audit, [OWEN]));
    expect(await erase(folder, NORA.email)).toEqual(erasedOf({}));
    expect(folder.lines().some(({ kind }) => kind === 'erasure')).toBe(false);
  });
});

describe('a reference whose records are erased', () => {
  const REFERENCE = 'LUM-1005';

  /** Decides on applicants with the reference, one after the other. */
  async function decideWith(audit: OpenAuditLog, applicants: readonly Applicant[], policy = POLICY): Promise<string[]> {
    const decider = createDecider({ policy: policyOf(policy), verify: localVerifier, audit });
    const ids: string[] = [];
    for (const applicant of applicants) {
      ids.push((await decider.decide(applicant, { clientReference: REFERENCE })).id);
    }
    return ids;
  }
  const eraseReference = (folder: LogFolder, reference = REFERENCE) =>
    using(folder, (audit) => eraseSubject({ log: audit, reference }));

  it('has no body that opens, its notes and events in other chains too, and other records of the person keep theirs', async () => {
    const folder = await logFolder();
    const [early, audit] = [await folder.open(), await folder.open()];
    const [sought = ''] = await decideWith(audit, [NORA]);
    const [same = '', owen = ''] = await decideOn(audit, [NORA, OWEN]);
    const [note, other] = [await noteOn(early, sought), await noteOn(early, same)];
    const event = { log: early, type: 'data.revealed', by: 'an analyst' } as const;
    const [seen, otherSeen] = [
      await addEvent({ ...event, object: sought }),
      await addEvent({ ...event, object: same }),
    ];
    const lookedUp = await addEvent({ ...event, type: 'subject.searched', details: { of: NORA.email } });
    await early.close();
    await audit.close();
    await addIndexKey(folderAt(folder.keys));
    expect(await planErasure(folder, { reference: 'lum-1005' })).toEqual(erasedOf({}));
    const records = (await eraseReference(folder)).records;
    expect([...records].sort()).toEqual([sought, note, seen].sort());
    expect((await openable(folder)).sort()).toEqual([same, owen, other, otherSeen, lookedUp].sort());
    const [entry] = folder.lines().filter(({ kind }) => kind === 'erasure');
    const { subjects } = folder.decisions().find(({ id }) => id === sought) ?? {};
    expect(entry).toMatchObject({ subject: Object.values(subjects ?? {}).sort() });
    await expectGood(folder, 3);
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({
      same: 2,
      erased: 1,
      problemCount: 0,
    });
    expect(await eraseReference(folder)).toEqual(erasedOf({ before: 3 }));
  });

  it('of two people counts both, and gets its entry from the next erasure if one was interrupted', async () => {
    const folder = await logFolder();
    const ids = await using(folder, (audit) => decideWith(audit, [NORA, OWEN, { ...NORA, ip: OWEN.ip }]));
    expect(await planErasure(folder, { reference: REFERENCE })).toEqual(
      erasedOf({ records: ids, references: 1, applicants: 2 }),
    );
    const [key = ''] = folder.decisions().map((line) => line.key);
    await eraseDataKeys(folderAt(folder.keys), [key]);
    expect((await eraseReference(folder)).records).toEqual(ids);
    await expectGood(folder, 3);
  });

  it('leaves a record without a phone number, email or IP address, and says so', async () => {
    const folder = await logFolder();
    const policy = `${HEAD}facts:\n  context.age: { type: integer }\nrules:\n  - { id: minor, when: { context.age: { below: 18 } }, then: reject }\n`;
    const [id = ''] = await using(folder, (audit) => decideWith(audit, [{}], policy));
    expect(await eraseReference(folder)).toEqual(erasedOf({ withoutSubject: [id] }));
    expect(await openable(folder)).toEqual([id]);
    await expectGood(folder, 0);
  });

  it('is refused beside a subject, and so is neither', async () => {
    const folder = await logFolder();
    for (const erasee of [{ subject: NORA.email, reference: REFERENCE }, {}]) {
      await expect(planErasure(folder, erasee)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    }
  });
});

describe('a record that names the key of another record', () => {
  /** A log with a record of Nora, one of Owen, and one that an attacker added with valid hashes. */
  async function forged(forge: (nora: BodyEntry, owen: BodyEntry) => object) {
    const folder = await logFolder();
    await using(folder, (audit) => decideOn(audit, [NORA, OWEN]));
    const [nora, owen] = folder.decisions() as BodyEntry[];
    if (!nora || !owen) throw new Error('nothing was recorded');
    const file = join(folder.dir, 'chains', nora.chain, SEGMENTS.of(1));
    const { seq, hash: prev } = folder.lines().at(-1) ?? nora;
    const { hash: _, ...line } = { ...forge(nora, owen), seq: seq + 1, prev } as Record<string, unknown>;
    const added = withHash(JSON.stringify(line));
    appendFileSync(file, `${added}\n`);
    changeOwner(dirname(file), (owner) => ({ ...owner, head: { seq: seq + 1, hash: JSON.parse(added).hash } }));
    return { folder, nora, owen };
  }

  const toCome = (line: BodyEntry) => line.key?.replace(/:.*/, ':9') ?? '';

  it.each<[string, (nora: BodyEntry, owen: BodyEntry) => object]>([
    ['another record', (nora, owen) => ({ ...nora, id: uuidV7(), key: owen.key })],
    ['another record, with an existing id', (nora, owen) => ({ ...nora, key: owen.key })],
    ['a future record', (nora) => ({ ...nora, id: uuidV7(), key: toCome(nora) })],
    [
      'another record, together with its body',
      (nora, owen) => ({ ...nora, id: uuidV7(), key: owen.key, sealed: owen.sealed }),
    ],
  ])('is reported, and the key of %s is not erased', async (_, forge) => {
    const { folder, nora, owen } = await forged(forge);
    const erased = await erase(folder, NORA.phoneNo);
    expect(erased).toMatchObject({ records: [nora.id], unopened: [expect.any(String)] });
    const reader = new DataKeyReader(folderAt(folder.keys));
    for (const key of [owen.key ?? '', toCome(nora)]) expect(await reader.read(key)).toBeInstanceOf(Buffer);
    expect(await reader.read(nora.key ?? '')).toBe('erased');
  });

  it('with the id of another decision is refused: the notes of that one would be erased by its reference', async () => {
    const { folder } = await forged((nora, owen) => ({ ...nora, id: owen.id }));
    const [nora = ''] = folder.decisions().map(({ id }) => id);
    // A decision without a reference of the caller has its id.
    await expect(planErasure(folder, { reference: nora })).rejects.toThrow(
      'two decisions with one id and two references',
    );
  });

  it('does not lose that key to a forged tail that names it', async () => {
    const folder = await logFolder();
    await using(folder, (audit) => decideOn(audit, [NORA, OWEN]));
    const [nora, owen] = folder.decisions() as BodyEntry[];
    const writing = await folder.open();
    await decideOn(writing, [OWEN]);
    const last = folder.decisions().at(-1) as BodyEntry;
    const keys = [owen?.key ?? '', toCome(last)];
    const tails = keys.map((key) => `"subjects":${JSON.stringify(nora?.subjects)},"key":"${key}"`);
    writeFileSync(join(folder.dir, 'chains', last.chain, 'torn-00000001-7'), tails.join('\n'));
    expect(await eraseSubject({ log: writing, subject: NORA.phoneNo })).toMatchObject({ records: [nora?.id], torn: 0 });
    const reader = new DataKeyReader(folderAt(folder.keys));
    for (const key of keys) expect(await reader.read(key)).toBeInstanceOf(Buffer);
    await writing.close();
  });
});

it('an erasure is repeated after keys were restored, which verification finds before', async () => {
  const folder = await logFolder();
  const [nora = ''] = await using(folder, (audit) => decideOn(audit, [NORA, OWEN]));
  const blocks = readdirSync(dataOf(folder)).map((name) => join(dataOf(folder), name));
  const copies = blocks.map((file) => readFileSync(file));
  await erase(folder, NORA.phoneNo);
  for (const [i, file] of blocks.entries()) writeFileSync(file, copies[i] ?? '');
  const { findings } = await verifyLog({ dir: folder.dir, keys: folder.keys });
  expect(findings).toMatchObject([{ code: 'erasure-undone', id: nora, line: 2, segment: 1 }]);
  expect(await erase(folder, NORA.phoneNo)).toEqual(erasedOf({ records: [nora], again: 1 }));
  await expectGood(folder, 1);
});

it('an erasure counts the records of any subject whose index key is missing', async () => {
  const folder = await logFolder();
  await addIndexKey(folderAt(folder.keys));
  await using(folder, (audit) => decideOn(audit, [NORA, OWEN]));
  rmSync(join(folder.keys, 'index-000002.key'));
  expect(await erase(folder, NORA.phoneNo)).toEqual(erasedOf({ unsearchable: 2 }));
});

it('an erasure in progress is not a finding', async () => {
  const folder = await logFolder();
  const audit = await folder.open();
  await decideOn(audit, [NORA, OWEN]);
  // When this is called the keys are erased; the verification reads the log before the entry is written.
  const writeLate: RecordWriter = async (record) => {
    const onProgress = (lines: number) => lines === 3 && void writerOf(audit)(record);
    const report = await verifyLog({ dir: folder.dir, keys: folder.keys, onProgress });
    expect(report).toMatchObject({ findings: [], erased: 1 });
  };
  await eraseRecords(homeOfLog(audit), { subject: NORA.phoneNo }, writeLate);
  await audit.close();
});

describe('what a crash cut off', () => {
  /** A log whose last record a crash cut off, and the key of that record. */
  async function tornLog() {
    const folder = await logFolder();
    await using(folder, (audit) => decideOn(audit, [OWEN, NORA]));
    const [chain = ''] = readdirSync(join(folder.dir, 'chains'));
    const file = join(folder.dir, 'chains', chain, SEGMENTS.of(1));
    const key = folder.decisions().at(-1)?.key ?? '';
    const text = readFileSync(file, 'utf8');
    leaveCrashed(dirname(file));
    return { folder, key, chain, file, text };
  }

  it.each<[string, number]>([
    ['only the line break', 1],
    ['half of the body', 1500],
  ])('is erased once after it was set aside, if %s is missing', async (_, missing) => {
    const { folder, key, file, text } = await tornLog();
    writeFileSync(file, text.slice(0, -missing));
    const erased = await erase(folder, NORA.phoneNo);
    expect(erased).toEqual(erasedOf({ torn: 1 }));
    expect(await new DataKeyReader(folderAt(folder.keys)).read(key)).toBe('erased');
    expect(await erase(folder, NORA.phoneNo)).toMatchObject({ records: [], torn: 0 });
    expect(await openable(folder)).toHaveLength(1);
    await expectGood(folder, 0);
  });

  it('is erased at the end of a chain that was not opened since', async () => {
    const folder = await logFolder();
    const [first, second] = [await folder.open(), await folder.open()];
    await decideOn(second, [OWEN, NORA]);
    await first.close();
    await second.close();
    const key = folder.decisions().at(-1)?.key ?? '';
    const later = readdirSync(join(folder.dir, 'chains')).sort().at(-1) ?? '';
    const file = join(folder.dir, 'chains', later, SEGMENTS.of(1));
    truncateSync(file, statSync(file).size - 1);
    leaveCrashed(dirname(file));
    // The next process that opens the log takes the other chain.
    expect(await erase(folder, NORA.phoneNo)).toMatchObject({ records: [], torn: 1 });
    expect(readdirSync(join(folder.dir, 'chains', later)).some((name) => name.startsWith('torn'))).toBe(false);
    expect(await new DataKeyReader(folderAt(folder.keys)).read(key)).toBe('erased');
  });

  it('is not erased if it is of another subject', async () => {
    const { folder, key, file, text } = await tornLog();
    writeFileSync(file, text.slice(0, -1));
    expect(await erase(folder, OWEN.phoneNo)).toMatchObject({ records: [expect.any(String)], torn: 0 });
    expect(await new DataKeyReader(folderAt(folder.keys)).read(key)).toBeInstanceOf(Buffer);
  });

  it('is not erased while a process may be writing it, and erased once that process has ended', async () => {
    const { folder, key, file, text } = await tornLog();
    const writing = await folder.open();
    // A partial line with a key that no other record names.
    const line = text.trimEnd().split('\n').at(-1) ?? '';
    const own = key.replace(/:.*$/, ':9');
    appendFileSync(file, line.replace(key, own).slice(0, -10));
    expect(await using(folder, (audit) => eraseSubject({ log: audit, subject: NORA.phoneNo }))).toMatchObject({
      torn: 0,
    });
    expect(await new DataKeyReader(folderAt(folder.keys)).read(own)).toBeInstanceOf(Buffer);
    await writing.close();
    leaveCrashed(dirname(file));
    expect(await erase(folder, NORA.phoneNo)).toMatchObject({ before: 1, torn: 1 });
    expect(await new DataKeyReader(folderAt(folder.keys)).read(own)).toBe('erased');
  });
});

it('an erasure of more records than fit into one entry is recorded in several', async () => {
  const folder = await logFolder();
  const audit = await folder.open();
  await decideOn(audit, [NORA]);
  const [record] = folder.decisions();
  if (!record) throw new Error('nothing was recorded');
  const { chain, seq, prev, hash, sealed, key, plain, ...clear } = record;
  const more = Array.from({ length: 10_000 }, () => uuidV7());
  for (let from = 0; from < more.length; from += 1000) {
    const part = more.slice(from, from + 1000);
    await Promise.all(part.map((id) => writerOf(audit)({ clear: { ...clear, id }, texts: ['{}'] })));
  }
  expect((await eraseSubject({ log: audit, subject: NORA.email })).records).toHaveLength(10_001);
  await audit.close();
  const lines = folder.lines().flatMap((line) => (line.kind === 'erasure' ? [line.records.length] : []));
  expect(lines).toEqual([10_000, 1]);
  await expectGood(folder, 10_001);
});
