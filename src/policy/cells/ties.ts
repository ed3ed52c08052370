/**
 * The facts of a region -> whether derived facts agree with the facts that they are derived from. Signals of the
 * verification service are never compared with each other: a service may contradict itself.
 */

import type { Fact } from '../../facts/fact.ts';
import type { Geodata } from '../../platform/formats/geo/geodata.ts';
import { type Axis, cellsIn, STATES } from './cells.ts';
import type { Region } from './conjunctions.ts';
import {
  type Alternatives,
  alternativesIn,
  COMPARISONS,
  COUNTRY,
  canBeValid,
  compareForms,
  compareTexts,
  DERIVED_TEXTS,
  definitionOf,
  deriveForm,
  haveCommon,
  inputsOf,
  liesIn,
  VALID,
} from './derivations.ts';

const TIED: ReadonlySet<string> = new Set(
  [...DERIVED_TEXTS, ...COMPARISONS, VALID].flatMap((fact) => [fact, ...inputsOf(fact)]),
);

/** A sentence about a derived fact that contradicts the region; undefined if there is none. */
export function contradictionIn(region: Region, geodata: Geodata | undefined): string | undefined {
  const tied = new Set<string>();
  for (const { subject, fact } of region.sets.keys()) if (TIED.has(fact)) tied.add(subject);
  if (tied.size < 2) return undefined;
  const facts = new TiedFacts(region, geodata);
  const wrong = [
    ...DERIVED_TEXTS.filter((fact) => !facts.canDerive(fact)),
    ...COMPARISONS.filter((fact) => !facts.canCompare(fact)),
    ...(facts.canBeValid() ? [] : [VALID]),
  ];
  if (wrong[0] === VALID && tied.has(COUNTRY)) return `only a valid number has a country: ${explain(COUNTRY)}`;
  return wrong[0] && explain(wrong[0]);
}

/** `applicant.emailDomain is derived from applicant.email: the part of the email address after the @`. */
function explain(fact: string): string {
  const { description } = definitionOf(fact);
  const meaning = description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, '');
  return `${fact} is derived from ${inputsOf(fact).join(' and ')}: ${meaning}`;
}

/** The facts that have a value everywhere in a region. */
class TiedFacts {
  readonly #geodata: Geodata | undefined;
  readonly #axes: ReadonlyMap<string, readonly (readonly [Axis, bigint])[]>;

  constructor({ sets, states }: Region, geodata: Geodata | undefined) {
    this.#geodata = geodata;
    const isKnown = ([{ subject }]: readonly [Axis, bigint]) => states.get(subject) === STATES.value;
    this.#axes = Map.groupBy([...sets].filter(isKnown), ([{ subject }]) => subject);
  }

  /** Whether a derived text can have the value that the region requires. */
  canDerive(fact: string): boolean {
    if (!this.#axes.has(fact)) return true;
    const derived = this.#derived(fact);
    return this.#own(fact).every((one) => derived.every((other) => haveCommon(one, other)));
  }

  /** Whether a comparison can have the value that the region requires. */
  canCompare(fact: string): boolean {
    const [first = '', second = ''] = inputsOf(fact);
    const { canBeSame, canDiffer } = compareForms(this.#texts(first), this.#texts(second));
    const isSame = this.#sameness(first, second);
    return [true, false].some((same) => {
      const derived = compareTexts(fact, same, this.#geodata);
      return (same ? canBeSame : canDiffer) && isSame.includes(same) && this.#canBe(fact, derived);
    });
  }

  canBeValid(): boolean {
    if (this.#axes.has(COUNTRY)) return this.#canBe(VALID, { value: true });
    return this.#own(inputsOf(VALID)[0] ?? '').every((alternatives) =>
      alternatives.some((form) => canBeValid(form, (derived) => this.#canBe(VALID, derived), this.#geodata)),
    );
  }

  /** The known forms of a text: from the region, and from the facts that it is derived from. */
  #texts(fact: string): readonly Alternatives[] {
    return [...this.#own(fact), ...this.#derived(fact)];
  }

  #own(fact: string): readonly Alternatives[] {
    return (this.#axes.get(fact) ?? []).flatMap(([axis, set]): Alternatives[] => {
      const alternatives = alternativesIn(axis, cellsIn(set));
      return alternatives ? [alternatives] : [];
    });
  }

  #derived(fact: string): readonly Alternatives[] {
    const [input] = DERIVED_TEXTS.includes(fact) ? inputsOf(fact) : [];
    if (input === undefined) return [];
    return this.#own(input).map((alternatives) => alternatives.map((form) => deriveForm(fact, form, this.#geodata)));
  }

  /** Whether the region allows a derived fact; true if the fact is not known. */
  #canBe(fact: string, derived: Fact | undefined): boolean {
    const axes = this.#axes.get(fact) ?? [];
    return (
      !derived || axes.every(([axis, set]) => liesIn(axis, derived, (cell) => ((set >> BigInt(cell)) & 1n) === 1n))
    );
  }

  /** Whether tests of one fact against the other allow that they are the same, and that they differ. */
  #sameness(one: string, other: string): readonly boolean[] {
    const tests = [`${one} is ${other}`, `${other} is ${one}`].flatMap((subject) => this.#axes.get(subject) ?? []);
    const leaves = (same: boolean) =>
      tests.every(([{ firstValue }, set]) => ((set >> BigInt(firstValue + (same ? 0 : 1))) & 1n) === 1n);
    return [true, false].filter(leaves);
  }
}
