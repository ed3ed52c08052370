/** Rules and a temporary folder -> a log with a month of decisions, and the invented people who look at it. */

import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { createAuditLog, homeOfLog, type OpenAuditLog } from '../../../audit/log.ts';
import { addNote } from '../../../audit/query/note.ts';
import { createDecider } from '../../../decision/decide.ts';
import { VerdictError } from '../../../errors.ts';
import { dayOfInstant } from '../../../facts/day.ts';
import { loadMapping, type Mapping } from '../../../facts/mapping/mapping.ts';
import { policyFilesIn } from '../../../policy/check/candidates.ts';
import { loadPolicy } from '../../../policy/read/parse.ts';
import { PERSONAS, SANDBOX_USERS, startSandbox } from '../../../sandbox/index.ts';
import { type Person, uniqueName } from '../../../service/auth/sessions.ts';
import { createVerifyClient } from '../../../signals/client.ts';
import { createVelocityStore } from '../../../stores/velocity/velocity.ts';
import { printable, toJson } from '../../../text.ts';
import { type Io, say, UsageError } from '../../io.ts';
import { SHIPPED_POLICY } from '../decide.ts';
import { decidePast } from './past.ts';

const person = (display: string, work: string, roles: Person['roles']) => {
  const subject = display.split(' ', 1)[0]?.toLowerCase() ?? '';
  return { display, subject, name: uniqueName(display, subject), roles, work };
};

/** The people of a trial, and what each does. */
export const PEOPLE = [
  person('Ana Ruiz', 'analyst', ['read', 'edit']),
  person('Rita Okoye', 'reviewer', ['review']),
  person('Ben Okafor', 'approver', ['read', 'approve']),
  person('Lea Brandt', 'lead', ['read', 'review', 'approve']),
  person('Otto Lindqvist', 'auditor', ['read', 'audit']),
] as const;

/** A link for each of them, by its secret. */
export function inviteAll(): ReadonlyMap<string, (typeof PEOPLE)[number]> {
  return new Map(PEOPLE.map((each) => [randomBytes(24).toString('base64url'), each]));
}

const DAY_MS = 86_400_000;
const [DAYS, A_DAY] = [30, 11];

/** So many of the decisions are about somebody without a risk; the number falls in the last week. */
const [USUAL, LATELY, LAST_DAYS] = [0.85, 0.6, 7];

/** The first day of the policy that is in force, so that there is something to compare. */
const CHANGED = 14;

/** What a trial decides by. */
export interface TrialRules {
  readonly folder: string;
  readonly mapping: string;
  /** The file of each policy, by its name; the past is decided by the first. */
  readonly policies: ReadonlyMap<string, string>;
}

/** The shipped rules, or those of a folder, or of the file of a policy. Throws what `loadPolicy` throws. */
export function findRules(given: string | undefined): TrialRules {
  if (given === undefined) return rulesOf([SHIPPED_POLICY]);
  const path = resolve(given);
  if (!existsSync(path)) throw new UsageError(`--rules: there is no ${printable(given)}`);
  if (!statSync(path).isDirectory()) return rulesOf([path]);
  const policies = policyFilesIn(path);
  if (policies.length === 0) throw new UsageError(`--rules: ${printable(given)} has no policy`);
  const isUsual = (file: string) => basename(file) === basename(SHIPPED_POLICY);
  return rulesOf(policies.toSorted((one, other) => Number(isUsual(other)) - Number(isUsual(one))));
}

function rulesOf(files: readonly string[]): TrialRules {
  const folder = dirname(files[0] ?? '');
  const own = join(folder, 'signals.yaml');
  const mapping = existsSync(own) ? own : join(dirname(SHIPPED_POLICY), 'signals.yaml');
  const policies = new Map<string, string>();
  for (const file of files) {
    const { name } = loadPolicy(file, { mapping: loadMapping(mapping) });
    if (policies.has(name)) throw new UsageError(`--rules: two files have the policy ${name}; name one of them`);
    policies.set(name, file);
  }
  return { folder, mapping, policies };
}

/** What is decided before the trial begins, and where it is kept. */
interface Past {
  /** The folder of the trial, with its log and its store of velocity. */
  readonly folder: string;
  readonly dir: string;
  readonly velocity: string;
  readonly rules: TrialRules;
  /** The file of the applicants of the past; without one they are invented. */
  readonly facts: string | undefined;
}

/** Decides the applicants of a file, or a month of invented ones as if it had been then. */
export async function fillLog(past: Past, io: Io): Promise<void> {
  const { dir, rules, facts } = past;
  const [[name, file] = ['', '']] = rules.policies;
  const mapping = loadMapping(rules.mapping);
  const log = await createAuditLog({ dir, mode: 'required' });
  try {
    const who = facts === undefined ? 'a month of invented applicants' : printable(facts);
    await say(io.stderr, `deciding on ${who} by the policy ${name}…\n`);
    if (facts === undefined) await decideMonth(past, file, mapping, log);
    else {
      const policy = loadPolicy(file, { mapping });
      await decidePast(facts, { policy, mapping, log, reviewer: PEOPLE[1].name }, io);
    }
  } finally {
    await log.close();
  }
}

