/** The releases of a log and trust.yaml -> the policies of the one in force, until another is put in force. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeOfLog, type OpenAuditLog } from '../audit/log.ts';
import { addEvent } from '../audit/query/event.ts';
import { MAX_LENGTH } from '../audit/query/note.ts';
import { TamperedError } from '../audit/store/io-errors.ts';
import { DiagnosticsError } from '../diagnostics.ts';
import { VerdictError } from '../errors.ts';
import { dayOfInstant } from '../facts/day.ts';
import type { Mapping } from '../facts/mapping/mapping.ts';
import { canonicalJson } from '../platform/digest.ts';
import { replaceFile } from '../platform/files/disk-file.ts';
import { isObject, parseJson } from '../platform/json.ts';
import type { Policy } from '../policy/language.ts';
import { keepRelease } from '../policy/source-map.ts';
import { readFiles } from '../policy/watch/read-files.ts';
import { readInWorker } from '../policy/watch/reading-worker.ts';
import {
  findUnproved,
  type InForce,
  type PolicyWatcher,
  type ProvingOptions,
  type WatchOptions,
} from '../policy/watch/watch.ts';
import { addEvidence, countSinceProposed, tellActivations } from '../release/acts.ts';
import { openDrafts } from '../release/draft/drafts.ts';
import { DraftWorker } from '../release/draft/worker.ts';
import type { Impact } from '../release/evidence/impact.ts';
import { countDecisionsElsewhere, makeEvidenceElsewhere } from '../release/evidence/make.ts';
import { refused, writeRules } from '../release/files.ts';
import { checkActivation, judge } from '../release/judge.ts';
import { readManifest } from '../release/manifest.ts';
import { openReleases } from '../release/store.ts';
import type { Trust } from '../release/trust.ts';

/** A release in force takes effect everywhere within a second. */
const EVERY_MS = 500;

/** How releases are loaded. */
export interface ReleasedMeans {
  readonly log: OpenAuditLog;
  readonly trust: Trust;
  /** The file of each policy in a release, by the name of the policy in the API. */
  readonly files: ReadonlyMap<string, string>;
  /** The file that has the highest number that this machine has loaded: it loads no lower one. */
  readonly seen: string;
  readonly prove: ProvingOptions['prove'];
  /** Says it to those who run the service. */
  report(line: Readonly<Record<string, unknown>>): void;
}

/** A policy of the release in force, watched as the policy of a file is. */
export type ReleasedWatcher = PolicyWatcher & { readonly mapping: Mapping };

/** What is called when a release takes effect. */
export type ReleasedCalls = Required<Pick<ProvingOptions, 'prepare'>> & Required<Pick<WatchOptions, 'onChange'>>;

interface Loaded {
  readonly number: number;
  readonly title: string;
  /** Whether one person alone put it in force, because it is stricter. */
  readonly isTightened: boolean;
  /** Its files, which nothing but the tests of its page is read from. */
  readonly folder: string;
  readonly policies: ReadonlyMap<string, Required<InForce>>;
}

export type Released = Awaited<ReturnType<typeof openReleased>>;

/**
 * Loads the release in force, and from then on each that is put in force. Refuses one that is not sound, and keeps what
 * was in force on this machine. Rejects with RELEASE_REFUSED, POLICY_INVALID or AUDIT_FAILED if there is none to begin
 * with.
 */
