/** What texts have in common: parts that they have or lack -> whether two such descriptions can fit one text. */

import { isNamedList, type NamedList, type Pattern } from '../arguments.ts';
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
      const parts = partsOfPattern((argument as Pattern).source);
      const isMatched = (other: TextPart) =>
        other.place === 'is' ? holds(other.text) : parts?.some((part) => hasPart(other, part)) === true;
      return truth
        ? { oneOf: parts, lacks: (other) => other.place === 'is' && !isMatched(other) }
        : { oneOf: undefined, lacks: isMatched };
    }
    default:
      // The entries of a list that have a last day are entries on some days.
      return {
        oneOf: truth && isNamedList(argument) ? listedParts(argument, membershipOf(operator)) : undefined,
        lacks: () => false,
      };
  }
}

/** Characters that match themselves alone in folded texts, but for s. */
const PLAIN = /^(?:[a-z0-9 @_-]|\\\.)+$/;
/** A group of alternatives, or a class of characters. */
const CHOICE = /\((?:\?:)?([^()[\]]+)\)|\[(0-9|[a-z0-9]+)\]/;

/**
 * The parts of which exactly the texts that match a pattern have one: `^(mr|dr) ` is two starts. Undefined for a
 * pattern that says more than plain text, with one choice of alternatives and anchors.
 */
function partsOfPattern(source: string): TextForm['oneOf'] {
  const [isStart, isEnd] = [source.startsWith('^'), source.endsWith('$')];
  const place = isStart && isEnd ? 'is' : isStart ? 'startsWith' : isEnd ? 'endsWith' : 'contains';
  const body = source.slice(isStart ? 1 : 0, isEnd ? -1 : undefined).toLowerCase();
  const [choice = '', group, characters] = CHOICE.exec(body) ?? [];
  const choices = group?.split('|') ?? [...(characters === '0-9' ? '0123456789' : (characters ?? ' '))];
  if (choices.length > MOST_PARTS || !choices.every((each) => PLAIN.test(each))) return undefined;
  const texts = choice === '' ? [body] : choices.map((each) => body.replace(choice, () => each));
  if (!texts.every((text) => PLAIN.test(text) && text.split('s').length <= MOST_S + 1)) return undefined;
  const parts = texts.flatMap((text) => spellingsOf(text.replaceAll('\\', '')));
  return parts.length > MOST_PARTS ? undefined : parts.map((text) => ({ place, text }));
}

/** A text with more of them has too many spellings. */
const MOST_S = 4;

/** In patterns an s also matches the long one, which is a letter of its own in folded texts. */
function spellingsOf(text: string): readonly string[] {
  const [first = '', ...others] = text.split('s');
  return others.reduce((starts, rest) => ['s', 'ſ'].flatMap((s) => starts.map((start) => start + s + rest)), [first]);
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
