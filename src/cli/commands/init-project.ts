/** `verdict init`: an empty folder -> policies, a mapping, tests and a small service, ready to run. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { createFile, makeFolder } from '../../platform/files/disk-file.ts';
import { parseJson } from '../../platform/json.ts';
import type { Styler } from '../../report/outline.ts';
import { count, printable, toJson } from '../../text.ts';
import { ENGINE_VERSION } from '../../version.ts';
import { CouldNotRunError, type Io, stylerFor, write } from '../io.ts';
import { describeUnwritable } from '../options/own-file.ts';

// The relative paths are the same from `src/cli/commands` and from `dist/cli/commands`.
const PACKAGE = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const STARTER = fileURLToPath(new URL('../../../docs/examples/starter/', import.meta.url));
const RULES = fileURLToPath(new URL('../../../rules/', import.meta.url));

/** The schemas, as seen from the new folder. */
const SCHEMAS = 'node_modules/verdict-engine/rules';

export function addInit(program: Command, io: Io): void {
  program
    .command('init')
    .description('make a new folder with policies, a mapping, tests and a small service')
    .argument('[dir]', 'the folder: a new or an empty one', '.')
    .action(async (dir) => {
      const files = projectFiles(dir);
      requireEmpty(dir);
      writeProject(dir, files);
      await write(io.stdout, describe(dir, files.size, stylerFor(io.stdout, io.env)));
    });
}

/** The files of a project in a folder, by path. */
function projectFiles(dir: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [path, text] of textsIn(STARTER)) {
    // npm leaves a .gitignore out of a package.
    files.set(path === 'gitignore' ? '.gitignore' : path, path === 'package.json' ? withVersion(text, dir) : text);
  }
  for (const [path, text] of textsIn(RULES)) {
    if (!path.endsWith('.schema.json')) files.set(`rules/${path}`, withSchema(`rules/${path}`, text));
  }
  return files;
}

/** The texts of all files of a folder, by path with slashes, in the order of their names. */
function textsIn(folder: string): readonly (readonly [path: string, text: string])[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return paths.sort().map((path) => [path.slice(folder.length).replaceAll('\\', '/'), readFileSync(path, 'utf8')]);
}

/** The manifest, which needs this version of the package or a compatible one, or the file that it came from. */
function withVersion(manifest: string, dir: string): string {
  const tarball = ownTarball();
  const wanted =
    tarball === undefined ? `^${ENGINE_VERSION}` : `file:${relative(resolve(dir), tarball).replaceAll('\\', '/')}`;
  return manifest.replace('"verdict-engine": "*"', () => `"verdict-engine": ${toJson(wanted)}`);
}

/** What npm notes of each package that it installs. */
interface Lock {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
}

/** The packed file from which npm installed this package; undefined if it came from a registry or runs in a clone. */
function ownTarball(): string | undefined {
  const modules = dirname(PACKAGE);
  try {
    const { value } = parseJson(readFileSync(join(modules, '.package-lock.json'))) as { readonly value: Lock };
    const { resolved } = value.packages[`node_modules/${basename(PACKAGE)}`] ?? {};
    const [, path] = /^file:(.+\.tgz)$/.exec(resolved ?? '') ?? [];
    const tarball = path === undefined ? undefined : resolve(dirname(modules), path);
    return tarball !== undefined && existsSync(tarball) ? tarball : undefined;
  } catch {
    return undefined;
  }
}

/** A file of `rules/` whose first line leads an editor to the schema in the installed package. */
function withSchema(path: string, text: string): string {
  return text.replace(/^(# yaml-language-server: \$schema=)\S*?([\w-]+\.schema\.json)$/m, (_, start, name) => {
    return `${start}${posix.relative(dirname(path), `${SCHEMAS}/${name}`)}`;
  });
}

/** Throws unless the folder is new or empty. A repository that has nothing but its history is empty, too. */
function requireEmpty(dir: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'ENOTDIR') throw describeUnwritable(error, dir);
    throw new CouldNotRunError(`${dir} is a file, or lies in one; a folder was expected`);
  }
  const found = names.filter((name) => name !== '.git');
  if (found.length === 0) return;
  const [first, ...others] = found;
  const shown = others.length === 0 ? first : `${first} and ${others.length} more`;
  throw new CouldNotRunError(`${dir} is not empty (${shown}); name a new or an empty folder. Nothing was written`);
}

/** INVARIANT: no file that exists is overwritten, even if another process writes it meanwhile. */
function writeProject(dir: string, files: ReadonlyMap<string, string>): void {
  try {
    for (const [path, text] of files) {
      makeFolder(dirname(join(dir, path)));
      createFile(join(dir, path), text);
    }
  } catch (error) {
    // The folders above were made, or the system makes none there.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new CouldNotRunError(`${dir}: no folder can be there`);
    throw describeUnwritable(error, dir);
  }
}

/** What was made, for people, in the order in which they read it. */
const PARTS = [
  ['README.md', 'what to do next'],
  ['rules/', 'policies and their tests, rule sets, lists, and the mapping of answers to facts'],
  ['serve.yaml', 'the HTTP service: `npx verdict serve`'],
  ['service.js', 'a small service in JavaScript instead, to build on'],
  ['policy.test.js', 'a test of the policy in a program'],
  ['.env.example', 'the address and account of the verification service'],
  ['.vscode/', 'completion and checks while you edit'],
  ['package.json, .gitignore', ''],
] as const;

const NEXT = ['npm install', 'npx verdict check', 'npx verdict test', 'npm test'];

function describe(dir: string, files: number, style: Styler): string {
  const parts = PARTS.map(([part, meaning]) => `  ${part.padEnd(16)}  ${meaning}`.trimEnd());
  // A name with other characters would be several words to a shell, and quotes differ from shell to shell.
  const next = dir === '.' || !/^[\w./@+-]+$/.test(dir) ? NEXT : [`cd ${dir}`, ...NEXT];
  const place = dir === '.' ? 'this folder' : printable(dir);
  return `${style('bold', `Made ${count(files, 'file')} in ${place}`)}
${parts.join('\n')}

${style('bold', 'Next')}
${next.map((command) => `  ${command}`).join('\n')}

README.md says how to decide, and how to run the service.
`;
}
