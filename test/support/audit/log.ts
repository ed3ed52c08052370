/**
 * Audit logs for tests, written by the engine: with several chains, closed segments, notes, events, erasures and a
 * torn tail.
 */

import { createHash, type KeyObject } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import type { DecisionFields, EventFields, NoteFields } from '../../../src/audit/entry/entry.ts';
import { createKeys, readSigningKey } from '../../../src/audit/keys/key-folder.ts';
import { keyIdOf } from '../../../src/audit/keys/signature.ts';
import { formatLogFile } from '../../../src/audit/place.ts';
import { pruneLog } from '../../../src/audit/retain/prune.ts';
import { type ChainWriter, openChain } from '../../../src/audit/store/chain.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { instantOf, SEGMENTS } from '../../../src/audit/store/segment.ts';
import { canonicalJson } from '../../../src/platform/digest.ts';
import { leaveCrashed } from './crashed-owner.ts';

/** A log on the disk, with its keys. */
export interface TestLog {
  readonly dir: string;
  readonly keys: string;
  readonly log: string;
  readonly origin: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Sorted. */
  readonly chains: readonly string[];
}

/** The size of a test log. */
export interface LogSize {
  /** The number of chains. */
  readonly chains: number;
  /** In each chain. */
  readonly decisions: number;
  /** A segment is closed at this size. */
  readonly segmentBytes: number;
}

/** The instant of the first decision of a chain; each further one is a day later. */
export const BEGIN = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;
/** An instant at which all records of a test log are old. */
export const LATER = Date.UTC(2031, 0, 1);

const POLICY = canonicalJson({ policy: 'onboarding', version: '2026.11' });
const MAPPING = canonicalJson({ signals: {} });

/** The digest of a kept policy or mapping, after `sha256:`. */
export const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Makes a log in `<root>/log` with its keys in `<root>/keys`, closed by its processes. */
export async function makeLog(root: string, size: LogSize): Promise<TestLog> {
  const [dir, keys] = [join(root, 'log'), join(root, 'keys')];
  for (const folder of ['public', 'chains', 'policies', 'mappings']) mkdirSync(join(dir, folder), { recursive: true });
  mkdirSync(keys, { recursive: true });
  const log = uuidV7();
  const origin = 'verdict-audit';
  const publicKey = await createKeys(folderAt(keys), log);
  const privateKey = await readSigningKey(folderAt(keys));
  writeFileSync(join(dir, 'log.json'), formatLogFile({ log, origin, createdAt: instantOf(log) }));
  writeFileSync(join(dir, 'public', `${keyIdOf(publicKey)}.pem`), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(join(dir, 'policies', `${digestOf(POLICY).slice(7)}.json`), POLICY);
  writeFileSync(join(dir, 'mappings', `${digestOf(MAPPING).slice(7)}.json`), MAPPING);
  const made = { dir, keys, log, origin, privateKey, publicKey };
  const writers: ChainWriter[] = [];
  for (let i = 0; i < size.chains; i++) writers.push(await openTestChain(made, size.segmentBytes));
  for (const [i, writer] of writers.entries()) {
    const ids: string[] = [];
    for (let n = 0; n < size.decisions; n++) ids.push(await addDecision(writer, n, i % 2 === 1));
    await writer.append(noteOn(ids[0] ?? uuidV7()));
    await writer.append({ clear: eventOn(ids[0] ?? uuidV7()), body: '"an analyst"\n""\n{}' });
    await writer.append({
      kind: 'erasure',
      at: at(size.decisions),
      subject: [SUBJECT],
      records: ids.slice(0, 1),
    });
    await writer.close();
  }
  return { ...made, chains: readdirSync(join(dir, 'chains')).sort() };
}

/** The smallest log that has everything: a tombstone, a closed segment, a torn tail, a last segment. */
export async function makeSmallLog(root: string): Promise<TestLog> {
  const log = await makeLog(root, { chains: 1, decisions: 3, segmentBytes: 1500 });
  await tearAndMend(log, 1500);
  const { dir, keys, privateKey } = log;
  await pruneLog({ dir, keys, before: '2026-11-22', signingKey: privateKey, now: () => LATER });
  return log;
}

/** Opens a chain of a log for writing. */
export function openTestChain(
  { dir, keys, log }: Pick<TestLog, 'dir' | 'keys' | 'log'>,
  segmentBytes: number,
  now = () => BEGIN,
): Promise<ChainWriter> {
  return openChain({ dir: folderAt(dir), log, keys: folderAt(keys), engine: '0.1.0', segmentBytes, now });
}

/** Leaves half a line at the end of the oldest chain, like a crash, then opens the chain, which sets it aside. */
export async function tearAndMend(log: TestLog, segmentBytes: number): Promise<void> {
  const folder = join(log.dir, 'chains', log.chains[0] ?? '');
  const last = Math.max(...readdirSync(folder).flatMap((name) => SEGMENTS.numberOf(name) ?? []));
  const isClosed = readFileSync(join(folder, SEGMENTS.of(last)), 'utf8').includes('"kind":"seal"');
  appendFileSync(join(folder, SEGMENTS.of(isClosed ? last + 1 : last)), '{"chain":"');
  leaveCrashed(folder);
  const writer = await openTestChain(log, segmentBytes);
  await addDecision(writer, 0, false);
  await writer.close();
}

/** Appends a decision made `n` days after the first; returns its id. */
export async function addDecision(writer: ChainWriter, n: number, plain: boolean): Promise<string> {
  const id = uuidV7();
  if (plain) await writer.append(decisionOf(id, n, { plain: { decision: { id }, facts: {}, day: '2026-11-20' } }));
  else await writer.append({ clear: decisionOf(id, n, {}), body: '{"facts":{}}' });
  return id;
}

const SUBJECT = `1:${'ab'.repeat(32)}`;
const at = (days: number) => new Date(BEGIN + days * DAY_MS).toISOString();

/** A decision of the test logs. */
export function decisionOf(
  id: string,
  n: number,
  body: Pick<DecisionFields, 'key' | 'sealed' | 'plain'>,
): DecisionFields {
  const fields = {
    kind: 'decision',
    at: at(n),
    id,
    writtenAt: at(n),
    subjects: { phoneNo: SUBJECT },
    reference: SUBJECT,
    outcome: n % 2 === 0 ? 'accept' : 'review',
    reasons: { decisive: ['A'], fired: ['B', 'C'], undetermined: [] },
    rules: ['port-and-email'],
    undetermined: [],
    missing: { notReturned: ['email.domain.type'] },
    policy: { name: 'onboarding', version: '2026.11', digest: digestOf(POLICY) },
    mapping: digestOf(MAPPING),
    engine: '0.1.0',
    ...body,
  };
  return fields as unknown as DecisionFields;
}

/** The clear fields of an event. */
function eventOn(object: string): Omit<EventFields, 'key' | 'sealed' | 'plain'> {
  const what = { type: 'case.opened', object, detail: 'recheck', actor: SUBJECT } as const;
  return { kind: 'event', at: at(0), id: uuidV7(), ...what, subjects: {} };
}

function noteOn(decision: string): NoteFields {
  const plain = { by: 'an analyst', why: 'called back' };
  return { kind: 'note', at: at(0), id: uuidV7(), decision, disposition: 'approve', subjects: {}, plain };
}
