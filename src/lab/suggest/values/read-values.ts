/** The values of a field -> whether they can be those of a fact, and the keys that a mapping needs to read them. */

import { CATALOG_TABLE, type FactDefinition, type FactType, LEVELS } from '../../../facts/catalog.ts';
import { NEVER } from '../../../facts/fact.ts';
import type { Scalar } from '../../../facts/mapping/value/spelling-key.ts';
import type { Subject } from '../names/subject.ts';
import { type DaySeries, readDays } from './days.ts';
import { enumValueOf, readEnum } from './enums.ts';
import { readLevels } from './levels.ts';
import { askDirection, readDegrees, readScore } from './numbers.ts';
import { isCommonPlaceholder, isOwnPlaceholder } from './placeholder.ts';
import { createReading, type Evidence, type Reader, type Reading } from './reading.ts';

/** Undefined if the values cannot be those of the fact. */
export function readValues(
  path: string,
  samples: readonly (Scalar | null)[],
  subject: Subject,
  evidence: Evidence,
): Reading | undefined {
  const fact = CATALOG_TABLE.get(path);
  if (!fact) return undefined;
  const scalars = samples.filter((value): value is Scalar => !isCommonPlaceholder(value));
  const placeholders = new Set(scalars.filter((value) => isPlaceholder(value, path, fact)));
  const values = scalars.filter((value) => !placeholders.has(value));
  const reading =
    values.length === 0 ? withoutValues(path, fact) : READERS[fact.type](values, subject, evidence, path, fact);
  if (!reading || placeholders.size === 0) return reading;
  const names = [...placeholders].map((value) => (typeof value === 'string' ? value.trim() : value));
  return { ...reading, keys: { ...reading.keys, placeholders: [...new Set(names)] } };
}

function isPlaceholder(value: Scalar, path: string, { type }: FactDefinition): boolean {
  if (type === 'date' && isNeverWord(value)) return false;
  if (type === 'enum' && enumValueOf(path, String(value).trim()) !== undefined) return false;
  return isOwnPlaceholder(value, type);
}

/** A score without values is a guess: nothing shows its scale. */
function withoutValues(path: string, { type, unit }: FactDefinition): Reading {
  const isScore = type === 'number' && unit !== 'degrees';
  const ask = isScore ? ['what scale is it on?', askDirection(path)] : [];
  return createReading(isScore ? 'guess' : 'likely', 'no answer has a value here', { outcome: 'noValues', ask });
}

const NO_NAME = /@|:\/\/|^\d{4}-\d{2}-\d{2}|^(?:true|false|yes|no|ok|success|successful)$/i;

const readText: Reader = (values, { facets }) => {
  const isText = (value: Scalar) =>
    typeof value === 'string' && value.length <= 200 && /\p{L}{2}/u.test(value) && !NO_NAME.test(value.trim());
  return values.every(isText) && !facets.has('code') ? createReading('sure', 'a text') : undefined;
};

const ASK_OTHER_VALUES = 'what do its other values mean? (They are read as invalid.)';

const readLevel: Reader = (values, { leaf, tail }) => {
  const isFlag = (value: Scalar) => typeof value === 'boolean' || /^(?:true|false|yes|no|y|n)$/i.test(value.toString());
  if (values.some(isFlag)) return undefined;
  const { values: added, kind, knowsAny, knowsAll } = readLevels(values);
  if (leaf.has('trust') || tail.has('trust')) {
    return createReading('guess', 'its name says trust, not risk', {
      outcome: knowsAny ? 'readable' : 'unreadable',
      ask: ['does high mean high risk or high trust?'],
    });
  }
  if (kind === 'steps') return readNumberedLevel(values);
  if (kind === 'none') {
    return createReading('guess', 'its values are not known levels', {
      outcome: 'unreadable',
      ask: ['what are its values, and what do they mean?'],
    });
  }
  return createReading(kind === 'own' || kind === 'decorated' ? 'sure' : 'likely', LEVEL_WHY[kind], {
    keys: added.size > 0 ? { values: Object.fromEntries(added) } : {},
    ask: knowsAll ? [] : [ASK_OTHER_VALUES],
  });
};

const LEVEL_WHY = {
  own: 'its values are names of levels',
  decorated: 'its values are names of levels with an extra word',
  letters: 'its values are initials of levels',
  words: 'its values are synonyms of levels',
} as const;

/** Numbered steps: no answer shows how many there are, where they start and which end is the riskiest. */
function readNumberedLevel(values: readonly Scalar[]): Reading {
  const isFifths = values.every((value) => /^[0-5](?:\s*\/\s*5)?$/.test(String(value).trim()));
  const hasZero = values.some((value) => Number.parseFloat(String(value)) === 0);
  const suffix = values.some((value) => String(value).includes('/')) ? '/5' : '';
  const steps = Object.fromEntries(LEVELS.map((level, index) => [`${index + 1}${suffix}`, level]));
  return createReading('guess', 'a level given as a number', {
    keys: isFifths && !hasZero ? { values: steps } : {},
    outcome: 'unreadable',
    ask: ['how many steps are there, do they start at 0 or at 1, and is the highest the riskiest?'],
  });
}

