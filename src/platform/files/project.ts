/** A file -> the folder of its project, and whether another path stays inside it. */

import { existsSync, lstatSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { realPathOf } from './disk-file.ts';

const REPOSITORY = '.git';
/** What the folder of a project has. */
const PROJECT_FILES = [REPOSITORY, 'package.json'];

/** The folder of the project of a file: the last of `foldersAbove`. */
export function projectOf(path: string): string {
  return foldersAbove(path).at(-1) ?? dirname(path);
}

/**
 * The folders above a file, up to that of its project, which is the nearest with one of `PROJECT_FILES`; without one,
 * it is the working directory, if the file is below it, or the folder above that of the file.
 */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); ; folder = join(folder, '..')) {
    folders.push(folder);
    if (hasOneOf(PROJECT_FILES, folder)) return folders;
    if (dirname(resolve(folder)) === resolve(folder)) break;
  }
  const working = folders.findIndex((folder) => resolve(folder) === process.cwd());
  return folders.slice(0, Math.max(working, 1) + 1);
}

/**
 * Whether a path, with its links resolved, lies outside the project of a file that names it. A repository with several
 * packages counts as one project. Only the folder of the file is resolved: the file may be a link itself.
 */
export function leavesProject(path: string, file: string): boolean {
  const folder = resolveLinks(resolve(dirname(file)));
  return !isBelow(rootOf(join(folder, basename(file))), resolveLinks(resolve(path)));
}

/** A path with links resolved in the part of it that exists. */
export function resolveLinks(path: string): string {
  const folder = dirname(path);
  return realPathOf(path) ?? (folder === path ? path : join(resolveLinks(folder), basename(path)));
}

/** Whether a file is a link out of the project that it lies in. */
export function isLinkOut(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && leavesProject(path, path);
}

/** Whether a path is a folder or below it. */
export function isBelow(folder: string, path: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}

function rootOf(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (hasOneOf([REPOSITORY], folder)) return folder;
    if (dirname(folder) === folder) return projectOf(file);
  }
}

function hasOneOf(names: readonly string[], folder: string): boolean {
  return names.some((name) => existsSync(join(folder, name)));
}
