/** Notes on decisions: their fields, their order, and what is refused. */

import { describe, expect, it } from 'vitest';
import { readNote } from '../../../src/audit/entry/body.ts';
import { DISPOSITIONS, type NoteFields } from '../../../src/audit/entry/entry.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { BodyReader, findDecision } from '../../../src/audit/query/read-log.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf, troubledFiles } from '../../support/audit/decisions.ts';
import { askBoth } from '../../support/audit/two-verifiers.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
`;
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
    const opened = await new BodyReader(folder.keys).open(folder.lines().at(-1) as never);
    expect('texts' in opened && readNote(opened.texts)).toEqual(BY_AND_WHY);
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toEqual([]);
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
    const found = await findDecision(folder.dir, id);
    expect(found?.notes.map((note) => note.at)).toEqual(
      [1, 2, 2, 2, 2].map((second) => new Date(second * 1000).toISOString()),
    );
    expect(found?.notes.map((note) => note.id)).toEqual([last, ...written]);
    await audit.close();
    await other.close();
  });

  it('may be a label that came later: the last note counts, and both verifiers accept it', async () => {
    const { folder, audit, id } = await decided();
    for (const [i, disposition] of DISPOSITIONS.entries()) {
      await addNote({ log: audit, decision: id, disposition, ...BY_AND_WHY, now: () => i });
      expect((await searchLog(folder.place)).rows).toMatchObject([{ disposition }]);
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
