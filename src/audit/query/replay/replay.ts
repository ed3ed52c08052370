/** A log and its keys -> whether each decision is the same when decided again, and the outcomes of another policy. */

import type { Verdict } from '../../../decision/meaning/verdict.ts';
import { FUNCTION, optionsReader } from '../../../given/options.ts';
import type { Policy } from '../../../policy/language.ts';
import { POLICY } from '../../../policy/source-map.ts';
import { type BodyTexts, readDecision, readFactTexts } from '../../entry/body.ts';
import type { DecisionFields, Entry } from '../../entry/entry.ts';
import { dayOf } from '../../entry/searchable.ts';
import { readIndexKeys } from '../../keys/index-keys.ts';
import { keysFolder, LOG_PLACE } from '../../place.ts';
import { ArtifactStore } from '../../store/artifact-store.ts';
import { wrapIoErrors } from '../../store/io-errors.ts';
import { saysTheSame } from '../../verify/check-body.ts';
import type { ClosedReason } from '../read-log.ts';
import { Comparison, type OtherOutcomes } from './comparison.ts';
import { differingParts } from './differing-parts.ts';
import { ERASED, MISSING, PolicyMatchers } from './policy-matchers.ts';
import { openLog, readDecisions, type WantedDecisions } from './read-decisions.ts';
import { type DecisionPosition, type LocatedDecision, positionOf, ShreddedDecisions } from './shredded-decisions.ts';

/** What to replay. */
export interface ReplayOptions extends WantedDecisions {
  /** Another policy, whose outcomes are compared with those on record. */
  readonly policy?: Policy;
  /** Called now and then with the number of decisions read so far. */
  readonly onProgress?: (read: number) => void;
}

/** A decision that differs from its record, or could not be decided again. */
export interface ReplayProblem extends DecisionPosition {
  /**
   * `differs`: the verdict differs. `clear-differs`: the plain body differs from the clear fields. Otherwise: why it
   * could not be decided again.
   */
  readonly why: 'differs' | 'clear-differs' | 'not-opened' | 'no-body' | 'key-missing' | 'policy-missing';
  /** The parts of the verdict that differ. */
  readonly parts: readonly (keyof Verdict)[];
}

/** The result of a replay. */
export interface Replay {
  /** The number of decisions that were decided again. */
  readonly compared: number;
  /** How many of these are the same, to the last byte of canonical JSON. */
  readonly same: number;
  /** The policies of the decisions, in the order of the log. */
  readonly policies: readonly DecisionFields['policy'][];
  /** The number of decisions whose facts were erased, with the erasure on record. */
  readonly erased: number;
  /** The number of decisions whose policy said something of the applicant that was erased. */
  readonly policyErased: number;
  /** The number of problems, and the first hundred. */
  readonly problemCount: number;
  readonly problems: readonly ReplayProblem[];
  /** With another policy. */
  readonly other?: OtherOutcomes;
}

const LISTED_PROBLEMS = 100;

/**
 * Decides the decisions of a log again. Rejects with CONFIGURATION_INVALID if there is no log or the keys are of
 * another log, and with AUDIT_FAILED if a line is not as it was written or two records have one id. Compares the clear
 * fields with the body only if the body is plain, because nothing else binds them; `verifyLog` compares all.
 */
export async function replayLog(given: ReplayOptions): Promise<Replay> {
  const options = readOptions(given);
  const log = await openLog(options);
  return wrapIoErrors('read', () => replayEntries(options, log));
}

const readOptions = optionsReader<ReplayOptions>('the options of the replay', {
  ...LOG_PLACE,
  'isWanted?': FUNCTION,
  'policy?': POLICY,
  'onProgress?': FUNCTION,
});

async function replayEntries(options: ReplayOptions, log: string): Promise<Replay> {
  const { dir, policy, onProgress } = options;
  const keysDir = keysFolder(options);
  const matchers = new PolicyMatchers(new ArtifactStore({ dir, keysDir }), () => readIndexKeys(keysDir, log));
  const comparison = policy && new Comparison(policy);
  const tally = new ReplayTally();
  for await (const { decisions, erasures } of readDecisions(options, log)) {
    for (const erasure of erasures) tally.shredded.addErasure(erasure);
    for (const decision of decisions) {
      const { entry, opened } = decision;
      tally.start(entry);
      if ('closed' in opened) {
        tally.addClosed(decision, opened.closed);
        continue;
      }
      const [, , recorded = ''] = opened.texts;
      const facts = readFactTexts(opened.texts);
      const matcher = matchers.same(entry) ?? (await matchers.of(entry));
      const problem = entry.plain === undefined ? undefined : problemOfPlain(entry, opened.texts);
      if (!facts) tally.addProblem(decision, 'no-body');
      else if (problem) tally.addProblem(decision, problem);
      else if (matcher === MISSING) tally.addProblem(decision, 'policy-missing');
      else {
        const verdict = matcher(facts, dayOf(entry));
        if (verdict === ERASED) tally.policyErased += 1;
        else tally.addVerdict(decision, differingParts(verdict, recorded));
      }
      if (facts) comparison?.add(entry, facts, recorded);
    }
    onProgress?.(tally.read);
  }
  const result = tally.result();
  return comparison ? { ...result, other: comparison.result() } : result;
}

/** What is wrong with a plain body: anyone who can write to the log can write one, so it is checked completely. */
function problemOfPlain(entry: Entry & DecisionFields, texts: BodyTexts): 'no-body' | 'clear-differs' | undefined {
  const body = readDecision(entry, texts);
  if (!body) return 'no-body';
  return saysTheSame(entry, body.decision) ? undefined : 'clear-differs';
}

/** Counts the results of the decisions. */
class ReplayTally {
  read = 0;
  policyErased = 0;
  readonly shredded = new ShreddedDecisions();
  #compared = 0;
  #same = 0;
  #problemCount = 0;
  readonly #problems: ReplayProblem[] = [];
  readonly #policies = new Map<string, DecisionFields['policy']>();

  start({ policy }: DecisionFields): void {
    this.read += 1;
    if (!this.#policies.has(policy.digest)) this.#policies.set(policy.digest, policy);
  }

  /** Adds a decision whose body could not be opened. */
  addClosed(decision: LocatedDecision, reason: ClosedReason): void {
    if (reason === 'erased' || reason === 'key-missing') this.shredded.add(decision);
    else this.addProblem(decision, reason);
  }

  addProblem(decision: LocatedDecision, why: ReplayProblem['why']): void {
    this.#list(positionOf(decision), why);
  }

  /** Adds a decision that was decided again; `parts` is undefined if the verdict on record is malformed. */
  addVerdict(decision: LocatedDecision, parts: ReplayProblem['parts'] | undefined): void {
    if (!parts) {
      this.addProblem(decision, 'no-body');
      return;
    }
    this.#compared += 1;
    if (parts.length === 0) this.#same += 1;
    else this.#list(positionOf(decision), 'differs', parts);
  }

  result(): Replay {
    const { erased, others } = this.shredded.result();
    for (const position of others) this.#list(position, 'key-missing');
    const [compared, same] = [this.#compared, this.#same];
    const [policies, policyErased] = [[...this.#policies.values()], this.policyErased];
    const [problemCount, problems] = [this.#problemCount, this.#problems];
    return { compared, same, policies, erased, policyErased, problemCount, problems };
  }

  #list(position: DecisionPosition, why: ReplayProblem['why'], parts: ReplayProblem['parts'] = []): void {
    this.#problemCount += 1;
    if (this.#problems.length < LISTED_PROBLEMS) this.#problems.push({ ...position, why, parts });
  }
}
