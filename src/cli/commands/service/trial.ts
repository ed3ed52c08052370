/** A temporary folder -> a log with a month of invented decisions, and the invented people who look at it. */

import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuditLog } from '../../../audit/log.ts';
import { addNote } from '../../../audit/query/note.ts';
import { createDecider, type Decider } from '../../../decision/decide.ts';
import { loadMapping } from '../../../facts/mapping/mapping.ts';
import { loadPolicy } from '../../../policy/read/parse.ts';
import { PERSONAS, SANDBOX_USERS, startSandbox } from '../../../sandbox/index.ts';
import { type Person, uniqueName } from '../../../service/auth/sessions.ts';
import { createVerifyClient } from '../../../signals/client.ts';

const person = (display: string, work: string, roles: Person['roles']) => {
  const subject = display.split(' ', 1)[0]?.toLowerCase() ?? '';
  return { display, subject, name: uniqueName(display, subject), roles, work };
};

/** The people of a trial, and what each does. */
export const PEOPLE = [
  person('Ana Ruiz', 'analyst', ['read', 'edit']),
  person('Rita Okoye', 'reviewer', ['review']),
  person('Ben Okafor', 'approver', ['read', 'approve']),
  person('Otto Lindqvist', 'auditor', ['read', 'audit']),
] as const;

/** A link for each of them, which lets them in once, by its secret. */
export function inviteAll(): ReadonlyMap<string, (typeof PEOPLE)[number]> {
  return new Map(PEOPLE.map((each) => [randomBytes(24).toString('base64url'), each]));
}

const DAY_MS = 86_400_000;
const [DAYS, A_DAY] = [30, 11];

/** So many of the decisions are about somebody without a risk; the number falls in the last week. */
const [USUAL, LATELY, LAST_DAYS] = [0.85, 0.6, 7];

/** The first day of the policy that is in force, so that there is something to compare. */
const CHANGED = 14;

/** Decides a month of applicants, as if it had been then, and notes what a reviewer decided about all but the last. */
export async function fillLog(folder: string, dir: string, rules: string, policyFile: string): Promise<void> {
  let now = 0;
  const sandbox = await startSandbox({ now: () => now });
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  const verify = createVerifyClient({ baseUrl: sandbox.url, environment: 'sandbox', username, password });
  const log = await createAuditLog({ dir, mode: 'required' });
  try {
    const mapping = loadMapping(join(rules, 'signals.yaml'));
    const decidedBy = (file: string) =>
      createDecider({ policy: loadPolicy(file, { mapping }), verify, audit: log, now: () => now });
    const [earlier, present] = [earlierPolicy(folder, rules, policyFile), join(rules, policyFile)].map(decidedBy);
    const today = Date.now();
    for (let i = 0; i < DAYS * A_DAY; i++) {
      const day = DAYS - 1 - Math.floor(i / A_DAY);
      now = today - day * DAY_MS - (A_DAY - (i % A_DAY)) * 60_000;
      const { phoneNo, email, ip } = personaAt(i, day < LAST_DAYS ? LATELY : USUAL);
      const decider = day < CHANGED ? present : earlier;
      const { id, outcome } = await (decider as Decider).decide(
        { phoneNo: `+${phoneNo}`, email, ip },
        { clientReference: `ONB-${7000 + i}` },
      );
      if (outcome !== 'review' || day === 0) continue;
      const disposition = i % 3 === 0 ? 'decline' : 'approve';
      await addNote({ log, decision: id, disposition, by: PEOPLE[1].name, why: REASONS[disposition] });
    }
  } finally {
    await log.close();
    await verify.close();
    await sandbox.close();
  }
}

/** The same with another version and a milder score. */
function earlierPolicy(folder: string, rules: string, policyFile: string): string {
  const copy = join(folder, 'earlier');
  cpSync(rules, copy, { recursive: true });
  const file = join(copy, policyFile);
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
