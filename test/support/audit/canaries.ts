/**
 * Decisions on applicants with recognisable values -> where any value, in any form, can be read in the log without
 * keys.
 */

import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { initAuditLog } from '../../../src/audit/init.ts';
import { type AuditLogOptions, openAuditLog } from '../../../src/audit/log.ts';
import { addEvent } from '../../../src/audit/query/event.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { createDecider, type Decider } from '../../../src/decision/decide.ts';
import type { Verifier } from '../../../src/decision/fetch/service-call.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { hastyFiles, localVerifier } from './decisions.ts';

/** How many decisions, and where. */
export interface CanarySetting {
  /** An empty folder. */
  readonly root: string;
  /** At most 65,536, the number of IP addresses. */
  readonly decisions: number;
  readonly pii?: AuditLogOptions['pii'];
}

/** The result. */
export interface CanaryReport {
  readonly dir: string;
  /** The number of values, of applicants and analysts. */
  readonly values: number;
  /** The number of errors, from invalid requests. */
  readonly errors: number;
  /** Where a value was found, and in which form. */
  readonly found: readonly string[];
}

/** Decisions that are made at once. */
const CALLERS = 64;
/** One in this many decisions has notes and failing requests, and one in four of these an erasure. */
const EVERY = 50;

const POLICY = join(import.meta.dirname, 'canaries.yaml');

/** Texts in the values, long enough that base64 or hexadecimal digits do not contain them by chance. */
const MARKS = { phoneNo: '4477009', ip: '198.51.', other: 'kestrel' } as const;

/** The values of an applicant and an analyst. */
function canariesOf(n: number) {
  const digits = String(n).padStart(5, '0');
  return {
    phoneNo: `${MARKS.phoneNo}${digits}`,
    email: `Nora.${MARKS.other}.${digits}@plover.example`,
    ip: `${MARKS.ip}${n >> 8}.${n & 255}`,
    reference: `ONB ${MARKS.other} ${digits}`,
    branch: `Branch ${MARKS.other} ${digits}`,
    // Not a number, so that the fact is invalid and keeps its raw value.
    limit: `some ${MARKS.other} ${digits}`,
    by: `analyst ${MARKS.other} ${digits}`,
    why: `said ${MARKS.other} ${digits}, ${MARKS.phoneNo}${digits}`,
  };
}

/** A service that repeats its request in an unexpected field, and in the name of an operator, which is a fact. */
const echoing: Verifier = {
  async verify(request) {
    const { body } = await localVerifier.verify(request);
    const { phoneNo, email, ip } = request;
    const text = JSON.stringify({ ...(body as object), remarks: [phoneNo, email, ip] });
    return { body: JSON.parse(text.replaceAll('Harbour Mobile', `${MARKS.other} ${phoneNo}`)) };
  },
};

