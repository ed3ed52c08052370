/** Of the notes about a decision, the last review and the last label count, in whatever order they are read. */

import { expect, it } from 'vitest';
import { judgementOf, type PlacedNote } from '../../../src/audit/read/judgement.ts';

const said = (notes: readonly PlacedNote[]) =>
  Object.fromEntries(Object.entries(judgementOf(notes)).map(([question, { id }]) => [question, id]));

const note = (id: string, disposition: PlacedNote['disposition'], minute = 0, chain = 'a', seq = 2): PlacedNote => {
  return { id, disposition, at: `2026-11-20T12:0${minute}:00.000Z`, chain, seq };
};

it('a review and a label are two answers: neither takes the other back', () => {
  expect(said([])).toEqual({});
  expect(said([note('1', 'decline')])).toEqual({ review: '1' });
  expect(said([note('1', 'approve'), note('2', 'fraud', 1)])).toEqual({ review: '1', label: '2' });
  expect(said([note('1', 'fraud'), note('2', 'approve', 1)])).toEqual({ review: '2', label: '1' });
});

it('the note that was recorded last counts, whatever file it stands in and in whatever order they are read', () => {
  const notes = [note('1', 'fraud', 1, 'b'), note('2', 'genuine', 2, 'a'), note('3', 'fraud', 0, 'c', 9)];
  for (const order of [notes, notes.toReversed()]) expect(said(order)).toEqual({ label: '2' });
});

it('of notes of the same instant that of the later chain counts, and within a chain the later one', () => {
  const chains = [note('9', 'fraud', 0, 'a', 7), note('1', 'genuine', 0, 'b', 2)];
  for (const order of [chains, chains.toReversed()]) expect(said(order)).toEqual({ label: '1' });
  const lines = [note('9', 'fraud', 0, 'a', 9), note('1', 'genuine', 0, 'a', 10)];
  for (const order of [lines, lines.toReversed()]) expect(said(order)).toEqual({ label: '1' });
});
