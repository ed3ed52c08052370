/**
 * For tests of deciders that record: a verifier without a service, file systems that fail or wait, and logs in
 * folders.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../../src/audit/entry/entry.ts';
import { initAuditLog } from '../../../src/audit/init.ts';
import { type AuditLogSettings, type OpenAuditLog, openAuditLog } from '../../../src/audit/log.ts';
import { type Files, type OpenFile, type OpenMode, realFiles } from '../../../src/audit/store/files.ts';
import type { Verifier } from '../../../src/decision/fetch/service-call.ts';
import { dayNumber } from '../../../src/facts/day.ts';
import { answerTo } from '../../../src/sandbox/answer.ts';
import { PERSONAS } from '../../../src/sandbox/personas.ts';
import { readVerify } from '../../../src/sandbox/request.ts';
import { readRequest } from '../../../src/signals/request.ts';
import { temporaryFolder } from '../policy/policy.ts';

/** The day of the verifier's answers. */
const TODAY = '2026-11-20';

/** The sandbox's answers without a server. */
export const localVerifier: Verifier = {
  async verify(request) {
    const read = readVerify(JSON.parse(readRequest(request).body));
    if (!read.ok) throw new Error('the sandbox rejects this request');
    return { body: JSON.parse(JSON.stringify(answerTo(read.value, dayNumber(TODAY)))) };
  },
};

/** One of the sandbox's personas, a different one for each number up to eleven. */
export function personOf(n: number): { readonly phoneNo: string; readonly email: string; readonly ip: string } {
  const persona = PERSONAS[n % PERSONAS.length];
  if (!persona) throw new Error('the sandbox has no personas');
  const { phoneNo, email, ip } = persona;
  return { phoneNo: `+${phoneNo}`, email, ip };
}

/** A person that the sandbox invents, a different one for each number, mostly without risks. */
export function inventedPerson(n: number): { readonly phoneNo: string; readonly email: string; readonly ip: string } {
  const domain = ['gmail.com', 'outlook.com'][n % 3] ?? `firm-${n}.example`;
  const phoneNo = `+${447_400_000_000 + n * 7919}`;
  return { phoneNo, email: `applicant${n}@${domain}`, ip: `81.${n % 7}.${n % 251}.${n % 256}` };
}

/** The real files, with some calls of files of these names replaced. */
export function filesWith(named: RegExp, wrap: (file: OpenFile, mode: OpenMode) => Partial<OpenFile>): Files {
  return {
    ...realFiles,
    open: async (path, mode) => {
      const file = await realFiles.open(path, mode);
      return named.test(path) ? { ...file, ...wrap(file, mode) } : file;
    },
  };
}

/** The file system without syncs, for tests of what is written and not of durability. */
export const hastyFiles: Files = {
  ...filesWith(/./, () => ({ datasync: async () => {} })),
  syncFolder: async () => {},
};

/** A disk whose segments, or the files of these names, fail or stall on demand. */
export function troubledFiles(named = /\.ndjson$/) {
  let fault: { readonly code: string } | 'slow' | undefined;
  let failures = 0;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const files = filesWith(named, (file) => ({
    datasync: async () => {
      if (fault === 'slow') await answered;
      else if (fault) {
        failures += 1;
        throw Object.assign(new Error(fault.code), { code: fault.code });
      }
      await file.datasync();
    },
  }));
  return {
    files,
    failures: () => failures,
    failWith(code: string) {
      fault = { code };
    },
    /** Syncs do not resolve until `recover` is called. */
    stall() {
      fault = 'slow';
    },
    recover() {
      fault = undefined;
      answer();
    },
  };
}

/** A log in a temporary folder, and ways to look at it. */
export interface LogFolder {
  readonly dir: string;
  readonly keys: string;
  readonly place: { readonly dir: string; readonly keys: string };
  open(options?: Partial<AuditLogSettings>, files?: Files, maxWaiting?: number): Promise<OpenAuditLog>;
  /** The entries of all chains. */
  lines(): Entry[];
  decisions(): (Entry & { readonly kind: 'decision' })[];
}

/** Creates a log. */
export async function logFolder(root = temporaryFolder()): Promise<LogFolder> {
  const [dir, keys] = [join(root, 'log'), join(root, 'keys')];
  await initAuditLog({ dir, keys });
  const lines = () => linesOf(dir);
  return {
    dir,
    keys,
    place: { dir, keys },
    open: (options = {}, files = hastyFiles, maxWaiting) =>
      openAuditLog({ dir, keys, ...options }, { files, ...(maxWaiting === undefined ? {} : { maxWaiting }) }),
    lines,
    decisions: () => lines().filter((line) => line.kind === 'decision'),
  };
}

function linesOf(dir: string): Entry[] {
  const names = readdirSync(join(dir, 'chains'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .flatMap((name) =>
      readFileSync(join(dir, 'chains', name), 'utf8')
        .split('\n')
        .slice(0, -1),
    )
    .map((text) => JSON.parse(text));
}
