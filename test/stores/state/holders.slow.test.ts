/** 16 people in 4 processes, some of which are killed: each case has one holder at a time, and one note. */

import { randomUUID } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openState } from '../../../src/stores/state/state.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';
import { noteOf, problemsOf, readWitness, type Seen, startTakers } from '../../support/stores/state/holders.ts';
import { stateHomes } from '../../support/stores/state/homes.ts';
import { PostgresServer } from '../../support/stores/state/postgres.ts';

const CASES = sampled(100, 20_000);
const PROCESSES = 4;
/** Rounds in which two of the processes are killed; after them one takes what is left. */
const KILLED_ROUNDS = sampled(1, 50);
const PEOPLE_EACH = 4;

const server = PostgresServer.shared();

/** What ends leases, as time does: a killed process does not renew them. */
const END_LEASES = "update cases set until = 1 where state <> 'resolved' and until is not null";

for (const { title, isThere, newPlace, query } of stateHomes(server)) {
  describe.skipIf(!isThere)(title, () => {
    it('gives each case to one holder at a time, and each gets one note, whoever is killed', async () => {
      const place = await newPlace();
      const witness = join(temporaryFolder(), 'witness');
      writeFileSync(witness, '');
      const state = await openState({ ...place, rememberMs: 60_000 });
      const { cases } = state;
      for (let n = 0; n < CASES; n += 1000) {
        const some = Array.from({ length: Math.min(1000, CASES - n) }, (_, i) => ({ id: randomUUID(), due: n + i }));
        const rest = { kind: 'review', queue: 'default', openedAt: 1 } as const;
        await cases.open(some.map(({ id, due }) => ({ id, decision: id, due, ...rest })));
      }
      let killed = 0;
      for (let round = 0; ; round++) {
        const left = await cases.counts();
        if (left.length === 0) break;
        expect(round).toBeLessThan(KILLED_ROUNDS + 5);
        const isKilled = round < KILLED_ROUNDS;
        const groups = Array.from({ length: isKilled ? PROCESSES : 1 }, (_, process) => {
          const people = Array.from({ length: PEOPLE_EACH }, (_, i) => `person ${round} ${process} ${i}`);
          const lastStep = isKilled && process < 2 ? 1 + ((round * 3 + process * 4) % 11) : 0;
          return { people, takers: startTakers(place, witness, people, lastStep) };
        });
        await Promise.all(groups.map(({ takers }) => takers.ready));
        const ends = groups.map(async ({ people, takers }) => {
          if ((await takers.begin()) === 'ended') return;
          killed++;
          for (const person of people) {
            appendFileSync(witness, `${JSON.stringify({ what: 'killed', id: '', token: 0, person } satisfies Seen)}\n`);
          }
        });
        await Promise.all(ends);
        // As the follower of the log does: a process may be killed between a note and its case.
        for (const seen of readWitness(witness).filter(({ what }) => what === 'note')) {
          const found = await cases.get(seen.id);
          if (found?.state === 'resolved') continue;
          await cases.finishResolve({ decision: seen.id, note: noteOf(seen), disposition: 'approve', at: 1 });
        }
        await query(place, END_LEASES);
      }
      const seen = readWitness(witness);
      expect(problemsOf(seen)).toEqual([]);
      expect(seen.filter(({ what }) => what === 'note')).toHaveLength(CASES);
      expect(killed).toBeGreaterThan(0);
      for (const one of await cases.list({ limit: CASES })) {
        const note = seen.find(({ what, id }) => what === 'note' && id === one.id);
        expect(one).toMatchObject({ state: 'resolved', note: note && noteOf(note), holder: null });
      }
      await state.close();
    });
  });
}
