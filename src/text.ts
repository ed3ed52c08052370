/** Words and texts -> texts for people: plurals, escapes, trimmed ends, the nearest known word. */

/** How many pairs of characters may still be compared. */
export interface Effort {
  left: number;
}

/**
 * The candidate nearest to `word`, if it is near enough for `word` to be a misspelling of it. Undefined too if the
 * comparison with all candidates would take more than the effort that is left.
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  effort: Effort = { left: Number.POSITIVE_INFINITY },
): string | undefined {
  const lower = word.toLowerCase();
  if (lower.length > MOST_LETTERS) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(lower.length / 3)) + 1;
  for (const candidate of candidates) {
    effort.left -= 1;
    if (effort.left <= 0) return undefined;
    if (Math.abs(candidate.length - lower.length) >= bestDistance) continue;
    effort.left -= lower.length * candidate.length;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The hint for an unknown word, if a known word is near. */
export function didYouMean(word: string, candidates: Iterable<string>, effort?: Effort): { hint?: string } {
  const near = nearest(word, candidates, effort);
  return near === undefined ? {} : { hint: ask(near) };
}

/** The replacement of a word with only one meaning. */
type Synonym = string | { readonly hint: string; readonly means?: string };

/**
 * Words that people write instead of words of the language, by their letters: for each the intended word, or a hint and
 * the word that the hint is about. A word is listed only if it has no other meaning.
 */
export type Synonyms = Readonly<Record<string, Synonym>>;

/** The probable meaning of an unknown word. */
export interface Meant {
  readonly hint: string;
  /** The intended known word; undefined if there is none, or several. */
  readonly word?: string;
  /** Whether no other meaning is possible. */
  readonly isSure: boolean;
}

/**
 * Finds the probable meaning of an unknown word: the known word with the same letters, the one with this synonym, or a
 * similar one, which is only a guess.
 */
export function findMeant(
  word: string,
  candidates: Iterable<string>,
  { synonyms = {}, effort }: { readonly synonyms?: Synonyms | undefined; readonly effort?: Effort | undefined } = {},
): Meant | undefined {
  const knownWords = [...candidates];
  const letters = lettersOf(word);
  const same = letters === '' ? [] : knownWords.filter((each) => lettersOf(each) === letters);
  if (same.length === 1) return proposeWords(same, { isSure: true });
  const synonym = Object.hasOwn(synonyms, letters) ? synonyms[letters] : undefined;
  if (typeof synonym === 'object') {
    return { hint: synonym.hint, isSure: false, ...(synonym.means === undefined ? {} : { word: synonym.means }) };
  }
  if (synonym !== undefined && knownWords.includes(synonym)) return proposeWords([synonym], { isSure: true });
  const match = nearest(word, knownWords, effort);
  return match === undefined ? undefined : proposeWords([match]);
}

/** A hint with more words would not help. */
const MOST_PROPOSED = 6;

/** Asks whether one of some words is meant. */
export function proposeWords(words: readonly string[], { isSure = false } = {}): Meant {
  const [word = ''] = words;
  if (words.length === 1) return { hint: ask(word), word, isSure };
  const quoted = words.slice(0, MOST_PROPOSED).map((each) => `"${each}"`);
  const last = words.length > MOST_PROPOSED ? 'others' : quoted.pop();
  return { hint: `did you mean ${quoted.join(', ')} or ${last}?`, isSure: false };
}

function ask(word: string): string {
  return `did you mean "${word}"?`;
}

/** A word without the differences in spelling: case, spaces, hyphens and underscores. */
export function lettersOf(word: string): string {
  return word.length > MOST_LETTERS ? word : word.toLowerCase().replace(/[\s_-]/g, '');
}

/** A limit on length keeps a hostile key of a megabyte from costing a megabyte squared. */
const MOST_LETTERS = 100;

/** A number with separated thousands: `12,345`. */
export function grouped(n: number): string {
  return n.toLocaleString('en-US');
}

/** Made when it is first needed: that takes ten milliseconds, and each command loads this file. */
let listFormat: Intl.ListFormat | undefined;

/** `a, b and c`. */
export function joinWords(words: Iterable<string>): string {
  listFormat ??= new Intl.ListFormat('en-GB');
  return listFormat.format(words);
}

/** `1,608 applicants`. */
export function groupedCount(n: number, noun: string): string {
  return `${grouped(n)} ${n === 1 ? noun : pluralOf(noun)}`;
}

/** `1 error`, `2 errors`. */
export function count(n: number, noun: string): string {
  return `${n} ${n === 1 ? noun : pluralOf(noun)}`;
}

function pluralOf(noun: string): string {
  return `${noun.replace(/ry$/, 'rie')}s`;
}

/** A text that begins with a capital. */
export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/**
 * Characters that control a terminal or are invisible: controls, formats (bidirectional, zero width), separators of
 * lines, ignorable ones, and noncharacters, which XML cannot have. Line breaks and tabs are layout; variation selectors
 * belong to the character before them.
 */
export const HIDDEN =
  /(?![\t\n\p{Variation_Selector}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{NChar}]/gu;

const HIDDEN_OR_LAYOUT = new RegExp(`[\\t\\n]|${HIDDEN.source}`, 'gu');

/** A text that is safe in a line on a terminal: characters that could move the cursor or hide text are escaped. */
export function printable(text: string): string {
  return text.replace(HIDDEN_OR_LAYOUT, escapeCharacter);
}

/** The same for a text of several lines: line breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(HIDDEN, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`;
}

/** A value as JSON that is safe on a terminal: what `printable` escapes is escaped as JSON does. */
export function toJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  // Nearly every text is ASCII.
  return /[^\n -~]/.test(json) ? json.replace(HIDDEN, escapeUnits) : json;
}

function escapeUnits(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A text without Unicode White_Space and U+FEFF at its ends. */
export function trimWhiteSpace(text: string): string {
  // `trim` lacks U+0085; a regular expression for the end would take quadratic time on a run of spaces inside.
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Whether a code unit is Unicode White_Space or U+FEFF; all of these are in the basic plane. */
function isWhiteSpace(codeUnit: number): boolean {
  // The expression is slow, and most texts end in ASCII.
  if (codeUnit < 0x80) return codeUnit === 0x20 || (codeUnit >= 0x09 && codeUnit <= 0x0d);
  return /[\p{White_Space}\uFEFF]/u.test(String.fromCharCode(codeUnit));
}

/** The number of edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const cost = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(swapped ? Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1) : cost);
    }
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}

/** A time in milliseconds -> `2026-11-20 08:15 UTC`. */
export function minuteWords(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
