/** The YAML of an operator's argument -> the argument as its row of the operator table takes it. */

import { type FactDefinition, LEVELS } from '../../../facts/catalog.ts';
import { isDay } from '../../../facts/day.ts';
import { type FactValue, NEVER } from '../../../facts/fact.ts';
import { reportAt } from '../../../platform/files/source.ts';
import type { IpBlock } from '../../../platform/formats/ip.ts';
import { describeNode, type ScalarNode, type Yaml } from '../../../platform/yaml.ts';
import {
  readBoolean,
  readFields,
  readInteger,
  readItems,
  readNumber,
  readOneOf,
  readText,
} from '../../../platform/yaml-fields.ts';
import { count } from '../../../text.ts';
import { type Arguments, YEARS, YEARS_OPERATORS } from '../../arguments.ts';
import { type OperatorName, type OperatorOf, operatorRow } from '../../operators.ts';
import { DURATION, readTextOfFormat } from '../form.ts';
import type { UnresolvedNames } from '../key.ts';
import {
  declarationMeant,
  listMeant,
  rangeMeant,
  severalItemsMeant,
  severalMeant,
  severalValuesMeant,
  valuesMeant,
} from '../mistakes/lists.ts';
import { comparedDayMeant, durationMeant } from '../mistakes/values.ts';
import { type DeclaredList, readFormattedText, readNeedle } from '../values/declared-list.ts';
import type { Budget, PatternReader } from './scope.ts';

/** The test that an argument belongs to, and the lists that it may name. */
export interface ArgumentContext {
  readonly operator: OperatorName;
  /** The key of the operator; undefined if it is not written. */
  readonly key: ScalarNode | undefined;
  readonly path: string;
  readonly definition: FactDefinition;
  readonly lists: ReadonlyMap<string, DeclaredList>;
  readonly unresolved: UnresolvedNames;
  readonly budget: Budget;
  readonly patterns: PatternReader;
}

type Reader<Kind extends keyof Arguments> = (node: Yaml, context: ArgumentContext) => Arguments[Kind] | undefined;

/** The reader of each kind of argument. It reports an argument that does not fit and gives undefined. */
export const ARGUMENT_READERS: { readonly [Kind in keyof Arguments]: Reader<Kind> } = {
  value: (node, context) => {
    const several = severalValuesMeant(node, context);
    const isOfWords = context.definition.values !== undefined || context.definition.type === 'level';
    if (!several || (node.kind !== 'list' && isOfWords)) return readLiteral(node, context, several);
    const found = node.kind === 'list' ? 'a list' : 'several values';
    return reportAt(node, 'wrong-type', `found ${found}; \`${context.operator}\` compares with one value`, several);
  },
  limit: readLimit,
  values: (node, context) => {
    const items = readItems(node, 'the list of values', listMeant(node, context));
    if (items && !mayHave(items, node, context)) return undefined;
    const values = items?.map((item) => readLiteralOrBlock(item, context, severalItemsMeant(item, node, context)));
    return values?.every((value) => value !== undefined) ? values : undefined;
  },
  range: (node, context) => {
    const items = readItems(node, 'the range', rangeMeant(node));
    if (!items) return undefined;
    const [least, most] = items.map((item) => readLimit(item, context));
    if (items.length !== 2) {
      const hint = 'write the least and the most value alone; for single values, `in`';
      const message = `found ${count(items.length, 'value')}; a range must be [least, most]`;
      return reportAt(node, 'wrong-value', message, { hint });
    }
    if (least === undefined || most === undefined) return undefined;
    if (rank(least) > rank(most)) {
      const message = 'the first value is greater than the second; a range must be [least, most]';
      return reportAt(node, 'wrong-value', message, { hint: `write \`[${most}, ${least}]\`` });
    }
    return [least, most];
  },
  duration: readDuration,
  years: readYears,
  day: (node, { path }) => {
    const written = node.kind === 'scalar' ? node.written : '';
    const isNumber = node.kind === 'scalar' && typeof node.value === 'number';
    const answer = isNumber ? comparedDayMeant(written) : {};
    const what = `the day that ${path} is compared with`;
    const text = readText(node, what, { allowed: () => !isNumber, answer });
    if (text === undefined || isDay(text)) return text;
    const never = { hint: 'write `never: true` or `never: false` instead' };
    const meant = text === NEVER ? never : comparedDayMeant(text);
    return reportAt(node, 'malformed', `found "${text}"; a day must be written yyyy-MM-dd`, meant);
  },
  truth: (node) => readBoolean(node, 'the argument'),
  text: (node, { operator, path, definition: { format } }) => {
    const texts = node.kind === 'list' ? severalMeant(node, operator, path) : undefined;
    const text = readText(node, 'the text to look for', { answer: texts });
    // The operators with an argument of this kind are named like the placements.
    return text === undefined
      ? undefined
      : readNeedle(text, node, { path, format, placement: operator as OperatorOf<'text'> });
  },
  pattern: (node, { patterns }) => patterns.read(node),
  list: (node, context) => {
    const { operator, path, definition, lists, unresolved } = context;
    const name = readText(node, 'the name of a list', { answer: valuesMeant(node, context) });
    if (name === undefined) return undefined;
    const list = lists.get(name);
    const fact = { path, format: definition.format, isMailbox: definition.isMailbox };
    if (list) return operator === 'inDomainList' ? list.asDomains(fact) : list.asValues(fact, node);
    if (unresolved.mayInclude('list', name)) return undefined;
    return reportAt(node, 'unknown-list', `there is no list "${name}"`, {
      hint: declarationMeant(name),
      unknown: { word: name, known: lists.keys() },
    });
  },
};

