/**
 * Variables -> the states that exclude each other: a fact that is missing to one test is missing to all, a
 * text has one value, and a fact that the engine derives or a policy computes follows from its inputs. A derived fact
 * may be given without its inputs, and may then have any value; beside them it has the one that follows. Counts of
 * earlier applications are as verdict counts them. Signals of the verification service are never tied: a service may
 * contradict itself.
 */

import type { FactTable } from '../../../facts/catalog.ts';
import type { Fact } from '../../../facts/fact.ts';
import type { Geodata } from '../../../platform/formats/geo/geodata.ts';
import {
  COMPARISONS,
  COUNTRY,
  canBeValid,
  compareForms,
  DERIVED_TEXTS,
  haveCommon,
  inputsOf,
  isAlwaysDerived,
  VALID,
} from '../../../policy/cells/derivations.ts';
import type { TextForm } from '../../../policy/cells/text-forms.ts';
import type { Tie, Variable } from '../variable.ts';
import { countTies, orderTies, sameValueTies, valueTies } from './comparison-ties.ts';
import { computedTies, definedTies, operandTies, undefinedTies } from './computed-ties.ts';
import { locationTies } from './locations.ts';
import { type Comparison, type Source, Sources } from './sources.ts';
import { missingTies, StateSets, type Subject, type Tied } from './state-sets.ts';

/** What is known beside the variables. */
interface Known {
  /** Ascending: the calendar, if there is one, is the first variable. */
  readonly days: readonly string[];
  /** The facts of all policies. */
  readonly table: FactTable;
  readonly geodata: Geodata;
}

/** The ties of all variables of a space. */
export function tiesBetween(
  variables: readonly Variable[],
  subjects: readonly Subject[],
  { days, table, geodata }: Known,
): readonly Tie[] {
  const sources = new Sources(variables, geodata);
  const ties = new TextTies(variables, sources, geodata);
  return [
    ...missingTies(subjects, variables),
    ...onDays(days, (day) => [...sameValueTies(variables, subjects, day), ...orderTies(variables, sources, day)]),
    ...computedTies(variables, table),
    ...operandTies(variables, sources, table),
    ...definedTies(variables, sources, table),
    ...undefinedTies(variables, sources, table),
    ...valueTies(variables, sources, table),
    ...countTies(variables, sources, table),
    ...ties.parts(),
    ...ties.derivedTexts(),
    ...ties.comparisons(),
    ...ties.validity(),
    ...locationTies(variables, sources),
  ].filter((tie) => tie.every(([, states]) => states.includes(true)));
}

/** The ties of all days, and those of some days alone: what an age is on the calendar depends on the day. */
function onDays(days: readonly string[], tiesOn: (day: string) => readonly Tie[]): readonly Tie[] {
  const all = days.map(tiesOn);
  if (days.length < 2) return all.flat();
  const withDays = all.flatMap((ties, d) => ties.map((tie) => ({ tie, key: JSON.stringify(tie), d })));
  return [...Map.groupBy(withDays, ({ key }) => key).values()].map((same): Tie => {
    const [{ tie }] = same as [(typeof same)[number]];
    const ownPaths = new Set(same.map(({ d }) => d));
    if (ownPaths.size === days.length) return tie;
    return [[0, [false, ...days.map((_, d) => ownPaths.has(d))]], ...tie];
  });
}

class TextTies {
  readonly #geodata: Geodata;
  readonly #sources: Sources;
  readonly #sets: StateSets;

  constructor(variables: readonly Variable[], sources: Sources, geodata: Geodata) {
    this.#geodata = geodata;
    this.#sources = sources;
    this.#sets = new StateSets(variables);
  }

  /** Tests of one text, each with a variable of its own. */
  *parts(): Generator<Tie> {
    for (const path of this.#sources.paths()) {
      const ownSources = this.#sources.of(path);
      for (const [i, one] of ownSources.entries()) {
        for (const other of ownSources.slice(i + 1)) {
          yield* this.#sets.apart(one, other, (a, b) => b === 0 || shareTexts(one, a, other, b));
        }
      }
    }
  }