export async function openReleased(means: ReleasedMeans) {
  const { log, trust, report } = means;
  const store = openReleases(homeOfLog(log));
  const calls = new Map<string, ReleasedCalls>();
  let why: string | undefined;
  const activated = (await store.activations()).map(({ release }) => release.number);
  /** The number of the last activation, which may be of a release that was refused. */
  let at = activated.at(-1) ?? 0;
  if (at === 0) throw refused('no release is in force: propose, approve and activate one with `verdict release`');
  let refusal: unknown;
  let loaded = await load(at, means).catch((error: unknown) => {
    const before = highestSeen(means);
    if (before >= at || !activated.includes(before)) throw error;
    // What this machine had in force stays, verified again, as it would have without a restart.
    refusal = error;
    return load(before, means);
  });

  const take = async (number: number) => {
    const next = await load(number, means);
    const { policies } = next;
    await Promise.allSettled(Array.from(calls, ([name, { prepare }]) => prepare(policies.get(name)?.policy as Policy)));
    rmSync(loaded.folder, { recursive: true, force: true });
    [loaded, why] = [next, undefined];
    for (const [name, { onChange }] of calls) onChange(policies.get(name) as InForce);
    report({ event: 'release.loaded', release: number });
  };

  /** What was refused, as the log has it. */
  let recorded: string | undefined;
  const refuse = async (number: number | undefined, error: unknown) => {
    if (!VerdictError.is(error)) throw error;
    const { code, message } = error;
    const before = why;
    const release = number === undefined ? `what replaces release ${at}` : `release ${number}`;
    // What cannot be read now is read later.
    const isLater = code === 'AUDIT_FAILED' && !(error instanceof TamperedError);
    why = `${release} ${isLater ? 'cannot be read' : 'was refused'}: ${message}`;
    if (isLater) throw error;
    if (why !== before) report({ event: 'release.refused', release: number, code, message });
    if (why === recorded) return;
    const said = { by: 'verdict serve', why: message.slice(0, MAX_LENGTH), details: { release: String(number ?? '') } };
    await addEvent({ log, type: 'release.refused', ...said, subjects: {} });
    recorded = why;
  };

  if (refusal !== undefined) await refuse(at, refusal);
  let looking: Promise<void> | undefined;
  const look = async () => {
    for (let next = await store.next(at); next; next = await store.next(at)) {
      const { number } = next.release;
      // Only the last of several counts.
      const isLast = !(await store.next(number).catch(() => undefined));
      if (isLast) await take(number).catch((error: unknown) => refuse(number, error));
      at = number;
    }
  };
  // That the log is not available is told by what needs it.
  const tryLook = () => {
    looking ??= look()
      .catch((error: unknown) => (isRefused(error) ? refuse(undefined, error) : undefined))
      .catch(() => {})
      .finally(() => {
        looking = undefined;
      });
  };
  void tellActivations({ log }).catch(() => {});
  const timer = setInterval(tryLook, EVERY_MS).unref();

  const worker = new DraftWorker();
  return {
    ...{ trust, evidence: openEvidence(log), drafts: openDrafts(homeOfLog(log)), worker },
    /** The release in force, and why a later one is not. */
    inForce: () => ({ number: loaded.number, title: loaded.title, refused: why }),
    /** Since when a second person should have confirmed the release in force; undefined if nobody has to. */
    unconfirmedSince: async (): Promise<string | undefined> => {
      if (!loaded.isTightened) return undefined;
      const release = await store.read(loaded.number, false);
      const { base } = readManifest(release?.manifest ?? '').manifest;
      if (!release?.activation) return undefined;
      const { tightening, confirmation } = judge(release, trust, base, Date.parse(release.activation.at));
      if (!tightening || confirmation) return undefined;
      const due = Date.parse(release.activation.at) + (trust.tighten?.confirmWithinMs ?? 0);
      return Date.now() > due ? new Date(due).toISOString() : undefined;
    },
    /** The path of a file of the release in force. */
    fileOf: (file: string) => join(loaded.folder, file),
    watch: (name: string, called: ReleasedCalls): ReleasedWatcher => {
      calls.set(name, called);
      return {
        get policy() {
          return loaded.policies.get(name)?.policy as Policy;
        },
        get mapping() {
          return loaded.policies.get(name)?.mapping as Mapping;
        },
        // A release that is refused is told of all policies together.
        brokenSince: undefined,
        close: () => void calls.delete(name),
        [Symbol.asyncDispose]: async () => void calls.delete(name),
      };
    },
    close: async () => {
      clearInterval(timer);
      await worker.end();
      await looking;
      rmSync(loaded.folder, { recursive: true, force: true });
    },
  };
}

