/** A log in a real folder -> processes that append to it and are killed or fail, and the records they acknowledged. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { type ChainWriter, isChainName, openChain } from '../../../src/audit/store/chain.ts';
import { type Folder, folderAt, realFiles } from '../../../src/audit/store/files.ts';
import { type Random, randomOf } from '../facts/mutate.ts';
import { bundleOf } from '../threads/bundled.ts';
import { type Acknowledged, appendTo, checkLog, markBody } from './check.ts';

const CHILD = resolve(import.meta.dirname, 'child.ts');

/** A log and the records it must have. */
export interface TriedLog {
  readonly dir: Folder;
  /** The folder of its chains. */
  readonly chains: string;
  readonly keys: Folder;
  readonly log: string;
  readonly acknowledged: Acknowledged;
  /** Reports that must not occur. */
  readonly unexpected: string[];
}

/** A new log in an empty folder. */
export function newLog(folder: string): TriedLog {
  const [dir, keys] = [folderAt(join(folder, 'log')), folderAt(join(folder, 'keys'))];
  for (const { path } of [dir, keys]) mkdirSync(path, { mode: 0o700 });
  const chains = join(dir.path, 'chains');
  return { dir, chains, keys, log: uuidV7(), acknowledged: new Map(), unexpected: [] };
}

export function openLog({ dir, keys, log }: TriedLog): Promise<ChainWriter> {
  return openChain({ dir, keys, log, engine: '0.1.0', segmentBytes: 20_000, encrypt: markBody });
}

/** Opens every chain as another process, appends to it, and checks the log against the acknowledged records. */
export async function settle(tried: TriedLog): Promise<string[]> {
  const chains = async () => (await realFiles.list(tried.chains)).filter(isChainName).length;
  const before = await chains();
  const writers: ChainWriter[] = [];
  try {
    while (writers.length < before) writers.push(await openLog(tried));
    for (const writer of writers) {
      const { id, appended } = await appendTo(writer);
      tried.acknowledged.set(id, appended);
    }
  } catch (error) {
    return [`${error}`, ...tried.unexpected];
  } finally {
    for (const writer of writers) await writer.close();
  }
  const added = (await chains()) - before;
  const held = added > 0 ? [`${added} free chains counted as held`] : [];
  return [...held, ...tried.unexpected, ...(await checkLog(tried))];
}

/** The command and environment of a process on the log. */
export function commandOf({ dir, keys, log }: TriedLog, how: 'endless' | 'short') {
  // One thread for files, because strace(1) counts calls by thread.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  return { command: [process.execPath, bundleOf(CHILD), dir.path, keys.path, log, how], env };
}

/** Starts a process on the log; `wrapper` is a command before its own. */
export function start(tried: TriedLog, how: 'endless' | 'short', wrapper: readonly string[] = []): ChildProcess {
  const { command, env } = commandOf(tried, how);
  const [program = '', ...args] = [...wrapper, ...command];
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], env });
}

/** Notes what a process reports until it ends; an incomplete line does not count. */
export async function listen(
  tried: TriedLog,
  child: ChildProcess,
  onReport: (word: string, id: string) => void,
): Promise<void> {
  const ended = once(child, 'close');
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [word = '', id = '', chain = '', seq, hash = ''] = line.split(' ');
      if (word === 'ok') tried.acknowledged.set(id, { chain, seq: Number(seq), hash });
      if (word.startsWith('unexpected')) tried.unexpected.push(line);
      onReport(word, id);
    }
  });
  await ended;
}

/** Starts processes on a log, one or two at a time, and kills each at a random moment. */
export async function killAtRandom(tried: TriedLog, seed: number, kills: number): Promise<void> {
  const random = randomOf(seed);
  for (let killed = 0; killed < kills; ) {
    const together = Math.min(kills - killed, random() < 0.3 ? 2 : 1);
    await Promise.all(Array.from({ length: together }, () => killOne(tried, random)));
    killed += together;
  }
}

/** Kills a process while it opens the log, or after a number of reports. */
async function killOne(tried: TriedLog, random: Random): Promise<void> {
  const child = start(tried, 'endless');
  let reportsLeft = random() < 0.3 ? 1 : 2 + Math.floor(random() ** 3 * 400);
  const turns = Math.floor(random() * 40);
  await listen(tried, child, () => {
    reportsLeft -= 1;
    if (reportsLeft === 0) killAfter(child, turns);
  });
}

/** Kills after some turns of the event loop. */
function killAfter(child: ChildProcess, turns: number): void {
  if (turns > 0) setImmediate(() => killAfter(child, turns - 1));
  else child.kill('SIGKILL');
}
