/** A policy's path and a git revision -> the parts of the policy as they were in that revision. */

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { VerdictError } from '../../../errors.ts';
import { isTooLarge, reportFile, Source } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { didYouMean } from '../../../text.ts';
import { PolicyFolder } from './folder.ts';
import type { PolicyFile } from './policy-files.ts';

/**
 * The files of a policy as they were in a revision; in diagnostics they are called as git calls them,
 * `main:rules/onboarding.yaml`. Throws CONFIGURATION_INVALID if git cannot be run or finds no
 * repository, and REQUEST_INVALID if the repository has no such revision; the message does not repeat the revision.
 */
export class PolicyInGit extends PolicyFolder {
  /** Before the names of its files: `main:`. */
  readonly #prefix: string;
  readonly #folder: string;
  readonly #tree: GitTree;

  constructor(path: string, revision: string) {
    const prefix = `${revision}:`;
    super(path, { shown: `${prefix}${path}` });
    this.#prefix = prefix;
    this.#folder = nearestFolder(dirname(resolve(path)));
    this.#tree = openGitTree(this.#folder, revision);
  }

  override locate(node: Yaml, from: PolicyFile): PolicyFile | undefined {
    const file = super.locate(node, { ...from, shown: from.shown.slice(this.#prefix.length) });
    return file && { ...file, shown: `${this.#prefix}${file.shown}` };
  }

  protected override read({ path, shown }: PolicyFile, node?: Yaml): Source | undefined {
    const { diagnostics } = this;
    const inTree = relative(this.#folder, path).replaceAll(sep, '/');
    const file = this.#tree.files.get(inTree);
    const asked = { shown, diagnostics, from: node };
    const problem = (what: string, about = {}) => reportFile(asked, 'file-unreadable', what, about);
    if (!file) return problem('no such file in that revision', didYouMean(inTree, this.#tree.files.keys()));
    if (isTooLarge(asked, file.size)) return undefined;
    const bytes = this.#tree.read(file);
    try {
      return new Source(shown, new TextDecoder('utf-8', { fatal: true }).decode(bytes), diagnostics);
    } catch {
      return problem('the file was not UTF-8 text');
    }
  }
}

/** The folder, or the nearest one above it that exists: git runs there if the folder is gone since. */
function nearestFolder(folder: string): string {
  const above = dirname(folder);
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  return isThere || above === folder ? folder : nearestFolder(above);
}

/** The files of a folder, and of those below it, in one revision. */
interface GitTree {
  /** By path, relative to the folder, with slashes. */
  readonly files: ReadonlyMap<string, GitFile>;
  read(file: GitFile): Buffer;
}

interface GitFile {
  /** The hash of its contents. */
  readonly object: string;
  /** In bytes; 0 if the repository lacks the contents. */
  readonly size: number;
}

/** More than git lists of any folder. */
const MAX_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/**
 * Opens the tree of a folder. Throws CONFIGURATION_INVALID if git cannot be run or finds no repository, and
 * REQUEST_INVALID if the repository has no such revision; the message does not repeat the revision.
 */
function openGitTree(folder: string, revision: string): GitTree {
  const git = (...args: readonly string[]) => runGit(folder, args);
  // The commit is a hash, so nothing that the caller wrote reaches git again.
  const commit = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
  if (!commit) {
    if (git('rev-parse', '--git-dir') === undefined)
      throw unusable('git finds no repository there that it may read: expected the policy to be in one');
    const expected = 'expected a commit, a branch or a tag';
    throw new VerdictError('REQUEST_INVALID', `the repository of the policy has no such revision; ${expected}`);
  }
  const listed = git('ls-tree', '-r', '-l', '-z', commit.toString().trim(), '--', '.');
  if (!listed) throw unusable('git cannot read the files of the revision');
  return {
    files: new Map(listed.toString().split('\0').flatMap(readTreeLine)),
    read({ object }) {
      const bytes = git('cat-file', 'blob', object);
      if (!bytes) throw unusable('git cannot read a file of the revision');
      return bytes;
    },
  };
}

/** `<mode> <type> <object> <size>\t<path>` */
function readTreeLine(line: string): readonly (readonly [path: string, file: GitFile])[] {
  const [, object = '', size, path] = /^\d+ blob ([0-9a-f]+) +(\w+)\t([\s\S]+)$/.exec(line) ?? [];
  return path === undefined ? [] : [[path, { object, size: Number(size) || 0 }]];
}

/**
 * Runs git without a shell; undefined if it fails. INVARIANT: nothing that a repository configures is run: these
 * commands read objects, which takes no hook, filter or pager, and no object is fetched from elsewhere.
 */
function runGit(cwd: string, args: readonly string[]): Buffer | undefined {
  const ownVariables = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = {
    ...Object.fromEntries(ownVariables),
    ...{ GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_NO_REPLACE_OBJECTS: '1', GIT_OPTIONAL_LOCKS: '0' },
    ...{ GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
  };
  const safe = ['--no-pager', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
  try {
    return execFileSync('git', [...safe, ...args], {
      ...{ cwd, env, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, stdio: ['ignore', 'pipe', 'ignore'] },
    });
  } catch (error) {
    const { code, status } = error as NodeJS.ErrnoException & { readonly status?: number | null };
    if (typeof status === 'number') return undefined;
    const why = code === 'ENOENT' ? 'it is not installed, or not on the PATH' : (code ?? 'unknown error');
    throw unusable(`git cannot be run: ${why}`);
  }
}

function unusable(problem: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', problem);
}
