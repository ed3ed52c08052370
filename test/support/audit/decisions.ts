/** A verifier that answers without a service, file systems that fail or wait, and logs with their folders: for tests of what deciders record. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../../src/audit/entry/entry.ts';
import { initAuditLog } from '../../../src/audit/init.ts';
import { type AuditLogOptions, type OpenAuditLog, openAuditLog } from '../../../src/audit/log.ts';
import { type Files, type OpenFile, type OpenMode, realFiles } from '../../../src/audit/store/files.ts';
import type { Verifier } from '../../../src/decision/staged-facts.ts';
import { dayNumber } from '../../../src/facts/day.ts';
import { answerTo } from '../../../src/sandbox/answer.ts';
import { PERSONAS } from '../../../src/sandbox/personas.ts';
import { readVerify } from '../../../src/sandbox/request.ts';
import { readRequest } from '../../../src/signals/request.ts';
import { temporaryFolder } from '../policy/policy.ts';

/** The day of what the verifier answers. */
export const TODAY = '2026-11-20';

/** What the sandbox answers, without a server between. */
export const localVerifier: Verifier = {
  async verify(request) {
    const read = readVerify(JSON.parse(readRequest(request).body));
    if (!read.ok) throw new Error('a request that the sandbox does not take');
    return { body: JSON.parse(JSON.stringify(answerTo(read.value, dayNumber(TODAY)))) };
  },
};

/** Somebody who is known, another one for each number up to eleven. */
export function personOf(n: number): { readonly phoneNo: string; readonly email: string; readonly ip: string } {
  const persona = PERSONAS[n % PERSONAS.length];
  if (!persona) throw new Error('nobody is known');
  const { phoneNo, email, ip } = persona;
  return { phoneNo: `+${phoneNo}`, email, ip };
}

/** Somebody whom the sandbox invents, another one for each number: mostly people against whom nothing speaks. */
export function inventedPerson(n: number): { readonly phoneNo: string; readonly email: string; readonly ip: string } {
  const domain = ['gmail.com', 'outlook.com'][n % 3] ?? `firm-${n}.example`;
  const phoneNo = `+${447_400_000_000 + n * 7919}`;
  return { phoneNo, email: `applicant${n}@${domain}`, ip: `81.${n % 7}.${n % 251}.${n % 256}` };
}

/** Files whose names are of a kind, with something between. */
export function filesWith(named: RegExp, wrap: (file: OpenFile, mode: OpenMode) => Partial<OpenFile>): Files {
  return {
    ...realFiles,
    open: async (path, mode) => {
      const file = await realFiles.open(path, mode);
      return named.test(path) ? { ...file, ...wrap(file, mode) } : file;
    },
  };
}

/** The file system with syncs that do nothing: for tests of what is written and not of whether it stays. */
export const hastyFiles: Files = {
  ...filesWith(/./, () => ({ datasync: async () => {} })),
  syncFolder: async () => {},
};

/** The segments of a disk that fails, or that does not answer, from some moment on. */
export function troubledFiles() {
  let fault: { readonly code: string } | 'slow' | undefined;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const files = filesWith(/\.ndjson$/, (file) => ({
    datasync: async () => {
      if (fault === 'slow') await answered;
      else if (fault) throw Object.assign(new Error(fault.code), { code: fault.code });
      await file.datasync();
    },
  }));
  return {
    files,
    failWith(code: string) {
      fault = { code };
    },
    /** Answers once it is told to: ten seconds, without waiting for them. */
    stall() {
      fault = 'slow';
    },
    recover() {
      fault = undefined;
      answer();
    },
  };
}

/** A log in a folder that goes with the test, and what stands in it. */
export interface LogFolder {
  readonly dir: string;
  readonly keys: string;
  open(options?: Partial<AuditLogOptions>, files?: Files): Promise<OpenAuditLog>;
  /** The lines of all chains. */
  lines(): Entry[];
  decisions(): (Entry & { readonly kind: 'decision' })[];
}

/** Begins a log. */
export async function logFolder(root = temporaryFolder()): Promise<LogFolder> {
  const [dir, keys] = [join(root, 'log'), join(root, 'keys')];
  await initAuditLog({ dir, keys });
  const lines = () => linesOf(dir);
  return {
    dir,
    keys,
    open: (options = {}, files = hastyFiles) => openAuditLog({ dir, keys, ...options }, files),
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
