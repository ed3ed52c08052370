/** What people write in files of tests -> what they mean; a relative day -> the day that it means. */

import { dayNumber, dayOfNumber, dayWithYears } from '../../facts/day.ts';
import { CAUSES, NEVER } from '../../facts/fact.ts';
import type { JsonSchema } from '../../facts/json-schema.ts';
import type { DiagnosticDetails } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { dayMeant, OUTCOME_SYNONYMS } from '../../policy/read/mistakes/values.ts';
import { lettersOf, type Synonyms } from '../../text.ts';

/** What a diagnostic says of a mistake. */
export type Answer = Pick<DiagnosticDetails, 'hint' | 'fix'>;

/** Keys of a file of tests. */
export const FILE_SYNONYMS: Synonyms = {
  ...{ policies: 'policy', cases: 'tests', parameters: 'with', params: 'with', signals: 'mapping' },
  ...{ date: 'at', day: 'at', on: 'at', today: 'at', sets: 'facts', fixtures: 'facts' },
};

/** Not a name of a property: an object with `then` looks like a promise. */
const THEN = 'then';

const INSIDE = { means: 'expect', hint: 'what is expected of a decision goes into `expect: { … }`' };

const IN_TABLE = { means: 'table', hint: 'columns and rows go into `table: { columns: …, rows: … }`' };

/** Keys of a test. */
export const TEST_SYNONYMS: Synonyms = {
  ...{ outcome: INSIDE, reasons: INSIDE, not: INSIDE, score: INSIDE, notice: INSIDE, rules: INSIDE },
  ...{ undetermined: INSIDE, reason: INSIDE },
  ...{ expected: 'expect', expects: 'expect', [THEN]: 'expect', should: 'expect', result: 'expect' },
  ...{ given: 'facts', when: 'facts', input: 'facts', base: 'from', extends: 'from', start: 'from' },
  ...{ title: 'name', test: 'name', id: 'name', rows: IN_TABLE, columns: IN_TABLE, cases: 'table', examples: 'table' },
  ...{ parameters: 'with', params: 'with', date: 'at', day: 'at', on: 'at' },
};

/** Keys of `expect`. */
export const EXPECTATION_SYNONYMS: Synonyms = {
  ...{ result: 'outcome', decision: 'outcome', verdict: 'outcome', [THEN]: 'outcome', is: 'outcome' },
  ...{ codes: 'reasons', code: 'reasons', points: 'score', fired: 'rules', fires: 'rules', ids: 'rules' },
  ...{ rule: 'rules', unknown: 'undetermined', without: 'not', message: 'notice' },
};

/** Columns of a table. */
export const COLUMN_SYNONYMS: Synonyms = {
  ...EXPECTATION_SYNONYMS,
  expect: 'outcome',
  expected: 'outcome',
  title: 'name',
};

/** Causes of missing facts. */
export const CAUSE_SYNONYMS: Synonyms = {
  ...{ down: 'sourceFailed', failed: 'sourceFailed', failure: 'sourceFailed', error: 'sourceFailed' },
  ...{ timeout: 'sourceFailed', outage: 'sourceFailed', unavailable: 'sourceFailed' },
  ...{ missing: 'notReturned', absent: 'notReturned', notfound: 'notReturned', nodata: 'notReturned' },
  ...{ skipped: 'notRequested', unrequested: 'notRequested', wrong: 'invalid', malformed: 'invalid' },
};

const NUMERALS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const UNIT = '(d|days?|w|wks?|weeks?|months?|y|yrs?|years?)';
const LOOSE_AGO = new RegExp(
  `^-?(\\d{1,6}|an?|last|${NUMERALS.join('|')})\\s*${UNIT}(?: (?:ago|before|earlier|back))?$`,
);
const LOOSE_AHEAD = new RegExp(`^(?:in )?\\+?(\\d{1,6}|an?|next|${NUMERALS.join('|')})\\s*${UNIT}(?: ahead| later)?$`);

/** The quotes of word processors, which YAML takes for a part of the text. */
const CURLY = /[“”„‟«»‘’‚‛]/g;

