/** A name in any spelling (camelCase, snake_case, a label, an abbreviation) -> the concepts that it speaks of, in order. */

import { wholeWord } from './abbreviations.ts';
import { type Concept, type Role, VOCABULARY } from './vocabulary.ts';

/** One concept of a name. */
export interface Token {
  /** Undefined for a word that the vocabulary does not have. */
  readonly concept: Concept | undefined;
  readonly role: Role | 'unknown' | 'number';
  /** The word itself, in lower case. */
  readonly word: string;
  /** Whether the word was made out only as a shortened one. */
  readonly shortened: boolean;
}

/** A name, read. */
export interface Name {
  readonly tokens: readonly Token[];
  /** What stands in parentheses: `0-100` of `Score (0-100)`. */
  readonly aside: string;
}

/** Nobody names a field at greater length. */
const MAX_NAME_LENGTH = 200;

interface Phrase {
  readonly concept: Concept;
  readonly role: Role;
}

const PHRASES: ReadonlyMap<string, Phrase> = new Map(
  (Object.keys(VOCABULARY) as Concept[]).flatMap((concept) => {
    const { role, words } = VOCABULARY[concept];
    return words.split(', ').map((phrase): [string, Phrase] => [phrase, { concept, role }]);
  }),
);
const LONGEST_PHRASE = Math.max(...[...PHRASES.keys()].map((phrase) => phrase.split(' ').length));

/** Single words by their first letter, for those that are written together or shortened. */
const WORDS: readonly string[] = [...new Set([...PHRASES.keys()].flatMap((phrase) => phrase.split(' ')))];

/** Reads one name. */
export function readName(text: string): Name {
  const short = text.length > MAX_NAME_LENGTH ? '' : text;
  const asides = [...short.matchAll(/\(([^()]*)\)/g)].map(([, inner = '']) => inner);
  const tokens = readTokens(short.replace(/\([^()]*\)/g, ' '));
  // `Network Operator (Current)` says which; `Email (with domain)` says what else there is.
  const beside = asides.flatMap(readTokens);
  const isPart = beside.every(({ role }) => QUALIFIERS.has(role));
  return { tokens: isPart ? [...tokens, ...beside] : tokens, aside: asides.join(' ') };
}

const QUALIFIERS: ReadonlySet<Token['role']> = new Set(['head', 'unit', 'spoiler', 'filler', 'facet']);

function readTokens(text: string): readonly Token[] {
  return readPhrases(splitWords(text).map(wholeWord).flatMap(separateGlued));
}

/** The words of a name, in lower case. */
export function splitWords(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      // MNOStatus; ISPs stays whole.
      .replace(/(\p{Lu})(\p{Lu}\p{Ll}{2})/gu, '$1 $2')
      .replace(/(\p{L})(\d)/gu, '$1 $2')
      .replace(/(\d)(\p{L})/gu, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{M}\d]+/u)
      .filter((word) => word !== '')
  );
}

/** The phrase that the words of two neighbouring names make together, such as `first` and `seen`. */
export function phraseOf(words: readonly string[]): Token | undefined {
  const phrase = PHRASES.get(words.join(' '));
  return phrase && { ...phrase, word: words.join(' '), shortened: false };
}

/** The longest phrases, from the left. */
function readPhrases(words: readonly string[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < words.length; ) {
    const length = phraseLength(words, at);
    const word = words.slice(at, at + Math.max(1, length)).join(' ');
    const phrase = PHRASES.get(word);
    tokens.push(phrase ? { ...phrase, word, shortened: false } : readWord(word));
    at += Math.max(1, length);
  }
  return tokens;
}

function phraseLength(words: readonly string[], at: number): number {
  for (let length = Math.min(LONGEST_PHRASE, words.length - at); length > 0; length--) {
    if (PHRASES.has(words.slice(at, at + length).join(' '))) return length;
  }
  return 0;
}

/** A word that is no phrase as it stands: a number, a plural, an abbreviation, or unknown. */
function readWord(word: string): Token {
  if (/^\d+$/.test(word)) return { concept: undefined, role: 'number', word, shortened: false };
  const singular = word.replace(/ies$/, 'y').replace(/s$/, '');
  const known = singular.length > 1 ? PHRASES.get(singular) : undefined;
  if (known) return { ...known, word, shortened: false };
  const long = lengthen(word);
  if (long) return { ...long, word, shortened: true };
  return { concept: undefined, role: 'unknown', word, shortened: false };
}

/** `opertr`, `lvl`, `scor`: the one concept whose words begin so, or have these consonants. */
function lengthen(word: string): Phrase | undefined {
  if (word.length < 3 || word.length > 6) return undefined;
  const found = WORDS.filter((one) => one.length > word.length && isShortFor(word, one));
  const phrases = found.flatMap((one) => PHRASES.get(one) ?? []);
  const [first] = phrases;
  return first && phrases.length === found.length && phrases.every(({ concept }) => concept === first.concept)
    ? first
    : undefined;
}

function isShortFor(short: string, word: string): boolean {
  return word.startsWith(short) || consonants(word) === short;
}

/** The first letter, and the consonants behind it. */
function consonants(word: string): string {
  return word.slice(0, 1) + word.slice(1).replace(/[aeiou]/g, '');
}

/** `risklevel` and `darkwebhitcount` are words of the vocabulary written together. */
function separateGlued(word: string): readonly string[] {
  if (word.length < 5 || word.length > 40 || PHRASES.has(word) || PHRASES.has(word.replace(/s$/, ''))) return [word];
  return separate(word, new Map()) ?? [word];
}

/** The fewest words of three letters or more (`ip` and `dt` are long enough) that make up a text. */
function separate(text: string, seen: Map<string, readonly string[] | undefined>): readonly string[] | undefined {
  if (text === '') return [];
  if (seen.has(text)) return seen.get(text);
  let best: readonly string[] | undefined;
  for (const word of GLUED) {
    if (!text.startsWith(word)) continue;
    const rest = separate(text.slice(word.length), seen);
    if (rest && (best === undefined || rest.length + 1 < best.length)) best = [word, ...rest];
  }
  seen.set(text, best);
  return best;
}

const SHORT_GLUED = new Set(['ip', 'dt', 'ts', 'is', 'no', 'ph', 'of', 'on', 'at', 'ms', 'dw']);
const GLUED = WORDS.filter((word) => /^\p{L}+$/u.test(word) && (word.length > 2 || SHORT_GLUED.has(word)));
