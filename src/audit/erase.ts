/** A subject -> the data keys of all its records are gone, and that they are is on record. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eraseKeys, KeyReader } from './blocks.ts';
import { listChains, lookIntoChain } from './chain-folder.ts';
import { linesWith } from './find.ts';
import { readIndexKeys } from './keys.ts';
import type { Line } from './line.ts';
import { keysFolder, type LogPlace, type OpenAuditLog, readLog } from './log.ts';
import { seekSubject } from './subject.ts';

/** What was erased. */
export interface Erased {
  /** Records, decisions and notes, whose key was there and is erased now, or was erased before without a record of it. */
  readonly records: readonly string[];
  /** Records whose key an earlier erasure had erased. */
  readonly before: number;
  /** Records that stand in clear, which cannot be erased. */
  readonly plain: readonly string[];
  /** Records whose key is not in the key folder. */
  readonly missing: readonly string[];
  /** Ends of segments that a crash cut off, which held something of the subject. */
  readonly torn: number;
}

/**
 * Erases what the log holds of a phone number, email or IP address, as far as it is sealed: facts, evidence, messages, references, notes. Its
 * keyed hashes and what is in clear remain, and so does the chain. Records that other processes write meanwhile are not seen.
 * Ended half way, it is to be done again. Rejects with REQUEST_INVALID for a text that is no subject, and with AUDIT_FAILED.
 */
export async function eraseSubject(
  place: LogPlace,
  log: OpenAuditLog,
  subject: string,
  now = Date.now,
): Promise<Erased> {
  const { dir } = place;
  const keysDir = keysFolder(place);
  const { log: id } = await readLog(dir);
  const { variable, hashes } = seekSubject(subject, await readIndexKeys(keysDir, id));
  const found = new Map<string, string>();
  const erased = new Set<string>();
  const plain: string[] = [];
  for (const hash of hashes) {
    for await (const { line } of linesWith(dir, `"${hash}"`)) {
      if (line.kind === 'erasure' && line.subject.includes(hash)) for (const record of line.records) erased.add(record);
      if (!isAbout(line, variable, hash)) continue;
      if (line.plain) plain.push(line.id);
      else found.set(line.id, line.key ?? '');
    }
  }
  const torn = await tornKeys(dir, hashes);
  const reader = new KeyReader(keysDir);
  const missing: string[] = [];
  const records: string[] = [];
  for (const [record, key] of found) {
    if ((await reader.read(key)) === 'missing') missing.push(record);
    else if (!erased.has(record)) records.push(record);
  }
  // First the keys: an erasure on record has happened.
  await eraseKeys(keysDir, [...records.map((record) => found.get(record) ?? ''), ...torn]);
  if (records.length > 0) {
    const at = new Date(now()).toISOString();
    await log.write(() => ({ kind: 'erasure', at, subject: hashes, records }));
  }
  return { records, before: found.size - records.length - missing.length, plain, missing, torn: torn.length };
}

function isAbout(line: Line, variable: string, hash: string): line is Line & Extract<Line, { readonly id: string }> {
  if (line.kind !== 'decision' && line.kind !== 'note') return false;
  return new Map(Object.entries(line.subjects)).get(variable) === hash;
}

/** The keys of records that were never whole: of what is there of them only the beginning can be read. */
async function tornKeys(dir: string, hashes: readonly string[]): Promise<string[]> {
  const keys: string[] = [];
  for (const chain of await listChains(dir)) {
    const { path, torn } = await lookIntoChain(join(dir, 'chains', chain));
    for (const name of torn.keys()) {
      const text = await readFile(join(path, name), 'latin1');
      // A file may hold what several crashes left at one place.
      for (const [, subjects = '', key = ''] of text.matchAll(TORN_HEAD)) {
        if (hashes.some((hash) => subjects.includes(`"${hash}"`))) keys.push(key);
      }
    }
  }
  return keys;
}

const TORN_HEAD = /"subjects":(\{[^{}]*\}),"key":"([^"]+)"/g;
