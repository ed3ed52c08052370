/** The reference of a caller -> a claim of it, which one process gets; and the answer, once there is one. */

import { CodedCause } from '../../errors.ts';

/** A claim of a reference, before anything is sent. */
export interface ClaimRequest {
  /** Keyed hash of the caller's name and its reference, base64. */
  readonly key: string;
  /** Keyed hash of the question: policy name, applicant, context. */
  readonly question: string;
  /** The id that the decision will have, if this claim is granted. No other claim has it. */
  readonly decision: string;
  /** The caller accepts a second bill: an attempt in doubt is taken over. */
  readonly resend: boolean;
  /** The decision that is made again: if the reference still has its answer, this claim takes it over. */
  readonly instead?: string | undefined;
}

export type Claim =
  /** Decide, then `finish`, `release` or `doubt`. */
  | { readonly state: 'granted' }
  /** The answer that `finish` stored. */
  | { readonly state: 'done'; readonly answer: string }
  | { readonly state: 'running'; readonly decision: string }
  /** An earlier attempt may have been billed. */
  | { readonly state: 'inDoubt'; readonly decision: string }
  /** Another question was asked under this reference. */
  | { readonly state: 'reused' };

/** All calls but `close` reject with `StateUnavailable`, within 5 seconds, if the disk or the file fails. */
export interface References {
  /** Resolves once the claim is durable. */
  claim(request: ClaimRequest): Promise<Claim>;
  /**
   * Stores the answer of the decision that holds the claim. Does nothing if a resend has taken the claim over. With
   * `isRecorded` it resolves at once: a record leads back to the decision, so that the answer can wait for a later
   * order, and share its time of the disk.
   */
  finish(key: string, decision: string, answer: string, isRecorded?: boolean): Promise<void>;
  /** Nothing was sent: the reference is free again. */
  release(key: string, decision: string): Promise<void>;
  /** The attempt ended and may have been billed: in doubt from now on, for every process. */
  doubt(key: string, decision: string): Promise<void>;
  /** Rejects if a claim would fail now. */
  check(): Promise<void>;
  /** After the last claim is settled: one that is still running is in doubt from now on. */
  close(): Promise<void>;
}

/** The state could not be read or written, or not in time: nothing may be sent. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable';

  constructor(code: string) {
    super(`the state is not available (${code})`, { cause: new CodedCause(code) });
  }
}

/** A claim that was granted, as it is stored. */
export interface Attempt {
  readonly question: string;
  readonly decision: string;
  readonly state: 'running' | 'doubt' | 'done';
  readonly answer: string | null;
}

/** What a claim gets that meets an attempt. */
export function judgeClaim(
  { question, resend, instead }: ClaimRequest,
  earlier: Attempt,
  hasEnded: () => boolean,
): Claim {
  const { decision, state, answer } = earlier;
  if (question !== earlier.question) return { state: 'reused' };
  if (state === 'done') return decision === instead ? { state: 'granted' } : { state: 'done', answer: answer ?? '' };
  if (state === 'running' && !hasEnded()) return { state: 'running', decision };
  return resend ? { state: 'granted' } : { state: 'inDoubt', decision };
}