/** A relative day in other words, or a date in another form. */
export function anyDayMeant(text: string): Answer {
  const plain = text.replace(CURLY, '').trim().toLowerCase().replace(/\s+/g, ' ');
  if (plain === NEVER || readRelativeDay(plain)) return { hint: `write ${plain}`, fix: { value: plain } };
  if (/month/.test(plain)) return { hint: 'months have no fixed length: write days or weeks, such as "60 days ago"' };
  if (/^\d+ ?(d|day|w|wk|week)s?$/.test(plain)) {
    const duration = inWords(LOOSE_AGO.exec(plain));
    return { hint: `write "${duration} ago" or "in ${duration}"` };
  }
  const back = inWords(LOOSE_AGO.exec(plain));
  if (back !== undefined) return { hint: `write "${back} ago"`, fix: { value: `${back} ago` } };
  const ahead = inWords(LOOSE_AHEAD.exec(plain));
  if (ahead === undefined) return causeMeant(text) ?? dayMeant(text);
  const isYears = ahead.includes('year');
  return isYears
    ? { hint: 'write the day: yyyy-MM-dd' }
    : { hint: `write "in ${ahead}"`, fix: { value: `in ${ahead}` } };
}

/** `7 days` for the amount and the unit that a pattern found. */
function inWords(found: RegExpExecArray | null): string | undefined {
  const [, word = '', letters = ''] = found ?? [];
  if (!found) return undefined;
  const spelt = NUMERALS.indexOf(word) + 1;
  const amount = /^\d/.test(word) ? Number(word) : Math.max(spelt, 1);
  const unit = letters.startsWith('d') ? 'day' : letters.startsWith('w') ? 'week' : 'year';
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

const NO_VALUE = ['missing', 'unknown', 'undefined', 'none', 'n/a', 'na', 'null', 'empty'];

/** A word for a missing value, or a cause alone, in place of a value. */
export function causeMeant(text: string): Answer | undefined {
  const letters = lettersOf(text.replace(/^\W*missing\s*[:=](?=.*\w)/, ''));
  const cause = CAUSES.find((each) => lettersOf(each) === letters);
  if (cause === undefined && !NO_VALUE.includes(letters)) return undefined;
  const meant = `{ missing: ${cause ?? 'notReturned'} }`;
  return { hint: `write \`${meant}\` for a fact without a value` };
}

/** `expect: review`. */
export function expectationMeant(node: Yaml): Answer | undefined {
  const text = textOf(node);
  const meant = text === undefined ? undefined : (OUTCOME_SYNONYMS[lettersOf(text)] ?? lettersOf(text));
  const outcome = OUTCOMES.find((each) => each === meant);
  return outcome && rewritten(node, `{ outcome: ${outcome} }`);
}

/** The name of a file alone: `table: cases.csv`, and `clean: facts/clean.yaml` for a set of facts. */
export function fileMeant(node: Yaml): Answer | undefined {
  const text = textOf(node);
  return text !== undefined && /^[\w./-]+\.(csv|ya?ml|json)$/i.test(text)
    ? rewritten(node, `{ file: ${text} }`)
    : undefined;
}

/** `table` without its keys. */
export function tableMeant(node: Yaml): Answer | undefined {
  if (node.kind !== 'list') return fileMeant(node);
  return { hint: 'write `columns: [ … ]` and below it `rows:`, each row a list of its cells' };
}

/** `reasons: none`. */
export function emptyListMeant(node: Yaml): Answer | undefined {
  return NO_VALUE.includes(lettersOf(textOf(node) ?? '')) ? rewritten(node, '[]') : undefined;
}

const NOTICE_WORDS: Readonly<Record<string, string>> = {
  ...{ false: 'none', no: 'none', none: 'none', nothing: 'none' },
  ...{ true: 'any', yes: 'any', any: 'any', some: 'any' },
};

/** `notice: no`, `notice: None`, `notice: true`. */
export function noticeMeant(node: Yaml): Answer | undefined {
  const text = textOf(node);
  const value = text === undefined ? undefined : NOTICE_WORDS[lettersOf(text)];
  return value === undefined || value === text ? undefined : { hint: `write ${value}`, fix: { value } };
}

/** `from: known, ported`. */
export function textsMeant(node: Yaml): Answer | undefined {
  const texts = textOf(node)?.split(/\s*,\s*/) ?? [];
  return texts.length > 1 && texts.every((text) => /^[\w./-]+$/.test(text))
    ? rewritten(node, `[${texts.join(', ')}]`)
    : undefined;
}

/** `missing: [phone.score]`, `missing: phone.score`, `missing: sourceFailed`. */
export function missingMeant(node: Yaml): Answer | undefined {
  const [text] = node.kind === 'list' ? node.items.map(textOf) : [textOf(node)];
  // Anything else may be personal.
  if (text === undefined || !/^[a-z][\w.]*(\.\*)?$/i.test(text)) return undefined;
  const isCause = CAUSES.some((cause) => cause === text);
  return { hint: isCause ? `write \`{ "*": ${text} }\`` : `give each a cause: \`{ "${text}": notReturned }\`` };
}

/** `score: 0-30`, `score: { least: 0, most: 30 }` and `score: "< 40"`. */
export function scoreMeant(node: Yaml): Answer | undefined {
  if (/^(under|over|below|above|[<>])/.test(textOf(node) ?? '')) {
    return { hint: 'write the points, or the least and the most: `[0, 39]`' };
  }
  const ends = node.kind === 'map' ? [...node.entries.values()].map(({ value }) => textOf(value)) : rangeIn(node);
  const [least, most] = ends;
  return ends.length === 2 && [least, most].every((end) => /^\d+$/.test(end ?? ''))
    ? rewritten(node, `[${least}, ${most}]`)
    : undefined;
}

function rangeIn(node: Yaml): readonly string[] {
  return /^(\d+)\s*(?:-|–|to|\.\.)\s*(\d+)$/.exec(textOf(node) ?? '')?.slice(1) ?? [];
}

/** The path of the first fact in maps of maps: `phone.riskLevel`. */
export function nestedPath(path: string, node: Yaml): string | undefined {
  const [first] = node.kind === 'map' ? node.entries : [];
  if (!first) return undefined;
  const [name, { value }] = first;
  const inner = `${path}.${name}`;
  return value.kind === 'map' ? nestedPath(inner, value) : inner;
}

function textOf(node: Yaml): string | undefined {
  return node.kind === 'scalar' && node.value !== null ? node.written : undefined;
}

/** A text in place of a node. */
export function rewritten({ start, end }: Yaml, text: string): Answer {
  return { hint: `write \`${text}\``, fix: [{ start, end, text }] };
}

const NAMED: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

const AGO = /^(\d{1,6}) (day|week|year)s? ago$/;
const AHEAD = /^in (\d{1,6}) (day|week)s?$/;

/** The form of a relative day, for editors. */
export const RELATIVE_DAY: JsonSchema = {
  type: 'string',
  pattern: `^(${Object.keys(NAMED).join('|')}|\\d{1,6} (day|week|year)s? ago|in \\d{1,6} (day|week)s?)$`,
  patternErrorMessage: 'A day is expected: yyyy-MM-dd, today, "7 days ago" or "in 3 weeks".',
  examples: ['today', '7 days ago', '18 years ago', 'in 3 days'],
};

/**
 * Moves a day as a text says; undefined for any other text. Years are completed ones: a person born 18 years ago is 18
 * today. A day that the calendar does not have gives a text that is not a day.
 */
export function readRelativeDay(text: string): ((day: string) => string) | undefined {
  const by = (days: number) => (day: string) => dayOfNumber(dayNumber(day) + days);
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (named !== undefined) return by(named);
  const [, ago, unitAgo] = AGO.exec(text) ?? [];
  if (unitAgo === 'year') return (day) => dayOfNumber(dayWithYears(Number(ago), day));
  if (ago !== undefined) return by(-Number(ago) * daysOf(unitAgo));
  const [, ahead, unitAhead] = AHEAD.exec(text) ?? [];
  return ahead === undefined ? undefined : by(Number(ahead) * daysOf(unitAhead));
}

function daysOf(unit: string | undefined): number {
  return unit === 'week' ? 7 : 1;
}
