/**
 * A log -> each bit flipped, each end cut off, each line moved, one at a time: what no verifier found, and where the
 * two differ.
 */

import { closeSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { TestLog } from './log.ts';
import { askBoth } from './two-verifiers.ts';

/** What was tried, and the broken promises. */
export interface Tried {
  readonly cases: number;
  /** Changes found only with a checkpoint. */
  readonly seenWithCheckpoint: number;
  /** In words: what was missed, or found differently by the second verifier. */
  readonly failures: readonly string[];
}

/** A log and a checkpoint of it. */
export interface Noted {
  readonly log: TestLog;
  readonly note: string;
}

/** An owner file is no record: a changed one must do no harm and need not be found. */
const isLock = (file: string) => /\/owner-\d+\.json$/.test(file);

/** Flips every nth bit of the files, one at a time. */
export async function tryFlips({ log, note }: Noted, step: number, from = 0): Promise<Tried> {
  const tried = new Tries({ log, note });
  let next = from;
  let bits = 0;
  for (const file of filesOf(log.dir)) {
    const bytes = readFileSync(join(log.dir, file));
    for (; next < bits + bytes.length * 8; next += step) {
      const [at, bit] = [Math.floor((next - bits) / 8), (next - bits) % 8];
      put(join(log.dir, file), at, (bytes[at] ?? 0) ^ (1 << bit));
      await tried.ask(`bit ${bit} of byte ${at} of ${file}`, isLock(file));
      put(join(log.dir, file), at, bytes[at] ?? 0);
    }
    bits += bytes.length * 8;
  }
  return tried.result();
}

/** Truncates the files at every nth byte. */
export async function tryCuts({ log, note }: Noted, step: number): Promise<Tried> {
  const tried = new Tries({ log, note });
  for (const file of filesOf(log.dir)) {
    const path = join(log.dir, file);
    const bytes = readFileSync(path);
    for (let length = bytes.length - 1; length >= 0; length -= step) {
      truncateSync(path, length);
      await tried.ask(`${file} cut off at byte ${length}`, isLock(file));
    }
    writeFileSync(path, bytes);
  }
  return tried.result();
}

/**
 * Removes, copies and moves each line, and swaps each two, within a segment, between segments and between chains;
 * tries every nth of these.
 */
export async function tryMoves({ log, note }: Noted, step: number): Promise<Tried> {
  const tried = new Tries({ log, note });
  const files = filesOf(log.dir).filter((file) => file.endsWith('.ndjson'));
  const lines = new Map(files.map((file) => [file, readFileSync(join(log.dir, file), 'latin1').split(/(?<=\n)/)]));
  const places = [...lines].flatMap(([file, texts]) => texts.map((text, i) => ({ file, i, text })));
  let next = 0;
  const attempt = async (name: string, changes: readonly Splice[]) => {
    next += 1;
    if (next % step !== 0) return;
    const changed = new Map([...lines].map(([file, texts]) => [file, [...texts]]));
    for (const { file, at, remove, insert } of changes) changed.get(file)?.splice(at, remove, ...insert);
    for (const { file } of changes) writeFileSync(join(log.dir, file), (changed.get(file) ?? []).join(''), 'latin1');
    await tried.ask(name, false);
    for (const { file } of changes) writeFileSync(join(log.dir, file), (lines.get(file) ?? []).join(''), 'latin1');
  };
  for (const [n, one] of places.entries()) {
    const cut: Splice = { file: one.file, at: one.i, remove: 1, insert: [] };
    await attempt(`${nameOf(one)} removed`, [cut]);
    for (const [m, other] of places.entries()) {
      const put: Splice = { file: other.file, at: other.i + 1, remove: 0, insert: [one.text] };
      await attempt(`${nameOf(one)} copied behind ${nameOf(other)}`, [put]);
      // A line moved behind itself or behind the one before it stays where it is.
      const isThere = one.file === other.file && (one.i === other.i || one.i === other.i + 1);
      // The later position first, so that the earlier one stays valid.
      if (!isThere) await attempt(`${nameOf(one)} moved behind ${nameOf(other)}`, n < m ? [put, cut] : [cut, put]);
      if (n >= m) continue;
      const swap: Splice = { file: other.file, at: other.i, remove: 1, insert: [one.text] };
      await attempt(`${nameOf(one)} and ${nameOf(other)} swapped`, [swap, { ...cut, insert: [other.text] }]);
    }
  }
  return tried.result();
}

/** Changes to the lines of a file. */
interface Splice {
  readonly file: string;
  readonly at: number;
  readonly remove: number;
  readonly insert: readonly string[];
}

const nameOf = ({ file, i }: { readonly file: string; readonly i: number }) => `line ${i + 1} of ${file}`;

/** The files of a log, sorted. */
function filesOf(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1)).sort();
}

function put(path: string, at: number, byte: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.of(byte), 0, 1, at);
  closeSync(file);
}

class Tries {
  readonly #noted: Noted;
  readonly #failures: string[] = [];
  #cases = 0;
  #seenWithCheckpoint = 0;

  constructor(noted: Noted) {
    this.#noted = noted;
  }

  async ask(name: string, mayBeSilent: boolean): Promise<void> {
    const { log, note } = this.#noted;
    this.#cases += 1;
    const without = await askBoth(log.dir);
    if (!isDeepStrictEqual(without.first, without.second)) this.#differ(name, without);
    if (without.first.length > 0 || mayBeSilent) return;
    const withIt = await askBoth(log.dir, note, log.publicKey);
    if (!isDeepStrictEqual(withIt.first, withIt.second)) this.#differ(name, withIt);
    if (withIt.first.length > 0) this.#seenWithCheckpoint += 1;
    else this.#failures.push(`${name}: not found`);
  }

  result(): Tried {
    return { cases: this.#cases, seenWithCheckpoint: this.#seenWithCheckpoint, failures: this.#failures };
  }

  #differ(name: string, { first, second }: Awaited<ReturnType<typeof askBoth>>): void {
    this.#failures.push(`${name}: ${JSON.stringify(first)} is not ${JSON.stringify(second)}`);
  }
}
