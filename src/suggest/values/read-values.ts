/** The values that stand at a place -> whether they can be those of a fact, and what a mapping says for them to be read. */

import { CATALOG_TABLE, type FactDefinition, type FactType } from '../../facts/catalog.ts';
import { NEVER } from '../../facts/fact.ts';
import type { Scalar } from '../../facts/mapping/value/spelling-key.ts';
import type { Subject } from '../names/subject.ts';
import { readDays } from './days.ts';
import { readEnum } from './enums.ts';
import { readLevels } from './levels.ts';
import { askOfUpperEnd, readDegrees, readScore } from './numbers.ts';
import { isCommonPlaceholder, isOwnPlaceholder } from './placeholder.ts';
import type { Evidence, Reader, Reading, SignalKeys } from './reading.ts';

/** Undefined where the values are plainly not those of the fact. */
export function readValues(
  path: string,
  samples: readonly (Scalar | null)[],
  subject: Subject,
  evidence: Evidence,
): Reading | undefined {
  const fact = CATALOG_TABLE.get(path);
  if (!fact) return undefined;
  const told = samples.filter((value): value is Scalar => !isCommonPlaceholder(value));
  const own = told.filter((value) => isNone(value, path, fact));
  const values = told.filter((value) => !own.includes(value));
  const named = own.length > 0 ? { placeholders: [...new Set(own.map(placeholderOf))] } : {};
  if (values.length === 0) return withPlaceholders(unseen(path, fact), named);
  const reading = READERS[fact.type](values, subject, evidence, path, fact);
  return reading && withPlaceholders(reading, named);
}

function isNone(value: Scalar, path: string, { type }: FactDefinition): boolean {
  if (type === 'date' && isNeverWord(value)) return false;
  if (type === 'enum' && readEnum(path, [value]).read > 0) return false;
  return isOwnPlaceholder(value, type);
}

function placeholderOf(value: Scalar): Scalar {
  return typeof value === 'string' ? value.trim() : value;
}

function withPlaceholders(reading: Reading, named: SignalKeys): Reading {
  return { ...reading, keys: { ...reading.keys, ...named } };
}

const NO_VALUE = 'no value was seen there';

/** What a place without values can be: how dates and texts are read is known all the same, a score's scale is not. */
function unseen(path: string, { type, unit }: FactDefinition): Reading {
  const isScore = type === 'number' && unit !== 'degrees';
  const ask = isScore ? ['what scale is it on?', askOfUpperEnd(path)] : [];
  return { keys: {}, sureness: isScore ? 'guess' : 'likely', read: 0, asked: 0, why: [NO_VALUE], ask };
}

const readText: Reader = (values, { facets }) => {
  const isText = (value: Scalar) => typeof value === 'string' && value.length <= 200 && /\p{L}{2}/u.test(value);
  if (!values.every(isText) || facets.has('code')) return undefined;
  if (
    values.some((value) =>
      /@|:\/\/|^\d{4}-\d{2}-\d{2}|^(?:true|false|yes|no|ok|success|successful)$/i.test(String(value).trim()),
    )
  )
    return undefined;
  return { keys: {}, sureness: 'sure', read: values.length, asked: values.length, why: ['a text'], ask: [] };
};

const readLevel: Reader = (values, { leaf, tail }) => {
  if (values.some((value) => typeof value === 'boolean' || /^(?:true|false|yes|no|y|n)$/i.test(String(value))))
    return undefined;
  const { values: added, kind, read, asked } = readLevels(values);
  const keys = added.size > 0 ? { values: Object.fromEntries(added) } : {};
  const isTrust = leaf.has('trust') || tail.has('trust');
  if (isTrust)
    return {
      keys: {},
      sureness: 'guess',
      read,
      asked,
      why: ['its name speaks of trust, not of risk'],
      ask: ['does high mean risk or trust?'],
    };
  if (kind === 'steps') return numberedLevel(values);
  if (kind === 'none') {
    const why = ['its values are no levels that are known'];
    return { keys: {}, sureness: 'guess', read, asked, why, ask: ['which steps are there, and what do they mean?'] };
  }
  const ask = read < asked ? ['what do its other values mean? They come out as invalid'] : [];
  return {
    keys,
    sureness: kind === 'own' || kind === 'decorated' ? 'sure' : 'likely',
    read,
    asked,
    why: [LEVEL_WHY[kind]],
    ask,
  };
};

const LEVEL_WHY = {
  own: 'its values are the names of levels',
  decorated: 'its values are the names of levels with a word beside',
  letters: 'its values are the first letters of levels',
  words: 'its values are words for levels',
} as const;

/** Numbered steps: how many there are, from where they count and in which direction, no answer shows. */
function numberedLevel(values: readonly Scalar[]): Reading {
  const numbers = values.map((value) => Number.parseFloat(String(value)));
  const isFifths = values.every((value) => /^[0-5](?:\s*\/\s*5)?$/.test(String(value).trim())) && !numbers.includes(0);
  const suffix = values.some((value) => String(value).includes('/')) ? '/5' : '';
  const names = ['veryLow', 'low', 'medium', 'high', 'veryHigh'];
  const steps = Object.fromEntries(names.map((name, index) => [`${index + 1}${suffix}`, name]));
  return {
    keys: isFifths ? { values: steps } : {},
    sureness: 'guess',
    read: 0,
    asked: values.length,
    why: ['a bare number for a level'],
    ask: ['how many steps are there, from 0 or from 1, and is the highest the riskiest?'],
  };
}

