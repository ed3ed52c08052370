/** What people write in place of operators and tests -> the test that is meant, or what to write instead. */

import { type FactDefinition, LEVELS } from '../../../facts/catalog.ts';
import { plainNumeral } from '../../../platform/files/numeral.ts';
import type { DiagnosticDetails, Replacement } from '../../../platform/files/source.ts';
import type { MapEntry, Yaml } from '../../../platform/yaml.ts';
import { lettersOf } from '../../../text.ts';
import { type OperatorName, operatorsOf } from '../../operators.ts';
import { rangeIn } from './lists.ts';

/** What to say of a mistake. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix' | 'unknown'>;

const EQUAL = ['is'] as const;
const UNEQUAL = ['isNot'] as const;
const ABOVE = ['above', 'after'] as const;
const BELOW = ['below', 'before'] as const;
const AT_LEAST = ['atLeast'] as const;
const AT_MOST = ['atMost'] as const;

/** The operators that are meant by a word, by its letters: the first that the fact has. */
const MEANT: Readonly<Record<string, readonly OperatorName[]>> = {
  '=': EQUAL,
  '==': EQUAL,
  '===': EQUAL,
  eq: EQUAL,
  equal: EQUAL,
  equals: EQUAL,
  equalto: EQUAL,
  '!=': UNEQUAL,
  '!==': UNEQUAL,
  '<>': UNEQUAL,
  ne: UNEQUAL,
  neq: UNEQUAL,
  not: UNEQUAL,
  notequal: UNEQUAL,
  notequals: UNEQUAL,
  notequalto: UNEQUAL,
  after: ABOVE,
  above: ABOVE,
  '>': ABOVE,
  gt: ABOVE,
  greater: ABOVE,
  greaterthan: ABOVE,
  morethan: ABOVE,
  over: ABOVE,
  exceeds: ABOVE,
  before: BELOW,
  below: BELOW,
  '<': BELOW,
  lt: BELOW,
  less: BELOW,
  lessthan: BELOW,
  lower: BELOW,
  lowerthan: BELOW,
  under: BELOW,
  '>=': AT_LEAST,
  '=>': AT_LEAST,
  gte: AT_LEAST,
  ge: AT_LEAST,
  greaterorequal: AT_LEAST,
  greaterthanorequal: AT_LEAST,
  greaterthanorequalto: AT_LEAST,
  min: AT_LEAST,
  minimum: AT_LEAST,
  '<=': AT_MOST,
  '=<': AT_MOST,
  lte: AT_MOST,
  le: AT_MOST,
  lessorequal: AT_MOST,
  lessthanorequal: AT_MOST,
  lessthanorequalto: AT_MOST,
  max: AT_MOST,
  maximum: AT_MOST,
  range: ['between'],
  oneof: ['in'],
  isoneof: ['in'],
  isin: ['in'],
  notoneof: ['notIn'],
  isnotin: ['notIn'],
  nin: ['notIn'],
  regex: ['matches'],
  regexp: ['matches'],
  pattern: ['matches'],
  match: ['matches'],
  beginswith: ['startsWith'],
  prefix: ['startsWith'],
  suffix: ['endsWith'],
  includes: ['contains'],
  exists: ['known'],
  present: ['known'],
  within: ['withinLast'],
  cidr: ['in'],
  incidr: ['in'],
  subnet: ['in'],
  insubnet: ['in'],
  network: ['in'],
  innetwork: ['in'],
};

/** What to say of a word that no fact has as an operator. */
export function unknownOperator(path: string, definition: FactDefinition, entry: MapEntry): Answer {
  const operators = operatorsOf(definition);
  const hint = `the operators of ${path} are ${operators.join(', ')}`;
  return otherOperator(path, definition, entry) ?? { hint, unknown: { word: wordOf(entry), known: operators } };
}

/** The operator, or the test, that is meant by a word that the fact does not have; undefined if none is. */
export function otherOperator(path: string, definition: FactDefinition, entry: MapEntry): Answer | undefined {
  const { key, value } = entry;
  const operators = operatorsOf(definition);
  const ago = definition.type === 'date' ? agoMeant(wordOf(entry), value) : undefined;
  if (ago !== undefined) return { hint: ago };
  const meant = operatorMeant(wordOf(entry), operators, value);
  if (meant === undefined) {
    const hint = testInstead(lettersOf(wordOf(entry)), path, operators, value);
    return hint === undefined ? undefined : { hint };
  }
  return {
    hint: `write \`${meant}\``,
    fix: [{ start: key.start, end: key.end, text: meant }, ...asList(meant, value)],
  };
}

