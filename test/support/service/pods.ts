/** A database and a vendor -> processes of the built `verdict serve`, each started again once it has ended. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { initAuditLog } from '../../../src/audit/init.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { addKey } from '../../../src/service/auth/keys.ts';
import { initVelocityStore } from '../../../src/stores/velocity/velocity.ts';
import { KEY } from '../stores/state/postgres.ts';
import { type ServeFolder, ServeProcess, serveFolder } from './process.ts';
import { quickRules } from './rules.ts';

const MASTER_KEY = 'cd'.repeat(32);

const CONFIGURATION = `audit: { postgresVariable: DATABASE_URL, keys: { masterKeyVariable: MASTER_KEY } }
state: { postgresVariable: DATABASE_URL, keyVariable: STATE_KEY }
velocity: { postgresVariable: DATABASE_URL }
limits: { drain: 5 seconds }`;

/** Counts what was decided before. The shipped policies count nothing. */
const COUNTING = `policy: counting
version: "1"
default: accept
velocity:
  sameIp: { count: applications, by: ip, within: 1 hour }
  phones: { count: distinct phoneNo, by: ip/64, within: 7 days }
rules:
  - { id: burst, when: { velocity.sameIp: { atLeast: 200 } }, then: review }
  - { id: risky, when: { phone.riskLevel: { atLeast: high } }, then: review }
`;

/** What starts a process again waits for this long. */
const RESTART_MS = 300;
/** More than `drain`. */
const END_MS = 20_000;

export interface PodAnswer {
  /** 0 if none came. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Processes that share a log, a state and a store of velocity in a database. */
export class Pods {
  readonly #processes: ServeProcess[] = [];
  readonly #made: ServeFolder;
  readonly #vendor: Pick<Sandbox, 'url'>;
  readonly #postgres: string;
  readonly #ends = new Set<() => void>();
  #isEnding = false;

  private constructor(made: ServeFolder, vendor: Pick<Sandbox, 'url'>, postgres: string) {
    this.#made = made;
    this.#vendor = vendor;
    this.#postgres = postgres;
    process.once('exit', this.#kill);
  }

  /** Resolves once all take requests. */
  static async start(count: number, vendor: Pick<Sandbox, 'url'>, postgres: string): Promise<Pods> {
    writeFileSync(join(quickRules(), 'counting.yaml'), COUNTING);
    const policies = '{ onboarding: onboarding.yaml, counting: counting.yaml }';
    const pods = new Pods(await serveFolder({ policies, audit: false, more: CONFIGURATION }), vendor, postgres);
    await initAuditLog(pods.log);
    await initVelocityStore({ postgres, keys: pods.log });
    for (let n = 0; n < count; n++) pods.#run(n);
    await Promise.all(pods.#processes.map(({ url }) => url));
    return pods;
  }

  get count(): number {
    return this.#processes.length;
  }

  get log() {
    return { postgres: this.#postgres, keys: { postgres: this.#postgres, masterKey: MASTER_KEY } };
  }

  /** The key of who asks for decisions. */
  get key(): string {
    return this.#made.key;
  }

  async reviewer(name: string): Promise<string> {
    return addKey(join(this.#made.folder, 'keys.json'), { name, roles: ['review'] });
  }

  /** Asks one of them; one that starts is waited for. */
  async post(pod: number, path: string, body: object, key: string): Promise<PodAnswer> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    try {
      const url = await this.#at(pod).url;
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
    } catch {
      // It ended before it answered, or while it started.
      return { status: 0, body: {} };
    }
  }

  /** Ends one, and resolves once another took its place. */
  async replace(pod: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const old = this.#at(pod);
    old.signal(signal);
    await old.ended;
    while (this.#at(pod) === old) await setTimeout(20);
    await this.ready(pod);
  }

  /** Resolves once one takes requests, however often it has to start until then. */
  async ready(pod: number): Promise<void> {
    const isUp = () => this.#at(pod).url.then(Boolean, () => false);
    while (!(await isUp())) await setTimeout(RESTART_MS);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    for (const each of this.#processes) each.signal('SIGTERM');
    const ended = Promise.all(this.#processes.map((each) => each.ended));
    await Promise.race([ended, setTimeout(END_MS, undefined, { ref: false })]);
    this.#kill();
    await ended;
    process.off('exit', this.#kill);
  }

  readonly #kill = (): void => {
    for (const end of this.#ends) end();
  };

  #at(pod: number): ServeProcess {
    const found = this.#processes[pod];
    if (!found) throw new Error(`there is no process ${pod}`);
    return found;
  }

  #run(pod: number): void {
    const env = { DATABASE_URL: this.#postgres, MASTER_KEY, STATE_KEY: KEY };
    let kill = () => {};
    const atEnd = (end: () => void) => {
      kill = end;
      this.#ends.add(end);
    };
    const started = new ServeProcess(this.#made, this.#vendor, { env, atEnd });
    this.#processes[pod] = started;
    void started.ended.then(async () => {
      this.#ends.delete(kill);
      await setTimeout(RESTART_MS);
      if (!this.#isEnding) this.#run(pod);
    });
  }
}
