/** Events: their fields, whose erasure erases them, how they are read, and what is refused. */

import { describe, expect, it } from 'vitest';
import type { EventFields } from '../../../src/audit/entry/entry.ts';
import { actorHash, referenceHash } from '../../../src/audit/keys/subject.ts';
import { indexKeyOf } from '../../../src/audit/log.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { addEvent } from '../../../src/audit/query/event.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { replayLog } from '../../../src/audit/query/replay/replay.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf, troubledFiles } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
`;
const BY = 'A. Okafor';
const CASE = '01a1fd40-0000-7000-8000-000000000001';
const SUBJECTS = { email: `1:${'e'.repeat(64)}` };

/** An open log with one decision. */
async function decided(options: Parameters<Awaited<ReturnType<typeof logFolder>>['open']>[0] = {}) {
  const folder = await logFolder();
  const { files, failWith } = troubledFiles();
  const log = await folder.open(options, files);
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit: log });
  const { id } = await decider.decide(personOf(0), { clientReference: BY });
  const events = () => folder.lines().filter((line) => line.kind === 'event') as EventFields[];
  return { folder, log, id, events, failWith };
}

describe('an event', () => {
  it('names what it is about and the subjects of its decision, and its words are encrypted', async () => {
    const { folder, log, id, events } = await decided();
    const given = {
      log,
      type: 'data.revealed',
      by: BY,
      why: 'the applicant calls',
      details: { field: 'email' },
    } as const;
    const event = await addEvent({ ...given, object: id, detail: 'challenge', now: () => Date.UTC(2026, 10, 20) });
    const key = indexKeyOf(log);
    await log.close();
    const [decision] = folder.decisions();
    expect(events()[0]).toMatchObject({
      ...{ id: event, at: '2026-11-20T00:00:00.000Z', type: 'data.revealed', object: id, detail: 'challenge' },
      ...{ actor: actorHash(BY, key), subjects: decision?.subjects },
    });
    expect(JSON.stringify(folder.lines())).not.toMatch(/Okafor|calls|field/);
    // Its reference has the same text, and another hash.
    expect(decision?.reference).toBe(referenceHash(BY, key));
    expect(actorHash(BY, key)).not.toBe(decision?.reference);
    expect(await verifyLog(folder.place)).toMatchObject({
      findings: [],
      chains: [{ decisions: 1, notes: 0, events: 1 }],
    });
    expect(await replayLog(folder.place)).toMatchObject({ compared: 1, same: 1 });
  });

  it('about a decision is read with it, in chronological order', async () => {
    const { folder, log, id } = await decided();
    const event = { log, by: BY, object: id } as const;
    const second = await addEvent({ ...event, type: 'case.reassigned', why: 'absent', now: () => 2000 });
    const first = await addEvent({ ...event, type: 'case.opened', detail: 'recheck', now: () => 1000 });
    await addEvent({ log, by: BY, type: 'key.changed' });
    await addEvent({ log, by: BY, type: 'case.opened', object: CASE, subjects: {} });
    await log.close();
    const [at1, at2] = [1000, 2000].map((ms) => new Date(ms).toISOString());
    expect((await readRecord(folder.place, id))?.events).toEqual([
      { id: first, at: at1, type: 'case.opened', detail: 'recheck', by: BY, why: '', details: {} },
      { id: second, at: at2, type: 'case.reassigned', by: BY, why: 'absent', details: {} },
    ]);
  });

  it('of a log that does not encrypt is read and verified too', async () => {
    const { folder, log, id, events } = await decided({ pii: 'plain' });
    await addEvent({ log, type: 'label.added', by: BY, object: id, details: { label: 'fraud' } });
    await log.close();
    expect(events()[0]?.plain).toEqual({ by: BY, why: '', details: { label: 'fraud' } });
    expect((await readRecord(folder.place, id))?.events).toMatchObject([{ by: BY, details: { label: 'fraud' } }]);
    expect((await verifyLog(folder.place)).findings).toEqual([]);
  });

  it('is erased with the subjects of its decision, and stays on record', async () => {
    const { folder, log, id, events } = await decided();
    await addEvent({ log, type: 'data.revealed', by: BY, object: id });
    await eraseSubject({ log, subject: personOf(0).email });
    await log.close();
    const [{ id: event = '' } = {}] = events();
    const [read] = (await readRecord(folder.place, id))?.events ?? [];
    expect(read).toEqual({ id: event, at: expect.any(String), type: 'data.revealed', closed: 'erased' });
    expect(await verifyLog(folder.place)).toMatchObject({ findings: [], erased: 2 });
  });

  it('about a case is erased with the subjects that it is given', async () => {
    const { folder, log, events } = await decided();
    const { subjects = {} } = folder.decisions()[0] ?? {};
    const event = await addEvent({ log, type: 'case.opened', by: BY, object: CASE, subjects });
    const other = await addEvent({ log, type: 'case.opened', by: BY, object: CASE, subjects: SUBJECTS });
    expect(events().map((line) => line.subjects)).toEqual([subjects, SUBJECTS]);
    const { records } = await eraseSubject({ log, subject: personOf(0).email });
    await log.close();
    expect([records.includes(event), records.includes(other)]).toEqual([true, false]);
  });

  it('is written as it was given, whatever the caller changes meanwhile', async () => {
    const { folder, log, id } = await decided();
    const details: Record<string, string> = { field: 'email' };
    const adding = addEvent({ log, type: 'data.revealed', by: BY, object: id, details });
    details['field'] = 'phone';
    await adding;
    await log.close();
    expect((await readRecord(folder.place, id))?.events).toMatchObject([{ details: { field: 'email' } }]);
  });

  it.each<[string, object, string]>([
    ['of an unknown type', { type: 'case.closed' }, 'type has to be case.opened or case.reassigned or'],
    ['about an object that is no id', { object: 'ONB-7' }, 'object has to be a UUID, version 7'],
    ['about an unknown decision', { object: CASE }, 'no decision with the id of the object, expected its subjects'],
    ['with a detail that is a name', { detail: 'A. Okafor' }, 'detail has to be a code like recheck'],
    ['with a long detail', { detail: 'x'.repeat(42) }, 'detail has to be a code like recheck'],
    ['without an author', { by: '' }, 'by has to be a text of 1 to 10,000 characters'],
    ['with a reason that is too long', { why: 'x'.repeat(10_001) }, 'why has to be a text of at most 10,000'],
    ['with a lone surrogate', { details: { a: 'x\uD800' } }, 'details has to be an object of texts'],
    ['with a number in its details', { details: { a: 7 } }, 'details has to be an object of texts'],
    ['with long details', { details: { a: 'x'.repeat(10_000) } }, 'details has to be an object of texts, of at most'],
    ['with a subject in clear', { subjects: { email: 'nora@there.example' } }, 'subjects has to be the keyed hashes'],
    ['with the log of somebody else', { log: {} }, 'log has to be an open log'],
  ])('%s is refused', async (_, wrong, said) => {
    const { log, events } = await decided();
    const adding = addEvent({ log, type: 'case.opened', by: BY, ...wrong });
    const message = expect.stringContaining(said);
    await expect(adding).rejects.toMatchObject({ code: 'REQUEST_INVALID', message });
    await log.close();
    expect(events()).toEqual([]);
  });

  it('about a note or another event is refused, as their ids are where a decision is asked for', async () => {
    const { folder, log, id } = await decided();
    const note = await addNote({ log, decision: id, disposition: 'approve', by: BY, why: 'called back' });
    const event = await addEvent({ log, type: 'case.opened', by: BY, object: id });
    for (const [object, said] of [
      [note, `found a note with that id, on the decision ${id}; expected the id of a decision`],
      [event, 'found an event with that id; expected the id of a decision'],
    ] as const) {
      const refused = { code: 'REQUEST_INVALID', message: said };
      await expect(addEvent({ log, type: 'case.opened', by: BY, object })).rejects.toMatchObject(refused);
      await expect(readRecord(folder.place, object)).rejects.toMatchObject(refused);
    }
    await log.close();
  });

  it('rejects if it could not be made durable', async () => {
    const { log, failWith } = await decided();
    failWith('EIO');
    await expect(addEvent({ log, type: 'key.changed', by: BY })).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    await log.close();
  });
});
