/** Two policies on a day -> the regions of applicants that they decide differently. */

import type { Facts } from '../../facts/fact.ts';
import type { Condition, Policy } from '../../policy/language.ts';
import { conditionWords } from '../edits/condition-words.ts';
import { describeEdits } from '../edits/describe-edits.ts';
import type { PolicyEdit } from '../edits/edit.ts';
import { diffReasons, type Limits, type ReasonDiff } from '../reasons/diff-reasons.ts';
import { partsByKind } from './by-kind.ts';
import { partsByRules } from './by-rules.ts';
import type { Part } from './part.ts';
import { type DiffRegion, findExample, joinParts, regionOf } from './region.ts';
import { createSearch } from './search.ts';

/** Where only one policy has more rules than these, regions say what each policy decides, not what each rule does. */
const MOST_OWN_RULES = 24;

export interface DiffOptions {
  /** The day of the decisions, yyyy-MM-dd. */
  readonly at: string;
  /** After this time, in milliseconds, what is not proved is undecided. 60,000 by default. */
  readonly timeoutMs?: number;
  /** After this many regions no more are sought; those that differ in one fact alone are then joined. 20 by default. */
  readonly mostRegions?: number;
  /** A condition of the new policy: only applicants for whom it is true are compared. Default: all applicants. */
  readonly where?: Condition | undefined;
  /** Whether to compare the reason codes and notices of applicants who are decided the same. Default: no. */
  readonly reasons?: boolean | undefined;
}

/** How two policies differ. */
export interface PolicyDiff {
  /** Whom the comparison was restricted to, in words: `phone.country is GB`. */
  readonly where?: string;
  /** What was edited, whether or not it changes a decision. */
  readonly edits: readonly PolicyEdit[];
  /** Those with the fewest conditions first. */
  readonly regions: readonly DiffRegion[];
  /**
   * Applicants outside the regions: `same` if they are proved to be decided the same; `notSought` if there may be more
   * regions than were asked for; `undecided` if the time was over; `notProved` if there is no solver, which
   * `diffPolicies` refuses.
   */
  readonly elsewhere: 'same' | 'notSought' | 'undecided' | 'notProved';
  /** The reasons of applicants who are decided the same, if they were asked for. */
  readonly reasons?: ReasonDiff;
}

/**
 * Compares two policies: exactly, over the states that their rules tell apart. Each example was decided by the matcher.
 * Throws REQUEST_INVALID for policies that declare a fact in different ways, and CONFIGURATION_INVALID if the solver is
 * not installed.
 */
export async function diffPolicies(old: Policy, now: Policy, options: DiffOptions): Promise<PolicyDiff> {
  const { at, timeoutMs = 60_000, mostRegions = 20, where, reasons = false } = options;
  const limits = { at, timeoutMs, mostRegions, where, endsAt: performance.now() + timeoutMs };
  const diff = await diffOutcomes(old, now, limits);
  return reasons ? { ...diff, reasons: await diffReasons(old, now, limits) } : diff;
}

async function diffOutcomes(old: Policy, now: Policy, limits: Limits): Promise<PolicyDiff> {
  const { at, timeoutMs, mostRegions, where, endsAt } = limits;
  const search = await createSearch(old, now, at, where);
  const { own } = search;
  const source = own.flat().length > MOST_OWN_RULES ? partsByKind(search) : partsByRules(search);
  const examples = new Map<Part, Facts | undefined>();
  /** Joins parts, and leaves out those in which there is no applicant. */
  const settled = async (parts: readonly Part[]): Promise<readonly Part[]> => {
    const left: Part[] = [];
    for (const part of joinParts(parts)) {
      const isKnown = examples.has(part);
      const example = isKnown ? examples.get(part) : await findExample(search, part, { timeoutMs, endsAt });
      if (example === 'none') continue;
      examples.set(part, example);
      left.push(part);
    }
    return left;
  };
  let parts: readonly Part[] = [];
  let elsewhere: PolicyDiff['elsewhere'] | undefined;
  while (!elsewhere) {
    const more = await source.next(endsAt - performance.now());
    if (more === 'none') elsewhere = 'same';
    else if (more === 'unknown') elsewhere = 'undecided';
    else {
      if (joinParts(parts).length >= mostRegions) parts = await settled(parts);
      if (parts.length >= mostRegions) elsewhere = 'notSought';
      else parts = [...parts, ...more];
    }
  }
  parts = await settled(parts);
  const regions = parts.map((part) => regionOf(search, part, examples.get(part)));
  return {
    ...(where ? { where: conditionWords(where, now.facts) } : {}),
    edits: describeEdits(old, now),
    regions: regions.sort((one, other) => one.conditions.length - other.conditions.length),
    elsewhere,
  };
}
