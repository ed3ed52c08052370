/** The built working copy -> a tarball, and a folder in which it is installed as a user would. */

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../../..');
/** The programs of the working copy. */
export const BIN = join(ROOT, 'node_modules/.bin');

/** Errors of npm that mean that the registry cannot be reached. */
const NO_NETWORK = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ENOTCACHED|ETIMEDOUT)\b/;

/** The package, installed. */
export interface Installed {
  /** The folder with `node_modules`; the caller removes it. */
  readonly folder: string;
  readonly tarball: string;
  /** The paths in the tarball. */
  readonly files: readonly string[];
}

/** The output of a program, stdout and stderr; rejects with both if it fails. */
export async function run(command: string, args: readonly string[], cwd: string, env = process.env): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env }).catch((error) => {
    throw new Error(`${command} ${args.join(' ')} failed\n${error.stdout ?? ''}${error.stderr ?? error.message}`);
  });
  return stdout + stderr;
}

/** Packs and installs the package, from the registry that the machine is set up for; undefined without network. */
export async function installPackage(): Promise<Installed | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-package-'));
  const pack = ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', folder];
  const [packed] = JSON.parse(await run('npm', pack, ROOT));
  const tarball = join(folder, packed.filename);
  writeFileSync(join(folder, 'package.json'), '{ "name": "embedder", "private": true, "type": "module" }');
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1', tarball];
  const printed = await run('npm', install, folder).catch((error: Error) => {
    if (NO_NETWORK.test(error.message)) return undefined;
    throw error;
  });
  if (printed === undefined) return undefined;
  return { folder, tarball, files: packed.files.map(({ path }: { readonly path: string }) => path) };
}

/** Adds the types of Node to an installation, and no others: every TypeScript program for Node has these. */
export function addNodeTypes(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
}
