/** References and cases -> rows of `state.sqlite`, which the processes of one machine share; the main thread's side. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Call, Home, Parameter, Row } from './cases.ts';
import { type Claim, type ClaimRequest, StateUnavailable } from './references.ts';
import { type FileSetting, readSecretKey, SharedFile, settingOf, wrapFileErrors } from './shared-file.ts';
import { isSettling, type Settling, type Statements } from './sql.ts';

/** What the thread works with. */
export interface StateSetting extends FileSetting {
  /** This process, whatever number the system gave it. */
  readonly owner: string;
  readonly rememberMs: number;
  readonly beatMs: number;
}

export type Order =
  | { readonly do: 'open' | 'check' | 'scrub' | 'close' }
  | { readonly do: 'claim'; readonly request: ClaimRequest }
  | { readonly do: 'runAll'; readonly calls: readonly Call[] }
  | { readonly do: 'run'; readonly name: keyof Statements; readonly parameters: readonly Parameter[] };

/** The end of a claim. */
function settlement(name: Settling, ...parameters: readonly string[]) {
  return { do: 'run', name, parameters } as const;
}

/** What a claim gets, or the rows of a statement. */
export type Answer = Claim | readonly Row[] | undefined;

const LOCK_MS = 2000;
/** Twice what the thread waits for a lock, and some: a call may come while the thread waits for another one. */
const LIMIT_MS = 5000;
/** The opening checks the whole file: 0.6 s a gigabyte. */
const OPEN_LIMIT_MS = 600_000;
const BEAT_MS = 5000;
/** An answer that can wait does so for this long: others who ask for it look again after 50 ms. */
const SETTLE_MS = 20;

const FORGOTTEN = 'its references are then forgotten, so one that is sent again may be billed twice';
const NAMES = {
  file: 'state.sqlite',
  key: 'references.key',
  again: `stop all processes that use it, move state.sqlite* away, and start again: ${FORGOTTEN}`,
};

/**
 * The state in `state.sqlite` of a folder, shared by all processes of this machine; a claim survives a power failure.
 * Rejects with CONFIGURATION_INVALID if the operator has to mend something, else with `StateUnavailable`.
 */
export async function openSqlite(options: {
  readonly dir: string;
  /** After this time since its claim, a reference is forgotten. */
  readonly rememberMs: number;
  /** How often this process shows that it lives. Default: 5 seconds. */
  readonly beatMs?: number;
  /** How long to wait for another process that writes. Default: 2 seconds. */
  readonly lockMs?: number;
}): Promise<Home> {
  const { dir, rememberMs, beatMs = BEAT_MS, lockMs = LOCK_MS } = options;
  const key = await readReferencesKey(dir);
  const setting = await wrapFileErrors('the state folder', () =>
    settingOf(join(dir, NAMES.file), key, NAMES.file, lockMs),
  );
  const home = new SqliteHome({ ...setting, owner: randomUUID(), rememberMs, beatMs });
  await home.openFile({ do: 'open' }, OPEN_LIMIT_MS, NAMES);
  return home;
}

/**
 * The secret of the keyed hashes, made by whichever process comes first. It is in `references.key`, not in the
 * database: a copy of that shows neither references nor who was asked about.
 */
export async function readReferencesKey(dir: string): Promise<Buffer> {
  return wrapFileErrors('the state folder', () => readSecretKey(join(dir, NAMES.key), NAMES.key, true));
}

class SqliteHome extends SharedFile<Order, Answer> implements Home {
  /** What could not be written goes along with the next order. Without it a reference would be claimed for ever. */
  #unsettled: Order[] = [];
  #settling: NodeJS.Timeout | undefined;

  constructor(setting: StateSetting) {
    super('stores/state/state-thread', setting, LIMIT_MS);
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    // INVARIANT: the thread answers each claim with one, and each statement with its rows.
    return (await this.ask({ do: 'claim', request })) as Claim;
  }

  async run(name: keyof Statements, parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return (await this.ask({ do: 'run', name, parameters })) as readonly Row[];
  }

  async runAll(_name: string, calls: readonly Call[]): Promise<void> {
    await this.ask({ do: 'runAll', calls });
  }

  async finish(key: string, decision: string, answer: string, isRecorded = false): Promise<void> {
    const order = settlement('finishClaim', key, decision, answer);
    if (!isRecorded) return void (await this.post(order));
    this.#unsettled.push(order);
    this.#settling ??= setTimeout(() => this.prepare(), SETTLE_MS);
  }

  async release(key: string, decision: string): Promise<void> {
    await this.post(settlement('releaseClaim', key, decision));
  }

  async doubt(key: string, decision: string): Promise<void> {
    await this.post(settlement('doubtClaim', key, decision));
  }

  async check(): Promise<void> {
    await this.ask({ do: 'check' });
  }

  async scrub(): Promise<void> {
    await this.post({ do: 'scrub' }, OPEN_LIMIT_MS);
  }

  close(): Promise<void> {
    return this.closeFile({ do: 'close' });
  }

  protected override unavailable(code: string): Error {
    return new StateUnavailable(code);
  }

  protected override prepare(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    for (const settlement of this.#unsettled.splice(0)) this.post(settlement).catch(() => {});
  }

  protected override refused(order: Order): void {
    if (order.do === 'run' && isSettling(order.name)) this.#unsettled.push(order);
  }

  /** Its caller was told that nothing is claimed. */
  protected override carriedOutLate(order: Order, answer?: Answer): void {
    if (order.do !== 'claim' || (answer !== undefined && !isGranted(answer))) return;
    const { key, decision } = order.request;
    this.#unsettled.push(settlement('releaseClaim', key, decision));
  }
}

/** Whether a claim was granted. */
export function isGranted(answer: Answer): boolean {
  return answer !== undefined && 'state' in answer && answer.state === 'granted';
}
