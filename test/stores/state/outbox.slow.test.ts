/** Events of an outbox: once each to one process at a time, in the order of their decision, in both databases. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outbox, OutboxEvent, TakenEvent } from '../../../src/stores/state/outbox.ts';
import { openState, type State, type StatePlace } from '../../../src/stores/state/state.ts';
import { stateHomes } from '../../support/stores/state/homes.ts';
import { PostgresServer } from '../../support/stores/state/postgres.ts';

const server = PostgresServer.shared();

/** What ends leases and delays, as time does. */
const LATER = 'update outbox set due = 1 where due is not null';

const [WEBHOOK, LEASE_MS] = ['cases', 60_000];

const event = (id: string, decision = id, at = 1): OutboxEvent => ({ id, decision, at, body: `{"id":"${id}"}` });

const idsOf = (events: readonly OutboxEvent[]) => events.map(({ id }) => id).toSorted();

for (const { title, isThere, newPlace, query } of stateHomes(server)) {
  describe.skipIf(!isThere)(title, () => {
    let place: StatePlace;
    /** Two processes. */
    let states: readonly State[];
    let one: Outbox;
    let other: Outbox;
    beforeEach(async () => {
      place = await newPlace();
      states = await Promise.all([1, 2].map(() => openState({ ...place, rememberMs: 60_000 })));
      [one, other] = states.map(({ outbox }) => outbox) as [Outbox, Outbox];
      await one.position(WEBHOOK, async () => 'start');
    });
    afterEach(() => Promise.all(states.map((state) => state.close())));

    const put = (events: readonly OutboxEvent[], before: string, position: string, isAtEnd = true) =>
      one.put(WEBHOOK, { before, position, isAtEnd }, events);

    /** Puts events that may be sent. */
    const putReady = async (...events: readonly OutboxEvent[]) => {
      await put(events, 'start', 'read');
      await put([], 'read', 'read');
    };

    const take = async (by = one, most = 100) => by.take(WEBHOOK, most, LEASE_MS);
    const takeOne = async (by = one) => (await take(by))[0] as TakenEvent;

    it('begins with the end of the log, and goes on where the other process was', async () => {
      await put([], 'start', 'read');
      expect(await other.position(WEBHOOK, async () => 'a later end')).toBe('read');
    });

    it('sends an event only after a later reading came to the end of the log', async () => {
      await put([event('a')], 'start', 'some');
      expect(await take()).toEqual([]);
      await put([event('b')], 'some', 'more', false);
      expect(await take()).toEqual([]);
      await put([event('c')], 'more', 'all');
      expect(idsOf(await take())).toEqual(['a', 'b']);
    });

    it('puts what one of two processes read, even if the events of the other are delivered already', async () => {
      await putReady(event('a'));
      await one.delivered(WEBHOOK, (await takeOne()).id);
      await other.put(WEBHOOK, { before: 'start', position: 'read', isAtEnd: true }, [event('a')]);
      await other.put(WEBHOOK, { before: 'read', position: 'read', isAtEnd: true }, []);
      expect(await take()).toEqual([]);
      expect(await one.states()).toMatchObject([{ webhook: WEBHOOK, waiting: 0, dead: 0, oldest: null }]);
    });

    it('sends nothing because of a reading that began before the event was put', async () => {
      await put([event('a')], 'start', 'read');
      await other.put(WEBHOOK, { before: 'start', position: 'start', isAtEnd: true }, []);
      expect(await take()).toEqual([]);
    });

    it('leaves an event that is being sent to its process, whatever is read meanwhile', async () => {
      await putReady(event('a'));
      expect(idsOf(await take())).toEqual(['a']);
      await put([event('b')], 'read', 'more');
      await put([], 'more', 'more');
      expect(idsOf(await take(other))).toEqual(['b']);
    });

    it('gives each event to one of several who take at once', async () => {
      const ids = Array.from({ length: 60 }, (_, i) => `e${i}`);
      await putReady(...ids.map((id) => event(id)));
      const taken = await Promise.all(Array.from({ length: 12 }, (_, i) => take([one, other][i % 2], 10)));
      expect(idsOf(taken.flat())).toEqual(ids.toSorted());
    });

    it('sends the events of a decision one after the other, by their time, and others meanwhile', async () => {
      await putReady(event('late', 'd', 20), event('early', 'd', 10), event('else', 'e', 30));
      expect(idsOf(await take())).toEqual(['early', 'else']);
      expect(await take(other)).toEqual([]);
      await one.delivered(WEBHOOK, 'early');
      expect(idsOf(await take(other))).toEqual(['late']);
    });

    it('keeps an event behind one of its decision that failed, until that is delivered or dead', async () => {
      await putReady(event('first', 'd', 10), event('second', 'd', 20));
      const first = await takeOne();
      await one.failed(WEBHOOK, first, 'HTTP_500', 3_600_000);
      expect(await take()).toEqual([]);
      await query(place, LATER);
      const again = await takeOne();
      expect(again).toEqual({ ...first, attempt: 2 });
      await one.failed(WEBHOOK, again, 'HTTP_500', null);
      expect(idsOf(await take())).toEqual(['second']);
      const [state] = await one.states();
      const when = { oldest: 10, deadSince: expect.any(Number), stoppedAt: null };
      expect(state).toMatchObject({ waiting: 1, dead: 1, failure: 'HTTP_500', ...when });
    });

    it('does not look at what is behind a failed event before that one is due, and sends all of it at once', async () => {
      const many = Array.from({ length: 300 }, (_, i) => event(`later ${i}`, 'd', 40));
      await putReady(event('first', 'd', 10), event('second', 'd', 20), ...many);
      await one.failed(WEBHOOK, await takeOne(), 'HTTP_500', 3_600_000);
      await put([event('third', 'd', 30)], 'read', 'more');
      await put([], 'more', 'more');
      const dues = await query(place, 'select distinct due from outbox');
      expect(dues).toHaveLength(1);
      expect(await one.resend(WEBHOOK)).toBe(3 + many.length);
      for (const id of ['first', 'second', 'third']) {
        expect(await takeOne()).toMatchObject({ id, attempt: 1 });
        await one.delivered(WEBHOOK, id);
      }
    });

    it('gives an event to another process once the lease is over, and the first one changes nothing then', async () => {
      await putReady(event('a'));
      const lost = await takeOne();
      expect(await take(other)).toEqual([]);
      await query(place, LATER);
      const found = await takeOne(other);
      expect(found).toEqual({ ...lost, attempt: 2 });
      await one.failed(WEBHOOK, lost, 'TIMED_OUT', null);
      expect(await one.states()).toMatchObject([{ waiting: 1, dead: 0, failure: null }]);
      await one.delivered(WEBHOOK, lost.id);
      expect(await one.states()).toMatchObject([{ waiting: 0, dead: 0 }]);
    });

    it('sends nothing to a receiver that wants no more, until it is sent again from the beginning', async () => {
      await putReady(event('gone'), event('dead'), event('waits'));
      for (const taken of await take()) {
        if (taken.id !== 'waits') await one.failed(WEBHOOK, taken, 'HTTP_410', taken.id === 'dead' ? null : 0);
      }
      await one.stop(WEBHOOK);
      await query(place, LATER);
      expect(await take()).toEqual([]);
      expect(await one.resend('unknown')).toBe(0);
      expect(await one.resend(WEBHOOK)).toBe(2);
      const taken = await take();
      expect(taken.map(({ id, attempt }) => [id, attempt]).toSorted()).toEqual([
        ['dead', 1],
        ['gone', 1],
        ['waits', 2],
      ]);
      expect(await one.states()).toMatchObject([{ stoppedAt: null, dead: 0, waiting: 3 }]);
    });

    it('keeps the events of each webhook apart', async () => {
      await putReady(event('a'));
      expect(await one.take('another', 10, LEASE_MS)).toEqual([]);
      await one.delivered('another', 'a');
      expect(idsOf(await take())).toEqual(['a']);
    });
  });
}
