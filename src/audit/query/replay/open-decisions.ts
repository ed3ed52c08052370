/**
 * The facts of a record, and the facts that other policies read -> which of these the record does not tell, and the
 * decisions that depend on them.
 */

import type { PlannedCall } from '../../../decision/events.ts';
import { isOutcomeDecided } from '../../../decision/meaning/outcome-range.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import { velocitiesIn, velocityWords } from '../../../facts/velocity.ts';
import { type Policy, rulesInEffect } from '../../../policy/language.ts';

const NOT_ON_RECORD: Fact = { missing: 'notGiven' };

/** The facts of policies, and those of them that they read. */
interface ReadFacts {
  readonly facts: FactTable;
  readonly read: ReadonlySet<string>;
}

/** Whether policies read a count, so that it matters what the policy on record counted. */
export function readsCounts({ facts, read }: ReadFacts): boolean {
  return velocitiesIn(facts)
    .keys()
    .some((path) => read.has(path));
}

/**
 * The facts of a record as other policies read them: a count is the one that was made by the same definition, under
 * whatever name, and else it is not on record.
 *
 * @param by the facts of the policy that decided; undefined if it is not known, and so is what it counted
 */
export function withOwnCounts(recorded: Facts, joint: ReadFacts, by: FactTable | undefined): Facts {
  if (!readsCounts(joint)) return recorded;
  const counted = new Map<string, Fact>();
  for (const [path, velocity] of by ? velocitiesIn(by) : []) {
    const fact = recorded.get(path);
    if (fact) counted.set(velocityWords(velocity), fact);
  }
  const facts = new Map(recorded);
  for (const [path, velocity] of velocitiesIn(joint.facts)) {
    const fact = counted.get(velocityWords(velocity));
    if (fact) facts.set(path, fact);
    else facts.delete(path);
  }
  return facts;
}

/**
 * Tells which facts of a record are unknown: those that its policy did not read, and those of calls that were spared.
 * Undefined if none of `read` is.
 */
export function unknownFacts(
  recorded: Facts,
  { facts: table, read }: ReadFacts,
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

/** A policy, and an applicant's facts as it reads them. */
interface Asked {
  readonly policy: Policy;
  readonly facts: Facts;
}

/** Decisions that are not compared: their outcome depends on facts that are not on record. */
export interface OpenDecisions {
  readonly open: number;
  /** Of these decisions, how many do not have a fact that a policy reads, by path. */
  readonly openFacts: Readonly<Record<string, number>>;
}

/** Counts the decisions that depend on facts which are not on record. */
export class OpenCounter {
  readonly #read: ReadonlySet<string>;
  readonly #facts = new Map<string, number>();
  #open = 0;

  /** Takes the facts that the policies read. */
  constructor(read: ReadonlySet<string>) {
    this.#read = read;
  }

  /** Whether each policy gives one outcome, whatever the unknown facts are; if not, counts the decision. */
  isCertain(asked: readonly Asked[], isUnknown: ((path: string) => boolean) | undefined, day: string): boolean {
    if (!isUnknown) return true;
    const isDecided = ({ policy, facts }: Asked) =>
      isOutcomeDecided(policy, rulesInEffect(policy, day), { facts, isPending: isUnknown, day });
    if (asked.every(isDecided)) return true;
    this.#open += 1;
    for (const path of this.#read) {
      if (isUnknown(path)) this.#facts.set(path, (this.#facts.get(path) ?? 0) + 1);
    }
    return false;
  }

  result(): OpenDecisions {
    return { open: this.#open, openFacts: Object.fromEntries(this.#facts) };
  }
}