const readEnumValue: Reader = (values, { leaf, shown }, _, path) => {
  if (values.every((value) => typeof value === 'boolean')) return readFlag(leaf, path) ?? readPlanFlag(shown, path);
  if (values.some((value) => typeof value === 'boolean')) return undefined;
  const { values: added, read, asked } = readEnum(path, values);
  const keys = added.size > 0 ? { values: Object.fromEntries(added) } : {};
  if (read === 0) {
    const why = ['its values are none that are known'];
    return { keys, sureness: 'guess', read, asked, why, ask: ['which values are there, and what do they mean?'] };
  }
  const why = [added.size > 0 ? "its values are known words for the fact's" : "its values are the fact's own"];
  const ask = read < asked ? ['what do its other values mean? They come out as invalid'] : [];
  return { keys, sureness: added.size > 0 || read < asked ? 'likely' : 'sure', read, asked, why, ask };
};

/** `active: true` says which of two states it is; no other flag says which of several. */
function readFlag(leaf: Subject['leaf'], path: string): Reading | undefined {
  const [yes, no] =
    leaf.has('active') && path === 'phone.status'
      ? ['active', 'inactive']
      : leaf.has('deliverable') && path === 'email.address.status'
        ? ['valid', 'invalid']
        : [];
  if (yes === undefined) return undefined;
  return {
    keys: { values: { true: yes, false: no } },
    sureness: 'likely',
    read: 1,
    asked: 1,
    why: ['a flag whose name says what it means'],
    ask: [],
  };
}

/** `prepaid: true` says how a line is paid for; `prepaid: false` does not, for there are more ways than two. */
function readPlanFlag(shown: string, path: string): Reading | undefined {
  if (path !== 'phone.serviceType') return undefined;
  const plan = /pre[\W_]?pa(?:id|y)\W*$/i.test(shown)
    ? 'prepaid'
    : /post[\W_]?pa(?:id|y)\W*$/i.test(shown)
      ? 'postpaid'
      : undefined;
  if (plan === undefined) return undefined;
  return {
    keys: { values: { true: plan }, placeholders: [false] },
    sureness: 'likely',
    read: 1,
    asked: 1,
    why: ['a flag whose name says what it means where it is true'],
    ask: ['what is a line for which it is false?'],
  };
}

const readCount: Reader = (values, { units }) => {
  if (units.size > 0) return undefined;
  const isCount = (value: Scalar) => typeof value !== 'boolean' && /^\d{1,9}$/.test(String(value).trim());
  if (!values.every(isCount)) return undefined;
  return { keys: {}, sureness: 'sure', read: values.length, asked: values.length, why: ['a whole number'], ask: [] };
};

const readNumber: Reader = (values, subject, evidence, path, fact) =>
  fact.unit === 'degrees' ? readDegrees(values, fact) : readScore(values, subject, evidence, path);

const NEVER_WORD = /^(?:never(?: \p{L}+)?|not ported|no ports?|not breached|no breach(?:es)?|no hits?|not leaked)$/iu;

function isNeverWord(value: Scalar): boolean {
  return typeof value === 'string' && NEVER_WORD.test(value.trim());
}

const readDate: Reader = (values, subject, { order }) => {
  const never = [...new Set(values.filter(isNeverWord).map((value) => String(value).trim()))];
  const dates = values.filter((value) => !isNeverWord(value));
  const isAge =
    subject.units.has('daysAgo') ||
    (subject.leaf.has('age') && (subject.units.has('days') || /days/i.test(subject.aside)));
  if (subject.units.has('otherUnit') || dates.some((value) => typeof value === 'boolean')) return undefined;
  const series = readDays(dates, order, isAge);
  if (!series || (subject.leaf.has('age') && !isAge)) return undefined;
  const keys = {
    ...(series.formats.length > 0 ? { formats: series.formats } : {}),
    ...(never.length > 0 ? { values: Object.fromEntries(never.map((word) => [word, NEVER])) } : {}),
  };
  const read = series.partial === dates.length ? 0 : dates.length - series.partial;
  return { keys, read, asked: dates.length, ...judgeDays(series, isAge) };
};

function judgeDays(
  { order, supported, formats, partial }: NonNullable<ReturnType<typeof readDays>>,
  isAge: boolean,
): Pick<Reading, 'sureness' | 'why' | 'ask'> {
  const shown = formats.join(', ');
  if (!supported) {
    return {
      sureness: 'guess',
      why: [`dates in a form that no format reads (${shown})`],
      ask: ['can dates come as yyyy-MM-dd?'],
    };
  }
  if (order === 'open') {
    return {
      sureness: 'guess',
      why: ['no date in the answers shows whether the day or the month stands first'],
      ask: ['is it the day or the month?'],
    };
  }
  if (order === 'elsewhere')
    return {
      sureness: 'likely',
      why: [`${shown}, as other dates of the answers show`],
      ask: ['does the day or the month stand first?'],
    };
  if (isAge)
    return {
      sureness: 'likely',
      why: ['its name says days, which are counted back from the day of the decision'],
      ask: ['from which day are they counted?'],
    };
  const partly =
    partial > 0
      ? {
          sureness: 'likely' as const,
          why: ['dates, some without a day, which come out as invalid'],
          ask: ['can it give whole dates?'],
        }
      : undefined;
  return partly ?? { sureness: 'sure', why: [shown === '' ? 'ISO dates' : `dates as ${shown}`], ask: [] };
}

const READERS: Readonly<Record<FactType, Reader>> = {
  string: readText,
  level: readLevel,
  enum: readEnumValue,
  integer: readCount,
  number: readNumber,
  date: readDate,
  // A match result, of which the answers show too little: see the profiles, which have none.
  boolean: () => undefined,
};
