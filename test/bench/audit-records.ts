/**
 * A count and a seed -> an audit log with that many decisions, some with notes and erasures. Every line has the
 * engine's format.
 */

import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { type DecisionFields, type EntryFields, formatEntry, NO_HASH } from '../../src/audit/entry/entry.ts';
import { initAuditLog } from '../../src/audit/init.ts';
import { readIndexKeys } from '../../src/audit/keys/key-folder.ts';
import { type IndexKey, referenceHash, subjectsOf } from '../../src/audit/keys/subject.ts';
import { keysFolder } from '../../src/audit/place.ts';
import { folderAt } from '../../src/audit/store/files.ts';
import { SEGMENTS } from '../../src/audit/store/segment.ts';
import { ENGINE_VERSION } from '../../src/version.ts';
import { type Die, dice, pick } from './dice.ts';

/** The size at which the engine closes a segment. */
const SEGMENT_BYTES = 64 * 1024 * 1024;
/** The length in base64 of an encrypted body: a decision and its facts. */
const SEALED = { least: 2000, most: 4000 };
/** One chain per process. */
const CHAINS = 3;
/** The records are spread evenly from BEGIN to END. */
const BEGIN = Date.UTC(2025, 0, 1);
const END = Date.UTC(2026, 10, 30);
/** The average number of decisions on one person. */
const PER_PERSON = 4;

const VERSIONS = ['2025.1', '2025.2', '2026.1', '2026.2'].map((version, i) => ({
  name: 'onboarding',
  version,
  digest: `sha256:${String(i + 1).repeat(64)}`,
}));
const RULES = Array.from({ length: 30 }, (_, i) => `rule-number-${i + 1}`);
const CAUSES = ['notRequested', 'notReturned', 'sourceFailed'];

/** The email address of the person with this number. */
export function emailOf(person: number): string {
  return `person.${person}@juniper-lane.example`;
}

/** Writes the log. `dir` and the key folder next to it must be new or empty. */
export async function writeRecords(dir: string, records: number, seed: number): Promise<void> {
  const { log } = await initAuditLog({ dir });
  const [key] = await readIndexKeys(folderAt(keysFolder({ dir })), log);
  if (!key) throw new Error('no index key');
  const die = dice(seed);
  const noise = randomBytes(2 ** 20).toString('base64');
  const each = Math.ceil(records / CHAINS);
  for (let chain = 0; chain < CHAINS; chain++) {
    const writer = beginChain(join(dir, 'chains'), log, chain);
    for (let i = chain * each; i < Math.min(records, (chain + 1) * each); i++) {
      const at = BEGIN + Math.floor(((END - BEGIN) * i) / records);
      const person = Math.floor((die() * records) / PER_PERSON);
      const decision = decisionOf(writer.name, i, at, person, { die, key, noise });
      writer.write(decision);
      if (decision.outcome === 'review') writer.write(noteOn(decision, at + 60_000, die));
      else if (die() < 0.001) writer.write(erasureOf(decision, at + 60_000));
    }
    writer.close();
  }
}

interface Materials {
  readonly die: Die;
  readonly key: IndexKey;
  readonly noise: string;
}

function decisionOf(
  chain: string,
  i: number,
  at: number,
  person: number,
  { die, key, noise }: Materials,
): DecisionFields {
  const outcome = die() < 0.85 ? 'accept' : die() < 0.8 ? 'review' : 'reject';
  const rules = outcome === 'accept' ? [] : [...new Set([pick(RULES, die), pick(RULES, die)])];
  const undetermined = die() < 0.1 ? [pick(RULES, die)] : [];
  const length = SEALED.least + 4 * Math.floor((die() * (SEALED.most - SEALED.least)) / 4);
  const from = 4 * Math.floor((die() * (noise.length - 4 - SEALED.most)) / 4);
  return {
    kind: 'decision',
    at: new Date(at).toISOString(),
    id: uuidV7({ msecs: at }),
    writtenAt: new Date(at).toISOString(),
    subjects: subjectsOf(
      new Map([
        ['phoneNo', `1202${2_000_000 + person}`],
        ['email', emailOf(person)],
        ['ip', `203.0.113.${person % 256}`],
      ]),
      key,
    ),
    key: `${chain}.1.${1 + (i >> 12)}:${i & 4095}`,
    reference: referenceHash(`ONB-${i}`, key),
    outcome,
    codes: (rules.length === 0 ? ['DEFAULT'] : rules.map((rule) => rule.toUpperCase().replaceAll('-', '_'))).sort(),
    rules,
    undetermined,
    missing: undetermined.length === 0 ? {} : { [pick(CAUSES, die)]: ['email.darkWeb.hitCount'] },
    policy: VERSIONS[Math.floor(((at - BEGIN) / (END - BEGIN)) * VERSIONS.length)] ?? pick(VERSIONS, die),
    mapping: `sha256:${'a'.repeat(64)}`,
    engine: ENGINE_VERSION,
    sealed: noise.slice(from, from + length),
  };
}

function noteOn({ id, subjects }: DecisionFields, at: number, die: Die): EntryFields {
  const disposition = die() < 0.5 ? 'approve' : 'decline';
  const plain = { by: 'an analyst', why: 'called back' };
  return {
    kind: 'note',
    at: new Date(at).toISOString(),
    id: uuidV7({ msecs: at }),
    decision: id,
    disposition,
    subjects,
    plain,
  };
}

function erasureOf({ id, subjects: { phoneNo } }: DecisionFields, at: number): EntryFields {
  return { kind: 'erasure', at: new Date(at).toISOString(), subject: phoneNo ? [phoneNo] : [], records: [id] };
}

/** Starts a new chain and returns a writer for its segments. */
function beginChain(chains: string, log: string, number: number) {
  // Made now, so that the log can be opened: a chain is not older than its log.
  const name = uuidV7({ msecs: Date.now() + number });
  const at = new Date(BEGIN).toISOString();
  mkdirSync(join(chains, name), { mode: 0o700 });
  let [seq, prev, segment, lines] = [0, NO_HASH, 0, 0];
  let file: number | undefined;
  let bytes = 0;
  let waiting: string[] = [];
  const flush = () => {
    if (file !== undefined) writeSync(file, waiting.join(''));
    waiting = [];
  };
  const add = (fields: EntryFields) => {
    const line = formatEntry({ chain: name, seq: seq + 1, prev, batch: seq + 1, ...fields });
    [seq, prev, lines] = [seq + 1, line.hash, lines + 1];
    bytes += line.text.length;
    waiting.push(line.text);
    if (waiting.length >= 1000) flush();
  };
  const begin = () => {
    segment += 1;
    file = openSync(join(chains, name, SEGMENTS.of(segment)), 'wx', 0o600);
    [bytes, lines] = [0, 0];
  };
  const end = () => {
    flush();
    if (file !== undefined) closeSync(file);
  };
  begin();
  add({ kind: 'open', at, log, epoch: 1, engine: ENGINE_VERSION, segment: 1 });
  return {
    name,
    write(fields: EntryFields) {
      if (bytes > SEGMENT_BYTES) {
        add({ kind: 'seal', at: fields.at, segment, records: lines });
        end();
        begin();
      }
      add(fields);
    },
    close: end,
  };
}