/** The tests that are meant by `below: 18` of a date: of its age in days or in years. */
function agoMeant(word: string, argument: Yaml): string | undefined {
  const letters = lettersOf(word);
  const comparison = COMPARISONS.find((name) => letters === lettersOf(name) || synonymOf(letters)?.includes(name));
  const text = argument.kind === 'scalar' ? argument.written : '';
  const [, amount, unit = ''] = /^(\d{1,5})(?: (days?|weeks?|years?))?$/.exec(text) ?? [];
  if (comparison === undefined || amount === undefined) return undefined;
  const years = `\`yearsSince: { ${comparison}: ${amount} }\``;
  const days = unit === '' ? `${amount} ${amount === '1' ? 'day' : 'days'}` : text;
  const lasting = `\`${AGE_TESTS[comparison].operator}: ${days}\`${AGE_TESTS[comparison].remark}`;
  if (unit.startsWith('year')) return `write ${years}`;
  return unit === '' ? `for completed years, write ${years}; for days, ${lasting}` : `write ${lasting}`;
}

const COMPARISONS = ['above', 'below', 'atLeast', 'atMost'] as const;

/** The operator for an age in days, and what differs in it. */
const AGE_TESTS = {
  above: { operator: 'olderThan', remark: '' },
  below: { operator: 'withinLast', remark: ', in which the last day counts too' },
  atLeast: { operator: 'olderThan', remark: ', in which the last day does not count' },
  atMost: { operator: 'withinLast', remark: '' },
} as const;

function synonymOf(letters: string): readonly OperatorName[] | undefined {
  return Object.hasOwn(MEANT, letters) ? MEANT[letters] : undefined;
}

function wordOf({ key }: MapEntry): string {
  return typeof key.value === 'string' ? key.value : key.written;
}

/** The operator that is meant by a word; with a list, the one for lists. */
function operatorMeant(word: string, operators: readonly OperatorName[], argument: Yaml): OperatorName | undefined {
  const letters = lettersOf(word);
  const meant = synonymOf(letters)?.find((name) => operators.includes(name));
  if (argument.kind === 'map' && (meant === 'is' || meant === 'isNot')) return undefined;
  if (argument.kind !== 'list') return meant;
  return meant === 'is' ? 'in' : meant === 'isNot' ? 'notIn' : meant;
}

/** Brackets around a single value where a list is asked for. */
function asList(operator: OperatorName, argument: Yaml): readonly Replacement[] {
  if ((operator !== 'in' && operator !== 'notIn') || argument.kind !== 'scalar') return [];
  const { start, end, source } = argument;
  return [{ start, end, text: `[${source.text.slice(start, end)}]` }];
}

/** What to write for a word that is not the name of one operator. */
function testInstead(
  letters: string,
  path: string,
  operators: readonly OperatorName[],
  argument: Yaml,
): string | undefined {
  const text = argument.kind === 'scalar' ? argument.written : '…';
  const positive = negatedBy(letters, operators);
  if (positive !== undefined) return `write \`not: { ${path}: { ${positive}: ${text} } }\``;
  if (letters === 'not') return `write \`not: { ${path}: … }\` around the test`;
  if (['missing', 'isnull', 'isempty', 'null'].includes(letters)) {
    return 'to test whether it is missing, write `known: false`';
  }
  if (letters === 'like' && operators.includes('contains')) {
    const test = /[_%]/.test(text.replace(/^%|%$/g, '')) ? undefined : textTest(text);
    return test === undefined ? 'write a regular expression with `matches`' : `write \`${test}\``;
  }
  if (letters === 'indomainlist') return 'test the domain of the address: `applicant.emailDomain`';
  const [, days] = /^(\d+) days?$/.exec(text) ?? [];
  if (days !== undefined && letters === 'withinlast' && operators.includes('atMost'))
    return `write \`atMost: ${days}\``;
  if (!operators.includes('after')) return undefined;
  if (['>=', 'gte', 'atleast', '<=', 'lte', 'atmost', 'between'].includes(letters)) {
    return '`after` and `before` are without the day itself: name the day beside it';
  }
  if (!['youngerthan', 'newerthan', 'age'].includes(letters)) return undefined;
  const [years] = /^\d+(?= years?$)/.exec(text) ?? [];
  if (years !== undefined) return `write \`yearsSince: { below: ${years} }\``;
  return 'write `withinLast`, in which the last day counts too; for an age, `yearsSince: { below: 18 }`';
}

/** The operator that `notInDomainList` or `doesNotContain` turns round. */
function negatedBy(letters: string, operators: readonly OperatorName[]): OperatorName | undefined {
  const [, rest] = /^(?:isnot|doesnot|not)(.+)$/.exec(letters) ?? [];
  return operators.find((name) => rest && [rest, `${rest}s`, `${rest}es`].includes(lettersOf(name)));
}

/** The test that `*.ru` means in place of a regular expression; undefined for other patterns. */
export function globMeant(pattern: string): string | undefined {
  return /^\*[\w.-]+\*?$/.test(pattern) ? textTest(pattern.replaceAll('*', '%')) : undefined;
}

