/** A field name in any spelling (camelCase, snake_case, a label, an abbreviation) -> its concepts, in order. */

import { type Concept, type Meaning, PHRASES, type Role, wholeWord } from './vocabulary.ts';

/** A word or phrase of a name, with its meaning. */
export interface Token {
  /** Undefined for a number and for a word that the vocabulary does not have. */
  readonly concept: Concept | undefined;
  readonly role: Role | 'unknown' | 'number';
  /** The word or phrase, in lower case. */
  readonly word: string;
  /** Whether the word is an abbreviation that no table has. */
  readonly isAbbreviated: boolean;
}

/** Longer names are ignored; real ones are far shorter. */
const MAX_NAME_LENGTH = 200;

const LONGEST_PHRASE = Math.max(...[...PHRASES.keys()].map((phrase) => phrase.split(' ').length));

/** Every single word, to recognise words written together and abbreviations. */
const WORDS: readonly string[] = [...new Set([...PHRASES.keys()].flatMap((phrase) => phrase.split(' ')))];

/** Reads one name. */
export function readName(text: string) {
  const short = text.length > MAX_NAME_LENGTH ? '' : text;
  const asides = [...short.matchAll(/\(([^()]*)\)/g)].map(([, inner = '']) => inner);
  const tokens = readTokens(short.replace(/\([^()]*\)/g, ' '));
  // `Network Operator (Current)` qualifies the name; `Email (with domain)` adds another subject and does not.
  const qualifiers = asides.flatMap(readTokens);
  const isQualified = qualifiers.every(({ role }) => QUALIFIERS.has(role));
  return {
    tokens: isQualified ? [...tokens, ...qualifiers] : tokens,
    /** The text in parentheses: `0-100` of `Score (0-100)`. */
    aside: asides.join(' '),
  };
}

const QUALIFIERS: ReadonlySet<Token['role']> = new Set(['head', 'unit', 'spoiler', 'filler', 'facet']);

function readTokens(text: string): readonly Token[] {
  return readPhrases(splitWords(text).map(wholeWord).flatMap(splitCompound));
}

/** The words of a name, in lower case. */
export function splitWords(text: string): readonly string[] {
  // Without a limit, normalising takes quadratic time.
  if (text.length > MAX_NAME_LENGTH) return [];
  return (
    text
      .normalize('NFKC')
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      // Splits MNOStatus, but not ISPs.
      .replace(/(\p{Lu})(\p{Lu}\p{Ll}{2})/gu, '$1 $2')
      .replace(/(\p{L})(\d)/gu, '$1 $2')
      .replace(/(\d)(\p{L})/gu, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{M}\d]+/u)
      .filter((word) => word !== '')
  );
}

/** The phrase that all of the words form, if the vocabulary has it. */
export function phraseOf(words: readonly string[]): Token | undefined {
  const word = words.join(' ');
  const meaning = PHRASES.get(word);
  return meaning && { ...meaning, word, isAbbreviated: false };
}

/** Reads words from left to right, the longest phrase first. */
function readPhrases(words: readonly string[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < words.length; ) {
    let length = Math.min(LONGEST_PHRASE, words.length - start);
    while (length > 1 && !PHRASES.has(words.slice(start, start + length).join(' '))) length--;
    const phrase = words.slice(start, start + length);
    tokens.push(phraseOf(phrase) ?? readWord(phrase.join(' ')));
    start += length;
  }
  return tokens;
}

/** Reads a word that is not a phrase itself: a number, a plural, an abbreviation, or an unknown word. */
function readWord(word: string): Token {
  if (/^\d+$/.test(word)) return { concept: undefined, role: 'number', word, isAbbreviated: false };
  const singular = word.replace(/ies$/, 'y').replace(/s$/, '');
  const phrase = singular.length > 1 ? PHRASES.get(singular) : undefined;
  if (phrase) return { ...phrase, word, isAbbreviated: false };
  const expanded = expandAbbreviation(word);
  if (expanded) return { ...expanded, word, isAbbreviated: true };
  return { concept: undefined, role: 'unknown', word, isAbbreviated: false };
}

/** `opertr`, `scor`: the only concept with words that start like this or have these consonants. */
function expandAbbreviation(word: string): Meaning | undefined {
  if (word.length < 3 || word.length > 6) return undefined;
  const longerWords = WORDS.filter((one) => one.length > word.length && isAbbreviationOf(word, one));
  const meanings = longerWords.flatMap((one) => PHRASES.get(one) ?? []);
  const [first] = meanings;
  const isOnly = meanings.length === longerWords.length && meanings.every(({ concept }) => concept === first?.concept);
  return isOnly ? first : undefined;
}

function isAbbreviationOf(short: string, word: string): boolean {
  return word.startsWith(short) || dropVowels(word) === short;
}

/** The first letter and the consonants after it. */
function dropVowels(word: string): string {
  return word.slice(0, 1) + word.slice(1).replace(/[aeiou]/g, '');
}

/** Splits words of the vocabulary that are written together, such as `risklevel` and `darkwebhitcount`. */
function splitCompound(word: string): readonly string[] {
  if (word.length < 5 || word.length > 40 || PHRASES.has(word) || PHRASES.has(word.replace(/s$/, ''))) return [word];
  return fewestWords(word, new Map()) ?? [word];
}

/** The fewest words of the vocabulary that make up a text; undefined if none do. */
function fewestWords(text: string, seen: Map<string, readonly string[] | undefined>): readonly string[] | undefined {
  if (text === '') return [];
  if (seen.has(text)) return seen.get(text);
  let best: readonly string[] | undefined;
  for (const word of COMPOUND_PARTS) {
    if (!text.startsWith(word)) continue;
    const rest = fewestWords(text.slice(word.length), seen);
    if (rest && (best === undefined || rest.length + 1 < best.length)) best = [word, ...rest];
  }
  seen.set(text, best);
  return best;
}

/** Words of two letters that a compound may contain; other parts have three letters or more. */
const SHORT_PARTS = new Set(['ip', 'dt', 'ts', 'is', 'no', 'ph', 'of', 'on', 'at', 'ms', 'dw']);
const COMPOUND_PARTS = WORDS.filter((word) => /^\p{L}+$/u.test(word) && (word.length > 2 || SHORT_PARTS.has(word)));
