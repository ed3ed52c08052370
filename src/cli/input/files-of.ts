/** Names of files, or patterns that the shell did not expand -> the files, each once. */

import { existsSync, globSync } from 'node:fs';
import { CouldNotRunError, UsageError } from '../io.ts';

/** A file of that very name comes first; `-` is standard input. Throws a usage error for a pattern without a file. */
export function filesOf(names: readonly string[], option: string): readonly string[] {
  const found = names.flatMap((name) => {
    if (!/[*?[{]/.test(name) || existsSync(name)) return name;
    const files = globSync(name).toSorted();
    if (files.length === 0) throw new UsageError(`${option}: no file matches ${name}`);
    return files;
  });
  return [...new Set(found)];
}

/** The paths, or `rules/`, as `verdict init` lays it out. `what` should have been named. */
export function pathsOr(paths: readonly string[], what: string): readonly string[] {
  if (paths.length > 0) return paths;
  if (existsSync('rules')) return ['rules/'];
  throw new CouldNotRunError(`found no folder rules/: name ${what}, or make the folder with verdict init`);
}