/** Makes the decisions, then searches all files of the log and all errors for their values. */
export async function lookForCanaries({ root, decisions, pii = 'sealed' }: CanarySetting): Promise<CanaryReport> {
  const place = { dir: join(root, 'log'), keys: join(root, 'keys') };
  await initAuditLog(place);
  const audit = await openAuditLog({ ...place, pii }, { files: hastyFiles });
  const decider = createDecider({
    policy: loadPolicy(POLICY),
    verify: echoing,
    audit,
    runner: 'matcher',
    rememberMs: 0,
  });
  const errors: unknown[] = [];
  const keep = (error: unknown) => void errors.push(error);
  const handle = async (n: number, decision: string) => {
    const { by, why, phoneNo, email, reference } = canariesOf(n);
    const note = { log: audit, decision, disposition: 'approve', by, why } as const;
    await addNote(note);
    await addNote({ ...note, decision: phoneNo }).catch(keep);
    const event = {
      log: audit,
      type: 'data.revealed',
      object: decision,
      by,
      why,
      details: { email, phoneNo },
    } as const;
    await addEvent(event);
    await addEvent({ ...event, detail: `${by} ${reference}` }).catch(keep);
    await addEvent({ ...event, subjects: { email } }).catch(keep);
    await addNote({ ...note, why: `${why}\uD800` }).catch(keep);
    await eraseSubject({ log: audit, subject: `${email} ${phoneNo}` }).catch(keep);
    await decideOn(decider, { ...canariesOf(n), reference: `${reference}\u0000` }).catch(keep);
    if (n % (4 * EVERY) === 0) await eraseSubject({ log: audit, subject: email });
  };
  let next = 0;
  const caller = async () => {
    while (next < decisions) {
      const n = next++;
      const { id } = await decideOn(decider, canariesOf(n));
      if (n % EVERY === 0) await handle(n, id);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await audit.close();
  await decideOn(decider, canariesOf(0)).catch(keep);
  const values = Array.from({ length: decisions }, (_, n) => Object.values(canariesOf(n))).flat();
  const said = errors.map((error) => inspect(error, { depth: 9, showHidden: true })).join('\n');
  const found = [...findForms(place.dir, values), ...formsIn(said).map((form) => `an error: ${form}`)];
  return { dir: place.dir, values: values.length, errors: errors.length, found };
}

function decideOn(decider: Decider, { phoneNo, email, ip, reference, branch, limit }: ReturnType<typeof canariesOf>) {
  const context = { branch, limit };
  return decider.decide({ phoneNo: `+${phoneNo}`, email, ip }, { clientReference: reference, context });
}

/**
 * Where in a folder's files, or their names, there is one of the values, or a hash of one that needs no key; each
 * kind of place and form once.
 */
export function findForms(dir: string, values: readonly string[]): string[] {
  const hashes = plainHashes(values);
  const found = new Set<string>();
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const texts = [entry.name, ...(entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'latin1')] : [])];
    for (const text of texts) {
      for (const form of formsIn(text)) found.add(`${entry.name}: ${form}`);
      for (const [digits] of text.matchAll(/[0-9a-f]{32,}|[\w+/-]{22,}/g)) {
        const name = hashes.get(digits);
        if (name !== undefined) found.add(`${entry.name}: ${name} without a key`);
      }
    }
  }
  return [...found];
}

/**
 * In what forms a text has a mark in it: as it is, which is how it stands in a URL too; in hexadecimal digits; in
 * base64, wherever that begins.
 */
function formsIn(text: string): string[] {
  return PATTERNS.flatMap(([form, pattern]) => (pattern.test(text) ? [form] : []));
}

const PATTERNS: readonly (readonly [form: string, pattern: RegExp])[] = [
  ['plain', patternOf((mark) => [mark.replaceAll('.', '\\.')])],
  ['hex', patternOf((mark) => [Buffer.from(mark).toString('hex')])],
  // What stands before a mark moves its bits: 0, 8 or 16 of them, of which digits that others share are left out.
  ['base64', patternOf((mark) => [0, 1, 2].map((before) => base64Inside(mark, before)), '')],
];

function patternOf(write: (mark: string) => readonly string[], flags = 'i'): RegExp {
  const marks = Object.values(MARKS).flatMap((mark) => [mark, mark.toUpperCase()]);
  return new RegExp([...new Set(marks.flatMap(write))].join('|'), flags);
}

function base64Inside(mark: string, before: number): string {
  const from = Math.ceil((before * 8) / 6);
  const to = Math.floor(((before + mark.length) * 8) / 6);
  // A mark of letters, digits and dots has neither + nor / here, so that base64url is the same.
  return Buffer.concat([Buffer.alloc(before), Buffer.from(mark)])
    .toString('base64')
    .slice(from, to);
}

/** The hashes that somebody could compute who has a list of numbers and no key, by what they look like in a file. */
function plainHashes(values: readonly string[]): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const value of new Set(values)) {
    for (const text of new Set([value, value.toLowerCase(), `+${value}`])) {
      for (const name of ['md5', 'sha1', 'sha256', 'sha512']) {
        hashes.set(hash(name, text, 'hex'), name);
        hashes.set(hash(name, text, 'base64').replace(/=+$/, ''), name);
      }
    }
  }
  return hashes;
}
