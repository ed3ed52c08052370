/** Texts in which services write levels -> the steps of a `level`, and what a mapping has to say for them to be read. */

import { LEVELS, type Level } from '../../facts/catalog.ts';
import { type Scalar, spellingKey } from '../../facts/mapping/value/spelling-key.ts';
import { splitWords } from '../names/tokenise.ts';
import { withoutCodes } from './enums.ts';

/** What the values of a level are. */
export interface LevelReading {
  /** Entries for `values`, beyond the level's own names. */
  readonly values: ReadonlyMap<string, Level>;
  /** `own` names, own names with a word beside, `words` and letters for them, numbered `steps`, or something else. */
  readonly kind: 'own' | 'decorated' | 'letters' | 'words' | 'steps' | 'none';
  /** How many values can be read, of how many. */
  readonly read: number;
  readonly asked: number;
}

const OWN: ReadonlyMap<string, Level> = new Map(LEVELS.map((level) => [spellingKey(level), level]));

const PLAIN: ReadonlyMap<string, Level> = new Map([
  ['very low', 'veryLow'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['med', 'medium'],
  ['mid', 'medium'],
  ['middle', 'medium'],
  ['moderate', 'medium'],
  ['high', 'high'],
  ['very high', 'veryHigh'],
]);
/** The words of some other languages, which stay where the names have been translated. */
const FOREIGN: ReadonlyMap<string, Level> = new Map([
  ...['sehr niedrig', 'sehr gering', 'très faible', 'tres faible', 'muy bajo'].map(levelled('veryLow')),
  ...['niedrig', 'gering', 'faible', 'bajo', 'baixo', 'basso'].map(levelled('low')),
  ...['mittel', 'moyen', 'modéré', 'medio', 'médio'].map(levelled('medium')),
  ...['hoch', 'élevé', 'eleve', 'alto'].map(levelled('high')),
  ...['sehr hoch', 'très élevé', 'tres eleve', 'muy alto'].map(levelled('veryHigh')),
]);

function levelled(level: Level): (word: string) => readonly [string, Level] {
  return (word) => [word, level];
}

/** What these mean depends on what other steps there are: below a `low`, above a `high`. */
const BELOW_LOW: ReadonlySet<string> = new Set(['minimal', 'negligible', 'lowest', 'very minimal']);
const ABOVE_HIGH: ReadonlySet<string> = new Set(['critical', 'severe', 'extreme', 'highest', 'very severe']);

export const LETTERS: ReadonlyMap<string, Level> = new Map([
  ['VL', 'veryLow'],
  ['L', 'low'],
  ['M', 'medium'],
  ['H', 'high'],
  ['VH', 'veryHigh'],
]);

/** Words beside a step that say no more than the signal's own name. */
const DECORATION: ReadonlySet<string> = new Set(
  'risk level rating lvl threat fraud severity risky tumbling'.split(' '),
);

/** Reads the values that a signal has in the answers. */
export function readLevels(values: readonly Scalar[]): LevelReading {
  const texts = [...new Set(values.map((value) => String(value).trim()))];
  const steps = texts.filter((text) => /^\d+(?:\.\d+)?(?:\s*\/\s*\d+)?$/.test(text));
  if (steps.length > 0 && steps.length === texts.length) return none('steps', texts);
  const scale = {
    isBelow: texts.some((text) => barePart(text) === 'low'),
    isAbove: texts.some((text) => barePart(text) === 'high'),
  };
  const found = texts.map((text) => ({ text, level: levelOf(text, scale) }));
  const known = found.filter((one): one is { text: string; level: Level } => one.level !== undefined);
  if (known.length === 0) return none('none', texts);
  const entries = known.filter(({ text }) => !OWN.has(spellingKey(text)));
  const decorated = entries.map(({ text }) => family(text));
  const areLetters = entries.length > 0 && entries.every(({ text }) => LETTERS.has(text.toUpperCase()));
  const added = areLetters
    ? [...LETTERS]
    : [...decorated.flat(), ...entries.map(({ text, level }): [string, Level] => [text, level])];
  return {
    values: unique(added),
    kind: kindOf(
      entries.length,
      areLetters,
      decorated.every((one) => one.length > 0),
    ),
    read: known.length,
    asked: texts.length,
  };
}

/** The step that one text means, by itself. */
export function levelOf(text: string, scale = { isBelow: false, isAbove: false }): Level | undefined {
  const own = OWN.get(spellingKey(text)) ?? LETTERS.get(text.trim().toUpperCase());
  if (own) return own;
  const bare = barePart(text);
  return (
    PLAIN.get(bare) ??
    FOREIGN.get(bare) ??
    (scale.isBelow && BELOW_LOW.has(bare) ? 'veryLow' : scale.isAbove && ABOVE_HIGH.has(bare) ? 'veryHigh' : undefined)
  );
}

function kindOf(entries: number, areLetters: boolean, areDecorated: boolean): LevelReading['kind'] {
  if (entries === 0) return 'own';
  if (areLetters) return 'letters';
  return areDecorated ? 'decorated' : 'words';
}

/** Without decoration and numbers: `medium` of `3 - MEDIUM RISK`. */
function barePart(text: string): string {
  if (text.length > 40) return '';
  return withoutCodes(splitWords(text))
    .filter((word) => !DECORATION.has(word) && !/^\d+$/.test(word))
    .join(' ');
}

/** All steps written as this one is, where it is one of them with a word or two beside it: `MEDIUM RISK`. */
function family(text: string): readonly [string, Level][] {
  const words = splitWords(text);
  const bare = barePart(text);
  const level = OWN.get(bare.replaceAll(' ', ''));
  const at = words.join(' ').indexOf(bare);
  if (level === undefined || at < 0 || words.some((word) => word.length === 1 || /^\d+$/.test(word))) return [];
  if (spellingKey(words.join(' ')) !== spellingKey(text)) return [];
  const whole = words.join(' ');
  return LEVELS.map((one) => [whole.slice(0, at) + splitWords(one).join(' ') + whole.slice(at + bare.length), one]);
}

function unique(entries: readonly (readonly [string, Level])[]): ReadonlyMap<string, Level> {
  const byKey = new Map<string, readonly [string, Level]>();
  for (const entry of entries) if (!byKey.has(spellingKey(entry[0]))) byKey.set(spellingKey(entry[0]), entry);
  return new Map(byKey.values());
}

function none(kind: LevelReading['kind'], texts: readonly string[]): LevelReading {
  return { values: new Map(), kind, read: 0, asked: texts.length };
}
