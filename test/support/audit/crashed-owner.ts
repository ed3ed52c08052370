/** A closed chain -> the chain as a crash of its process would leave it. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_HASH } from '../../../src/audit/entry/entry.ts';
import type { Owner } from '../../../src/audit/store/lease.ts';
import { OWNERS } from '../../../src/audit/store/segment.ts';

/** No process has this number: the highest on Linux is 4,194,304. */
const NOBODY = 2_147_483_000;

/** Changes the last owner file of a chain and returns its path. */
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

/** Makes all lines of the chain possibly torn, because no owner file says that they were durable. */
export function leaveCrashed(folder: string): void {
  changeOwner(folder, ({ released: _, failed: __, ...owner }) => ({
    ...owner,
    pid: NOBODY,
    head: { seq: 0, hash: NO_HASH },
  }));
}
