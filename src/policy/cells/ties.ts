/**
 * Facts that the engine derives, beside those that they are derived from -> whether facts of a region can be. Signals
 * of the verification service are never held against each other: a service may contradict itself.
 */

import { CATALOG_TABLE, type FactDefinition } from '../../facts/catalog.ts';
import { deriveFact } from '../../facts/derive.ts';
import { type Fact, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import type { Geodata } from '../../formats/geo/geodata.ts';
import { type Axis, cellsIn, STATES } from './cells.ts';
import type { Region } from './conjunctions.ts';
import { canShare, type TextForm, type TextPart } from './text-forms.ts';

/** How a text follows from another one of which only a part is known. */
interface TextTie {
  /** Parts of which the derived text has one; undefined if it may be any text. */
  partsFrom(part: TextPart, geodata: Geodata | undefined): readonly TextPart[] | undefined;
  /** The part that the input has if the derived text has one; undefined if it need not have any. */
  partNeeded(part: TextPart): TextPart | undefined;
}

/** TABLE: derived facts. A whole input is derived from as for an applicant. */
const TEXT_TIES: Readonly<Record<string, TextTie>> = {
  'applicant.emailDomain': {
    partsFrom: ({ place, text }) => {
      const at = text.lastIndexOf('@');
      const after = text.slice(at + 1);
      if (place === 'endsWith') return [{ place: at < 0 ? 'endsWith' : 'is', text: after }];
      return at < 0 || after === '' ? undefined : [{ place: 'startsWith', text: after }];
    },
    partNeeded: ({ place, text }) => {
      if (place === 'is') return { place: 'endsWith', text: `@${text}` };
      return place === 'startsWith' ? { place: 'contains', text: `@${text}` } : { place, text };
    },
  },
  'phone.country': {
    partsFrom: ({ place, text }, geodata) =>
      place === 'startsWith'
        ? geodata?.countriesOfPrefix?.(text).map((country) => ({ place: 'is', text: country.toLowerCase() }))
        : undefined,
    partNeeded: () => undefined,
  },
};

/** Booleans that tell whether their two inputs are the same text. */
const COMPARISONS = ['phone.operator.changed', 'ip.matchesPhoneCountry'];

const VALID = 'phone.valid';
const COUNTRY = 'phone.country';

const TIED: ReadonlySet<string> = new Set(
  [...Object.keys(TEXT_TIES), ...COMPARISONS, VALID].flatMap((fact) => [fact, ...inputsOf(fact)]),
);

/** A derived fact that is not as a region has it: a sentence why. */
export function contradictionIn(region: Region, geodata: Geodata | undefined): string | undefined {
  const tied = new Set<string>();
  for (const { subject, fact } of region.sets.keys()) if (TIED.has(fact)) tied.add(subject);
  if (tied.size < 2) return undefined;
  const facts = new TiedFacts(region, geodata);
  const wrong = [
    ...Object.keys(TEXT_TIES).filter((fact) => !facts.canDerive(fact)),
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

function definitionOf(fact: string): FactDefinition {
  return CATALOG_TABLE.get(fact) as FactDefinition;
}

function inputsOf(fact: string): readonly string[] {
  return definitionOf(fact).inputs ?? [];
}

/** Descriptions of which a text has one. */
type Alternatives = readonly TextForm[];

/** More cells of an axis say little. */
const MOST_ALTERNATIVES = 200;

/** What a region says of the facts that have a value in all of it. */
class TiedFacts {
  readonly #geodata: Geodata | undefined;
  readonly #axes: ReadonlyMap<string, readonly (readonly [Axis, bigint])[]>;

  constructor({ sets, states }: Region, geodata: Geodata | undefined) {
    this.#geodata = geodata;
    const isKnown = ([{ subject }]: readonly [Axis, bigint]) => states.get(subject) === STATES.value;
    this.#axes = Map.groupBy([...sets].filter(isKnown), ([{ subject }]) => subject);
  }

  /** Whether a derived text can be what the region has. */
  canDerive(fact: string): boolean {
    if (!this.#axes.has(fact)) return true;
    const derived = this.#derived(fact);
    return this.#own(fact).every((one) => derived.every((other) => haveCommon(one, other)));
  }

  /** Whether a comparison can be what the region has. */
  canCompare(fact: string): boolean {
    const [first = '', second = ''] = inputsOf(fact);
    const [one, other] = [this.#texts(first), this.#texts(second)];
    const isSame = this.#sameness(first, second);
    const canBeSame = one.every((each) => other.every((another) => haveCommon(each, another)));
    const value = one.map(singleText).find((text) => text !== undefined);
    const canDiffer = value === undefined || !other.some((each) => singleText(each) === value);
    return [true, false].some((same) => {
      const texts = ['a', same ? 'a' : 'b'];
      return (same ? canBeSame : canDiffer) && isSame.includes(same) && this.#canBe(fact, this.#derive(fact, texts));
    });
  }

  canBeValid(): boolean {
    if (this.#axes.has(COUNTRY)) return this.#canBe(VALID, { value: true });
    return this.#own(inputsOf(VALID)[0] ?? '').every((alternatives) =>
      alternatives.some(({ oneOf }) =>
        oneOf
          ? oneOf.some((part) => part.place !== 'is' || this.#canBe(VALID, this.#derive(VALID, [part.text])))
          : true,
      ),
    );
  }

  /** What is known of a text, as the region has it and from what it is derived from. */
  #texts(fact: string): readonly Alternatives[] {
    return [...this.#own(fact), ...this.#derived(fact)];
  }

  #own(fact: string): readonly Alternatives[] {
    return (this.#axes.get(fact) ?? []).flatMap(([{ formOf, firstValue }, set]): Alternatives[] => {
      const cells = cellsIn(set).filter((cell) => cell >= firstValue);
      return formOf && cells.length <= MOST_ALTERNATIVES ? [cells.map(formOf)] : [];
    });
  }

  #derived(fact: string): readonly Alternatives[] {
    const tie = TEXT_TIES[fact];
    const [input] = inputsOf(fact);
    if (!tie || input === undefined) return [];
    return this.#own(input).map((alternatives) => alternatives.map((form) => this.#deriveForm(fact, tie, form)));
  }

  #deriveForm(fact: string, tie: TextTie, { oneOf, lacks }: TextForm): TextForm {
    const parts = oneOf?.map((part) =>
      part.place === 'is' ? this.#derivePart(fact, part.text) : tie.partsFrom(part, this.#geodata),
    );
    return {
      oneOf: parts?.every((each) => each !== undefined) ? parts.flat() : undefined,
      lacks: (part) => {
        const needed = tie.partNeeded(part);
        return needed !== undefined && lacks(needed);
      },
    };
  }

  #derivePart(fact: string, text: string): readonly TextPart[] | undefined {
    const derived = this.#derive(fact, [text]);
    if (!derived) return undefined;
    return isMissing(derived) ? [] : [{ place: 'is', text: String(derived.value) }];
  }

  /** What is derived from texts; undefined if it is not known, without geodata. */
  #derive(fact: string, texts: readonly string[]): Fact | undefined {
    const definition = definitionOf(fact);
    const inputs = new Map(inputsOf(fact).map((input, i) => [input, { value: texts[i] ?? '' }]));
    const derived = readFact(definition, deriveFact(fact, definition, inputs, this.#geodata), ANY_DAY);
    return isMissing(derived) && derived.missing === 'unmapped' ? undefined : derived;
  }

  /** Whether the region leaves a fact that is derived, if it is known. */
  #canBe(fact: string, derived: Fact | undefined): boolean {
    const axes = this.#axes.get(fact) ?? [];
    return axes.every(([axis, set]) => {
      if (!derived) return true;
      const cell = axis.find(derived, undefined, ANY_DAY);
      return cell !== undefined && ((set >> BigInt(cell)) & 1n) === 1n;
    });
  }

  /** Whether tests of one fact against the other leave that they are the same, and that they differ. */
  #sameness(one: string, other: string): readonly boolean[] {
    const tests = [`${one} is ${other}`, `${other} is ${one}`].flatMap((subject) => this.#axes.get(subject) ?? []);
    const leaves = (same: boolean) =>
      tests.every(([{ firstValue }, set]) => ((set >> BigInt(firstValue + (same ? 0 : 1))) & 1n) === 1n);
    return [true, false].filter(leaves);
  }
}

/** Any day will do: what is derived does not depend on it. */
const ANY_DAY = '2000-01-01';

function haveCommon(one: Alternatives, other: Alternatives): boolean {
  return one.some((form) => other.some((another) => canShare(form, another)));
}

/** The one text that alternatives leave, if they leave one. */
function singleText(alternatives: Alternatives): string | undefined {
  const texts = alternatives.flatMap(({ oneOf }) =>
    oneOf?.map(({ place, text }) => (place === 'is' ? text : undefined)),
  );
  return texts.every((text) => text === texts[0]) ? texts[0] : undefined;
}
