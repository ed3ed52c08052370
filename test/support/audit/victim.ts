/** A log to tamper with -> its lines and files, read and written by someone who knows the format. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SEGMENTS } from '../../../src/audit/store/segment.ts';
import { changeOwner } from './crashed-owner.ts';
import type { TestLog } from './log.ts';

export type Json = Record<string, unknown>;

/** A log to tamper with. */
export class Victim {
  readonly log: TestLog;
  readonly dir: string;

  constructor(log: TestLog) {
    this.log = log;
    this.dir = log.dir;
  }

  /** A file in the folder of a chain, by the index of the chain. */
  at(chain: number, name: string | number): string {
    return join(this.dir, 'chains', this.log.chains[chain] ?? '', typeof name === 'number' ? SEGMENTS.of(name) : name);
  }

  /** The last segment of a chain. */
  last(chain: number): number {
    return Math.max(...readdirSync(this.at(chain, '')).map((name) => SEGMENTS.numberOf(name) ?? 0));
  }

  lines(chain: number, segment: number): string[] {
    return readFileSync(this.at(chain, segment), 'utf8').split('\n').slice(0, -1);
  }

  write(chain: number, segment: number, lines: readonly string[]): void {
    writeFileSync(this.at(chain, segment), lines.map((line) => `${line}\n`).join(''));
  }

  change(chain: number, segment: number, change: (lines: string[]) => readonly string[]): void {
    this.write(chain, segment, change(this.lines(chain, segment)));
  }

  /** The one file of a folder of the log. */
  only(folder: string): string {
    return join(this.dir, folder, readdirSync(join(this.dir, folder))[0] ?? '');
  }

  /** Keeps a policy or mapping; returns its digest. */
  keep(folder: 'policies' | 'mappings', text: string): string {
    writeFileSync(join(this.dir, folder, `${sha256(text)}.json`), text);
    return `sha256:${sha256(text)}`;
  }

  torn(): string {
    return this.at(0, readdirSync(this.at(0, '')).find((name) => name.startsWith('torn-')) ?? '');
  }

  /** Rewrites a chain with valid numbers, links, footers and hashes. */
  rewrite(chain: number, change: (segments: Json[][]) => void): void {
    const numbers = readdirSync(this.at(chain, ''))
      .flatMap((name) => SEGMENTS.numberOf(name) ?? [])
      .sort();
    const segments = numbers.map((number) => this.lines(chain, number).map((line) => JSON.parse(line) as Json));
    change(segments);
    let [seq, prev] = [0, '0'.repeat(64)];
    for (const [i, segment] of segments.entries()) {
      const texts = segment.map(({ hash: _, ...record }, before) => {
        seq += 1;
        const text = withHash(
          JSON.stringify({ ...record, seq, prev, ...(record['kind'] === 'seal' ? { records: before } : {}) }),
        );
        prev = hashOf(text);
        return text;
      });
      this.write(chain, numbers[i] ?? 0, texts);
    }
    this.own(chain);
  }

  /** Makes the owner file of a chain match its last line. */
  own(chain: number): void {
    const all = readdirSync(this.at(chain, '')).flatMap((name) => SEGMENTS.numberOf(name) ?? []);
    const lines = all.sort().flatMap((segment) => this.lines(chain, segment));
    const { seq, hash } = lines.length > 0 ? JSON.parse(lines.at(-1) ?? '') : { seq: 0, hash: '0'.repeat(64) };
    changeOwner(this.at(chain, ''), (owner) => ({ ...owner, head: { seq, hash } }));
  }

  /** Changes the text of one line and makes all hashes valid again, so that only the form of the line is wrong. */
  forge(chain: number, segment: number, line: number, change: (text: string) => string): void {
    let prev = '';
    for (let n = segment; n <= this.last(chain); n++) {
      const texts = this.lines(chain, n).map((text, i) => {
        const isIt = n === segment && i === line - 1;
        const linked = prev === '' ? text : text.replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`);
        if (!isIt && prev === '') return text;
        const forged = withHash(isIt ? change(text) : linked);
        prev = hashOf(forged);
        return forged;
      });
      this.write(chain, n, texts);
    }
    const [, hash] = /"hash":"([0-9a-f]{64})"\}$/.exec(this.lines(chain, this.last(chain)).at(-1) ?? '') ?? [];
    if (hash) changeOwner(this.at(chain, ''), ({ head, ...owner }) => ({ ...owner, head: { ...head, hash } }));
  }
}

const hashOf = (line: string) => line.slice(-66, -2);
export const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

/** A line with a valid hash. */
export function withHash(line: string): string {
  const head = line
    .replace(/,"hash":"[0-9a-f]{64}"\}$/, '')
    .replace(/\}$/, (end) => (line.includes(',"hash":"') ? end : ''));
  return `${head},"hash":"${sha256(head)}"}`;
}

/** Swaps two files or folders. */
export function swapFiles(a: string, b: string): void {
  renameSync(a, `${a}.kept`);
  renameSync(b, a);
  renameSync(`${a}.kept`, b);
}

/** Changes the text of a file; throws if nothing changes. */
export function edit(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(from, to);
  if (changed === text) throw new Error('nothing was changed');
  writeFileSync(path, changed);
}

/** Replaces a file or folder by a link to it, outside the log. */
export function replaceByLink(path: string, log: Victim): void {
  const kept = join(log.dir, '..', 'kept');
  renameSync(path, kept);
  symlinkSync(kept, path);
}
