/** The files of a policy and a mapping, as they change -> the last versions without errors, which are in force. */

import { resolve } from 'node:path';
import { type Diagnostic, DiagnosticsError } from '../../diagnostics.ts';
import { foreignCode, VerdictError } from '../../errors.ts';
import { dayOfInstant } from '../../facts/day.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import { FILE, type FilePath, pathOf, readPath } from '../../platform/given/file-path.ts';
import { FLAG, FUNCTION, milliseconds, optionsReader } from '../../platform/given/options.ts';
import { count } from '../../text.ts';
import { type Policy, type Rule, rulesInEffect } from '../language.ts';
import { SETTINGS } from '../read/read-policy.ts';
import type { ParameterSettings } from '../read/values/parameters.ts';
import { placeOf } from '../source-map.ts';
import { type FilesRead, readFiles } from './read-files.ts';
import { readInWorker } from './reading-worker.ts';
import { FileWatch } from './watch-files.ts';

/** The policy and the mapping in force. They change together, and only if both are without errors. */
export interface InForce {
  readonly policy: Policy;
  /** Present if a mapping is watched too. */
  readonly mapping?: Mapping;
}

/** How a policy is watched. */
export interface WatchOptions {
  /** The mapping file, if it is to be loaded and watched too. */
  readonly mapping?: FilePath;
  /** Values for parameters, as for `loadPolicy`. */
  readonly parameters?: ParameterSettings;
  /** Called after each change, with the versions now in force. An edit that changes no digest is not a change. */
  readonly onChange?: (now: InForce) => void;
  /**
   * Called for each broken edit, with POLICY_INVALID or MAPPING_INVALID; the versions in force stay. A list file that
   * loses all of its entries is a broken edit, and so is a policy that loses its rules (see `allowShrink`).
   */
  readonly onError: (error: DiagnosticsError) => void;
  /**
   * Whether an edit may take away more than half of the policy's active rules, or all of them under `default: accept`.
   * Rows of tables count as rules; shadow rules, and rules that are not active on the day of the edit, do not.
   * Default: false.
   */
  readonly allowShrink?: boolean;
  /** How long the files must be unchanged before they are read. Default: 100. */
  readonly settleMs?: number;
  /** How often the files are polled, in case the system reports no event. Default: 5000. */
  readonly pollMs?: number;
  /** Whether watching keeps the process running. Default: true. */
  readonly persistent?: boolean;
}

/** How a policy is watched whose guarantees are proved. */
export interface ProvingOptions extends WatchOptions {
  /**
   * Proves the guarantees of each policy before it comes into force: `checkGuarantees` of `verdict-engine/lab`. A
   * policy for which it returns a problem, or throws, is a broken edit. `at` is the day of the edit, yyyy-MM-dd.
   */
  readonly prove: (policy: Policy, options: { readonly at: string }) => Promise<readonly Diagnostic[]>;
  /** Called with each edited policy that is proved, before it comes into force. Its errors are ignored. */
  readonly prepare?: (policy: Policy) => Promise<void>;
}

