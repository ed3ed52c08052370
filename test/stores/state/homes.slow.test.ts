/** What references, cases and sessions promise, held to each home that the state may have. */

import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSessions, type Person } from '../../../src/service/auth/sessions.ts';
import { CASE_SORTS, type Case, type Cases, type NewCase, placeOf } from '../../../src/stores/state/cases.ts';
import type { Claim } from '../../../src/stores/state/references.ts';
import { openState, type State, type StatePlace } from '../../../src/stores/state/state.ts';
import { stateHomes } from '../../support/stores/state/homes.ts';
import { PostgresServer } from '../../support/stores/state/postgres.ts';
import { request } from '../../support/stores/state/processes.ts';

const DAY_MS = 86_400_000;
const GRANTED: Claim = { state: 'granted' };

const server = PostgresServer.shared();

const opened: State[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function openAt(place: StatePlace, rememberMs = DAY_MS): Promise<State> {
  const state = await openState({ ...place, rememberMs });
  opened.push(state);
  return state;
}

for (const { title, isThere, newPlace } of stateHomes(server)) {
  describe.skipIf(!isThere)(`a reference in ${title}`, () => {
    const open = async (rememberMs?: number) => (await openAt(await newPlace(), rememberMs)).references;

    it('is granted to one of 200 that claim it at once', async () => {
      const references = await open();
      const claims = await Promise.all(
        Array.from({ length: 200 }, (_, i) => references.claim(request('one', `decision ${i}`))),
      );
      const first = claims.findIndex(({ state }) => state === 'granted');
      const others = claims.filter((_, i) => i !== first);
      expect(claims[first]).toEqual(GRANTED);
      expect(others).toEqual(Array(199).fill({ state: 'running', decision: `decision ${first}` }));
    });

    it('has the answer of its decision, and no other decision changes that', async () => {
      const references = await open();
      await references.claim(request('one', 'first'));
      await references.finish('one', 'second', 'wrong');
      expect(await references.claim(request('one', 'third'))).toEqual({ state: 'running', decision: 'first' });
      await references.finish('one', 'first', 'accept');
      await references.release('one', 'first');
      await references.doubt('one', 'first');
      for (const resend of [false, true]) {
        const done = { state: 'done', answer: 'accept' };
        expect(await references.claim(request('one', 'fourth', { resend }))).toEqual(done);
      }
    });

    it('is taken over by one claim that makes its decision again, and not by a later one', async () => {
      const references = await open();
      await references.claim(request('one', 'first'));
      await references.finish('one', 'first', 'failed');
      const instead = { instead: 'first' };
      const other = request('one', 'second', { ...instead, question: 'another' });
      expect(await references.claim(other)).toEqual({ state: 'reused' });
      const claims = await Promise.all(['second', 'third'].map((id) => references.claim(request('one', id, instead))));
      const isSecond = claims[0]?.state === 'granted';
      const again = isSecond ? 'second' : 'third';
      const running = { state: 'running', decision: again };
      expect(claims).toEqual(isSecond ? [GRANTED, running] : [running, GRANTED]);
      await references.finish('one', 'first', 'late');
      await references.finish('one', again, 'accept');
      expect(await references.claim(request('one', 'fourth', instead))).toEqual({ state: 'done', answer: 'accept' });
    });

    it('is refused for another question, whatever became of the first one', async () => {
      const references = await open();
      const other = request('one', 'second', { question: 'another', resend: true });
      await references.claim(request('one', 'first'));
      expect(await references.claim(other)).toEqual({ state: 'reused' });
      await references.doubt('one', 'first');
      expect(await references.claim(other)).toEqual({ state: 'reused' });
      await references.finish('one', 'first', 'accept');
      expect(await references.claim(other)).toEqual({ state: 'reused' });
    });

    it('is free again once it is released by the decision that holds it', async () => {
      const references = await open();
      await references.claim(request('one', 'first'));
      await references.release('one', 'second');
      expect(await references.claim(request('one', 'second'))).toEqual({ state: 'running', decision: 'first' });
      await references.release('one', 'first');
      expect(await references.claim(request('one', 'second', { question: 'another' }))).toEqual(GRANTED);
    });

    it('in doubt is taken over by one resend, which the first decision does not disturb', async () => {
      const references = await open();
      await references.claim(request('one', 'first'));
      await references.doubt('one', 'second');
      const resend = { resend: true };
      expect(await references.claim(request('one', 'early', resend))).toEqual({ state: 'running', decision: 'first' });
      await references.doubt('one', 'first');
      expect(await references.claim(request('one', 'plain'))).toEqual({ state: 'inDoubt', decision: 'first' });
      const claims = await Promise.all(['second', 'third'].map((id) => references.claim(request('one', id, resend))));
      // Whichever comes first.
      const isSecond = claims[0]?.state === 'granted';
      const running = { state: 'running', decision: isSecond ? 'second' : 'third' };
      expect(claims).toEqual(isSecond ? [GRANTED, running] : [running, GRANTED]);
      await references.finish('one', 'first', 'late');
      await references.release('one', 'first');
      await references.doubt('one', 'first');
      expect(await references.claim(request('one', 'fourth'))).toEqual(running);
    });

    it('is forgotten after its time, in every state', async () => {
      const references = await open(-1);
      expect(await references.claim(request('one', 'first'))).toEqual(GRANTED);
      expect(await references.claim(request('one', 'second', { question: 'another' }))).toEqual(GRANTED);
      await references.doubt('one', 'second');
      expect(await references.claim(request('one', 'third'))).toEqual(GRANTED);
      await references.finish('one', 'third', 'accept');
      expect(await references.claim(request('one', 'fourth'))).toEqual(GRANTED);
    });
  });
}

/** A case of a queue; `due` sorts it. */
function newCase(due: number, other: Partial<NewCase> = {}): NewCase {
  const id = randomUUID();
  return { id, decision: id, kind: 'review', queue: 'default', openedAt: 1, due, ...other };
}

/** A hold of a case that was taken. */
function holdOf(taken: Case | undefined): { id: string; token: number; person: string } {
  return { id: taken?.id ?? '', token: taken?.token ?? 0, person: taken?.holder ?? '' };
}

const LEASE = { leaseMs: 60_000 };
/** A lease that has ended when it begins. */
const ENDED = { leaseMs: -1 };
const NOTE = { note: 'note 1', disposition: 'approve', leastMs: 10_000 };

for (const { title, isThere, newPlace, query } of stateHomes(server)) {
  describe.skipIf(!isThere)(`what is in doubt in ${title}`, () => {
    it('is listed, the earliest first, until it is answered, let go or forgotten', async () => {
      const at = await newPlace();
      const { references, run } = await openAt(at);
      const list = async (rememberMs = DAY_MS, most = 10) =>
        (await run('inDoubt', [rememberMs, most])).map(({ decision }) => decision);
      for (const key of ['done', 'running', 'let go', 'first', 'second', 'orphaned']) {
        await references.claim(request(key, key));
      }
      for (const [ms, key] of [
        [30_000, 'first'],
        [20_000, 'second'],
        [10_000, 'orphaned'],
      ]) {
        await query(at, `update reference set at = at - ${ms} where key = '${key}'`);
      }
      await references.finish('done', 'done', 'accept');
      await references.release('let go', 'let go');
      expect(await list()).toEqual([]);
      for (const key of ['second', 'first']) await references.doubt(key, key);
      await query(at, `update reference set owner = 'killed' where key = 'orphaned'`);
      expect(await list()).toEqual(['first', 'second', 'orphaned']);
      expect(await list(DAY_MS, 2)).toEqual(['first', 'second']);
      expect(await list(15_000)).toEqual(['orphaned']);
      await references.claim(request('first', 'again', { resend: true }));
      expect(await list()).toEqual(['second', 'orphaned']);
    });
  });

  describe.skipIf(!isThere)(`a case in ${title}`, () => {
    /** The cases of a new place, with some that are open. */
    async function open(...cases: readonly NewCase[]): Promise<Cases> {
      const { cases: opened } = await openAt(await newPlace());
      await opened.open(cases);
      return opened;
    }

    it('is open once, and stays as it is when it is opened again', async () => {
      const one = newCase(5, { kind: 'challenge', queue: 'takeover', decision: 'a decision' });
      const cases = await open(one, newCase(6));
      const none = { holder: null, until: null, disposition: null, resolvedAt: null, note: null, takenAt: null };
      const read = { policy: null, codes: [], score: null, facts: {}, asked: null, sleepsUntil: null };
      const untouched = { ...none, ...read, reservedFor: null, reservedUntil: null, token: 0 };
      expect(await cases.get(one.id)).toEqual({ ...one, state: 'open', ...untouched });
      await cases.take({ person: 'ann', ...LEASE });
      await cases.open([{ ...one, queue: 'other', due: 1 }, newCase(7)]);
      expect(await cases.get(one.id)).toMatchObject({ queue: 'takeover', due: 5, holder: 'ann', token: 1 });
      expect(await cases.list({ limit: 10 })).toHaveLength(3);
      expect(await cases.get('none')).toBeUndefined();
      await cases.open([]);
    });

    it('is taken in the order of due, opening and id, of the queues that are asked for', async () => {
      const last = newCase(9);
      const second = newCase(5, { openedAt: 2, id: 'a' });
      const third = newCase(5, { openedAt: 2, id: 'b', queue: 'other' });
      const first = newCase(5, { openedAt: 1, id: 'c' });
      const cases = await open(last, third, second, first);
      expect((await cases.take({ person: '1', queues: ['other', 'none'], ...LEASE }))?.id).toBe(third.id);
      expect(await cases.take({ person: '2', queues: ['none'], ...LEASE })).toBeUndefined();
      expect(await cases.take({ person: '2', queues: [], ...LEASE })).toBeUndefined();
      for (const [person, { id }] of Object.entries({ 2: first, 3: second, 4: last })) {
        expect(await cases.take({ person, ...LEASE })).toMatchObject({ id, holder: person, token: 1 });
      }
      expect(await cases.take({ person: '5', ...LEASE })).toBeUndefined();
    });

    it('is one a person: who holds one gets it again, with its token and a new lease', async () => {
      const cases = await open(...Array.from({ length: 25 }, (_, i) => newCase(i)));
      const first = await cases.take({ person: 'ann', ...LEASE });
      const again = await cases.take({ person: 'ann', queues: ['none'], leaseMs: 120_000 });
      expect(again).toEqual({ ...first, until: again?.until });
      expect(Number(again?.until) - Number(first?.until)).toBeGreaterThanOrEqual(60_000);
      // So that all connections of the store are open.
      await Promise.all(Array.from({ length: 20 }, () => cases.counts()));
      const atOnce = await Promise.all(Array.from({ length: 20 }, () => cases.take({ person: 'ben', ...LEASE })));
      expect(new Set(atOnce.map((taken) => taken?.id)).size).toBe(1);
    });

    it('whose lease has ended is taken by another, and the first token is void', async () => {
      const cases = await open(newCase(5));
      const first = holdOf(await cases.take({ person: 'ann', ...ENDED }));
      expect(await cases.renew({ ...first, ...LEASE })).toBeUndefined();
      expect(await cases.beginResolve({ ...first, ...NOTE })).toBeUndefined();
      const second = await cases.take({ person: 'ben', ...LEASE });
      expect(second).toMatchObject({ id: first.id, holder: 'ben', token: 2 });
      expect(await cases.renew({ ...first, ...LEASE })).toBeUndefined();
      expect(await cases.release({ ...first, skip: false })).toBeUndefined();
      expect(await cases.beginResolve({ ...first, ...NOTE })).toBeUndefined();
      expect(await cases.get(first.id)).toEqual(second);
    });

    it('whose lease has ended has a new token for the same person, too', async () => {
      const cases = await open(newCase(5));
      await cases.take({ person: 'ann', ...ENDED });
      expect(await cases.take({ person: 'ann', ...LEASE })).toMatchObject({ token: 2 });
    });

    it('is renewed by its holder alone', async () => {
      const cases = await open(newCase(5));
      const hold = holdOf(await cases.take({ person: 'ann', ...LEASE }));
      const before = await cases.get(hold.id);
      expect(await cases.renew({ ...hold, person: 'ben', leaseMs: 1 })).toBeUndefined();
      expect(await cases.renew({ ...hold, token: 2, leaseMs: 1 })).toBeUndefined();
      expect(await cases.get(hold.id)).toEqual(before);
      const renewed = await cases.renew({ ...hold, leaseMs: 120_000 });
      expect(Number(renewed?.until) - Number(before?.until)).toBeGreaterThanOrEqual(60_000);
    });

    it('that is given back goes to others, and to the same person unless it was skipped', async () => {
      // As texts these contain each other.
      const [ann, other] = ['ann', 'x"ann'];
      const cases = await open(newCase(5));
      const take = async (person: string) => holdOf(await cases.take({ person, ...LEASE }));
      expect(await cases.release({ ...(await take(ann)), person: other, skip: true })).toBeUndefined();
      expect(await cases.release({ ...(await take(ann)), skip: false })).toMatchObject({ holder: null, until: null });
      expect(await cases.release({ ...(await take(other)), skip: true })).toMatchObject({ state: 'open' });
      expect(await cases.take({ person: other, ...LEASE })).toBeUndefined();
      expect(await take(ann)).toMatchObject({ token: 3 });
    });

    it('is given to a person, whoever holds it, and voids the token of that one', async () => {
      const one = newCase(5);
      const cases = await open(one);
      const hold = holdOf(await cases.take({ person: 'ann', ...LEASE }));
      const given = await cases.reassign({ id: one.id, to: 'ben' });
      expect(given).toMatchObject({ holder: null, reservedFor: 'ben', token: 2, state: 'open' });
      expect(await cases.renew({ ...hold, ...LEASE })).toBeUndefined();
      expect(await cases.take({ person: 'ben', ...LEASE })).toMatchObject({ id: one.id, token: 3 });
      expect(await cases.reassign({ id: 'none', to: 'ben' })).toBeUndefined();
    });

    it('that is being resolved is given to nobody, until its lease has ended', async () => {
      const one = newCase(5);
      const cases = await open(one);
      const hold = holdOf(await cases.take({ person: 'ann', ...LEASE }));
      const begun = await cases.beginResolve({ ...hold, ...NOTE });
      expect(begun).toMatchObject({ state: 'resolving', note: 'note 1', disposition: 'approve', holder: 'ann' });
      expect(await cases.reassign({ id: one.id, to: 'ben' })).toBeUndefined();
      expect(await cases.take({ person: 'ben', ...LEASE })).toBeUndefined();
      expect(await cases.release({ ...hold, skip: false })).toBeUndefined();
      await cases.renew({ ...hold, ...ENDED });
      const open2 = { state: 'open', note: null, disposition: null };
      expect(await cases.take({ person: 'ben', ...LEASE })).toMatchObject({ ...open2, holder: 'ben', token: 2 });
      const again = holdOf(await cases.get(one.id));
      await cases.beginResolve({ ...again, ...NOTE });
      await cases.renew({ ...again, ...ENDED });
      const given = await cases.reassign({ id: one.id, to: 'cat' });
      expect(given).toMatchObject({ ...open2, holder: null, reservedFor: 'cat', token: 3 });
    });

    it('is resolved by its holder while enough of the lease is left, again with the same note, and no other', async () => {
      const cases = await open(newCase(5));
      const hold = holdOf(await cases.take({ person: 'ann', leaseMs: 30_000 }));
      expect(await cases.beginResolve({ ...hold, ...NOTE, leastMs: 40_000 })).toBeUndefined();
      expect(await cases.beginResolve({ ...hold, ...NOTE, person: 'ben' })).toBeUndefined();
      expect(await cases.beginResolve({ ...hold, ...NOTE, token: 2 })).toBeUndefined();
      const begun = await cases.beginResolve({ ...hold, ...NOTE });
      expect(await cases.beginResolve({ ...hold, ...NOTE })).toEqual(begun);
      expect(await cases.beginResolve({ ...hold, ...NOTE, note: 'note 2' })).toBeUndefined();
      // The log may have the note already.
      expect(await cases.beginResolve({ ...hold, ...NOTE, disposition: 'decline' })).toBeUndefined();
      expect(await cases.take({ person: 'ann', ...LEASE })).toMatchObject({ state: 'resolving', note: 'note 1' });
    });

    it('is resolved by its note in whatever state it is, and of two notes the later one counts', async () => {
      const resolved = { state: 'resolved', holder: null, until: null };
      const late = { note: 'note 2', disposition: 'decline', at: 20 };
      const early = { note: 'note 1', disposition: 'approve', at: 10 };
      for (const notes of [
        [early, late],
        [late, early],
        [late, late],
      ]) {
        const one = newCase(5);
        const cases = await open(one);
        const hold = holdOf(await cases.take({ person: 'ann', ...LEASE }));
        for (const note of notes) await cases.finishResolve({ decision: one.id, ...note });
        const { at: resolvedAt, ...rest } = late;
        expect(await cases.get(one.id)).toMatchObject({ ...resolved, ...rest, resolvedAt });
        expect(await cases.take({ person: 'ann', ...LEASE })).toBeUndefined();
        expect(await cases.reassign({ id: one.id, to: 'ben' })).toBeUndefined();
        expect(await cases.renew({ ...hold, ...LEASE })).toBeUndefined();
        expect(await cases.beginResolve({ ...hold, ...NOTE })).toBeUndefined();
      }
    });

    it('is closed without an answer if its decision was made again, unless it has one', async () => {
      const [one, other] = [newCase(5), newCase(6)];
      const cases = await open(one, other);
      const hold = holdOf(await cases.take({ person: 'ann', ...LEASE }));
      await cases.finishResolve({ decision: other.id, note: 'note 1', disposition: 'approve', at: 10 });
      for (const { id } of [one, other]) await cases.close({ id, at: 20 });
      const closed = { state: 'resolved', holder: null, disposition: null, note: null, resolvedAt: 20 };
      expect(await cases.get(one.id)).toMatchObject(closed);
      expect(await cases.beginResolve({ ...hold, ...NOTE })).toBeUndefined();
      expect(await cases.get(other.id)).toMatchObject({ disposition: 'approve', resolvedAt: 10 });
      // A person may note it all the same.
      await cases.finishResolve({ decision: one.id, note: 'note 2', disposition: 'decline', at: 30 });
      expect(await cases.get(one.id)).toMatchObject({ disposition: 'decline', resolvedAt: 30 });
    });

    it('of several of one decision is found by its id, or by the note that it waits for', async () => {
      const review = newCase(5);
      const others = [6, 7].map((due) => newCase(due, { kind: 'challenge', decision: review.id }));
      const cases = await open(review, ...others);
      const [waiting, named] = others.map(({ id }) => id);
      await cases.take({ id: waiting ?? '', person: 'ann', ...LEASE });
      await cases.beginResolve({ id: waiting ?? '', token: 1, person: 'ann', ...NOTE });
      const finish = { decision: review.id, disposition: 'approve', at: 1 };
      const states = async () => (await cases.list({ limit: 3 })).map(({ state }) => state);
      await cases.finishResolve({ ...finish, note: 'note 1' });
      expect(await states()).toEqual(['open', 'resolved', 'open']);
      await cases.finishResolve({ ...finish, note: 'note 2', id: named });
      expect(await states()).toEqual(['open', 'resolved', 'resolved']);
      await cases.finishResolve({ ...finish, note: 'note 3' });
      expect(await states()).toEqual(['resolved', 'resolved', 'resolved']);
      await cases.finishResolve({ ...finish, decision: 'none', note: 'note 4' });
    });

    it('is listed by due and id, a page at a time, of some queues and states', async () => {
      const all = [
        newCase(5, { id: 'b' }),
        newCase(5, { id: 'B' }),
        newCase(5, { id: 'a-a' }),
        newCase(5, { id: 'aa' }),
      ];
      const cases = await open(...all, newCase(4, { id: 'z', queue: 'other' }));
      const ids = async (of: Partial<Parameters<Cases['list']>[0]>) =>
        (await cases.list({ limit: 10, ...of })).map(({ id }) => id);
      expect(await ids({})).toEqual(['z', 'B', 'a-a', 'aa', 'b']);
      expect(await ids({ limit: 2 })).toEqual(['z', 'B']);
      expect(await ids({ after: { at: 5, id: 'B' }, limit: 2 })).toEqual(['a-a', 'aa']);
      expect(await ids({ queues: ['default'] })).toEqual(['B', 'a-a', 'aa', 'b']);
      await cases.finishResolve({ decision: 'aa', ...NOTE, at: 1 });
      expect(await ids({ states: ['resolved'] })).toEqual(['aa']);
      expect(await ids({ states: ['open', 'resolving'], queues: ['default', 'other'] })).toEqual([
        'z',
        'B',
        'a-a',
        'b',
      ]);
      expect(await cases.counts()).toEqual([
        { queue: 'default', state: 'open', count: 3, oldestDue: 5, overdue: 3 },
        { queue: 'other', state: 'open', count: 1, oldestDue: 4, overdue: 1 },
      ]);
    });

    it('that is given to somebody is theirs until it is due, and nobody else gets it', async () => {
      const [given, other] = [newCase(Date.now() + DAY_MS), newCase(Date.now() + 2 * DAY_MS)];
      const late = newCase(5);
      const cases = await open(given, other, late);
      await cases.take({ person: 'ben', id: late.id, ...LEASE });
      const kept = await cases.reassign({ id: given.id, to: 'ann' });
      expect(kept).toMatchObject({ reservedFor: 'ann', reservedUntil: given.due });
      expect(await cases.take({ person: 'cat', id: given.id, ...LEASE })).toBeUndefined();
      expect(await cases.take({ person: 'cat', ...LEASE })).toMatchObject({ id: other.id });
      expect((await cases.given('ann')).map(({ id }) => id)).toEqual([given.id]);
      // First what is kept for them, whatever is due earlier; after the lease it still is theirs.
      await cases.release({ id: late.id, token: 1, person: 'ben', skip: false });
      expect(await cases.take({ person: 'ann', ...ENDED })).toMatchObject({ id: given.id });
      expect(await cases.take({ person: 'dan', id: given.id, ...LEASE })).toBeUndefined();
      const hold = holdOf(await cases.take({ person: 'ann', ...LEASE }));
      expect(hold.id).toBe(given.id);
      await cases.release({ ...hold, skip: false });
      expect(await cases.take({ person: 'dan', id: given.id, ...LEASE })).toMatchObject({ holder: 'dan' });
      // One that is overdue is kept for four hours all the same.
      const soon = await cases.reassign({ id: late.id, to: 'ann' });
      expect(Number(soon?.reservedUntil)).toBeGreaterThan(Date.now() + 3.9 * 3_600_000);
    });

    it('is chosen if it is free, and not by who skipped it, or opened it', async () => {
      const [one, other] = [newCase(5), newCase(6, { opener: 'ann' })];
      const cases = await open(one, other);
      expect(await cases.take({ person: 'ben', id: other.id, ...LEASE })).toMatchObject({ id: other.id, token: 1 });
      expect(await cases.take({ person: 'ben', id: other.id, ...LEASE })).toMatchObject({ id: other.id, token: 1 });
      expect(await cases.take({ person: 'ann', id: other.id, ...LEASE })).toBeUndefined();
      const hold = holdOf(await cases.take({ person: 'ann', id: one.id, ...LEASE }));
      await cases.release({ ...hold, skip: true });
      expect(await cases.take({ person: 'ann', id: one.id, ...LEASE })).toBeUndefined();
      await cases.release({ id: other.id, token: 1, person: 'ben', skip: false });
      expect(await cases.take({ person: 'ann', actors: ['ann'], id: other.id, ...LEASE })).toBeUndefined();
      await cases.reassign({ id: other.id, to: 'ann' });
      expect(await cases.take({ person: 'ann', actors: ['ann'], id: other.id, ...LEASE })).toBeUndefined();
    });

    it('sleeps until its time, is then its person’s, and wakes earlier by an answer or by that person', async () => {
      const at = await newPlace();
      const { cases } = await openAt(at);
      const one = newCase(Date.now() + DAY_MS);
      await cases.open([one]);
      const until = Date.now() + 3_600_000;
      const taken = async () => holdOf(await cases.take({ person: 'ann', id: one.id, ...LEASE }));
      const hold = await taken();
      expect(await cases.sleep({ ...hold, token: 9, until })).toBeUndefined();
      const slept = await cases.sleep({ ...hold, until, asked: 'document' });
      expect(slept).toMatchObject({
        holder: null,
        sleepsUntil: until,
        reservedFor: 'ann',
        asked: 'document',
        due: one.due,
      });
      for (const person of ['ann', 'ben']) expect(await cases.take({ person, ...LEASE })).toBeUndefined();
      expect(await cases.take({ person: 'ben', id: one.id, ...LEASE })).toBeUndefined();
      await query(at, 'update cases set sleeps_until = 1');
      expect(await cases.take({ person: 'ben', ...LEASE })).toBeUndefined();
      expect(await cases.take({ person: 'ann', ...LEASE })).toMatchObject({ id: one.id, token: 2, sleepsUntil: null });
      await cases.sleep({ ...hold, token: 2 });
      expect(await cases.get(one.id)).toMatchObject({ sleepsUntil: one.due, asked: 'document' });
      expect(await cases.answer({ id: one.id })).toMatchObject({ sleepsUntil: null, asked: null, reservedFor: 'ann' });
      expect(await cases.answer({ id: one.id })).toBeUndefined();
      expect(await cases.take({ person: 'ben', ...LEASE })).toBeUndefined();
      const again = await taken();
      await cases.sleep({ ...again, until });
      expect(await taken()).toMatchObject({ token: 4 });
      await cases.finishResolve({ decision: one.id, ...NOTE, at: 1 });
      expect(await cases.get(one.id)).toMatchObject({ reservedFor: null, sleepsUntil: null, asked: null });
    });

    it('goes to another queue, due as early as that one says, and not back to its person', async () => {
      const [late, soon] = [newCase(Date.now() + 9 * DAY_MS), newCase(5)];
      const cases = await open(late, soon);
      for (const { id, due } of [late, soon]) {
        const hold = holdOf(await cases.take({ person: 'ann', id, ...LEASE }));
        expect(await cases.escalate({ ...hold, queue: 'default', withinMs: DAY_MS })).toBeUndefined();
        const moved = await cases.escalate({ ...hold, queue: 'fraud', withinMs: DAY_MS });
        expect(moved).toMatchObject({ queue: 'fraud', holder: null, state: 'open' });
        if (due === 5) expect(moved?.due).toBe(5);
        else expect(Math.abs(Number(moved?.due) - Date.now() - DAY_MS)).toBeLessThan(60_000);
        expect(await cases.take({ person: 'ann', id, ...LEASE })).toBeUndefined();
      }
      expect(await cases.take({ person: 'ann', ...LEASE })).toBeUndefined();
      expect(await cases.take({ person: 'ben', ...LEASE })).toMatchObject({ id: soon.id });
    });

    it('is found by what decided, its facts, who has it, what it waits for and when it is due, and sorted', async () => {
      const at = await newPlace();
      const { cases } = await openAt(at);
      const now = Date.now();
      const of = (id: string, due: number, other: Partial<NewCase>) => newCase(due, { id, decision: id, ...other });
      await cases.open([
        of('a', now - 5, { codes: ['PORTED', 'SCORE'], policy: 'one', openedAt: 3 }),
        of('b', now + DAY_MS, { codes: ['PORTED'], policy: 'two', openedAt: 2 }),
        of('c', now + 1000, { codes: ['PORT'], policy: 'one', openedAt: 1 }),
      ]);
      for (const [id, score, facts] of [
        ['a', 2.5, { 'context.product': 'loan "x"', n: '1' }],
        ['b', 10, { 'context.product': 'loan', n: '1' }],
      ] as const) {
        await cases.describe({ id, score, facts });
        await cases.describe({ id, score: 99, facts: {} });
      }
      expect(await cases.get('a')).toMatchObject({ score: 2.5, facts: { n: '1' }, codes: ['PORTED', 'SCORE'] });
      expect((await cases.undescribed(9)).map(({ id }) => id)).toEqual(['c']);
      const states = ['open', 'resolving'] as const;
      const ids = async (filter: Partial<Parameters<Cases['list']>[0]>) => {
        const found = (await cases.list({ limit: 10, states, ...filter })).map(({ id }) => id).join('');
        if (!filter.after) expect(await cases.total({ states, ...filter })).toBe(found.length);
        return found;
      };
      expect(await ids({ codes: ['PORTED'] })).toBe('ab');
      expect(await ids({ codes: ['PORTED', 'SCORE'] })).toBe('a');
      expect(await ids({ codes: ['CORE'] })).toBe('');
      expect(await ids({ policies: ['one'] })).toBe('ac');
      expect(await ids({ facts: { 'context.product': 'loan' } })).toBe('b');
      expect(await ids({ facts: { 'context.product': 'loan "x"', n: '1' } })).toBe('a');
      expect(await ids({ facts: { n: '2' } })).toBe('');
      expect(await ids({ dueMs: 0 })).toBe('a');
      expect(await ids({ dueMs: 3_600_000 })).toBe('ac');
      await cases.take({ person: 'ann', id: 'a', ...LEASE });
      await cases.reassign({ id: 'b', to: 'ben' });
      expect(await ids({ situations: ['free'] })).toBe('c');
      expect(await ids({ situations: ['held', 'given'] })).toBe('ab');
      expect([await ids({ holder: 'ann' }), await ids({ holder: 'ben' })]).toEqual(['a', 'b']);
      const sorted = { due: 'acb', opened: 'cba', score: 'bac' } as const;
      for (const sort of CASE_SORTS) {
        expect(await ids({ sort })).toBe(sorted[sort]);
        const [first] = await cases.list({ sort, states, limit: 1 });
        expect(await ids({ sort, after: first && placeOf(first, sort) })).toBe(sorted[sort].slice(1));
      }
      expect(await cases.overdue()).toBe(1);
      await cases.forgetFacts(['b', 'c']);
      await cases.describe({ id: 'c', score: 1, facts: { n: '1' } });
      for (const id of ['b', 'c']) expect(await cases.get(id)).toMatchObject({ score: null, facts: {} });
      expect(await cases.undescribed(9)).toEqual([]);
      await query(at, `update cases set opened_at = ${now - 2 * 3_600_000}`);
      await query(at, `update cases set opened_at = ${now} where id = 'a'`);
      expect(await cases.backlog()).toEqual([
        { queue: 'default', hours: 0, count: 1, overdue: 1 },
        { queue: 'default', hours: 1, count: 2, overdue: 0 },
      ]);
    });

    it('is counted by hour, and by who resolved it: how many, how fast, how late, and what came to light', async () => {
      const at = await newPlace();
      const { cases } = await openAt(at);
      const now = Date.now();
      const minutes = [5, 9, 1, 3];
      for (const [i, spent] of minutes.entries()) {
        const id = `c${i}`;
        await cases.open([newCase(now + (i === 0 ? -DAY_MS : DAY_MS), { id, decision: id, openedAt: now })]);
        await cases.take({ person: 'ann', id, ...LEASE });
        await query(at, `update cases set taken_at = ${now - spent * 60_000} where id = '${id}'`);
        const disposition = i === 3 ? 'decline' : 'approve';
        await cases.finishResolve({ decision: id, id, note: id, disposition, at: now, resolver: i < 3 ? 'A' : 'B' });
      }
      await cases.label({ decision: 'c0', label: 'genuine', at: 2 });
      await cases.label({ decision: 'c1', label: 'fraud', at: 2 });
      await cases.label({ decision: 'c1', label: 'genuine', at: 1 });
      await cases.label({ decision: 'c3', label: 'genuine', at: 1 });
      const person = { late: 0, overturned: 1 };
      expect(await cases.byPerson(DAY_MS)).toEqual([
        { resolver: 'A', decided: 3, approved: 3, medianMs: 5 * 60_000, ...person, late: 1 },
        { resolver: 'B', decided: 1, approved: 0, medianMs: 3 * 60_000, ...person },
      ]);
      expect(await cases.flow(DAY_MS)).toEqual([{ hour: Math.floor(now / 3_600_000), opened: 4, resolved: 4 }]);
      expect(await cases.byPerson(-DAY_MS)).toEqual([]);
    });

    it('is forgotten with the positions of followers, and nothing else is', async () => {
      const state = await openAt(await newPlace());
      const { cases, references } = state;
      await references.claim(request('one', 'first'));
      await cases.open([newCase(5)]);
      expect(await cases.position('log')).toBeUndefined();
      await cases.setPosition('log', 'first', undefined);
      await cases.setPosition('log', 'second', 'first');
      for (const before of [undefined, 'first']) await cases.setPosition('log', 'late', before);
      expect(await cases.position('log')).toBe('second');
      expect(await cases.position('other')).toBeUndefined();
      await cases.clear();
      expect(await cases.list({ limit: 1 })).toEqual([]);
      expect(await cases.position('log')).toMatch(/^cleared /);
      await cases.setPosition('log', 'late', 'second');
      expect(await cases.position('log')).toMatch(/^cleared /);
      expect(await references.claim(request('one', 'second'))).toEqual({ state: 'running', decision: 'first' });
    });

    it('has a lease that ends at once for two machines, one of whose clocks is 10 minutes back', async () => {
      const at = await newPlace();
      const { cases } = await openAt(at);
      const [one, other] = [newCase(5), newCase(6)];
      await cases.open([one, other]);
      const [back, now] = [-600_000, 0];
      const on = async <Result>(offsetMs: number, call: (cases: Cases) => Promise<Result>): Promise<Result> => {
        vi.useFakeTimers({ now: Date.now() + offsetMs, toFake: ['Date'] });
        const state = await openAt(at);
        return call(state.cases).finally(() => vi.useRealTimers());
      };
      const taken = await on(back, (machine) => machine.take({ person: 'ann', ...LEASE }));
      const given = await on(now, (machine) => machine.take({ person: 'ben', ...LEASE }));
      expect([taken?.id, given?.id]).toEqual([one.id, other.id]);
      expect(Math.abs(Number(taken?.until) - Number(given?.until))).toBeLessThan(30_000);
      for (const offset of [back, now]) {
        expect(await on(offset, (machine) => machine.take({ person: 'cat', ...LEASE }))).toBeUndefined();
      }
      // A minute passes.
      await query(at, `update cases set until = until - ${LEASE.leaseMs}`);
      for (const offset of [back, now]) {
        expect(await on(offset, (machine) => machine.renew({ ...holdOf(taken), ...LEASE }))).toBeUndefined();
        expect(await on(offset, (machine) => machine.beginResolve({ ...holdOf(taken), ...NOTE }))).toBeUndefined();
      }
      const next = await on(back, (machine) => machine.take({ person: 'cat', ...LEASE }));
      expect(next).toMatchObject({ id: one.id, token: 2 });
    });

    it('and a reference are there for the next process, with the same hashes', async () => {
      const at = await newPlace();
      const first = await openAt(at);
      const one = newCase(5);
      await first.cases.open([one]);
      await Promise.all(['one', 'two'].map((key) => first.references.claim(request(key, `${key} 1`))));
      await first.references.finish('two', 'two 1', 'accept', true);
      await first.close();
      const next = await openAt(at);
      expect((await next.cases.take({ person: 'ann', ...LEASE }))?.id).toBe(one.id);
      expect(await next.references.claim(request('two', 'two 2'))).toEqual({ state: 'done', answer: 'accept' });
      // Its process closed while it was running.
      expect(await next.references.claim(request('one', 'one 2'))).toEqual({ state: 'inDoubt', decision: 'one 1' });
      expect(next.hash('a text')).toBe(first.hash('a text'));
      const other = await openAt(await newPlace());
      expect(other.hash('a text') === first.hash('a text')).toBe('key' in at);
    });

    it('is refused with StateUnavailable once the state is closed', async () => {
      const state = await openAt(await newPlace());
      await Promise.all([state.close(), state.close()]);
      const closed = expect.objectContaining({
        name: 'StateUnavailable',
        cause: expect.objectContaining({ code: 'CLOSED' }),
      });
      await expect(state.cases.take({ person: 'ann', ...LEASE })).rejects.toEqual(closed);
      await expect(state.references.claim(request('one', 'first'))).rejects.toEqual(closed);
      await expect(state.references.check()).rejects.toEqual(closed);
    });
  });
}

const RITA: Person = { name: 'Rita Okoye <s-1>', display: 'Rita Okoye', subject: 's-1', roles: ['read', 'edit'] };
const BEN: Person = { name: 'Ben Okafor <s-2>', display: 'Ben Okafor', subject: 's-2', roles: ['approve'] };
const MINUTE_MS = 60_000;
const [IDLE_MS, LONGEST_MS] = [30 * MINUTE_MS, 600 * MINUTE_MS];

for (const { title, isThere, newPlace, query } of stateHomes(server)) {
  describe.skipIf(!isThere)(`a session in ${title}`, () => {
    async function open() {
      const at = await newPlace();
      const sessions = createSessions(await openAt(at));
      /** Lets time pass, by the clock of the store. */
      const pass = (column: 'seen_at' | 'signed_in_at', ms: number) =>
        query(at, `update sessions set ${column} = ${column} - ${ms}`);
      return { at, sessions, pass };
    }

    it('is that of its cookie alone, and the store has no cookie', async () => {
      const { at, sessions } = await open();
      const cookies = [await sessions.begin({ ...RITA, authenticatedAt: 5000 }), await sessions.begin(BEN)];
      const [rita, ben] = await Promise.all(cookies.map((each) => sessions.find(each)));
      expect(rita?.person).toEqual({ ...RITA, authenticatedAt: 5000 });
      expect(ben?.person).toEqual(BEN);
      expect(rita?.csrf).not.toBe(ben?.csrf);
      const stored = JSON.stringify(await query(at, 'select * from sessions'));
      for (const secret of [...cookies, rita?.csrf, ben?.csrf]) expect(stored).not.toContain(secret);
      for (const none of [undefined, '', 'x', 'A'.repeat(43), `${cookies[0]}=`, `${cookies[0]} `]) {
        expect(await sessions.find(none)).toBeUndefined();
      }
    });

    it('ends on the server, and no other session with it', async () => {
      const { at, sessions } = await open();
      const [first, second] = [await sessions.begin(RITA), await sessions.begin(RITA)];
      await sessions.end(first);
      await sessions.end('never begun');
      expect(await sessions.find(first)).toBeUndefined();
      expect((await sessions.find(second))?.person).toEqual(RITA);
      expect(await query(at, 'select id from sessions')).toHaveLength(1);
    });

    it('ends after 30 minutes without a request', async () => {
      const { sessions, pass } = await open();
      const cookie = await sessions.begin(RITA);
      for (let i = 0; i < 3; i++) {
        await pass('seen_at', IDLE_MS - MINUTE_MS);
        expect(await sessions.find(cookie)).toBeDefined();
      }
      await pass('seen_at', IDLE_MS);
      expect(await sessions.find(cookie)).toBeUndefined();
    });

    it('ends after 10 hours, however busy it is', async () => {
      const { sessions, pass } = await open();
      const cookie = await sessions.begin(RITA);
      const begun = await sessions.find(cookie);
      expect((begun?.endsAt ?? 0) - (begun?.signedInAt ?? 0)).toBe(IDLE_MS);
      await pass('signed_in_at', LONGEST_MS - MINUTE_MS);
      const late = await sessions.find(cookie);
      expect((late?.endsAt ?? 0) - (late?.signedInAt ?? 0)).toBe(LONGEST_MS);
      await pass('signed_in_at', MINUTE_MS);
      expect(await sessions.find(cookie)).toBeUndefined();
    });

    it('is written once a minute at most, and its row goes once it has ended', async () => {
      const { at, sessions, pass } = await open();
      const cookie = await sessions.begin(RITA);
      await pass('seen_at', MINUTE_MS / 2);
      const rows = () => query(at, 'select * from sessions');
      const before = await rows();
      await sessions.find(cookie);
      expect(await rows()).toEqual(before);
      await pass('seen_at', MINUTE_MS / 2 + 1);
      await Promise.all(Array.from({ length: 5 }, () => sessions.find(cookie)));
      expect(await rows()).not.toEqual(before);
      await pass('seen_at', IDLE_MS);
      await sessions.begin(BEN);
      expect(await query(at, 'select subject from sessions')).toEqual([{ subject: 's-2' }]);
    });

    it('has the roles of the last sign-in of its person, and the time of its own', async () => {
      const { sessions } = await open();
      const first = await sessions.begin({ ...RITA, authenticatedAt: 5000 });
      const other = await sessions.begin(BEN);
      await sessions.begin({ ...RITA, roles: ['read'], authenticatedAt: 9000 });
      expect((await sessions.find(first))?.person).toEqual({ ...RITA, roles: ['read'], authenticatedAt: 5000 });
      expect((await sessions.find(other))?.person).toEqual(BEN);
    });

    it('ends by the clock of the store, and goes on in the next process', async () => {
      const { at, sessions } = await open();
      const cookie = await sessions.begin(RITA);
      vi.useFakeTimers({ now: Date.now() + DAY_MS, toFake: ['Date'] });
      try {
        const found = await sessions.find(cookie);
        expect(found).toBeDefined();
        expect(await createSessions(await openAt(at)).find(cookie)).toEqual(found);
      } finally {
        vi.useRealTimers();
      }
    });

    it('is refused with StateUnavailable once the state is closed', async () => {
      const state = await openAt(await newPlace());
      const sessions = createSessions(state);
      const cookie = await sessions.begin(RITA);
      await state.close();
      await expect(sessions.find(cookie)).rejects.toMatchObject({ name: 'StateUnavailable' });
    });
  });
}
