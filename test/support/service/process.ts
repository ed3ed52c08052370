/** A configuration -> processes of the built `verdict serve` that share its folder, as an operator starts them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { initAuditLog } from '../../../src/audit/init.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { addKey } from '../../../src/service/auth/keys.ts';
import { toJson } from '../../../src/text.ts';
import { ROOT } from '../docs/docs.ts';
import { environmentOf } from '../signals/service.ts';
import { quickRules } from './rules.ts';
import { APPLICANT } from './running.ts';

/** A folder with rules, a key, a log and serve.yaml. */
export interface ServeFolder {
  readonly folder: string;
  readonly key: string;
}

/** Makes a folder. `more`: further YAML of serve.yaml. */
export async function serveFolder({
  more = '',
  audit = true,
  policies = '{ onboarding: onboarding.yaml }',
} = {}): Promise<ServeFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'serve-'));
  const lines = [
    'listen: { port: 0 }',
    'admin: { port: 0 }',
    `policies: ${policies}`,
    `rules: { folder: ${toJson(quickRules())} }`,
    'keysFile: keys.json',
    audit ? 'audit: { dir: log }' : '',
    more === '' ? 'limits: { drain: 0 seconds }' : more,
  ];
  writeFileSync(join(folder, 'serve.yaml'), `${lines.join('\n')}\n`);
  if (audit) await initAuditLog({ dir: join(folder, 'log') });
  return { folder, key: await addKey(join(folder, 'keys.json'), { name: 'app', roles: ['decide'] }) };
}

/** An answer; status 0, with the code of the connection, if none came. */
export interface Decided {
  readonly status: number;
  readonly repeated: boolean;
  readonly body: { readonly id?: string; readonly code?: string; readonly outcome?: string };
}

/** One process. */
export class ServeProcess {
  readonly #child: ChildProcess;
  readonly #key: string;
  readonly ended: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
  readonly url: Promise<string>;
  /** What it wrote to standard error. */
  errors = '';

  constructor(
    { folder, key }: ServeFolder,
    sandbox: Pick<Sandbox, 'url'>,
    {
      descriptors = 0,
      env: more = {},
      atEnd = onTestFinished,
    }: {
      readonly descriptors?: number;
      readonly env?: Readonly<Record<string, string>>;
      /** Where its end is said. Default: when the test has finished. */
      readonly atEnd?: (end: () => void) => void;
    } = {},
  ) {
    this.#key = key;
    const env = { ...process.env, ...environmentOf(sandbox), ...more };
    const args = [join(ROOT, 'dist/cli/main.js'), 'serve', '--config', join(folder, 'serve.yaml')];
    const limited = ['-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, process.execPath, ...args];
    const [program, given] = descriptors > 0 ? ['sh', limited] : [process.execPath, args];
    const child = spawn(program, given, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    atEnd(() => void child.kill('SIGKILL'));
    this.ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.errors += text;
    });
    const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
    const early = this.ended.then(() => Promise.reject(new Error(`the service ended: ${this.errors}`)));
    this.url = Promise.race([line, early]).then(([text]) => text.replace('listening on ', ''));
    this.url.catch(() => {});
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Asks for a decision. */
  async decide(reference: string, more: object = {}): Promise<Decided> {
    const body = JSON.stringify({ policy: 'onboarding', reference, applicant: APPLICANT, ...more });
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' };
    try {
      const answer = await fetch(`${await this.url}/v1/decisions`, { method: 'POST', headers, body });
      const repeated = answer.headers.get('verdict-repeated') === 'true';
      return { status: answer.status, repeated, body: (await answer.json()) as Decided['body'] };
    } catch (error) {
      const { cause } = error as { readonly cause?: { readonly code?: string } };
      return { status: 0, repeated: false, body: { code: cause?.code ?? 'UNKNOWN' } };
    }
  }
}