/** A watched policy, with the versions now in force. */
export interface PolicyWatcher {
  readonly policy: Policy;
  readonly mapping?: Mapping | undefined;
  /**
   * The time, ISO 8601 in UTC, since which the files on disk are not what is in force, because an edit is broken;
   * undefined while they are. For a health check.
   */
  readonly brokenSince: string | undefined;
  /** Stops watching: no callback is called any more, and the versions in force stay. */
  close(): void;
  /** Like `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Loads a policy and keeps it fresh: its own file, its rule sets and its list files are read again when one of them
 * changes, including files that an edit adds. A policy that was returned never changes: a decision uses one policy from
 * beginning to end. Warnings are not computed; `verdict check` reports them.
 * Throws a `DiagnosticsError` if there are errors at the start, and CONFIGURATION_INVALID for options that cannot be
 * used. With `prove`, it returns a promise of the watcher, which resolves once the guarantees of the first policy are
 * proved, and is rejected with a `DiagnosticsError` otherwise.
 */
export function watchPolicy(
  file: FilePath,
  options: ProvingOptions & { readonly mapping: FilePath },
): Promise<PolicyWatcher & Required<InForce>>;
export function watchPolicy(file: FilePath, options: ProvingOptions): Promise<PolicyWatcher>;
export function watchPolicy(
  file: FilePath,
  options: WatchOptions & { readonly mapping: FilePath },
): PolicyWatcher & Required<InForce>;
export function watchPolicy(file: FilePath, options: WatchOptions): PolicyWatcher;
export function watchPolicy(file: FilePath, input: WatchOptions): PolicyWatcher | Promise<PolicyWatcher> {
  const options = readOptions(input);
  const read = readerOf(readPath(file), options);
  const reading = read.first();
  const { versions } = reading;
  if (!versions) throw reading.errors[0];
  const start = () => new Watch(read, reading, versions, options);
  return options.prove ? watchProved(versions.policy, options.prove, start) : start();
}

type Prove = ProvingOptions['prove'];

async function watchProved(policy: Policy, prove: Prove, start: () => PolicyWatcher): Promise<PolicyWatcher> {
  const problems = await findUnproved(policy, prove);
  if (problems.length > 0) throw new DiagnosticsError('POLICY_INVALID', problems);
  return start();
}

/** The guarantees that are not proved, as errors: a policy comes into force only with a proof. */
export async function findUnproved(policy: Policy, prove: Prove): Promise<readonly Diagnostic[]> {
  const [first] = policy.guarantees;
  if (!first) return [];
  try {
    const problems = await prove(policy, { at: dayOfInstant(Date.now(), policy.timeZone) });
    return problems.map((problem) => ({ ...problem, severity: 'error' }));
  } catch (error) {
    const why = error instanceof VerdictError ? error.message : 'the function `prove` failed';
    const message = `the guarantees cannot be proved: ${why}`;
    return [{ code: 'guarantee-unproved', severity: 'error', message, file: placeOf(first)?.file ?? policy.name }];
  }
}

const readOptions = optionsReader<WatchOptions & Partial<ProvingOptions>>('the options of the watcher', {
  'mapping?': FILE,
  'parameters?': SETTINGS,
  'onChange?': FUNCTION,
  onError: FUNCTION,
  'allowShrink?': FLAG,
  'prove?': FUNCTION,
  'prepare?': FUNCTION,
  'settleMs?': milliseconds(0),
  'pollMs?': milliseconds(1),
  'persistent?': FLAG,
});

/** The result of reading all files once. */
interface Reading {
  /** Undefined if there are errors, one for the policy and one for the mapping. */
  readonly versions: InForce | undefined;
  readonly errors: readonly DiagnosticsError[];
  /** Undefined if the files were not read. */
  readonly stamps: FilesRead['stamps'] | undefined;
  readonly filledLists: FilesRead['filledLists'];
}

/** Reads all files. The policy must not have lost the rules of the one in force; the list files must not be empty. */
interface Reader {
  /** Reads them at once; nothing else runs meanwhile. */
  first(): Reading;
  /** Reads them in another thread, if there can be one. Never rejects. */
  again(policyInForce: Policy, filledLists: ReadonlySet<string>): Promise<Reading>;
}

function readerOf(policyFile: string, { mapping: file, parameters, allowShrink = false }: WatchOptions): Reader {
  const mappingFile = file === undefined ? undefined : pathOf(file);
  // Resolved at once, because the working directory may change later.
  const policy = { path: resolve(policyFile), shown: policyFile };
  const mapping = mappingFile === undefined ? undefined : { path: resolve(mappingFile), shown: mappingFile };
  const filesWith = (filledLists: ReadonlySet<string>) => ({ policy, mapping, parameters, filledLists });
  const readingOf = (read: FilesRead, policyInForce?: Policy): Reading => {
    const errors: DiagnosticsError[] = [];
    const { content: edited, diagnostics } = read.policy;
    const isCompared = edited && policyInForce && !allowShrink;
    const lost =
      isCompared && findLostRules(policyInForce, edited, dayOfInstant(Date.now(), edited.timeZone), policyFile);
    const sound = lost ? undefined : edited;
    if (!sound) errors.push(new DiagnosticsError('POLICY_INVALID', lost ? [lost] : diagnostics));
    const mapped = read.mapping;
    if (mapped && !mapped.content) errors.push(new DiagnosticsError('MAPPING_INVALID', mapped.diagnostics));
    const { stamps, filledLists } = read;
    if (!sound || errors.length > 0) return { versions: undefined, errors, stamps, filledLists };
    const versions = mapped?.content ? { policy: sound, mapping: mapped.content } : { policy: sound };
    return { versions, errors, stamps, filledLists };
  };
  return {
    first: () => readingOf(readFiles(filesWith(new Set()))),
    again: async (policyInForce, filledLists) => {
      const files = filesWith(filledLists);
      try {
        return readingOf((await readInWorker(files)) ?? readFiles(files), policyInForce);
      } catch (error) {
        const unread = new DiagnosticsError('POLICY_INVALID', [unreadProblem(error, policyFile)]);
        return { versions: undefined, errors: [unread], stamps: undefined, filledLists };
      }
    },
  };
}

/** What to say if the thread that reads has ended: reading in this thread might end the process in the same way. */
function unreadProblem(error: unknown, file: string): Diagnostic {
  const code = foreignCode(error);
  const message = `the files were not read: the thread that reads them has ended${code ? ` (${code})` : ''}`;
  const hint = 'the policy in force stays; the files are read again at the next edit';
  return { code: 'file-unreadable', severity: 'error', message, file, hint };
}

class Watch implements PolicyWatcher {
  readonly #read: Reader;
  readonly #options: WatchOptions & Partial<ProvingOptions>;
  readonly #files: FileWatch;
  #inForce: InForce;
  #brokenSince: string | undefined;
  /** The non-empty list files of the versions in force. */
  #filledLists: ReadonlySet<string>;
  /** The last reading. Proofs of earlier ones are ignored. */
  #latest: Reading | undefined;
  #isReading = false;
  /** Whether files have changed since the present reading began. */
  #isAsked = false;

