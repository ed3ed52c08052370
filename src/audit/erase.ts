/** A subject -> the data keys of all its records are gone, and that they are is on record. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { splitLines } from '../lines.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import { eraseKeys, KeyReader } from './blocks.ts';
import { type ChainFolder, listChains, lookIntoChain, readOwners } from './chain-folder.ts';
import { onDisk } from './disk.ts';
import { linesWith } from './find.ts';
import { readPieces } from './folder.ts';
import { readIndexKeys } from './keys.ts';
import { type BodyLine, type Line, MAX_LINE_BYTES } from './line.ts';
import { type OpenAuditLog, readLog } from './log.ts';
import { SEGMENTS } from './segment.ts';
import { type SoughtSubject, seekSubject } from './subject.ts';

/** What was erased. */
export interface Erased {
  /** Records, decisions and notes, whose key was there and is erased now, or was erased before without a record of it. */
  readonly records: readonly string[];
  /** Records whose key an earlier erasure, of this subject or another, had erased. */
  readonly before: number;
  /** Records that stand in clear, which cannot be erased. */
  readonly plain: readonly string[];
  /** Records whose key is not in the key folder. */
  readonly missing: readonly string[];
  /** Records that a crash cut off, which held something of the subject. */
  readonly torn: number;
}

/** So many ids at most in one line, which may not be longer than 16 MiB. */
const LINE_RECORDS = 10_000;

/**
 * Erases what the log holds of a phone number, email or IP address, as far as it is sealed: facts, evidence, messages, references, notes. Its
 * keyed hashes and what is in clear remain, and so does the chain. Records that other processes write meanwhile are not seen.
 * Ended half way, it is to be done again. Rejects with REQUEST_INVALID for a text that is no subject, and with AUDIT_FAILED.
 */
export async function eraseSubject(log: OpenAuditLog, subject: string, now = Date.now): Promise<Erased> {
  const { dir, keys: keysDir } = log.place;
  const { log: id } = await readLog(dir);
  const sought = seekSubject(subject, await readIndexKeys(keysDir, id));
  return onDisk('erased in', async () => {
    const { sealed, plain, erased } = await findRecords(dir, sought);
    const reader = new KeyReader(keysDir);
    const torn: string[] = [];
    for (const key of await tornKeys(dir, sought.hashes)) {
      if ((await reader.read(key)) instanceof Buffer) torn.push(key);
    }
    const missing: string[] = [];
    const records: string[] = [];
    for (const [record, key] of sealed) {
      if ((await reader.read(key)) === 'missing') missing.push(record);
      else if (!erased.has(record)) records.push(record);
    }
    // First the keys: an erasure on record has happened.
    await eraseKeys(keysDir, [...records.map((record) => sealed.get(record) ?? ''), ...torn]);
    for (let from = 0; from < records.length; from += LINE_RECORDS) {
      const [at, part] = [new Date(now()).toISOString(), records.slice(from, from + LINE_RECORDS)];
      await log.write(() => ({ kind: 'erasure', at, subject: sought.hashes, records: part }));
    }
    return { records, before: sealed.size - records.length - missing.length, plain, missing, torn: torn.length };
  });
}

/** The records of a subject: the ids of sealed ones with their keys, of those in clear, and of those whose erasure is on record, for whomever. */
async function findRecords(dir: string, { variable, hashes }: SoughtSubject) {
  const sealed = new Map<string, string>();
  const erased = new Set<string>();
  const plain: string[] = [];
  for await (const { line } of linesWith(dir, [...hashes.map((hash) => `"${hash}"`), '"kind":"erasure"'])) {
    if (line.kind === 'erasure') for (const record of line.records) erased.add(record);
    if (!isAbout(line, variable, hashes)) continue;
    if (line.plain) plain.push(line.id);
    else sealed.set(line.id, line.key);
  }
  return { sealed, erased, plain };
}

function isAbout(line: Line, variable: IdentityVariable, hashes: readonly string[]): line is BodyLine {
  return (line.kind === 'decision' || line.kind === 'note') && hashes.includes(line.subjects[variable] ?? '');
}

/**
 * The keys of records that were never whole, of which only the beginning can be read: in tails that were set aside, and in those that stand
 * at the end of a chain until it is opened again. What a process is just writing is left to it.
 */
async function tornKeys(dir: string, hashes: readonly string[]): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const chain of await listChains(dir)) {
    const folder = await lookIntoChain(join(dir, 'chains', chain));
    const tails: string[] = [];
    for (const name of folder.torn.keys()) tails.push(await readFile(join(folder.path, name), 'latin1'));
    if (!(await readOwners(folder)).isWritten) tails.push(await readTail(folder));
    // A file may hold what several crashes left at one place.
    for (const [, subjects = '', key = ''] of tails.flatMap((tail) => [...tail.matchAll(TORN_HEAD)])) {
      if (hashes.some((hash) => subjects.includes(`"${hash}"`))) keys.add(key);
    }
  }
  return keys;
}

/** What stands behind the last line break of a chain. */
async function readTail({ path, segments, last }: ChainFolder): Promise<string> {
  let tail: Buffer | undefined;
  const pieces = readPieces(join(path, SEGMENTS.of(last)), segments.get(last) ?? 0);
  for await (const { bytes, isEnded } of splitLines(pieces, MAX_LINE_BYTES)) tail = isEnded ? undefined : bytes;
  return tail?.toString('latin1') ?? '';
}

const TORN_HEAD = /"subjects":(\{[^{}]*\}),"key":"([^"]+)"/g;
