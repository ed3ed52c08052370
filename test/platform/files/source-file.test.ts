/** Reading the files that people write. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/diagnostics.ts';
import { readSource } from '../../../src/platform/files/source-file.ts';

const OF_SYSTEM = '/proc/kallsyms';
const LIMIT = 4 * 1024 * 1024;

it.skipIf(lengthOf(OF_SYSTEM) <= LIMIT)(
  'keeps to the limit for a file of the system, whose size is said to be 0',
  () => {
    const diagnostics: Diagnostic[] = [];
    expect(readSource(OF_SYSTEM, 'x', diagnostics)).toBeUndefined();
    expect(diagnostics).toMatchObject([
      { code: 'file-too-large', message: expect.stringContaining(`${LIMIT + 1} bytes`) },
    ]);
  },
);

function lengthOf(path: string): number {
  try {
    return readFileSync(path).length;
  } catch {
    return 0;
  }
}
