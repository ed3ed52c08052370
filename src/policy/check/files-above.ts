/** Named files -> the policies and mappings in the folders above them, up to the folder of the project. */

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Classified, classify, distinct, isTestFile } from './candidates.ts';

/** What the folder of a project has. */
const PROJECT_FILES = ['.git', 'package.json'];

/**
 * A policy includes files of its own folder and of those below, so it is in a folder above them. The project is the
 * nearest folder above that has one of `PROJECT_FILES`; without one, it is the working directory, if the file is below
 * it, or the folder above that of the file.
 */
export function filesAbove(paths: readonly string[]): readonly Classified[] {
  const folders = [...new Set(paths.flatMap(foldersAbove))];
  const found = folders.flatMap((folder) => yamlIn(folder).map((path) => ({ path, isNamed: false })));
  return distinct(found).map(classify);
}

/** The folder of the project of a file. */
export function projectOf(path: string): string {
  return foldersAbove(path).at(-1) ?? dirname(path);
}

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); ; folder = join(folder, '..')) {
    folders.push(folder);
    if (PROJECT_FILES.some((name) => existsSync(join(folder, name)))) return folders;
    if (dirname(resolve(folder)) === resolve(folder)) break;
  }
  const working = folders.findIndex((folder) => resolve(folder) === process.cwd());
  return folders.slice(0, Math.max(working, 1) + 1);
}

function yamlIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name) && !isTestFile(name));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
}
