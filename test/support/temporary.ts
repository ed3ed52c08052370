/** A test run -> the folder in which its tests make temporary folders, removed at its end. */

import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Beside nothing else: some tests read the folders around their own. */
export const TEMPORARY = join(tmpdir(), `verdict-run-${process.pid}`);

export function setup(): void {
  mkdirSync(TEMPORARY, { recursive: true });
}

export function teardown(): void {
  rmSync(TEMPORARY, { recursive: true, force: true });
}
