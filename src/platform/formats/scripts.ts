/** A word -> the letter in it of another script than the others: the Cyrillic а in pаypal. */

/** Those in common use (UAX 31, table 5), and those with letters that look like Latin ones (UTS 39). */
const SCRIPTS = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Thaana', 'Ethiopic', 'Cherokee'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
  ...['Thai', 'Lao', 'Tibetan', 'Myanmar', 'Khmer', 'Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul'],
  ...['Coptic', 'Deseret', 'Glagolitic', 'Lisu', 'Osage', 'Tifinagh', 'Runic', 'Gothic'],
].map((name) => ({ name, letter: new RegExp(`\\p{scx=${name}}`, 'u') }));

/** Scripts that share words with Latin letters (UTS 39, section 5.2), or are written without spaces beside them. */
const SHARED = [
  ...[
    ['Han', 'Hiragana', 'Katakana'],
    ['Han', 'Bopomofo'],
    ['Han', 'Hangul'],
  ],
  ...[['Thai'], ['Lao'], ['Tibetan'], ['Myanmar'], ['Khmer']],
].map((names) => ['Latin', ...names]);

/** Each matches the words of one script, or of scripts that share words. */
const PLAIN = [...SCRIPTS.map(({ name }) => [name]), ...SHARED].map((names) => {
  const letters = [...names, 'Common', 'Inherited'].map((name) => `\\p{scx=${name}}`).join('');
  return new RegExp(`^[${letters}]*$`, 'u');
});

/** A letter, its script, and the script of most letters of its word. */
interface OddLetter {
  readonly letter: string;
  readonly script: string;
  readonly others: string;
}

/** The first such letter of a text. Words end at all that is neither letter, mark nor digit. */
export function oddLetterIn(text: string): OddLetter | undefined {
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const odd = PLAIN.some((plain) => plain.test(word)) ? undefined : oddLetterOf(word);
    if (odd !== undefined) return odd;
  }
  return undefined;
}

function oddLetterOf(word: string): OddLetter | undefined {
  const letters = (word.match(/\p{L}/gu) ?? [])
    .map((letter) => ({ letter, scripts: SCRIPTS.filter((one) => one.letter.test(letter)).map(({ name }) => name) }))
    // Letters such as µ belong to no script.
    .filter(({ scripts }) => scripts.length > 0);
  const lettersOf = (name: string) => letters.filter(({ scripts }) => scripts.includes(name)).length;
  const [others = ''] = SCRIPTS.map(({ name }) => name).sort((a, b) => lettersOf(b) - lettersOf(a));
  const odd = letters.find(({ scripts }) => !scripts.includes(others));
  return odd && { letter: odd.letter, script: odd.scripts[0] ?? '', others };
}
