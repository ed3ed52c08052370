/** What people write in place of values -> the values, or what to write instead. */

import { isDay } from '../../../facts/day.ts';
import type { DiagnosticDetails } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { lettersOf, type Synonyms } from '../../../text.ts';

/** What to say of a value that is wrong. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix'>;

const NEXT_STEP = {
  hint: 'a policy accepts, reviews or rejects: write `review`, and name the next step in `reason` or `tags`',
};

/** Outcomes. */
export const OUTCOME_SYNONYMS: Synonyms = {
  decline: 'reject',
  declined: 'reject',
  block: 'reject',
  blocked: 'reject',
  deny: 'reject',
  denied: 'reject',
  refuse: 'reject',
  rejected: 'reject',
  approve: 'accept',
  approved: 'accept',
  accepted: 'accept',
  allow: 'accept',
  allowed: 'accept',
  pass: 'accept',
  ok: 'accept',
  manual: 'review',
  manualreview: 'review',
  reviewed: 'review',
  refer: 'review',
  stepup: NEXT_STEP,
  challenge: NEXT_STEP,
  escalate: NEXT_STEP,
  hold: NEXT_STEP,
};

/** Outcomes of rules, which may ask for none. */
export const RULE_OUTCOME_SYNONYMS: Synonyms = {
  ...OUTCOME_SYNONYMS,
  none: { hint: 'leave `then` out for a rule that only adds points' },
};

/** `then: +10`, `then: { points: 10 }`. */
export function pointsMeant(node: Yaml): Answer | undefined {
  const points = node.kind === 'map' ? node.entries.get('points')?.value : node;
  if (points?.kind !== 'scalar' || typeof points.value !== 'number') return undefined;
  return { hint: `write \`points: ${points.value}\` in place of it, or beside an outcome` };
}

/** What a rule asks for if its condition is unknown. */
export const WHEN_UNKNOWN_SYNONYMS: Synonyms = {
  accept: { hint: 'with `ignore` the rule asks for nothing' },
  manual: 'review',
  refer: 'review',
  skip: 'ignore',
  reject: { hint: 'to reject what is missing, write a rule with `{ known: false }`' },
};

const SHADOW = {
  hint: 'leave `mode` out for a rule that has effect; to switch it off, write `mode: shadow` or remove it',
};

/** Modes of rules. */
export const MODE_SYNONYMS: Synonyms = {
  off: SHADOW,
  disabled: SHADOW,
  inactive: SHADOW,
  on: SHADOW,
  live: SHADOW,
  active: SHADOW,
  enforce: SHADOW,
  trial: 'shadow',
  test: 'shadow',
  dryrun: 'shadow',
  monitor: 'shadow',
};

const NUMERIC = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
const YEAR_FIRST = /^(\d{4})([./-]?)(\d{1,2})\2(\d{1,2})$/;

