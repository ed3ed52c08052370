/** A decision -> what the state keeps of it to give it again: nothing personal, as the answer to its caller. */

import type { NoticedReason } from '../../decision/notices.ts';
import { type RedactedDecision, redact } from '../../decision/redact.ts';
import type { State } from '../../stores/state/state.ts';

/** Of answers of an earlier format, reasons have values and messages. */
const FORMAT = 2;

/** How the text of an answer begins. */
const BEGINNING = `{"format":${FORMAT},`;

/** What is kept of a decision, with the notices in all their languages. `format` comes first. */
export interface Kept {
  readonly format: typeof FORMAT;
  readonly decision: RedactedDecision;
  readonly noticed: readonly NoticedReason[];
  /** The decision that was to replace it and could not be made: the reference is in its name. */
  readonly holder?: string;
}

/** Lists what it keeps, so that a field of another version is left out too. */
export function keep(
  decision: Parameters<typeof redact>[0] | RedactedDecision,
  reasons: readonly NoticedReason[] = decision.reasons,
): Kept {
  const noticed = reasons.filter(({ decisive, notice }) => decisive && notice !== undefined);
  return {
    format: FORMAT,
    decision: redact(decision as Parameters<typeof redact>[0]),
    noticed: noticed.map(({ code, decisive, notice }) => ({ code, decisive, notice })),
  };
}

/** An answer of the state, whichever version wrote it. */
export function readKept(answer: string): Kept {
  const { decision, noticed, holder }: Kept = JSON.parse(answer);
  return { ...keep(decision, noticed), ...(holder === undefined ? {} : { holder }) };
}

/** The row of `follower` with the time of the last reference whose answer was looked at. */
const ANSWERS = 'answers';

/** How often answers are looked at, and the longest time from a claim to its answer. */
const HOUR_MS = 3_600_000;

/**
 * Rewrites answers of an earlier format, now and each hour: a process of an earlier version may still run beside this
 * one. The result ends it. INVARIANT: a row is replaced by what it says, or stays as it is.
 */
export function rewriteAnswers(state: Pick<State, 'run' | 'scrub'>): () => Promise<void> {
  const ended = new AbortController();
  // What fails is tried again; that the state is not available is told by what needs it.
  const work = () => rewriteOnce(state, ended.signal).catch(() => {});
  let working = work();
  const timer = setInterval(() => {
    working = working.then(work);
  }, HOUR_MS).unref();
  return () => {
    ended.abort();
    clearInterval(timer);
    return working;
  };
}

async function rewriteOnce({ run, scrub }: Pick<State, 'run' | 'scrub'>, ended: AbortSignal): Promise<void> {
  const before = (await run('position', [ANSWERS]))[0]?.['position'];
  // `NaN` if the position was cleared.
  let last = { at: (Number(before) || HOUR_MS) - HOUR_MS, key: '' };
  let rewritten = 0;
  for (;;) {
    if (ended.aborted) return;
    const rows = await run('answersAfter', [last.at, last.key, BEGINNING]);
    const writes = rows.flatMap(({ key = null, answer }) => {
      const again = typeof answer === 'string' ? rewrite(answer) : undefined;
      return again === undefined ? [] : run('rewriteAnswer', [key, answer as string, again]);
    });
    rewritten += (await Promise.all(writes)).length;
    const end = rows.at(-1);
    if (!end) break;
    last = { at: Number(end['at']), key: String(end['key']) };
  }
  if (before === undefined || rewritten > 0) await scrub();
  await run('setPosition', [ANSWERS, String(last.at), before ?? null]);
}

/** Undefined if the text cannot be read as an answer. */
function rewrite(answer: string): string | undefined {
  try {
    return JSON.stringify(readKept(answer));
  } catch {
    return undefined;
  }
}
