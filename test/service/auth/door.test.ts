/** Places are counted once, and nobody takes all of them. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createPlaces } from '../../../src/service/auth/door.ts';

const response = () => new ServerResponse(new IncomingMessage(new Socket()));

const OVERLOADED = expect.objectContaining({ problem: expect.objectContaining({ code: 'OVERLOADED' }) });

/** How many places a holder gets. */
function fill(places: ReturnType<typeof createPlaces>, holder: string): number {
  for (let taken = 0; ; taken++) {
    try {
      places.take(holder, response());
    } catch (error) {
      expect(error).toEqual(OVERLOADED);
      return taken;
    }
  }
}

test('one holder gets three quarters of the places, and others the quarter that is left', () => {
  const places = createPlaces(40);
  expect([fill(places, 'a'), fill(places, 'b'), fill(places, 'c')]).toEqual([30, 10, 0]);
});

test('holders of less than a quarter get the places that are left', () => {
  const places = createPlaces(40);
  for (let i = 0; i < 40; i++) places.take(`holder ${i}`, response());
  expect(fill(places, 'a')).toBe(0);
});

test('few places are for whoever comes', () => {
  expect([1, 2, 3].map((most) => fill(createPlaces(most), 'a'))).toEqual([1, 2, 3]);
});

test('a place is given back once, by whoever holds it or with the end of its answer', () => {
  const places = createPlaces(1);
  const first = response();
  const leave = places.take('a', first);
  leave();
  leave();
  first.emit('close');
  const second = response();
  places.take('a', second);
  expect(fill(places, 'b')).toBe(0);
  second.emit('close');
  expect(fill(places, 'b')).toBe(1);
});

test('a caller who hung up before holds nothing', () => {
  const places = createPlaces(1);
  const gone = response();
  Object.defineProperty(gone, 'closed', { value: true });
  places.take('a', gone);
  expect(fill(places, 'b')).toBe(1);
});
