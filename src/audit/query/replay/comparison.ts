/** Decisions on record and another policy -> the outcomes of that policy, counted by change. */

import type { PlannedCall } from '../../../decision/events.ts';
import { compile, type Matcher } from '../../../decision/matcher/matcher.ts';
import { isOutcomeDecided } from '../../../decision/meaning/outcome-range.ts';
import { decisiveCodes, type Verdict } from '../../../decision/meaning/verdict.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { withOperands } from '../../../facts/compute.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import { readAgain } from '../../../facts/read.ts';
import { conditionFacts, OUTCOMES, type Outcome, type Policy, rulesInEffect } from '../../../policy/language.ts';
import { isVerdict, readVerdictText } from '../../entry/body.ts';
import type { DecisionFields } from '../../entry/entry.ts';
import { dayOf } from '../../entry/searchable.ts';

/** Decisions with one outcome on record and one under the other policy. */
export interface OutcomeChange {
  readonly from: Outcome;
  /** The same as `from` for decisions that do not change. */
  readonly to: Outcome;
  readonly count: number;
  /** The ids of the first five. */
  readonly examples: readonly string[];
  /** Why: what decided on record, and what decides under the other policy. Empty for decisions that do not change. */
  readonly decidedBy: Readonly<Record<'old' | 'new', readonly CountedReason[]>>;
}

/** The code of a decisive reason, with a `?` if only undetermined rules give it, and how many decisions have it. */
export interface CountedReason {
  readonly code: string;
  readonly count: number;
}

/** The result of a comparison. */
export interface OtherOutcomes {
  /** From mild to strict, unchanged outcomes included. */
  readonly changes: readonly OutcomeChange[];
  /** Decisions that are not compared: their caller aborted them, so no outcome was returned. */
  readonly aborted: number;
  /** Decisions that are not compared: their outcome depends on facts that are not on record. */
  readonly open: number;
  /** Of these decisions, how many do not have a fact that the other policy reads. */
  readonly openFacts: Readonly<Record<string, number>>;
}

const EXAMPLES = 5;

/** The most frequent reasons that a change lists. */
const REASONS = 5;

/** A change while it is counted: the numbers of reasons by their code. */
interface Counting extends Pick<OutcomeChange, 'from' | 'to'> {
  count: number;
  readonly examples: string[];
  readonly old: Map<string, number>;
  readonly new: Map<string, number>;
}

function startCounting(from: Outcome, to: Outcome): Counting {
  return { from, to, count: 0, examples: [], old: new Map(), new: new Map() };
}

/** Decides records again with another policy, and counts the outcomes. */
export class Comparison {
  readonly #policy: Policy;
  readonly #matcher: Matcher;
  readonly #read: ReadonlySet<string>;
  readonly #changes = new Map<string, Counting>();
  #aborted = 0;
  #open = 0;
  readonly #openFacts = new Map<string, number>();

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#matcher = compile(policy);
    this.#read = withOperands(conditionFacts(policy.rules), policy.facts);
  }

  /** `verdict` is the JSON of the verdict on record; `spared` are the calls that were not made for it. */
  add({ id, at, outcome: from }: DecisionFields, facts: Facts, verdict: string, spared: readonly PlannedCall[]): void {
    if (from === 'aborted') {
      this.#aborted += 1;
      return;
    }
    const day = dayOf({ at });
    // Facts are read again, because the two policies may declare a fact differently.
    const read = readAgain(facts, this.#policy.facts, day);
    if (!this.#isJudged(facts, read, day, spared)) return;
    const { outcome: to } = this.#matcher.outcome(read, day);
    const change = this.#changes.get(`${from} ${to}`) ?? startCounting(from, to);
    change.count += 1;
    if (change.examples.length < EXAMPLES) change.examples.push(id);
    if (from !== to) {
      countReasons(change.old, readVerdictText(verdict));
      countReasons(change.new, this.#matcher.verdict(read, day));
    }
    this.#changes.set(`${from} ${to}`, change);
  }

  /** Whether the outcome is certain, whatever the facts are that are not on record; counts the others. */
  #isJudged(recorded: Facts, facts: Facts, day: string, spared: readonly PlannedCall[]): boolean {
    const policy = this.#policy;
    const isPending = unknownFacts(recorded, { facts: policy.facts, read: this.#read }, spared);
    if (!isPending || isOutcomeDecided(policy, rulesInEffect(policy, day), { facts, isPending, day })) return true;
    this.#open += 1;
    for (const path of this.#read) {
      if (isPending(path)) this.#openFacts.set(path, (this.#openFacts.get(path) ?? 0) + 1);
    }
    return false;
  }

  result(): OtherOutcomes {
    const changes = OUTCOMES.flatMap((from) => OUTCOMES.map((to) => this.#changes.get(`${from} ${to}`)))
      .filter((change) => change !== undefined)
      .map(({ from, to, count, examples, ...counted }) => {
        const decidedBy = { old: mostFrequent(counted.old), new: mostFrequent(counted.new) };
        return { from, to, count, examples, decidedBy };
      });
    const [aborted, open] = [this.#aborted, this.#open];
    return { changes, aborted, open, openFacts: Object.fromEntries(this.#openFacts) };
  }
}

/** Counts the decisive reasons of a verdict, each code once. The replay reports a malformed one on record. */
function countReasons(counts: Map<string, number>, verdict: Verdict | undefined): void {
  if (!verdict || !isVerdict(verdict)) return;
  for (const code of decisiveCodes(verdict)) counts.set(code, (counts.get(code) ?? 0) + 1);
}

function mostFrequent(counts: ReadonlyMap<string, number>): readonly CountedReason[] {
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, REASONS)
    .map(([code, count]) => ({ code, count }));
}

const NOT_ON_RECORD: Fact = { missing: 'notGiven' };

/**
 * Tells which facts of a record are unknown: those that its policy did not read, and those of calls that were spared.
 * Undefined if none of `read` is.
 */
export function unknownFacts(
  recorded: Facts,
  { facts: table, read }: { readonly facts: FactTable; readonly read: ReadonlySet<string> },
  spared: readonly PlannedCall[],
): ((path: string) => boolean) | undefined {
  const isUnknown = (path: string): boolean => {
    const { origin, inputs = [], compute, variable, composite } = table.get(path) ?? {};
    const fact = recorded.get(path) ?? NOT_ON_RECORD;
    if (!isMissing(fact) && !compute) return false;
    if (origin === 'derived') return inputs.some(isUnknown);
    if (fact === NOT_ON_RECORD) return true;
    const isOf = ({ asked }: PlannedCall) => composite === true || asked.some((each) => each === variable);
    return isMissing(fact) && fact.missing === 'notRequested' && spared.some(isOf);
  };
  return [...read].some(isUnknown) ? isUnknown : undefined;
}