  /** A derived text beside the one that it is derived from. */
  *derivedTexts(): Generator<Tie> {
    for (const fact of DERIVED_TEXTS) {
      const canBeMissing = !isAlwaysDerived(fact);
      for (const from of this.#sources.inputOf(fact)) {
        for (const to of this.#sources.of(fact)) {
          yield* this.#sets.apart(from, to, (a, b) => (b === 0 ? canBeMissing : shareTexts(from, a, to, b)));
        }
      }
    }
  }

  /** What tells whether two texts are the same, beside the texts and beside each other. */
  *comparisons(): Generator<Tie> {
    const { pairs } = this.#sources;
    for (const pair of pairs) yield* this.#compared(pair);
    for (const one of COMPARISONS.flatMap((fact) => this.#sources.comparisons(fact))) {
      yield* this.#compared(one);
      for (const pair of pairs.filter(({ facts }) => facts.every((fact) => one.facts.includes(fact)))) {
        yield* this.#sets.apart(pair, one, (a, b) => b !== 0 && agree(pair, a, one, b));
      }
      const [left = [], right = []] = one.facts.map((fact) => this.#sources.of(fact));
      for (const each of left) {
        for (const other of right) yield [this.#sets.known(each), this.#sets.known(other), this.#sets.missing(one)];
      }
    }
  }

  /** A number with a country is valid, and only a number that has a country can be compared by it. */
  *validity(): Generator<Tie> {
    const ofCountries = COMPARISONS.filter((fact) => inputsOf(fact).includes(COUNTRY));
    const withCountry: readonly Tied[] = [
      ...this.#sources.of(COUNTRY),
      ...this.#sources.pairs.filter(({ facts }) => facts.includes(COUNTRY)),
      ...ofCountries.flatMap((fact) => this.#sources.of(fact)),
    ];
    for (const { variable, forms } of this.#sources.inputOf(COUNTRY)) {
      const isNowhere = (state: number) => forms(state).some((each) => each.every(({ oneOf }) => oneOf?.length === 0));
      const nowhere = this.#sources.statesWhere(variable, isNowhere);
      for (const each of withCountry) yield [[variable, nowhere], this.#sets.known(each)];
    }
    for (const valid of this.#sources.of(VALID)) {
      const canBe = (state: number, fact: Fact) => this.#sources.canBe(valid.variable, state, fact);
      const invalid = this.#sources.statesWhere(valid.variable, (state) => !canBe(state, { value: true }));
      for (const each of withCountry) yield [this.#sets.known(each), [valid.variable, invalid]];
      for (const number of inputsOf(VALID).flatMap((input) => this.#sources.of(input))) {
        yield* this.#sets.apart(number, valid, (a, b) => {
          const canHave = (form: TextForm) => canBeValid(form, (derived) => canBe(b, derived), this.#geodata);
          return b === 0 || number.forms(a).every((each) => each.some(canHave));
        });
      }
    }
  }

  /** What compares two texts, beside what is known of both. */
  *#compared(comparison: Comparison): Generator<Tie> {
    const { variable, facts, same, different } = comparison;
    const onlySame = same.map((is, state) => is && !different[state]);
    const onlyDifferent = different.map((is, state) => is && !same[state]);
    const [left = [], right = []] = facts.map((fact) => [...this.#sources.of(fact), ...this.#sources.inputOf(fact)]);
    for (const one of left) {
      for (const other of right) {
        const compare = (a: number, b: number) => compareForms(one.forms(a), other.forms(b));
        for (const tie of this.#sets.apart(one, other, (a, b) => b === 0 || compare(a, b).canBeSame)) {
          yield [...tie, [variable, onlySame]];
        }
        for (const tie of this.#sets.apart(one, other, (a, b) => b === 0 || compare(a, b).canDiffer)) {
          yield [...tie, [variable, onlyDifferent]];
        }
      }
    }
  }
}

/** Whether two sources can describe one text. */
function shareTexts(one: Source, state: number, other: Source, otherState: number): boolean {
  return one.forms(state).every((each) => other.forms(otherState).every((another) => haveCommon(each, another)));
}

/** Whether two comparisons of the same texts can have these states. */
function agree(one: Comparison, state: number, other: Comparison, otherState: number): boolean {
  const both = (which: 'same' | 'different') => one[which][state] === true && other[which][otherState] === true;
  return both('same') || both('different');
}
