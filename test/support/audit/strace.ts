/** A log -> processes on it in which one system call fails by strace(1), each call of each kind once. */

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { blockFile, dataFolder } from '../../../src/audit/keys/data-keys.ts';
import { isChainName } from '../../../src/audit/store/chain.ts';
import { OWNERS, SEGMENTS } from '../../../src/audit/store/segment.ts';
import { leaveCrashed } from './crashed-owner.ts';
import { listen, newLog, openLog, settle, start, type TriedLog } from './runs.ts';

/** Whether strace is installed and may trace. */
export function hasStrace(): boolean {
  return spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
}

/** A system call, its fate, and the file it is about, if only some calls of the name count. */
export interface Injection {
  readonly call: string;
  readonly fate: 'error=EIO' | 'error=ENOSPC' | 'error=EMFILE' | 'signal=KILL';
  readonly about?: 'segment' | 'keys';
}

export const INJECTIONS: readonly Injection[] = [
  { call: 'fdatasync', fate: 'error=EIO' },
  { call: 'fdatasync', fate: 'signal=KILL' },
  { call: 'fsync', fate: 'error=EIO' },
  { call: 'fsync', fate: 'signal=KILL' },
  { call: 'write', fate: 'error=ENOSPC', about: 'segment' },
  { call: 'write', fate: 'error=EIO', about: 'segment' },
  { call: 'write', fate: 'signal=KILL', about: 'segment' },
  { call: 'write', fate: 'error=ENOSPC', about: 'keys' },
  { call: 'write', fate: 'signal=KILL', about: 'keys' },
  { call: 'pread64', fate: 'error=EIO', about: 'segment' },
  { call: 'openat', fate: 'error=EMFILE', about: 'segment' },
  { call: 'openat', fate: 'error=ENOSPC', about: 'keys' },
  { call: 'ftruncate', fate: 'error=EIO' },
  { call: 'ftruncate', fate: 'signal=KILL' },
  { call: 'link', fate: 'error=EIO' },
  { call: 'link', fate: 'signal=KILL' },
  { call: 'rename', fate: 'error=EIO' },
  { call: 'rename', fate: 'signal=KILL' },
  { call: 'unlink', fate: 'error=EIO' },
  { call: 'unlink', fate: 'signal=KILL' },
];

/** The result. */
export interface StraceReport {
  readonly injected: number;
  /** Broken promises, a sentence each. */
  readonly broken: readonly string[];
}

/** Fails the first call of a kind, then in another process the second, until there are no more, or `most` failed. */
export async function injectAll(
  folder: string,
  injection: Injection,
  most = Number.POSITIVE_INFINITY,
): Promise<StraceReport> {
  const inside = mkdtempSync(join(folder, 'strace-'));
  const tried = newLog(inside);
  const broken: string[] = [];
  try {
    await (await openLog(tried)).close();
    for (let when = 1; when <= most; when++) {
      const isInjected = await inject(tried, injection, when, join(inside, 'trace'));
      const found = await settle(tried);
      broken.push(...found.map((text) => `${injection.call} ${injection.fate} ${when}: ${text}`));
      if (!isInjected || broken.length > 0) return { injected: when - 1, broken };
    }
    return { injected: most, broken };
  } finally {
    rmSync(inside, { recursive: true });
  }
}

/** Runs a process on the log in which one call fails; returns whether it had such a call. */
async function inject(
  tried: TriedLog,
  { call, fate, about }: Injection,
  when: number,
  trace: string,
): Promise<boolean> {
  const { segment, keys, isOpen } = nextFiles(tried);
  // A torn tail, which is the only reason to truncate a file.
  if (isOpen) {
    appendFileSync(segment, '{"chain":"');
    leaveCrashed(dirname(segment));
  }
  const path = about === 'segment' ? segment : keys;
  const only = about === undefined ? [] : ['-P', path];
  const options = [
    '-f',
    '-qq',
    '-o',
    trace,
    ...only,
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:${fate}:when=${when}`,
  ];
  const said: string[] = [];
  await listen(tried, start(tried, 'short', ['strace', ...options]), (word) => said.push(word));
  const isInjected = readFileSync(trace, 'latin1').includes(
    fate === 'signal=KILL' ? 'killed by SIGKILL' : '(INJECTED)',
  );
  if (fate !== 'signal=KILL' && said.at(-1) !== 'done') tried.unexpected.push('the process did not finish');
  return isInjected;
}

/**
 * The files that the next process writes: the segment, whether it exists and is not closed, and the first block of
 * keys.
 */
function nextFiles({ chains, keys: keyFolder }: TriedLog): {
  readonly segment: string;
  readonly keys: string;
  readonly isOpen: boolean;
} {
  const [chain = ''] = readdirSync(chains).filter(isChainName).sort();
  const names = readdirSync(join(chains, chain));
  const highest = (kind: typeof SEGMENTS) => Math.max(0, ...names.map((name) => kind.numberOf(name) ?? 0));
  const last = join(chains, chain, SEGMENTS.of(highest(SEGMENTS)));
  const isOpen = !(readFileSync(last, 'utf8').trimEnd().split('\n').at(-1) ?? '').includes('"kind":"seal"');
  const segment = isOpen ? last : join(chains, chain, SEGMENTS.of(highest(SEGMENTS) + 1));
  const keys = join(dataFolder(keyFolder).path, blockFile(`${chain}.${highest(OWNERS) + 1}.1`));
  return { segment, keys, isOpen };
}