/** The test of a pattern of SQL. */
function textTest(like: string): string {
  const [, before, text = like, after] = /^(%?)(.*?)(%?)$/s.exec(like) ?? [];
  const operator = before && after ? 'contains' : before ? 'endsWith' : after ? 'startsWith' : 'is';
  return `${operator}: ${text}`;
}

const COMPARISON = /^(>=|<=|=>|=<|==|!=|<>|=|>|<)\s*(\S.*)$/s;
const NUMBER = /^-?\d+(\.\d+)?$/;
/** The values that are written without quotes, of facts without known ones. */
const LITERALS = { number: NUMBER, integer: NUMBER, boolean: /^(true|false)$/, date: /^\d{4}-\d\d-\d\d$/ } as const;
const WORD = /^[A-Za-z]+$/;

/** The test that `>= 50` or `40-60` means as the value of a fact that has no such texts; undefined for other texts. */
export function comparisonMeant(text: string, definition: FactDefinition): string | undefined {
  const isNumber = definition.type === 'number' || definition.type === 'integer';
  const range = isNumber ? rangeIn(text) : undefined;
  if (range !== undefined) return `{ between: ${range} }`;
  const known: readonly string[] = definition.type === 'level' ? LEVELS : (definition.values ?? []);
  // A text without a format may be any word.
  const isOfForm = definition.type !== 'string' || definition.format !== undefined;
  const state = isOfForm && !known.includes(text) ? STATES.get(lettersOf(text)) : undefined;
  if (state !== undefined) return `{ known: ${state} }`;
  if (definition.type === 'string' || known.includes(text)) return undefined;
  const [, other] = /^!\s*(\w+)$/.exec(text) ?? [];
  return testMeant(other === undefined ? text : `not ${other}`, definition);
}

/** What people write for a fact with a value, and for one without. */
const STATES: ReadonlyMap<string, boolean> = new Map([
  ...['known', 'present', 'given'].map((word) => [word, true] as const),
  ...['missing', 'unknown', 'absent'].map((word) => [word, false] as const),
]);

/** What to say of `any` and `else` as the value of a fact; undefined for other texts, and for values that it has. */
export function everyValueMeant(text: string, path: string, { type, values }: FactDefinition): string | undefined {
  if (type === 'string' || values?.includes(text)) return undefined;
  if (/^(any|anything|all|\*)$/i.test(text)) return `leave ${path} out: a fact that is not tested may have any value`;
  if (!/^(else|otherwise|others?|rest|default)$/i.test(text)) return undefined;
  return 'nothing is tested in turn: name the values that are left, or write `{ notIn: [ … ] }`';
}

/** Those that compare with one value. */
const COMPARING: readonly OperatorName[] = [...EQUAL, ...UNEQUAL, ...ABOVE, ...BELOW, ...AT_LEAST, ...AT_MOST];

/** Words behind a limit, by their letters. */
const OR_MORE = ['ormore', 'orabove', 'andabove', 'andmore', 'andup', 'orup', 'orhigher', 'andhigher', 'orover'];
const OR_LESS = ['orless', 'orbelow', 'andbelow', 'andless', 'orlower', 'andlower', 'orunder', 'orfewer'];

/** The test that is meant by `>= 50`, `at least 50`, `50 or more` and `50+`; undefined for other texts. */
export function testMeant(text: string, definition: FactDefinition): string | undefined {
  const [word, literal] = partsOfTest(text.trim());
  const operators = operatorsOf(definition).filter((name) => COMPARING.includes(name));
  const own = operators.find((name) => lettersOf(name) === word);
  const operator = own ?? synonymOf(word)?.find((name) => operators.includes(name));
  const isNumber = definition.type === 'number' || definition.type === 'integer';
  const value = (isNumber && plainNumeral(literal)) || literal;
  return operator && isValueOf(value, definition) ? `{ ${operator}: ${value} }` : undefined;
}

/** The letters of an operator, and its value. */
function partsOfTest(text: string): readonly [word: string, literal: string] {
  const [, symbol, behind] = COMPARISON.exec(text) ?? [];
  if (symbol !== undefined && behind !== undefined) return [symbol, behind];
  if (text.endsWith('+')) return ['atleast', text.slice(0, -1).trimEnd()];
  const words = text.split(/\s+/);
  const [first = '', ...more] = words;
  const after = lettersOf(more.join(''));
  if (OR_MORE.includes(after)) return ['atleast', first];
  if (OR_LESS.includes(after)) return ['atmost', first];
  return [lettersOf(words.slice(0, -1).join('')), words.at(-1) ?? ''];
}

function isValueOf(literal: string, { type, values }: FactDefinition): boolean {
  const known: readonly string[] | undefined = type === 'level' ? LEVELS : values;
  const form = type in LITERALS ? LITERALS[type as keyof typeof LITERALS] : WORD;
  return known?.includes(literal) ?? form.test(literal);
}