/**
 * Makes the rules release 1 of the log, as if one of the people had written it and another had approved it; gives the
 * keys of serve.yaml for it. Undefined, with a line that says why, for rules that cannot be released, such as those
 * whose tests fail.
 */
export async function releaseRules({ folder, dir, rules }: Past, io: Io): Promise<string | undefined> {
  const { activate, addEvidence, beginSeries, propose, sayOf } = await import('../../../release/acts.ts');
  const { makeEvidenceElsewhere } = await import('../../../release/evidence/make.ts');
  const { readRules } = await import('../../../release/files.ts');
  const { openReleases } = await import('../../../release/store.ts');
  const { readTrust, trustText } = await import('../../../service/config/trust.ts');
  const log = await createAuditLog({ dir, mode: 'required' });
  try {
    // The proof that is made again to put it in force is the one that was just made.
    const made = new Map<string, ReturnType<typeof makeEvidenceElsewhere>>();
    const make: typeof makeEvidenceElsewhere = (of) => {
      const evidence = made.get(of.day) ?? makeEvidenceElsewhere(of);
      made.set(of.day, evidence);
      return evidence;
    };
    const means = { log, make };
    const trust = join(folder, 'trust.yaml');
    const series = await beginSeries(means);
    writeFileSync(trust, trustText(series, await openReleases(homeOfLog(log)).signingKey()));
    const [author, approver] = [PEOPLE[0].subject, PEOPLE[2].subject];
    const files = { 'signals.yaml': readFileSync(rules.mapping, 'utf8'), ...readRules(rules.folder) };
    const proposal = { files, mapping: 'signals.yaml', title: 'The rules of the trial', authors: [author] };
    const { number } = (await propose(means, proposal)).manifest;
    await addEvidence(means, number, { day: dayOfInstant(Date.now()) });
    await sayOf(means, number, readTrust(trust), { by: approver, verdict: 'approve' });
    await activate(means, number, readTrust(trust), { by: approver });
    const policies = Array.from(rules.policies, ([name, file]) => [name, relative(rules.folder, file)] as const);
    return `policies: ${toJson(Object.fromEntries(policies))}\nrules: { releases: true, trust: trust.yaml }`;
  } catch (error) {
    if (!VerdictError.is(error)) throw error;
    const [why = ''] = error.message.split('\n');
    await say(io.stderr, `note: the rules are not released, so nobody changes them in the browser: ${why}\n`);
    return undefined;
  } finally {
    await log.close();
  }
}

/** Decides a month, and notes what a reviewer decided about all but the last. */
async function decideMonth(
  { folder, dir, rules, velocity: sqlite }: Past,
  policyFile: string,
  mapping: Mapping,
  log: OpenAuditLog,
): Promise<void> {
  let now = 0;
  const sandbox = await startSandbox({ now: () => now });
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  const verify = createVerifyClient({ baseUrl: sandbox.url, environment: 'sandbox', username, password });
  const velocity = await createVelocityStore({ sqlite, keys: { dir } });
  try {
    const decidedBy = (file: string) =>
      createDecider({ policy: loadPolicy(file, { mapping }), mapping, verify, velocity, audit: log, now: () => now });
    const present = decidedBy(policyFile);
    const earlier = policyFile === SHIPPED_POLICY ? decidedBy(earlierPolicy(folder, rules.folder)) : present;
    const today = Date.now();
    for (let i = 0; i < DAYS * A_DAY; i++) {
      const day = DAYS - 1 - Math.floor(i / A_DAY);
      now = today - day * DAY_MS - (A_DAY - (i % A_DAY)) * 60_000;
      const { phoneNo, email, ip } = personaAt(i, day < LAST_DAYS ? LATELY : USUAL);
      const { id, outcome } = await (day < CHANGED ? present : earlier).decide(
        { phoneNo: `+${phoneNo}`, email, ip },
        { clientReference: `ONB-${7000 + i}` },
      );
      if (outcome !== 'review' || day === 0) continue;
      const disposition = i % 3 === 0 ? 'decline' : 'approve';
      await addNote({ log, decision: id, disposition, by: PEOPLE[1].name, why: REASONS[disposition] });
    }
  } finally {
    await verify.close();
    await velocity.close();
    await sandbox.close();
  }
}

/** The same with another version and a milder score. */
function earlierPolicy(folder: string, rules: string): string {
  const copy = join(folder, 'earlier');
  cpSync(rules, copy, { recursive: true });
  const file = join(copy, basename(SHIPPED_POLICY));
  const text = readFileSync(file, 'utf8').replace(/^version: .*$/m, 'version: "2026.10"');
  writeFileSync(file, text.replace(/^(score: \{ review:) \d+/m, '$1 60'));
  return file;
}

const REASONS = { approve: 'Identity document seen', decline: 'Could not be reached' };

/** The same people in each trial: those that are accepted, and now and then another. */
function personaAt(i: number, shareOfClean: number): (typeof PERSONAS)[number] {
  const of = (isClean: boolean) => PERSONAS.filter(({ outcome }) => (outcome === 'accept') === isClean);
  const some = of((i * 0.618) % 1 < shareOfClean);
  return some[i % some.length] as (typeof PERSONAS)[number];
}