function readYears(node: Yaml, context: ArgumentContext): Arguments['years'] | undefined {
  const what = `the tests of the years since ${context.path}`;
  if (node.kind === 'scalar' && typeof node.value === 'number') {
    const message = `found ${describeNode(node)}; ${what} must be a map`;
    return reportAt(node, 'wrong-type', message, { hint: `write "{ atLeast: ${node.written} }"` });
  }
  const fields = readFields(node, what, { optional: YEARS_OPERATORS });
  if (!fields || node.kind !== 'map' || fields.size < node.entries.size) return undefined;
  const tests = YEARS_OPERATORS.flatMap((operator) => {
    const value = fields.get(operator)?.value;
    if (value === undefined) return [];
    const argument = ARGUMENT_READERS[operatorRow(operator).argument](value, {
      ...context,
      operator,
      path: `the number of years since ${context.path}`,
      definition: YEARS,
    });
    return [argument === undefined ? undefined : { operator, argument }];
  });
  return tests.every((test) => test !== undefined) ? tests : undefined;
}

/** A test with more values is one for a list: they are compared one by one. */
const MAX_VALUES = 1000;

function mayHave(values: readonly Yaml[], node: Yaml, { definition, budget }: ArgumentContext): boolean {
  if (values.length <= MAX_VALUES) return budget.spend('values', values.length, node);
  const hint = definition.type === 'string' ? { hint: 'declare a list and test it with `inList` or `notInList`' } : {};
  reportAt(node, 'too-large', `found ${count(values.length, 'value')}; a test has at most ${MAX_VALUES}`, hint);
  return false;
}

/** A literal of the fact's type, folded. `answer`: what to say of a value that an enum or a level does not have. */
export function readLiteral(
  node: Yaml,
  { path, definition }: Pick<ArgumentContext, 'path' | 'definition'>,
  answer?: ReturnType<typeof severalValuesMeant>,
): FactValue | undefined {
  switch (definition.type) {
    case 'number':
      return readNumber(node, path);
    case 'integer':
      return readInteger(node, path);
    case 'boolean':
      return readBoolean(node, path);
    case 'level':
      return readOneOf(node, path, LEVELS, { answer });
    case 'enum':
      return readOneOf(node, path, definition.values ?? [], { answer });
    case 'string': {
      const text = readTextOfFormat(node, path, definition.format);
      if (text === undefined) return undefined;
      return readFormattedText(text, node, { ...definition, path, format: definition.format, takesBlocks: false });
    }
    case 'date': {
      const text = readText(node, path);
      if (text === undefined || text === NEVER || isDay(text)) return text;
      const message = `found "${text}"; ${path} must be a calendar day written yyyy-MM-dd, or never`;
      return reportAt(node, 'malformed', message, comparedDayMeant(text));
    }
  }
}

/** A literal of the fact's type, or a CIDR block for an IP address. */
function readLiteralOrBlock(
  node: Yaml,
  context: ArgumentContext,
  answer: ReturnType<typeof severalItemsMeant>,
): FactValue | IpBlock | undefined {
  const { path, definition } = context;
  if (definition.format !== 'ip') return readLiteral(node, context, answer);
  const text = readTextOfFormat(node, path, 'ip');
  return text === undefined ? undefined : readFormattedText(text, node, { path, format: 'ip', takesBlocks: true });
}

/** A limit on an ordered type: a level, or any number. */
function readLimit(node: Yaml, { path, definition }: ArgumentContext): FactValue | undefined {
  return definition.type === 'level' ? readOneOf(node, path, LEVELS) : readNumber(node, path);
}

/** The index of a limit in its order. */
function rank(limit: FactValue): number {
  return typeof limit === 'number' ? limit : (LEVELS as readonly FactValue[]).indexOf(limit);
}

function readDuration(node: Yaml): number | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'number') {
    const message = `found ${describeNode(node)}; a duration must be a text`;
    return reportAt(node, 'wrong-type', message, durationMeant(node.written));
  }
  const text = readText(node, 'a duration', { answer: {} });
  if (text === undefined) return undefined;
  const [, amount, unit] = DURATION.pattern.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined) return Number(amount) * (unit.startsWith('week') ? 7 : 1);
  const message = `found "${text}"; a duration must be a count of days or weeks`;
  return reportAt(node, 'malformed', message, durationMeant(text));
}