const readEnumValue: Reader = (values, { leaf, shown }, _, path) => {
  if (values.every((value) => typeof value === 'boolean')) return readFlag(leaf, path) ?? readPlanFlag(shown, path);
  if (values.some((value) => typeof value === 'boolean')) return undefined;
  const { values: added, knowsAny, knowsAll } = readEnum(path, values);
  if (!knowsAny) {
    return createReading('guess', 'its values are not known values of the fact', {
      outcome: 'unreadable',
      ask: ['what are its values, and what do they mean?'],
    });
  }
  const why = added.size > 0 ? "its values are synonyms of the fact's values" : 'its values are values of the fact';
  return createReading(added.size > 0 || !knowsAll ? 'likely' : 'sure', why, {
    keys: added.size > 0 ? { values: Object.fromEntries(added) } : {},
    ask: knowsAll ? [] : [ASK_OTHER_VALUES],
  });
};

/** `active: true` distinguishes two states; any other flag leaves open which of several values is meant. */
function readFlag(leaf: Subject['leaf'], path: string): Reading | undefined {
  const values =
    leaf.has('active') && path === 'phone.status'
      ? { true: 'active', false: 'inactive' }
      : leaf.has('deliverable') && path === 'email.address.status'
        ? { true: 'valid', false: 'invalid' }
        : undefined;
  return values && createReading('likely', 'a flag whose name gives its meaning', { keys: { values } });
}

/** `prepaid: true` gives the plan; `prepaid: false` does not, since there are more than two plans. */
function readPlanFlag(shown: string, path: string): Reading | undefined {
  const [, plan] = /(pre|post)[\W_]?pa(?:id|y)\W*$/i.exec(shown) ?? [];
  if (path !== 'phone.serviceType' || plan === undefined) return undefined;
  return createReading('likely', 'a flag whose name gives the meaning of true', {
    keys: { values: { true: `${plan.toLowerCase()}paid` }, placeholders: [false] },
    ask: ['what does false mean?'],
  });
}

const readCount: Reader = (values, { units }) => {
  const isCount = (value: Scalar) => typeof value !== 'boolean' && /^\d{1,9}$/.test(String(value).trim());
  return units.size === 0 && values.every(isCount) ? createReading('sure', 'a whole number') : undefined;
};

const readNumber: Reader = (values, subject, evidence, path, fact) =>
  fact.unit === 'degrees' ? readDegrees(values, fact) : readScore(values, subject, evidence, path);

const NEVER_WORD = /^(?:never(?: \p{L}+)?|not ported|no ports?|not breached|no breach(?:es)?|no hits?|not leaked)$/iu;

function isNeverWord(value: Scalar): boolean {
  return typeof value === 'string' && NEVER_WORD.test(value.trim());
}

const readDate: Reader = (values, { units, leaf, aside }, { order }) => {
  const never = values.filter(isNeverWord).map((value) => String(value).trim());
  const dates = values.filter((value) => !isNeverWord(value));
  const isAge = units.has('daysAgo') || (leaf.has('age') && (units.has('days') || /days/i.test(aside)));
  if (units.has('otherUnit') || dates.some((value) => typeof value === 'boolean')) return undefined;
  const series = readDays(dates, order, isAge);
  if (!series || (leaf.has('age') && !isAge)) return undefined;
  return {
    ...judgeDays(series, isAge),
    keys: {
      ...(series.formats.length > 0 ? { formats: series.formats } : {}),
      ...(never.length > 0 ? { values: Object.fromEntries(never.map((word) => [word, NEVER])) } : {}),
    },
    outcome: dates.length === 0 ? 'noValues' : series.partial < dates.length ? 'readable' : 'unreadable',
  };
};

function judgeDays({ order, isSupported, formats, partial }: DaySeries, isAge: boolean): Reading {
  const shown = formats.join(', ');
  if (!isSupported) {
    const why = `dates that no format reads (${shown})`;
    return createReading('guess', why, { ask: ['can it send dates as yyyy-MM-dd?'] });
  }
  if (order === 'open') {
    const why = 'no date in the answers shows whether the day or the month comes first';
    return createReading('guess', why, { ask: ['does the day or the month come first?'] });
  }
  if (order === 'elsewhere') {
    const why = `${shown}, as other dates in the answers show`;
    return createReading('likely', why, { ask: ['does the day or the month come first?'] });
  }
  if (isAge) {
    const why = 'its name says days; they are counted back from the day of the decision';
    return createReading('likely', why, { ask: ['from which day does it count?'] });
  }
  if (partial > 0) {
    const why = 'dates, some without a day; those are read as invalid';
    return createReading('likely', why, { ask: ['can it send complete dates?'] });
  }
  return createReading('sure', shown === '' ? 'ISO dates' : `dates as ${shown}`);
}

const READERS: Readonly<Record<FactType, Reader>> = {
  string: readText,
  level: readLevel,
  enum: readEnumValue,
  integer: readCount,
  number: readNumber,
  date: readDate,
  // Match results have no profile: answers show too little of them.
  boolean: () => undefined,
};
