/** A log and its keys -> whether each decision is the same when decided again, and the outcomes of another policy. */

import { compile } from '../../../decision/matcher/matcher.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { Facts } from '../../../facts/fact.ts';
import { ANYTHING, FUNCTION, optionsReader } from '../../../platform/given/options.ts';
import type { Policy } from '../../../policy/language.ts';
import { POLICY } from '../../../policy/source-map.ts';
import {
  type BodyTexts,
  dayOnRecord,
  readDecision,
  readFactTexts,
  readVerdictText,
  verdictText,
  withoutIdentities,
} from '../../entry/body.ts';
import type { DecisionFields, Entry } from '../../entry/entry.ts';
import { matchesDecision } from '../../entry/searchable.ts';
import { readIndexKeys } from '../../keys/key-folder.ts';
import type { IndexKey } from '../../keys/subject.ts';
import { LOG_PLACE } from '../../place.ts';
import type { ClosedReason } from '../../read/read-log.ts';
import { type ArchivedPolicy, touchesErased } from '../../store/artifact-store.ts';
import { wrapIoErrors } from '../../store/io-errors.ts';
import { Comparison, type OtherOutcomes } from './comparison.ts';
import { MISSING, PoliciesOnRecord } from './policies-on-record.ts';
import {
  type DecisionPosition,
  type FoundLog,
  type LocatedDecision,
  openLog,
  positionOf,
  readDecisions,
  ShreddedDecisions,
  type WantedDecisions,
} from './read-decisions.ts';

/** What to replay. */
export type ReplayOptions = WantedDecisions & {
  /** Another policy, whose outcomes are compared with those on record. */
  readonly policy?: Policy;
  /** Called now and then with the number of decisions read so far. */
  readonly onProgress?: (read: number) => void;
};

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
  /** The number of decisions whose policy said something about the applicant that was erased. */
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
  'narrowing?': ANYTHING,
  'policy?': POLICY,
  'onProgress?': FUNCTION,
});

async function replayEntries(options: ReplayOptions, log: FoundLog): Promise<Replay> {
  const { policy, onProgress } = options;
  const policies = new PoliciesOnRecord(options, async (archived) => {
    const decide = await matcherOf(archived, () => readIndexKeys(log.keys, log.id));
    return { decide, facts: archived.policy.facts };
  });
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
      const recordedBy = policies.same(entry) ?? (await policies.of(entry));
      const problem = entry.plain === undefined ? undefined : problemOfPlain(entry, opened.texts);
      if (!facts) tally.addProblem(decision, 'no-body');
      else if (problem) tally.addProblem(decision, problem);
      else if (recordedBy === MISSING) tally.addProblem(decision, 'policy-missing');
      else {
        const verdict = recordedBy.decide(facts, dayOnRecord(entry, opened.texts));
        if (verdict === ERASED) tally.policyErased += 1;
        else tally.addVerdict(decision, differingParts(verdict, recorded));
      }
      const by = recordedBy === MISSING ? undefined : recordedBy.facts;
      if (facts) comparison?.add(entry, facts, { texts: opened.texts, by });
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
  return matchesDecision(entry, body.decision) ? undefined : 'clear-differs';
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

const PARTS = ['outcome', 'reasons', 'undetermined', 'score', 'shadow'] as const satisfies readonly (keyof Verdict)[];

/** The parts in which a verdict differs from the recorded one; undefined if the recorded one is malformed. */
function differingParts(verdict: Verdict, text: string): (keyof Verdict)[] | undefined {
  // The common case: the same text needs no parsing.
  if (verdictText(verdict) === text) return [];
  const recorded = readVerdictText(text);
  return recorded && PARTS.filter((part) => !isSameJson(verdict[part], recorded[part]));
}

/** Whether two values of JSON data have the same canonical form. */
function isSameJson(one: unknown, other: unknown): boolean {
  // -0 and 0 are one number in canonical JSON.
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}

/** A text of the policy that may be about the applicant was erased. */
const ERASED = 'erased';

/** Decides facts as a record has the verdict. */
type ArchivedMatcher = (facts: Facts, day: string) => Verdict | typeof ERASED;

async function matcherOf(
  archived: ArchivedPolicy,
  readKeys: () => Promise<readonly IndexKey[]>,
): Promise<ArchivedMatcher> {
  const { policy } = archived;
  const matcher = compile(policy);
  if (!archived.isSealed) return (facts, day) => matcher.verdict(facts, day);
  const indexKeys = archived.erased.size > 0 ? await readKeys() : [];
  return (facts, day) =>
    touchesErased(archived, facts, indexKeys) ? ERASED : withoutIdentities(matcher.verdict(facts, day), policy.facts);
}
