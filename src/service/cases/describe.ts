/** Cases that wait -> what their queue shows of them: score and facts that name nobody, read once from the record. */

import type { LogIndex } from '../../audit/index/log-index.ts';
import type { LogPlace } from '../../audit/place.ts';
import { type DecisionRecord, readRecord } from '../../audit/query/decision-record.ts';
import { VerdictError } from '../../errors.ts';
import { isMissing, shownValue } from '../../facts/fact.ts';
import { isPersonal } from '../../policy/identities.ts';
import { hasBands } from '../../policy/language.ts';
import { pause } from '../../signals/deadline.ts';
import type { Case, Cases } from '../../stores/state/cases.ts';
import type { Queue } from '../config.ts';

/** Read at a time; and the pauses after some and after none, so that decisions do not wait for it. */
const [AT_A_TIME, BUSY_MS, IDLE_MS] = [20, 20, 500];

/** The longest text of a fact, in UTF-16 code units. */
const LONGEST = 200;

interface Described {
  readonly cases: Cases;
  readonly place: LogPlace;
  readonly index: LogIndex;
  readonly follower: { readonly isReady: boolean };
}

/** Describes cases until the function that it returns is called, which resolves once it has ended. */
export function startDescribing(records: Described, queues: readonly Queue[]): () => Promise<void> {
  const ended = new AbortController();
  const running = (async () => {
    while (!ended.signal.aborted) {
      // What fails is tried again; that the state is not available is told by what needs it.
      const described = await describeSome(records, queues).catch(() => 0);
      await pause(described === 0 ? IDLE_MS : BUSY_MS, ended.signal);
    }
  })();
  return () => {
    ended.abort();
    return running;
  };
}

/** Resolves with how many there were. INVARIANT: an erasure that comes meanwhile empties what is written here. */
async function describeSome({ cases, place, index, follower }: Described, queues: readonly Queue[]) {
  const some = follower.isReady ? await cases.undescribed(AT_A_TIME) : [];
  for (const { id, decision, queue } of some) {
    const find = (each: string) => index.find(each, false);
    const record = await readRecord(place, decision, { index: { find }, checkSegment: false }).catch(nothingReadable);
    await cases.describe({ id, ...shownOf(record?.body, queues.find(({ name }) => name === queue)?.show ?? []) });
  }
  return some.length;
}

/** A record that was changed on the disk stays without a description. */
function nothingReadable(error: unknown): undefined {
  if (!VerdictError.is(error)) throw error;
}

function shownOf(body: DecisionRecord['body'] | undefined, show: readonly string[]): Pick<Case, 'score' | 'facts'> {
  if (!body || 'closed' in body) return { score: null, facts: {} };
  const { decision, facts, policy } = body;
  const shown = show.flatMap((path) => {
    const fact = isPersonal(path, policy.facts) ? undefined : facts.get(path);
    return fact && !isMissing(fact) ? [[path, String(shownValue(fact)).slice(0, LONGEST).toWellFormed()] as const] : [];
  });
  return { score: hasBands(policy) ? decision.score.least : null, facts: Object.fromEntries(shown) };
}
