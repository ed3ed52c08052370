/** A chain that was closed -> the same as if the process that wrote it had ended in the middle of its work, as a crash ends it. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_HASH } from '../../../src/audit/entry/entry.ts';
import type { Owner } from '../../../src/audit/store/lease.ts';
import { OWNERS } from '../../../src/audit/store/segment.ts';

/** The number of no process: the highest one that Linux gives is 4,194,304. */
const NOBODY = 2_147_483_000;

/** Changes what a chain's last owner file says, and gives its path. */
export function changeOwner(folder: string, change: (owner: Owner) => object): string {
  const epoch = Math.max(...readdirSync(folder).flatMap((name) => OWNERS.numberOf(name) ?? []));
  const path = join(folder, OWNERS.of(epoch));
  const { pid, host, start, space, boot, machine, head, ...rest } = change(
    JSON.parse(readFileSync(path, 'utf8')),
  ) as Owner;
  const written = { pid, host, start, space, boot, machine, head, ...rest };
  writeFileSync(path, `${JSON.stringify(written)}\n`);
  return path;
}

/** All that was written since the chain was begun may be torn now: nothing says that it was durable. */
export function leaveCrashed(folder: string): void {
  changeOwner(folder, ({ released: _, failed: __, ...owner }) => ({
    ...owner,
    pid: NOBODY,
    head: { seq: 0, hash: NO_HASH },
  }));
}
