/** Texts that are levels -> the steps of a `level`, and the `values` that a mapping needs to read them. */

import { LEVELS, type Level } from '../../../facts/catalog.ts';
import { type Scalar, spellingKey } from '../../../facts/mapping/value/spelling-key.ts';
import { splitWords } from '../names/tokenise.ts';
import { indexWords } from '../names/vocabulary.ts';
import { withoutCodes } from './enums.ts';

/** How the values of a level are read. */
export interface LevelReading {
  /** Entries for `values`: the texts that are not the level's own names. */
  readonly values: ReadonlyMap<string, Level>;
  /** The levels' `own` names, own names with extra words, initials, synonyms, numbered `steps`, or none of these. */
  readonly kind: 'own' | 'decorated' | 'letters' | 'words' | 'steps' | 'none';
  readonly knowsAny: boolean;
  readonly knowsAll: boolean;
}

const OWN: ReadonlyMap<string, Level> = new Map(LEVELS.map((level) => [spellingKey(level), level]));

/** Synonyms, also in other languages: values often stay in the original when names are translated. */
const SYNONYMS: ReadonlyMap<string, Level> = indexWords({
  veryLow: 'very low, sehr niedrig, sehr gering, très faible, tres faible, muy bajo',
  low: 'low, niedrig, gering, faible, bajo, baixo, basso',
  medium: 'medium, med, mid, middle, moderate, mittel, moyen, modéré, medio, médio',
  high: 'high, hoch, élevé, eleve, alto',
  veryHigh: 'very high, sehr hoch, très élevé, tres eleve, muy alto',
});

/** Words whose meaning depends on the other steps: below a `low`, above a `high`. */
const BELOW_LOW: ReadonlySet<string> = new Set(['minimal', 'negligible', 'lowest', 'very minimal']);
const ABOVE_HIGH: ReadonlySet<string> = new Set(['critical', 'severe', 'extreme', 'highest', 'very severe']);

const LETTERS: ReadonlyMap<string, Level> = new Map([
  ['VL', 'veryLow'],
  ['L', 'low'],
  ['M', 'medium'],
  ['H', 'high'],
  ['VH', 'veryHigh'],
]);

/** Words in a value that only repeat the signal's name. */
const DECORATION: ReadonlySet<string> = new Set(
  'risk level rating lvl threat fraud severity risky tumbling'.split(' '),
);

/** Reads the values that a field has in the answers. */
export function readLevels(values: readonly Scalar[]): LevelReading {
  const texts = [...new Set(values.map((value) => String(value).trim()))];
  const areSteps = texts.length > 0 && texts.every((text) => /^\d+(?:\.\d+)?(?:\s*\/\s*\d+)?$/.test(text));
  const bare = texts.map(bareWords);
  const scale = { hasLow: bare.includes('low'), hasHigh: bare.includes('high') };
  const knownLevels = texts.flatMap((text): [string, Level][] => {
    const level = levelOf(text, scale);
    return level === undefined ? [] : [[text, level]];
  });
  if (areSteps || knownLevels.length === 0) {
    return { values: new Map(), kind: areSteps ? 'steps' : 'none', knowsAny: false, knowsAll: false };
  }
  const entries = knownLevels.filter(([text]) => !OWN.has(spellingKey(text)));
  const families = entries.map(([text]) => decorateAll(text));
  const areLetters = entries.length > 0 && entries.every(([text]) => LETTERS.has(text.toUpperCase()));
  return {
    values: uniqueSpellings(areLetters ? [...LETTERS] : [...families.flat(), ...entries]),
    kind: kindOf(
      entries.length,
      areLetters,
      families.every((family) => family.length > 0),
    ),
    knowsAny: true,
    knowsAll: knownLevels.length === texts.length,
  };
}

/** The level that one text means, given which steps the other texts have. */
export function levelOf(text: string, scale = { hasLow: false, hasHigh: false }): Level | undefined {
  const exact = OWN.get(spellingKey(text)) ?? LETTERS.get(text.trim().toUpperCase());
  if (exact) return exact;
  const bare = bareWords(text);
  if (SYNONYMS.has(bare)) return SYNONYMS.get(bare);
  if (scale.hasLow && BELOW_LOW.has(bare)) return 'veryLow';
  return scale.hasHigh && ABOVE_HIGH.has(bare) ? 'veryHigh' : undefined;
}

function kindOf(entries: number, areLetters: boolean, areDecorated: boolean): LevelReading['kind'] {
  if (entries === 0) return 'own';
  if (areLetters) return 'letters';
  return areDecorated ? 'decorated' : 'words';
}

/** The words without decoration and numbers: `medium` of `3 - MEDIUM RISK`. */
function bareWords(text: string): string {
  if (text.length > 40) return '';
  return withoutCodes(splitWords(text))
    .filter((word) => !DECORATION.has(word) && !/^\d+$/.test(word))
    .join(' ');
}

/** All levels, decorated like this one: `low risk` and so on for `MEDIUM RISK`. Empty if the text has another form. */
function decorateAll(text: string): readonly [string, Level][] {
  const words = splitWords(text);
  const phrase = words.join(' ');
  const bare = bareWords(text);
  const start = phrase.indexOf(bare);
  if (!OWN.has(bare.replaceAll(' ', '')) || start < 0) return [];
  if (words.some((word) => word.length === 1 || /^\d+$/.test(word))) return [];
  if (spellingKey(phrase) !== spellingKey(text)) return [];
  const [before, after] = [phrase.slice(0, start), phrase.slice(start + bare.length)];
  return LEVELS.map((level) => [before + splitWords(level).join(' ') + after, level]);
}

/** The first entry of each spelling. */
function uniqueSpellings(entries: readonly (readonly [string, Level])[]): ReadonlyMap<string, Level> {
  const byKey = new Map<string, readonly [string, Level]>();
  for (const entry of entries) if (!byKey.has(spellingKey(entry[0]))) byKey.set(spellingKey(entry[0]), entry);
  return new Map(byKey.values());
}
