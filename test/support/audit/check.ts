/** Records that show their key; and a log -> whether it has each acknowledged record once and is otherwise valid. */

import { createHash, createHmac } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import { type Entry, NO_HASH, type Torn } from '../../../src/audit/entry/entry.ts';
import { DataKeyReader } from '../../../src/audit/keys/data-keys.ts';
import type { ClearPart, Encryptor } from '../../../src/audit/keys/encrypt.ts';
import { type ChainWriter, isChainName } from '../../../src/audit/store/chain.ts';
import { below, type Folder, readWhole } from '../../../src/audit/store/files.ts';
import { type Head, readSegment, SEGMENTS, tornName } from '../../../src/audit/store/segment.ts';
import type { Appended } from '../../../src/audit/store/writer.ts';

/** The acknowledged records by their ids. */
export type Acknowledged = Map<string, Appended>;

const DIGEST = `sha256:${'0'.repeat(64)}`;

/** Appends a record with a new id; resolves when it is acknowledged. */
export async function appendTo(writer: ChainWriter): Promise<{ readonly id: string; readonly appended: Appended }> {
  const id = uuidV7();
  return { id, appended: await writer.append({ clear: clearOf(id), body: id }) };
}

/** The clear fields of a record. */
function clearOf(id: string): ClearPart {
  return {
    ...{ kind: 'decision', at: '2026-11-20T12:00:00.000Z', id, writtenAt: '2026-11-20T12:00:00.001Z', subjects: {} },
    ...{ outcome: 'accept', engine: '0.1.0' },
    ...{ codes: [], rules: [], undetermined: [], missing: {}, mapping: DIGEST, reference: `1:${'0'.repeat(64)}` },
    policy: { name: 'test', version: '1', digest: DIGEST },
  };
}

/** An encryptor whose result shows which key it was given: the body of each record is its id. */
export const markBody: Encryptor = (id, key) => createHmac('sha256', key).update(id).digest('base64');

/** A log that no process writes, and the records that it must have. */
export interface CheckedLog {
  readonly dir: Folder;
  readonly keys: Folder;
  readonly log: string;
  readonly acknowledged: Acknowledged;
  /** Torn tails, by the path of the file for each in the log, a space, and any text that makes the key unique. */
  readonly tails?: ReadonlyMap<string, Buffer>;
}

/** The broken promises of a log, a sentence each. */
export async function checkLog(checked: CheckedLog): Promise<string[]> {
  const { dir, acknowledged, tails = new Map<string, Buffer>() } = checked;
  const broken: string[] = [];
  const found = new Map<string, Entry>();
  const keys = new DataKeyReader(checked.keys);
  for (const chain of (await dir.files.list(below(dir, 'chains').path)).filter(isChainName)) {
    for await (const line of linesOf(checked, chain, broken)) {
      if (line.kind === 'open' && line.torn) broken.push(...(await checkTorn(checked, chain, line.torn)));
      if (line.kind !== 'decision') continue;
      if (found.has(line.id)) broken.push('a record is in the log twice');
      found.set(line.id, line);
      const key = await keys.read(line.key ?? '');
      if (!(key instanceof Buffer)) broken.push(`the key of a record is ${key}`);
      else if (markBody(line.id, key, line) !== line.sealed) broken.push('a record has the key of another');
    }
  }
  for (const [id, { chain, seq, hash }] of acknowledged) {
    const line = found.get(id);
    if (!line) broken.push('an acknowledged record is lost');
    else if (line.chain !== chain || line.seq !== seq || line.hash !== hash) broken.push('a record was moved');
  }
  for (const [named, tail] of tails) {
    const aside = await readWhole(dir, named.split(' ')[0] ?? '');
    if (!aside?.includes(tail)) broken.push('a torn tail was not set aside');
  }
  return broken;
}

async function* linesOf({ dir, log }: CheckedLog, chain: string, broken: string[]): AsyncGenerator<Entry> {
  const { files, path: folder } = below(dir, 'chains', chain);
  let before: Head = { seq: 0, hash: NO_HASH };
  const segments = (await files.list(folder)).flatMap((name) => SEGMENTS.numberOf(name) ?? []).sort((a, b) => a - b);
  for (const [i, segment] of segments.entries()) {
    if (segment !== i + 1) broken.push(`found segment ${segment}, expected ${i + 1}`);
    let last: Entry | undefined;
    for await (const item of readSegment(files.read(`${folder}/${SEGMENTS.of(segment)}`), {
      log,
      chain,
      segment,
      before,
    })) {
      if ('problem' in item) broken.push(`line ${item.number} of segment ${segment}: ${item.problem.text}`);
      else if ('torn' in item) broken.push(`segment ${segment} ends in half a line`);
      else {
        last = item.line;
        before = last;
        yield last;
      }
    }
    if (last?.kind !== 'seal' && i < segments.length - 1) broken.push(`segment ${segment} has no footer`);
  }
}

async function checkTorn(
  { dir }: CheckedLog,
  chain: string,
  { segment, offset, bytes, sha256 }: Torn,
): Promise<string[]> {
  const aside = await readWhole(below(dir, 'chains', chain), tornName(segment, offset));
  const isSame = aside?.length === bytes && createHash('sha256').update(aside).digest('hex') === sha256;
  return isSame ? [] : ['the file of a torn tail differs from its entry'];
}
