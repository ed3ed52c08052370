/** Notes on decisions: their fields, their order, and what is refused. */

import { describe, expect, it } from 'vitest';
import { noteTexts, readNote } from '../../../src/audit/entry/body.ts';
import type { NoteFields } from '../../../src/audit/entry/entry.ts';
import { writerOf } from '../../../src/audit/log.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { addEvent } from '../../../src/audit/query/event.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { replayLog } from '../../../src/audit/query/replay/replay.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { BodyReader, findDecision } from '../../../src/audit/read/read-log.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { DISPOSITIONS } from '../../../src/policy/language.ts';
import { localVerifier, logFolder, personOf, troubledFiles } from '../../support/audit/decisions.ts';
import { askBoth } from '../../support/audit/two-verifiers.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
`;
const NOTE = '01a1f8d4-f5e8-7000-8000-000000000001';
const BY_AND_WHY = { by: 'an analyst', why: 'called back' };

/** An open log with one decision. */
async function decided(files = troubledFiles().files) {
  const folder = await logFolder();
  const audit = await folder.open({}, files);
  const { id } = await createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit }).decide(personOf(0));
  return { folder, audit, id };
}

describe('a note', () => {
  it('names its decision and the same subjects, and its words are encrypted', async () => {
    const { folder, audit, id } = await decided();
    const note = await addNote({ log: audit, decision: id, disposition: 'decline', ...BY_AND_WHY });
    await audit.close();
    const [decision] = folder.decisions();
    const record = folder.lines().find(({ kind }) => kind === 'note') as NoteFields;
    expect(record).toMatchObject({ id: note, decision: id, disposition: 'decline', subjects: decision?.subjects });
    expect(JSON.stringify(folder.lines())).not.toContain('analyst');
    const opened = await new BodyReader(folderAt(folder.keys)).open(folder.lines().at(-1) as never);
    expect('texts' in opened && readNote(opened.texts)).toEqual(BY_AND_WHY);
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toEqual([]);
  });

  it('that may not be written any more is not, and one on record stays', async () => {
    const { folder, audit, id } = await decided();
    const note = { log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY, id: NOTE } as const;
    await expect(addNote({ ...note, mayWrite: () => false })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(folder.lines().some(({ kind }) => kind === 'note')).toBe(false);
    expect(await addNote({ ...note, mayWrite: () => true })).toBe(NOTE);
    // The same again writes nothing, so nothing is asked.
    expect(await addNote({ ...note, mayWrite: () => false })).toBe(NOTE);
    await audit.close();
  });

  it('notes of several processes are returned in chronological order', async () => {
    const { folder, audit, id } = await decided();
    const other = await folder.open();
    const written: string[] = [];
    // Four at one instant, then an earlier one.
    for (const [log, ms] of [
      [audit, 2000],
      [audit, 2000],
      [audit, 2000],
      [audit, 2000],
      [other, 1000],
    ] as const) {
      const note = { log, decision: id, disposition: 'approve', ...BY_AND_WHY } as const;
      written.push(await addNote({ ...note, now: () => ms }));
    }
    const last = written.pop() ?? '';
    const found = await findDecision(folderAt(folder.dir), id);
    expect(found?.notes.map((note) => note.at)).toEqual(
      [1, 2, 2, 2, 2].map((second) => new Date(second * 1000).toISOString()),
    );
    expect(found?.notes.map((note) => note.id)).toEqual([last, ...written]);
    await audit.close();
    await other.close();
  });

  it('may be a label that came later: the last note counts, and both verifiers accept it', async () => {
    const { folder, audit, id } = await decided();
    const said = [{ review: 'approve' }, { review: 'decline' }, { label: 'fraud' }, { label: 'genuine' }];
    for (const [i, disposition] of DISPOSITIONS.entries()) {
      await addNote({ log: audit, decision: id, disposition, ...BY_AND_WHY, now: () => i });
      expect((await searchLog(folder.place)).rows).toMatchObject([said[i]]);
    }
    await audit.close();
    expect((await readRecord(folder.place, id))?.notes.map(({ disposition }) => disposition)).toEqual([
      ...['approve', 'decline', 'fraud', 'genuine'],
    ]);
    expect(await askBoth(folder.dir)).toMatchObject({ first: [], second: [] });
  });

  it.each<[string, object, string]>([
    [
      'on an unknown decision',
      { decision: '01a1fd40-0000-7000-8000-000000000001' },
      'the log has no decision with that id',
    ],
    ['on an empty id', { decision: '' }, 'decision has to be a non-empty text'],
    ['on a part of an id', { decision: '01a1' }, 'the log has no decision with that id'],
    ['without an author', { by: '' }, 'by has to be a text of 1 to 10,000 characters'],
    ['with a blank reason', { why: ' \n' }, 'why has to be a text'],
    ['with a reason that is too long', { why: 'x'.repeat(10_001) }, 'why has to be a text'],
    ['with a lone surrogate', { why: 'x\uD800' }, 'why has to be a text'],
    ['with a number as author', { by: 7 }, 'by has to be a text'],
    ['with a closed log of somebody else', { log: {} }, 'log has to be an open log'],
    [
      'with an unknown disposition',
      { disposition: 'maybe' },
      'disposition has to be approve or decline or fraud or genuine',
    ],
  ])('%s is refused', async (_, wrong, said) => {
    const { folder, audit, id } = await decided();
    const note = { log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY, ...wrong } as const;
    await expect(addNote(note)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: expect.stringContaining(said),
    });
    await audit.close();
    expect(folder.lines().some(({ kind }) => kind === 'note')).toBe(false);
  });

  it('on a note is refused', async () => {
    const { audit, id } = await decided();
    const decision = await addNote({ log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY });
    const second = addNote({ log: audit, decision, disposition: 'approve', ...BY_AND_WHY });
    await expect(second).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await audit.close();
  });

  it('rejects if it could not be made durable', async () => {
    const { files, failWith } = troubledFiles();
    const { audit, id } = await decided(files);
    failWith('EIO');
    const note = addNote({ log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY });
    await expect(note).rejects.toMatchObject({ code: 'AUDIT_FAILED', message: expect.stringContaining('(EIO)') });
    await audit.close();
  });
});

const ID = '01a1fd40-0000-7000-8000-00000000000a';

describe('a note with an id of the caller', () => {
  it('is recorded once, however often it is added, one after the other or at the same time', async () => {
    const { folder, audit, id } = await decided();
    const other = await folder.open();
    const note = { decision: id, disposition: 'approve', ...BY_AND_WHY, id: ID } as const;
    const added = [audit, other, audit].map((log) => addNote({ ...note, log }));
    expect(await Promise.all(added)).toEqual([ID, ID, ID]);
    expect(await addNote({ ...note, log: other })).toBe(ID);
    await audit.close();
    await other.close();
    expect(folder.lines().filter(({ kind }) => kind === 'note')).toMatchObject([{ id: ID, decision: id }]);
    expect((await verifyLog(folder.place)).findings).toEqual([]);
  });

  it('is recorded by the next call if an earlier one failed', async () => {
    const { folder, audit, id } = await decided();
    const note = { log: audit, disposition: 'approve', ...BY_AND_WHY, id: ID } as const;
    const added = await Promise.allSettled([addNote({ ...note, decision: ID }), addNote({ ...note, decision: id })]);
    expect(added.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    await audit.close();
    expect(folder.lines().filter(({ kind }) => kind === 'note')).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['another disposition', { disposition: 'decline' }],
    ['another author', { by: 'somebody' }],
    ['another reason', { why: 'came to the branch' }],
    ['the id of its decision', { id: 'decision' }],
    ['another decision', { decision: 'other' }],
    ['the id of an event', { id: 'event' }],
  ])('is refused with %s', async (_, wrong) => {
    const { folder, audit, id } = await decided();
    const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit });
    const ids = {
      decision: id,
      other: (await decider.decide(personOf(1))).id,
      event: await addEvent({ log: audit, type: 'case.opened', object: id, by: 'an analyst' }),
    };
    const note = { log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY, id: ID } as const;
    await addNote(note);
    const named = Object.entries(wrong).map(([name, value]) => [name, { ...ids }[value as 'other'] ?? value]);
    const again = addNote({ ...note, ...Object.fromEntries(named) });
    await expect(again).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: 'a record with that id is another one, or cannot be read; expected the same note, or a new id',
    });
    await audit.close();
    expect(folder.lines().filter(({ kind }) => kind === 'note')).toHaveLength(1);
  });

  it('is refused if its body was erased: nobody can tell whether it is the same', async () => {
    const { audit, id } = await decided();
    const note = { log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY, id: ID } as const;
    await addNote(note);
    await eraseSubject({ log: audit, subject: personOf(0).email });
    await expect(addNote(note)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await audit.close();
  });

  it('is refused with an id that is no UUID of version 7', async () => {
    const { audit, id } = await decided();
    const note = addNote({ log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY, id: 'NOTE-1' });
    const message = expect.stringContaining('id has to be a UUID, version 7');
    await expect(note).rejects.toMatchObject({ code: 'REQUEST_INVALID', message });
    await audit.close();
  });

  it('is not acknowledged by a log that takes no records: it may not be durable', async () => {
    const { audit, id } = await decided();
    const note = { log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY, id: ID } as const;
    await addNote(note);
    await audit.close();
    await expect(addNote(note)).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  });
});

/** A log to which two processes wrote notes with one id, at the same time. */
async function writtenTwice(second: Partial<NoteFields> = {}, why = BY_AND_WHY.why) {
  const { folder, audit, id } = await decided();
  const other = await folder.open();
  const [{ subjects = {} } = {}] = folder.decisions();
  const clear = { kind: 'note', at: AT, id: ID, decision: id, disposition: 'approve', subjects } as const;
  await writerOf(audit)({ clear, texts: noteTexts(BY_AND_WHY) });
  await writerOf(audit)({ clear: { ...clear, id: OTHER_ID, disposition: 'decline' }, texts: noteTexts(BY_AND_WHY) });
  const again = { ...clear, at: LATER, ...second } as typeof clear;
  await writerOf(other)({ clear: again, texts: noteTexts({ ...BY_AND_WHY, why }) });
  return { folder, audit, other, id, close: () => Promise.all([audit.close(), other.close()]) };
}

const OTHER_ID = '01a1fd40-0000-7000-8000-00000000000b';
const [AT, LATER] = ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.007Z'];

describe('a note that two processes wrote at the same time', () => {
  it('counts once, the last time, for every reader', async () => {
    const { folder, audit, id, close } = await writtenTwice();
    const notes = (await readRecord(folder.place, id))?.notes;
    const opened = { ...BY_AND_WHY };
    expect(notes).toEqual([
      { id: OTHER_ID, at: AT, disposition: 'decline', counts: false, ...opened },
      { id: ID, at: LATER, disposition: 'approve', counts: true, ...opened },
    ]);
    expect((await searchLog(folder.place)).rows).toMatchObject([{ review: 'approve' }]);
    const note = { log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY, id: ID } as const;
    expect(await addNote(note)).toBe(ID);
    await close();
    expect(await askBoth(folder.dir)).toMatchObject({ first: [], second: [] });
    expect((await verifyLog(folder.place)).findings).toEqual([]);
    expect(await replayLog(folder.place)).toMatchObject({ compared: 1, same: 1 });
  });

  it('is erased in both places', async () => {
    const { folder, audit, id, close } = await writtenTwice();
    await eraseSubject({ log: audit, subject: personOf(0).email });
    await close();
    expect(await verifyLog(folder.place)).toMatchObject({ findings: [], erased: 4 });
    const closed = (await readRecord(folder.place, id))?.notes.map((note) => [note.id, note.closed]);
    expect(closed).toEqual([
      [OTHER_ID, 'erased'],
      [ID, 'erased'],
    ]);
  });

  it('with other words is shown as two, and the id is taken', async () => {
    const { folder, audit, id, close } = await writtenTwice({}, 'came to the branch');
    expect((await readRecord(folder.place, id))?.notes).toHaveLength(3);
    const note = { log: audit, decision: id, disposition: 'approve', ...BY_AND_WHY, id: ID } as const;
    await expect(addNote(note)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await close();
  });

  it.each([
    ['another disposition', { disposition: 'fraud' }],
    ['another decision', { decision: OTHER_ID }],
    ['other subjects', { subjects: {} }],
  ] as const)('is a finding of both verifiers with %s, and stops a replay', async (_, second) => {
    const { folder, close } = await writtenTwice(second);
    await close();
    const { first, second: again, codes } = await askBoth(folder.dir);
    expect(codes).toBe('duplicate-id');
    expect(again).toEqual(first);
    await expect(replayLog(folder.place)).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  });
});
