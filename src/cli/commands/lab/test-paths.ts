/** Where tests are, and whether a build server runs them. */

import { existsSync } from 'node:fs';
import { CouldNotRunError, type Io } from '../../io.ts';

/** In CI all tests run, whatever somebody left in a file, and nothing is rewritten. */
export function isInCi({ env }: Io): boolean {
  return Boolean(env['CI']) && env['CI'] !== 'false';
}

/** `rules/`, as `verdict init` lays it out. */
export function defaultPaths(): readonly string[] {
  if (existsSync('rules')) return ['rules/'];
  throw new CouldNotRunError(
    'there is no folder rules/ here; name the files of tests. verdict init makes such a folder',
  );
}
