/** One case of a file of tests: facts on a day, and what is expected of the decision. */

import type { Score } from '../../decision/meaning/outcome.ts';
import type { Place } from '../../diagnostics.ts';
import type { Facts } from '../../facts/fact.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import type { Notice, Outcome, ParameterValue, Policy } from '../../policy/language.ts';

/** What is expected of a decision. What is absent is not compared. */
export interface Expectation {
  readonly outcome?: Outcome;
  /** The reason codes of all rules that fire, in any order. */
  readonly reasons?: readonly string[];
  /** Reason codes of which no rule fires. */
  readonly not?: readonly string[];
  /** The points; two numbers where rules with points are undetermined. */
  readonly score?: number | readonly [least: number, most: number];
  /** What the applicant may be told: `any` notice, `none`, a text, or a text by language. */
  readonly notice?: Notice;
  /** The ids of all rules that fire, and of all that are undetermined, in any order. */
  readonly rules?: readonly string[];
  readonly undetermined?: readonly string[];
}

/** A policy that a file of tests names, and what it is read with. */
export interface TestedPolicy {
  readonly path: string;
  readonly mapping: Mapping;
  /** With its own values of its parameters. One object for all files that name it with this mapping. */
  readonly policy: Policy;
}

/** A score as `expect` has it: the points, or both ends. */
export function expectedScore({ least, most }: Score): Required<Expectation>['score'] {
  return least === most ? least : [least, most];
}

/** A case, ready to be decided by any policy that has its facts. */
export interface TestCase {
  /** The name of its test; of a row also its number or name. */
  readonly name: string;
  /** Where its test or row stands. */
  readonly place: Place;
  /** The policy that is tested, with the parameters of the case. */
  readonly policy: Policy;
  /** The same as its files have it. */
  readonly tested: TestedPolicy;
  /** The values that the case sets for parameters of the policy. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** The day of the decision, yyyy-MM-dd. */
  readonly at: string;
  /** As `readFacts` gives them. */
  readonly facts: Facts;
  readonly expect: Expectation;
  /** Why it is not run; undefined for a case that is run. */
  readonly skip: string | undefined;
  /** Whether cases without this mark are left out. */
  readonly only: boolean;
}
