/** What texts have in common: parts that they have or lack -> whether two such descriptions can fit one text. */

import { isNamedList, type NamedList } from '../arguments.ts';
import type { Test } from '../language.ts';
import { type OperatorName, type OperatorOf, operatorRow } from '../operators.ts';

/** A part that a text has: it is, starts with, ends with or contains another text. */
export interface TextPart {
  readonly place: 'is' | 'startsWith' | 'endsWith' | 'contains';
  readonly text: string;
}

/** What is known of the texts of a cell. */
export interface TextForm {
  /** Each has one of these parts; undefined if no part is known. */
  readonly oneOf: readonly TextPart[] | undefined;
  /** Whether none of them has a part. Sound: where it cannot tell, it says no. */
  lacks(part: TextPart): boolean;
}

/** The entries of longer lists are not listed as parts. */
const MOST_PARTS = 200;
/** Stands for the unknown beginning of a text of which only the end is known; no entry contains it. */
const UNKNOWN_START = '\u0000';
/** The day does not matter for these questions. */
const ANY_DAY = '2000-01-01';

/** The form of the texts for which a test has this truth. */
export function formOfTest(test: Test, truth: boolean): TextForm {
  const { operator, argument } = test;
  switch (operatorRow(operator).argument) {
    case 'text': {
      const part: TextPart = { place: operator as OperatorOf<'text'>, text: String(argument) };
      return truth
        ? { oneOf: [part], lacks: () => false }
        : { oneOf: undefined, lacks: (other) => hasPart(other, part) };
    }
    case 'pattern': {
      const holds = (text: string) =>
        argument !== undefined && operatorRow(operator).holds(text, argument, { type: 'string', day: ANY_DAY });
      return { oneOf: undefined, lacks: ({ place, text }) => place === 'is' && holds(text) !== truth };
    }
    default:
      // The entries of a list that have a last day are entries on some days.
      return {
        oneOf: truth && isNamedList(argument) ? listedParts(argument, membershipOf(operator)) : undefined,
        lacks: () => false,
      };
  }
}

/** The membership that each list operator tests or negates. */
const MEMBERSHIPS = { inList: 'inList', notInList: 'inList', inDomainList: 'inDomainList' } as const satisfies Readonly<
  Record<OperatorOf<'list'>, OperatorOf<'list'>>
>;

/** Whether a test of a list asks for its entries, or for the domains below them too. */
export function membershipOf(operator: OperatorName): (typeof MEMBERSHIPS)[OperatorOf<'list'>] {
  return MEMBERSHIPS[operator as OperatorOf<'list'>];
}

/** The parts of the texts, or of the domains, that a list contains; undefined for many entries or for blocks. */
export function listedParts(
  { entries, blocks }: NamedList,
  membership: ReturnType<typeof membershipOf>,
): TextForm['oneOf'] {
  if (blocks || entries.size > MOST_PARTS) return undefined;
  return [...entries.keys()].flatMap((text): TextPart[] => [
    { place: 'is', text },
    ...(membership === 'inDomainList' ? [{ place: 'endsWith', text: `.${text}` } as const] : []),
  ]);
}

/** Whether each text with a part is a domain of a list. */
export function isListedDomain({ place, text }: TextPart, list: NamedList): boolean {
  if (place !== 'endsWith') return false;
  return operatorRow('inDomainList').holds(UNKNOWN_START + text, list, { type: 'string', day: ANY_DAY });
}

/** Whether each text with one part has the other too. */
function hasPart(part: TextPart, wanted: TextPart): boolean {
  switch (wanted.place) {
    case 'is':
      return part.place === 'is' && part.text === wanted.text;
    case 'startsWith':
      return (part.place === 'is' || part.place === 'startsWith') && part.text.startsWith(wanted.text);
    case 'endsWith':
      return (part.place === 'is' || part.place === 'endsWith') && part.text.endsWith(wanted.text);
    case 'contains':
      return part.text.includes(wanted.text);
  }
}

/** Whether some text may have both parts. */
function canMeet(one: TextPart, other: TextPart): boolean {
  if (one.place === 'is') return hasPart(one, other);
  if (other.place === 'is') return hasPart(other, one);
  // Two beginnings of one text, or two ends of it: one of them is part of the other.
  return one.place !== other.place || one.place === 'contains' || hasPart(one, other) || hasPart(other, one);
}

/** Whether some text may have both forms. */
export function canShare(one: TextForm, other: TextForm): boolean {
  const [parts, others] = [partsOf(one), partsOf(other)];
  if (!parts && !others) return true;
  if (!parts) return canShare(other, one);
  return parts.some(
    (part) =>
      !other.lacks(part) && (!others || others.some((another) => canMeet(part, another) && !one.lacks(another))),
  );
}

/** Each text of a form has one of these parts; some listed parts may occur in no text. */
function partsOf(form: TextForm): TextForm['oneOf'] {
  return form.oneOf?.filter((part) => !form.lacks(part));
}
