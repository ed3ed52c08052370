/** A refuted property -> the case of a `*.test.yaml` that fails until it holds. */

import { type Claim, OUTCOMES, type Outcome, type Policy } from '../../policy/language.ts';
import { testLines } from '../cases/test-yaml.ts';
import type { ExampleLine } from '../question/find-applicant.ts';
import { describeProperty } from './property.ts';
import type { Proof } from './prove.ts';

/** A test, as in `tests` of a `*.test.yaml`. */
export interface KeptCase extends ExampleLine {
  readonly name: string;
  readonly at: string;
  readonly expect: { readonly outcome: Outcome };
}

/** The mildest outcome that keeps to each claim. */
const EXPECTED: Readonly<Record<Claim, (outcome: Outcome) => Outcome>> = {
  never: (outcome) => OUTCOMES.find((each) => each !== outcome) as Outcome,
  always: (outcome) => outcome,
  atLeast: (outcome) => outcome,
};

/** A case for who breaks a property, with the mildest outcome that keeps to it; undefined where nobody does. */
export function caseToKeep(proof: Proof, policy: Policy, at: string): KeptCase | undefined {
  const { property, result, applicants } = proof;
  const [first, second] = applicants;
  if (result !== 'refuted' || !first) return undefined;
  const outcome = expectedOutcome(proof, policy) ?? first.outcome;
  const name = `${property.name}: ${describeProperty(property, policy)}`;
  return { name, at, ...(second ?? first).example, expect: { outcome } };
}

/** Undefined for the outcome of the first of two applicants. */
function expectedOutcome({ property: { kind, about } }: Proof, { guarantees }: Policy): Outcome | undefined {
  // What cannot be known is for a person to look at.
  if (kind !== 'guarantee') return kind === 'monotone' ? undefined : 'review';
  const guarantee = guarantees.find(({ id }) => id === about);
  return guarantee && EXPECTED[guarantee.claim](guarantee.outcome);
}

/** A case as an item of `tests`. */
export function caseAsYaml(test: KeptCase): string {
  return `${testLines(test).join('\n')}\n`;
}
