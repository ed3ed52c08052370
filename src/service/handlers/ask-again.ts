/** Cases that only an outage made -> their decisions, asked for again under the references of their callers. */

import { lineFacts } from '../../facts/facts-line.ts';
import { inTurn } from '../../platform/turns.ts';
import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import type { Case } from '../../stores/state/cases.ts';
import type { Caller } from '../auth/roles.ts';
import { ProblemError, problemOf } from '../problem.ts';
import type { Asked } from '../route.ts';
import type { ASK_AGAIN_REQUEST } from '../schemas.ts';
import type { Service } from '../service.ts';
import { queueNamed, recordAct } from './cases.ts';
import { decideOne, isMadeAgain } from './decide.ts';
import { keep } from './kept.ts';
import { findRecord, indexedOf } from './records.ts';

/** More cases than an outage leaves; and how many are asked for at a time, beside what callers ask. */
const [MOST, AT_A_TIME] = [20_000, 4];

/** A reference that is forgotten within this time is left to its caller: it would be asked as a new one. */
const MARGIN_MS = 60_000;

/**
 * Begins to ask for all that wait in a queue of an outage, and that nobody holds; resolves with their number.
 * INVARIANT: each goes through the claim of its reference as a repeat by its caller, so that nothing is billed twice.
 */
export async function askAgain({ body, caller }: Asked<typeof ASK_AGAIN_REQUEST>, service: Service) {
  const { name, outage = false } = queueNamed(body.queue, service);
  if (!outage)
    throw new ProblemError('REQUEST_INVALID', 'expected a queue with `outage: true`, which has no other cases');
  const filter = { queues: [name], states: ['open'], situations: ['free', 'waiting'] } as const;
  const waiting = await indexedOf(service).cases.list({ ...filter, limit: MOST });
  const left = waiting.values();
  const work = async () => {
    for (const each of left) {
      // Once the service ends, no call begins that it would not wait for.
      if (indexedOf(service).follower.isEnding) return;
      await askOne(each, { body, caller }, service).catch((error: unknown) => {
        service.report({ event: 'case.notAsked', decision: each.decision, code: problemOf(error).problem.code });
      });
    }
  };
  void inTurn(`ask again ${name}`, () => Promise.all(Array.from({ length: AT_A_TIME }, work)));
  return { cases: waiting.length };
}

/** A decision whose calls were answered, or may have been, stays as it is; the latter not with `resend`. */
async function askOne(
  one: Case,
  {
    body: { why, resend = false },
    caller,
  }: Pick<Asked<typeof ASK_AGAIN_REQUEST>, 'body'> & { readonly caller: Caller },
  service: Service,
): Promise<void> {
  const { body, record } = await findRecord(one.decision, service);
  const isRemembered = Date.parse(record.at) > Date.now() - service.config.limits.rememberMs + MARGIN_MS;
  if ('closed' in body || body.caller === undefined || !isRemembered) return;
  const { clientReference: reference = '' } = body.decision;
  const policy = [...service.policies.values()].find(({ watched }) => watched.policy.name === body.policy.name)?.name;
  if (policy === undefined || !isMadeAgain(keep(body.decision), { resend })) return;
  const given = Object.entries(lineFacts(body.facts, body.policy.facts, () => true).facts);
  const named = (prefix: string) =>
    given.flatMap(([path, value]) => (path.startsWith(prefix) ? [[path.slice(prefix.length), value] as const] : []));
  const context = Object.fromEntries(named('context.')) as Record<string, string>;
  const isIdentity = (name: string) => (IDENTITY_VARIABLES as readonly string[]).includes(name);
  const applicant = Object.fromEntries(named('applicant.').filter(([name]) => isIdentity(name)));
  await recordAct('case.retried', one, caller, service, { why });
  const asking = { caller: { name: body.caller, roles: ['decide'] }, language: 'en' } as const;
  const others = Object.keys(context).length > 0 ? { context } : {};
  await decideOne({ policy, reference, applicant, resend, ...others }, asking, service);
}
