/**
 * Variables -> the states that exclude each other: a fact that is missing to one test is missing to all, a
 * text has one value, and a fact that the engine derives or a policy computes follows from its inputs. A derived fact
 * may be given without its inputs, and may then have any value; beside them it has the one that follows. Counts of
 * earlier applications are as verdict counts them. Signals of the verification service are never tied: a service may
 * contradict itself.
 */

import type { Fact } from '../../../facts/fact.ts';
import { COUNTRY, canBeValid, inputsOf, VALID } from '../../../policy/cells/derivations.ts';
import type { Tie, Variable } from '../variable.ts';
import { apart, type Tied } from './apart.ts';
import { comparisonTies, countTies, oneValueTies } from './comparison-ties.ts';
import { computedTies } from './computed-ties.ts';
import { locationTies } from './locations.ts';
import { missingTies, type Subject } from './missing-ties.ts';
import { type Known, lies, Sources } from './sources.ts';

/** The ties of all variables of a space. */
export function tiesBetween(
  variables: readonly Variable[],
  subjects: readonly Subject[],
  beside: Known,
): readonly Tie[] {
  const sources = new Sources(variables, beside);
  return [
    ...missingTies(subjects, variables),
    ...computedTies(sources),
    ...countTies(sources),
    ...oneValueTies(subjects, sources),
    ...comparisonTies(sources),
    ...validityTies(sources),
    ...locationTies(sources),
  ].filter((tie) => tie.every(([, states]) => states.includes(true)));
}

/** A number with a country is valid, and only a number that has a country can be compared by it. */
function* validityTies(sources: Sources): Generator<Tie> {
  const { pairs, derived, geodata } = sources;
  const withCountry: readonly Tied[] = [
    ...sources.of(COUNTRY),
    ...[...pairs, ...derived].filter(({ facts }) => facts.includes(COUNTRY)),
  ];
  const numbers = sources.inputs(COUNTRY);
  const valid = sources.of(VALID).map((each) => {
    return sources.read(each, (variable, state) => (fact: Fact) => lies(variable, state, fact));
  });
  for (const each of withCountry.map((one) => sources.read(one, () => true))) {
    for (const number of numbers) {
      // A number of no country.
      yield* apart(
        [number, each],
        ({ texts }) =>
          () =>
            !texts.some((forms) => forms.every(({ oneOf }) => oneOf?.length === 0)),
      );
    }
    for (const one of valid) yield* apart([each, one], () => (canBe) => canBe({ value: true }));
  }
  for (const number of inputsOf(VALID).flatMap((input) => sources.of(input))) {
    for (const one of valid) {
      yield* apart([sources.values(number), one], ({ texts }) => (canBe) => {
        return texts.every((forms) => forms.some((form) => canBeValid(form, canBe, geodata)));
      });
    }
  }
}