/** Makes the evidence of releases, and counts decisions by them, in processes of their own. */
function openEvidence(log: OpenAuditLog) {
  const means = { log, make: makeEvidenceElsewhere, count: countDecisionsElsewhere };
  const states = new Map<string, string>();
  const counted = new Map<number, Impact>();
  // One after the other: each takes a processor and much memory.
  let making: Promise<void> = Promise.resolve();
  const begin = (what: string, make: () => Promise<unknown>): void => {
    if (states.get(what) === MAKING) return;
    states.set(what, MAKING);
    making = making.then(make).then(
      () => void states.delete(what),
      (error: unknown) => void states.set(what, VerdictError.is(error) ? error.message : 'an internal error'),
    );
  };
  return {
    /** `making`, or why the evidence could not be made; undefined for neither. */
    stateOf: (number: number) => states.get(`evidence ${number}`),
    start: (number: number): void =>
      begin(`evidence ${number}`, () => addEvidence(means, number, { day: dayOfInstant(Date.now()) })),
    /** What a release would have decided since it was proposed, as this process counted it last. */
    watched: (number: number) => ({ state: states.get(`watch ${number}`), impact: counted.get(number) }),
    watch: (number: number): void =>
      begin(`watch ${number}`, async () => counted.set(number, await countSinceProposed(means, number))),
  };
}

const MAKING = 'making';

function isRefused(error: unknown): boolean {
  return VerdictError.is(error) && error.code === 'RELEASE_REFUSED';
}

/** Reads a release, verifies it, and proves the guarantees of its policies. Nothing of it is in force yet. */
async function load(number: number, means: ReleasedMeans): Promise<Loaded> {
  const { log, trust, files, prove } = means;
  const release = await openReleases(homeOfLog(log)).read(number);
  if (!release?.content) throw refused(`the files of release ${number} are gone`);
  const { base, mapping, title } = readManifest(release.manifest).manifest;
  const judged = judge(release, trust, base, Date.parse(release.activation?.at ?? ''));
  checkActivation(judged);
  const highest = highestSeen(means);
  if (number < highest) throw refused(`this machine has loaded release ${highest}, and loads none before it`);
  const folder = mkdtempSync(join(tmpdir(), 'verdict-release-'));
  try {
    writeRules(release.content.files, folder);
    const policies = new Map<string, Required<InForce>>();
    for (const [name, file] of files) {
      const policy = await readOne(folder, { file, mapping, number });
      const problems = await findUnproved(policy.policy, prove);
      if (problems.length > 0) throw new DiagnosticsError('POLICY_INVALID', problems);
      policies.set(name, policy);
    }
    remember(Math.max(highest, number), means);
    return { number, title, isTightened: judged.tightening !== undefined, folder, policies };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function readOne(
  folder: string,
  { file, mapping, number }: { readonly file: string; readonly mapping: string; readonly number: number },
): Promise<Required<InForce>> {
  if (!existsSync(join(folder, file))) throw refused(`release ${number} has no ${file}, which serve.yaml names`);
  const named = (name: string) => ({ path: join(folder, name), shown: name });
  const files = { policy: named(file), mapping: named(mapping), parameters: undefined, filledLists: new Set<string>() };
  const read = (await readInWorker(files)) ?? readFiles(files);
  const { policy, mapping: mapped } = read;
  if (!policy.content) throw new DiagnosticsError('POLICY_INVALID', policy.diagnostics);
  if (!mapped?.content) throw new DiagnosticsError('MAPPING_INVALID', mapped?.diagnostics ?? []);
  keepRelease(policy.content, number);
  return { policy: policy.content, mapping: mapped.content };
}

/** Throws CONFIGURATION_INVALID if the file is not what this wrote: without it, an older release could come back. */
function highestSeen({ seen, trust: { series } }: ReleasedMeans): number {
  if (!existsSync(seen)) return 0;
  const { value } = { value: undefined, ...parseJson(readFileSync(seen)) };
  const highest = isObject(value) ? value['highest'] : undefined;
  if (isObject(value) && value['series'] === series && typeof highest === 'number') return highest;
  const how = 'restore it, or remove it if this machine may load any release';
  throw new VerdictError(
    'CONFIGURATION_INVALID',
    `${seen} does not say which release of this series was loaded: ${how}`,
  );
}

/** INVARIANT: durable before the release takes effect. */
function remember(number: number, { seen, trust: { series } }: ReleasedMeans): void {
  replaceFile(seen, `${canonicalJson({ highest: number, series })}\n`, 0o600);
}