/** A day in another form: the day that is meant; of two readings, both. */
export function dayMeant(text: string): Answer {
  const [, first, separator, second, year] = NUMERIC.exec(text) ?? [];
  if (first !== undefined && second !== undefined && year !== undefined) {
    const [dayFirst, monthFirst] = [dayOf(year, second, first), dayOf(year, first, second)];
    // Dots separate days of countries that write the day first.
    const days = [...new Set(separator === '.' ? [dayFirst] : [dayFirst, monthFirst])];
    const [one, other] = days.filter((day) => isDay(day));
    if (one !== undefined && other !== undefined)
      return { hint: `write ${one} if the day is first, ${other} if the month is` };
    return one === undefined ? {} : { hint: `write ${one}`, fix: { value: one } };
  }
  const [, fourDigits, , month, day] = YEAR_FIRST.exec(text) ?? [];
  const meant = fourDigits && month && day && dayOf(fourDigits, month, day);
  if (meant && isDay(meant)) return { hint: `write ${meant}`, fix: { value: meant } };
  const [, monthWritten, dayWritten = ''] = /^(\d{4}-(?:0[1-9]|1[0-2]))-(29|30|31)$/.exec(text) ?? [];
  if (monthWritten !== undefined) {
    const last = ['30', '29', '28'].find((each) => each < dayWritten && isDay(`${monthWritten}-${each}`));
    return { hint: `the month has ${last} days` };
  }
  const named = dayInWords(text);
  if (named !== undefined) return { hint: `write ${named}`, fix: { value: named } };
  if (/^(never|forever|none)$/i.test(text)) return { hint: 'leave the key out: without it there is no such day' };
  const [, beforeTime] = /^(\d{4}-\d\d-\d\d)[T ]\d/.exec(text) ?? [];
  return beforeTime !== undefined && isDay(beforeTime) ? { hint: `write the day alone, ${beforeTime}` } : {};
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The day of `1 Feb 2026` and `February 1, 2026`. */
function dayInWords(text: string): string | undefined {
  const [, day = '', month = ''] = /^(\d{1,2})[. -]+([A-Za-z]{3,9})\b/.exec(text) ?? [];
  const [, other = '', dayAfter = ''] = /^([A-Za-z]{3,9})[. ]+(\d{1,2})\b/.exec(text) ?? [];
  const [year = ''] = /\b\d{4}$/.exec(text) ?? [];
  const index = MONTHS.indexOf((month || other).slice(0, 3).toLowerCase()) + 1;
  const meant = dayOf(year, String(index), day || dayAfter);
  return isDay(meant) ? meant : undefined;
}

/** `dayMeant` of a day that a date is compared with. */
export function comparedDayMeant(text: string): Answer {
  const days = DAYS_AGO[text.toLowerCase()];
  if (days !== undefined) return { hint: `a day that moves is a duration: write \`withinLast: ${days}\`` };
  if (/^(none|nil|n\/a)$/i.test(text)) {
    return { hint: 'write `never` for what never happened; to test whether a date is missing, `known: false`' };
  }
  const [, before = '', amount, unit = 'days'] = /^(\D*)(\d{1,5})(?: (days?|weeks?))?(?: ago)?$/.exec(text) ?? [];
  const word = lettersOf(before);
  const operators = AGES.filter(({ words }) => words.has(word));
  if (amount === undefined || operators.length === 0) return dayMeant(text);
  const ago = `${amount} ${amount === '1' ? unit.replace(/s$/, '') : unit}`;
  const tests = operators.map(({ operator }) => `\`${operator}: ${ago}\``);
  return { hint: `a day that moves is a duration: write ${tests.join(' or ')}` };
}

/** The tests of the age of a date, and what people write before an age, by its letters. */
const AGES = [
  { operator: 'olderThan', words: new Set(['', '>', 'over', 'olderthan', 'morethan']) },
  {
    operator: 'withinLast',
    words: new Set(['', '<', '<=', 'last', 'thelast', 'inthelast', 'within', 'past', 'newerthan']),
  },
];

const DAYS_AGO: Readonly<Record<string, string>> = { today: '0 days', now: '0 days', yesterday: '1 day' };

function dayOf(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const SHORT = /^(?:-|last |past )?([1-9]\d{0,6}|0)\s*(d|days?|w|wks?|weeks?)?$/i;

/** A duration in another form. */
export function durationMeant(text: string): Answer {
  const [, amount, unit = 'd'] = SHORT.exec(text.trim()) ?? [];
  if (amount !== undefined) {
    const meant = `${amount} ${/^w/i.test(unit) ? 'week' : 'day'}${amount === '1' ? '' : 's'}`;
    return { hint: `write "${meant}"`, fix: { value: meant } };
  }
  if (/year/i.test(text))
    return { hint: 'years have no fixed length: test them with `yearsSince`, or write days or weeks' };
  if (/month|quarter/i.test(text)) return { hint: 'months have no fixed length: write days or weeks' };
  if (/\d\s*(h|hours?|m|min|minutes?)$/i.test(text)) return { hint: 'a date is a day without a time: write days' };
  return { hint: 'write it like "30 days", "1 day" or "2 weeks"' };
}