  constructor(
    read: Reader,
    { stamps = new Map(), filledLists }: Reading,
    versions: InForce,
    options: WatchOptions & Partial<ProvingOptions>,
  ) {
    this.#read = read;
    this.#inForce = versions;
    this.#filledLists = filledLists;
    this.#options = options;
    this.#files = new FileWatch(stamps, () => this.#reload(), options);
  }

  get policy(): Policy {
    return this.#inForce.policy;
  }

  get mapping(): Mapping | undefined {
    return this.#inForce.mapping;
  }

  get brokenSince(): string | undefined {
    return this.#brokenSince;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  close(): void {
    this.#files.close();
  }

  /** Starts a reading, or one after the present one. */
  #reload(): void {
    this.#isAsked = true;
    if (!this.#isReading) void this.#readAgain();
  }

  async #readAgain(): Promise<void> {
    this.#isAsked = false;
    this.#isReading = true;
    try {
      this.#take(await this.#read.again(this.#inForce.policy, this.#filledLists));
    } finally {
      this.#isReading = false;
      if (this.#isAsked) this.#reload();
    }
  }

  #take(reading: Reading): void {
    if (this.#files.isClosed) return;
    const { versions, errors, stamps } = reading;
    this.#latest = reading;
    if (stamps) this.#files.watch(stamps);
    const { prove } = this.#options;
    if (!versions || !prove || versions.policy.digest === this.#inForce.policy.digest) this.#settle(reading, errors);
    else void this.#proveFirst(versions.policy, reading, prove);
  }

  /** The policy in force stays until the guarantees of the edited one are proved. */
  async #proveFirst(policy: Policy, reading: Reading, prove: Prove): Promise<void> {
    const problems = await findUnproved(policy, prove);
    if (problems.length === 0) await this.#options.prepare?.(policy).catch(() => {});
    // A later edit takes the place of this one.
    if (this.#latest !== reading || this.#files.isClosed) return;
    if (problems.length === 0) this.#settle(reading, reading.errors);
    else this.#settle({ ...reading, versions: undefined }, [new DiagnosticsError('POLICY_INVALID', problems)]);
  }

  #settle({ versions, filledLists }: Reading, errors: readonly DiagnosticsError[]): void {
    const isChanged = versions !== undefined && !isSame(versions, this.#inForce);
    if (versions) this.#filledLists = filledLists;
    if (isChanged) this.#inForce = versions;
    this.#brokenSince = versions ? undefined : (this.#brokenSince ?? new Date().toISOString());
    // The callback comes last, so that one that throws or calls `close` finds a consistent state.
    if (isChanged) this.#options.onChange?.(versions);
    for (const error of errors) if (!this.#files.isClosed) this.#options.onError(error);
  }
}

function isSame(one: InForce, other: InForce): boolean {
  return one.policy.digest === other.policy.digest && one.mapping?.digest === other.mapping?.digest;
}

/**
 * A file that is cut in the middle of a write is often a sound policy with fewer rules. Finds an edit that takes away
 * more than half of the rules in effect on that day, or after which every applicant is accepted. `file` is the policy's
 * own file.
 */
export function findLostRules(before: Policy, edited: Policy, day: string, file: string): Diagnostic | undefined {
  const had = rulesInEffect(before, day);
  const has = rulesInEffect(edited, day);
  const isAcceptAll = ({ default: outcome }: Policy, { length }: readonly Rule[]) =>
    outcome === 'accept' && length === 0;
  const becomesAcceptAll = isAcceptAll(edited, has) && !isAcceptAll(before, had);
  if (!becomesAcceptAll && has.length * 2 >= had.length) return undefined;
  const problem = becomesAcceptAll
    ? 'found no active rule, so `default: accept` would accept every applicant'
    : `found ${count(has.length, 'active rule')}`;
  return {
    code: 'rules-lost',
    severity: 'error',
    message: `${problem}; the policy in force has ${had.length}`,
    file: fileThatLost(had, has) ?? file,
    hint: 'the policy in force stays; if this is intended, set `allowShrink: true` in the options of `watchPolicy`',
  };
}

/** The file that lost the most rules. */
function fileThatLost(had: readonly Rule[], has: readonly Rule[]): string | undefined {
  const lost = new Map<string, number>();
  const add = (rules: readonly Rule[], each: number) => {
    for (const rule of rules) {
      const file = placeOf(rule)?.file;
      if (file !== undefined) lost.set(file, (lost.get(file) ?? 0) + each);
    }
  };
  add(had, 1);
  add(has, -1);
  return [...lost].sort(([, one], [, other]) => other - one)[0]?.[0];
}
