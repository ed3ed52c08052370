/**
 * `taker.ts PLACE WITNESS LAST PERSON…`: once its parent says so, people take cases and resolve them. Each step is in
 * the file of the witness; the process kills itself at step LAST.
 */

import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import type { Case } from '../../../../src/stores/state/cases.ts';
import { openState } from '../../../../src/stores/state/state.ts';
import { noteOf, type Seen } from './holders.ts';

const [, , place = '', witness = '', last = '', ...people] = process.argv;

const { cases, close } = await openState({ ...JSON.parse(place), rememberMs: 60_000 });

let steps = 0;

function see(what: Seen['what'], { id, token, holder }: Case): void {
  appendFileSync(witness, `${JSON.stringify({ what, id, token, person: holder } satisfies Seen)}\n`);
  if (++steps === Number(last)) process.kill(process.pid, 'SIGKILL');
}

const LEASE_MS = 600_000;

async function work(person: string): Promise<void> {
  for (let turn = 0; ; turn++) {
    const taken = await cases.take({ person, leaseMs: LEASE_MS });
    if (!taken) return;
    see('take', taken);
    const hold = { id: taken.id, token: taken.token, person };
    await cases.renew({ ...hold, leaseMs: LEASE_MS });
    if (turn % 4 === 3) {
      see('give back', taken);
      await cases.release({ ...hold, skip: false });
      continue;
    }
    const note = noteOf(taken);
    const begun = await cases.beginResolve({ ...hold, note, disposition: 'approve', leastMs: 10_000 });
    if (!begun) throw new Error('a holder cannot resolve');
    // The line is the note: what the log is in a service.
    see('note', taken);
    await cases.finishResolve({ decision: taken.decision, id: taken.id, note, disposition: 'approve', at: 1 });
  }
}

process.send?.('ready');
await once(process, 'message');
await Promise.all(people.map(work));
await close();
process.disconnect();
