/** Decisions on record and another policy -> the outcomes of that policy, counted by change. */

import { compile, type Matcher } from '../../../decision/matcher/matcher.ts';
import { decisiveCodes, type Verdict } from '../../../decision/meaning/verdict.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { withOperands } from '../../../facts/compute.ts';
import { dayOfInstant } from '../../../facts/day.ts';
import type { Facts } from '../../../facts/fact.ts';
import { readAgain } from '../../../facts/read.ts';
import { conditionFacts, OUTCOMES, type Outcome, type Policy } from '../../../policy/language.ts';
import { type BodyTexts, isVerdict, readReference, readSpared, readVerdictText } from '../../entry/body.ts';
import type { DecisionFields } from '../../entry/entry.ts';
import { OpenCounter, type OpenDecisions, unknownFacts, withOwnCounts } from './open-decisions.ts';

/** Decisions with one outcome on record and one under the other policy. */
export interface OutcomeChange {
  readonly from: Outcome;
  /** The same as `from` for decisions that do not change. */
  readonly to: Outcome;
  readonly count: number;
  /** The ids of the first five. */
  readonly examples: readonly string[];
  /** The caller's reference of each of them, which is its id where the caller gave none. */
  readonly references: readonly string[];
  /** Why: what decided on record, and what decides under the other policy. Empty for decisions that do not change. */
  readonly decidedBy: Readonly<Record<'old' | 'new', readonly CountedReason[]>>;
}

/** The code of a decisive reason, with a `?` if only undetermined rules give it, and how many decisions have it. */
export interface CountedReason {
  readonly code: string;
  readonly count: number;
}

/** The result of a comparison. */
export interface OtherOutcomes extends OpenDecisions {
  /** From mild to strict, unchanged outcomes included. */
  readonly changes: readonly OutcomeChange[];
  /** Decisions that are not compared: their caller aborted them, so no outcome was returned. */
  readonly aborted: number;
}

const EXAMPLES = 5;

/** The most frequent reasons that a change lists. */
const REASONS = 5;

/** A change while it is counted: the numbers of reasons by their code. */
interface Counting extends Pick<OutcomeChange, 'from' | 'to'> {
  count: number;
  readonly examples: string[];
  readonly references: string[];
  readonly old: Map<string, number>;
  readonly new: Map<string, number>;
}

function startCounting(from: Outcome, to: Outcome): Counting {
  return { from, to, count: 0, examples: [], references: [], old: new Map(), new: new Map() };
}

/** Decides records again with another policy, and counts the outcomes. */
export class Comparison {
  readonly #policy: Policy;
  readonly #matcher: Matcher;
  readonly #read: ReadonlySet<string>;
  readonly #changes = new Map<string, Counting>();
  #aborted = 0;
  readonly #open: OpenCounter;

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#matcher = compile(policy);
    this.#read = withOperands(conditionFacts(policy.rules), policy.facts);
    this.#open = new OpenCounter(this.#read);
  }

  /**
   * `recorded` are the facts of the record, and `texts` its body. `by`: the facts of the policy that decided; undefined
   * if the log does not keep it.
   */
  add(
    { id, at, outcome: from }: DecisionFields,
    recorded: Facts,
    { texts, by }: { readonly texts: BodyTexts; readonly by: FactTable | undefined },
  ): void {
    if (from === 'aborted') {
      this.#aborted += 1;
      return;
    }
    const day = dayOfInstant(Date.parse(at), this.#policy.timeZone);
    const asked = { facts: this.#policy.facts, read: this.#read };
    const facts = withOwnCounts(recorded, asked, by);
    // Facts are read again, because the two policies may declare a fact differently.
    const read = readAgain(facts, this.#policy.facts, day);
    const isUnknown = unknownFacts(facts, asked, readSpared(texts) ?? []);
    if (!this.#open.isCertain([{ policy: this.#policy, facts: read }], isUnknown, day)) return;
    const { outcome: to } = this.#matcher.outcome(read, day);
    const change = this.#changes.get(`${from} ${to}`) ?? startCounting(from, to);
    change.count += 1;
    if (change.examples.length < EXAMPLES) {
      change.examples.push(id);
      change.references.push(readReference(texts) ?? id);
    }
    if (from !== to) {
      const [, , verdict = ''] = texts;
      countReasons(change.old, readVerdictText(verdict));
      countReasons(change.new, this.#matcher.verdict(read, day));
    }
    this.#changes.set(`${from} ${to}`, change);
  }

  result(): OtherOutcomes {
    const changes = OUTCOMES.flatMap((from) => OUTCOMES.map((to) => this.#changes.get(`${from} ${to}`)))
      .filter((change) => change !== undefined)
      .map(({ from, to, count, examples, references, ...counted }) => {
        const decidedBy = { old: mostFrequent(counted.old), new: mostFrequent(counted.new) };
        return { from, to, count, examples, references, decidedBy };
      });
    return { changes, aborted: this.#aborted, ...this.#open.result() };
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
