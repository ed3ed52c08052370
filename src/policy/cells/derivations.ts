/** The known forms of the inputs of a derived fact -> the known form of the derived fact. */

import { CATALOG_TABLE, type FactDefinition } from '../../facts/catalog.ts';
import { deriveFact } from '../../facts/compute.ts';
import { type Fact, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import type { Geodata } from '../../platform/formats/geo/geodata.ts';
import type { Axis } from './cells.ts';
import { canShare, type TextForm, type TextPart } from './text-forms.ts';

/** How a text follows from another one that is known in part. */
interface TextTie {
  /** The derived text has one of these parts; undefined if it may be any text. */
  partsFrom(part: TextPart, geodata: Geodata | undefined): readonly TextPart[] | undefined;
  /** The part that the input has if the derived text has one; undefined if it need not have any. */
  partNeeded(part: TextPart): TextPart | undefined;
}

/** TABLE: derived facts. From a whole input, a fact is derived as for an applicant. */
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
  'applicant.mailbox': { partsFrom: () => undefined, partNeeded: () => undefined },
  'phone.country': {
    partsFrom: ({ place, text }, geodata) =>
      place === 'startsWith'
        ? geodata?.countriesOfPrefix?.(text).map((country) => ({ place: 'is', text: country.toLowerCase() }))
        : undefined,
    partNeeded: () => undefined,
  },
};

/** The derived facts that are texts. */
export const DERIVED_TEXTS = Object.keys(TEXT_TIES);

/** Derived booleans that compare two texts. */
export const COMPARISONS = [...CATALOG_TABLE].flatMap(([fact, { origin, type, inputs = [] }]) =>
  origin === 'derived' && type === 'boolean' && inputs.length === 2 ? fact : [],
);

/** Whether a number is valid, which it is if it has a country. */
export const VALID = 'phone.valid';
export const COUNTRY = 'phone.country';

/** The day does not matter: derived values do not depend on it. */
const ANY_DAY = '2000-01-01';

/** With more cells, the alternatives are too weak to be useful. */
const MOST_ALTERNATIVES = 200;

/** A text fits one of these descriptions. */
export type Alternatives = readonly TextForm[];

export function definitionOf(fact: string): FactDefinition {
  return CATALOG_TABLE.get(fact) as FactDefinition;
}

export function inputsOf(fact: string): readonly string[] {
  return definitionOf(fact).inputs ?? [];
}

/** What the texts in some cells of an axis have in common; undefined if that is too weak to be useful. */
export function alternativesIn({ formOf, firstValue }: Axis, cells: readonly number[]): Alternatives | undefined {
  const values = cells.filter((cell) => cell >= firstValue);
  return formOf && values.length <= MOST_ALTERNATIVES ? values.map(formOf) : undefined;
}

/** The form of a fact derived from texts of some form; an unknown form if nothing follows. */
export function deriveForm(fact: string, { oneOf, lacks }: TextForm, geodata: Geodata | undefined): TextForm {
  const tie = TEXT_TIES[fact] as TextTie;
  const parts = oneOf?.map((part) =>
    part.place === 'is' ? derivePart(fact, part.text, geodata) : tie.partsFrom(part, geodata),
  );
  return {
    oneOf: parts?.every((each) => each !== undefined) ? parts.flat() : undefined,
    lacks: (part) => {
      const needed = tie.partNeeded(part);
      return needed !== undefined && lacks(needed);
    },
  };
}

function derivePart(fact: string, text: string, geodata: Geodata | undefined): readonly TextPart[] | undefined {
  const derived = deriveText(fact, [text], geodata);
  if (!derived) return undefined;
  return isMissing(derived) ? [] : [{ place: 'is', text: String(derived.value) }];
}

/** The fact derived from texts; undefined if it is not known because geodata are missing. */
function deriveText(fact: string, texts: readonly string[], geodata: Geodata | undefined): Fact | undefined {
  const definition = definitionOf(fact);
  const inputs = new Map(inputsOf(fact).map((input, i) => [input, { value: texts[i] ?? '' }]));
  const derived = readFact(definition, deriveFact(fact, definition, inputs, geodata), ANY_DAY);
  return isMissing(derived) && derived.missing === 'unmapped' ? undefined : derived;
}

/** Whether a fact always follows from known inputs, even without geodata: each address has a domain. */
export function isAlwaysDerived(fact: string): boolean {
  const texts = CATALOG_TABLE.get(fact)?.inputs?.map(() => 'a') ?? [];
  return texts.length > 0 && deriveText(fact, texts, undefined) !== undefined;
}

/** The fact derived by comparing texts that are the same, or that differ. */
export function compareTexts(fact: string, isSame: boolean, geodata: Geodata | undefined): Fact | undefined {
  return deriveText(fact, ['a', isSame ? 'a' : 'b'], geodata);
}

/** Whether a number with some form can be valid, or invalid, as a cell of an axis of validity has it. */
export function canBeValid(
  { oneOf }: TextForm,
  allows: (derived: Fact) => boolean,
  geodata: Geodata | undefined,
): boolean {
  if (!oneOf) return true;
  return oneOf.some((part) => {
    const derived = part.place === 'is' ? deriveText(VALID, [part.text], geodata) : undefined;
    return derived === undefined || allows(derived);
  });
}

/** Whether a fact lies in one of some cells of an axis. */
export function liesIn(axis: Axis, fact: Fact, has: (cell: number) => boolean): boolean {
  const cell = axis.find(fact, undefined, ANY_DAY);
  return cell !== undefined && has(cell);
}

/** Whether texts of both descriptions can be the same. */
export function haveCommon(one: Alternatives, other: Alternatives): boolean {
  return one.some((form) => other.some((another) => canShare(form, another)));
}

/** The one text that alternatives leave, if they leave one. */
function singleText(alternatives: Alternatives): string | undefined {
  const texts = alternatives.flatMap(({ oneOf }) =>
    oneOf?.map(({ place, text }) => (place === 'is' ? text : undefined)),
  );
  return texts.every((text) => text === texts[0]) ? texts[0] : undefined;
}

/** Whether texts that are described in several ways can be the same, and whether they can differ. */
export function compareForms(
  one: readonly Alternatives[],
  other: readonly Alternatives[],
): { readonly canBeSame: boolean; readonly canDiffer: boolean } {
  const value = one.map(singleText).find((text) => text !== undefined);
  return {
    canBeSame: one.every((each) => other.every((another) => haveCommon(each, another))),
    canDiffer: value === undefined || !other.some((each) => singleText(each) === value),
  };
}
