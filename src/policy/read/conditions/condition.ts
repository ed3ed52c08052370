/** The YAML of a condition -> a condition with every name resolved. */

import type { FactDefinition, FactTable } from '../../../facts/catalog.ts';
import { type DiagnosticDetails, reportAt, type Span } from '../../../platform/files/source.ts';
import { listOfEntriesMeantBy } from '../../../platform/syntax/shapes.ts';
import { type MapEntry, type ScalarNode, toData, type Yaml } from '../../../platform/yaml.ts';
import { isNull, readFields, readInteger, readItems, readMap, readText } from '../../../platform/yaml-fields.ts';
import type { Argument, ArgumentKind } from '../../arguments.ts';
import type { Condition, Test } from '../../language.ts';
import { isOperator, OPERATOR_NAMES, type OperatorName, operatorRow, operatorsOf } from '../../operators.ts';
import { testKey } from '../../sameness.ts';
import { keepSpan } from '../../source-map.ts';
import { OWN_PATH } from '../form.ts';
import { alwaysMeant, combinatorMeant, conditionMeant, nestedFact } from '../mistakes/conditions.ts';
import { unknownFact } from '../mistakes/facts.ts';
import { comparisonMeant, everyValueMeant, otherOperator, unknownOperator } from '../mistakes/tests.ts';
import type { Parameters } from '../values/parameters.ts';
import { ARGUMENT_READERS, type ArgumentContext } from './argument.ts';
import { conjunction, type NamedCondition, noteSpan, type Scope } from './scope.ts';

/** A rule may have this many tests, with its named conditions expanded. */
const MAX_TESTS = 10_000;
/** Named conditions may nest this many levels (each may itself nest 64), to bound recursion. */
const MAX_LEVELS = 20;

type Combinator = (node: Yaml, scope: Scope, depth: number) => Condition | undefined;

/** The keys of a condition's map that are not facts. */
const COMBINATORS: Readonly<Record<string, Combinator>> = {
  all: (node, scope, depth) => readJunction('all', node, scope, depth),
  any: (node, scope, depth) => readJunction('any', node, scope, depth),
  not: (node, scope, depth) => {
    if (node.kind === 'list' && node.items.length > 1) {
      return reportAt(node, 'wrong-type', 'found a list; `not` turns one condition round', {
        hint: 'write `not: { any: [ … ] }` if none of them may be true, `not: { all: [ … ] }` if not all may be',
      });
    }
    const child = readConditionAt(node, scope, depth);
    return child && { kind: 'not', of: [child] };
  },
  atLeastOf: readAtLeastOf,
};

/** Whether a key of a condition's map joins conditions. */
export function isCombinator(key: string): boolean {
  return Object.hasOwn(COMBINATORS, key);
}

/** Reads a condition; undefined, with diagnostics, where anything in it is wrong. */
export function readCondition(node: Yaml, scope: Scope): Condition | undefined {
  const condition = readConditionAt(node, scope, 0);
  return condition && withinSize(condition, node, scope);
}

/** The condition of a whole rule; undefined, with a diagnostic, if it or the policy has too many tests. */
export function withinSize(condition: Condition, node: Yaml, scope: Scope): Condition | undefined {
  const tests = countTests(condition, scope);
  if (tests <= MAX_TESTS) return scope.budget.spend('tests', tests, node) ? condition : undefined;
  const message = `found more than ${MAX_TESTS} tests, with named conditions expanded; split the rule`;
  return reportAt(node, 'too-large', message);
}

/** Reads a named condition, once. */
export function resolveNamed(named: NamedCondition, scope: Scope, depth = 0): Condition | undefined {
  if (named.state === 'declared') {
    named.state = 'reading';
    scope.reading.push(named.name);
    named.condition = readConditionAt(named.node, scope, depth);
    scope.reading.pop();
    named.levels = named.condition ? levelsBelow(named.condition, scope) : 0;
    named.tests = named.condition ? countTests(named.condition, scope) : 0;
    named.state = 'read';
  }
  return named.condition;
}

function levelsBelow(condition: Condition, scope: Scope): number {
  if (condition.kind === 'test') return 0;
  if (condition.kind === 'named') return 1 + (scope.conditions.get(condition.name)?.levels ?? 0);
  return condition.of.reduce((levels, part) => Math.max(levels, levelsBelow(part, scope)), 0);
}

function readConditionAt(node: Yaml, scope: Scope, depth: number): Condition | undefined {
  const condition = readUnplaced(node, scope, depth);
  // A test has its own.
  if (condition && condition.kind !== 'test') keepSpan(condition, node);
  return condition;
}

function readUnplaced(node: Yaml, scope: Scope, depth: number): Condition | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'string') return readReference(node, node.value, scope, depth);
  if (node.kind === 'list' && node.items.length > 0) {
    return reportAt(node, 'wrong-type', 'found a list; a condition must be a name or a map', {
      hint: 'write `all:` or `any:` before the list',
    });
  }
  const map = readMap(node, 'a condition', alwaysMeant(node));
  if (!map) return undefined;
  const keys = [...map.entries.keys()].sort();
  return conjunction(keys.map((key) => readEntry(key, map.entries.get(key) as MapEntry, scope, depth)));
}

function readReference(node: Yaml, name: string, scope: Scope, depth: number): Condition | undefined {
  const named = scope.conditions.get(name);
  if (!named) {
    if (scope.unresolved.mayInclude('condition', name)) return undefined;
    const meant = conditionMeant(name, node, scope);
    const answer = meant ?? { ...alwaysMeant(node), unknown: { word: name, known: scope.conditions.keys() } };
    return reportAt(node, 'unknown-condition', `there is no condition named "${name}"`, answer);
  }
  if (named.state === 'reading') {
    const way = [...scope.reading.slice(scope.reading.indexOf(name)), name].join(' -> ');
    return reportAt(node, 'cycle', `the condition "${name}" refers to itself: ${way}`);
  }
  const condition = depth < MAX_LEVELS ? resolveNamed(named, scope, depth + 1) : undefined;
  // The limit holds whichever condition is declared first: it is met on the way down, or in one that was read before.
  if (depth >= MAX_LEVELS || named.levels >= MAX_LEVELS) {
    return reportAt(node, 'too-deep', `named conditions nest more than ${MAX_LEVELS} levels deep`);
  }
  return condition && { kind: 'named', name, of: [condition] };
}

function readEntry(key: string, entry: MapEntry, scope: Scope, depth: number): Condition | undefined {
  const { key: keyNode, value } = entry;
  if (isNull(value)) {
    const hint = scope.conditions.has(key) ? 'write the name of the condition alone, without a colon' : undefined;
    return reportAt(keyNode, 'null-value', `"${key}" has no value`, { hint });
  }
  const combinator = isCombinator(key) ? COMBINATORS[key] : undefined;
  if (combinator) {
    const condition = combinator(value, scope, depth);
    if (condition) keepSpan(condition, { ...keyNode, end: value.end });
    return condition;
  }
  const definition = scope.facts.get(key);
  return definition ? readTests(key, definition, value, scope) : reportUnknownKey(key, entry, scope);
}

function reportUnknownKey(path: string, entry: MapEntry, { facts, conditions, unresolved }: Scope): undefined {
  if (unresolved.mayInclude('fact', path)) return undefined;
  const answer = conditions.has(path)
    ? { hint: `${path} is a named condition: write the name alone, as an item of \`all\` or \`any\`` }
    : (combinatorMeant(path, entry) ??
      nestedFact(path, entry, facts) ??
      unknownFact(path, facts, Object.keys(COMBINATORS)));
  return reportAt(entry.key, 'unknown-fact', `there is no fact "${path}"`, answer);
}

function readJunction(kind: 'all' | 'any', node: Yaml, scope: Scope, depth: number): Condition | undefined {
  const children = readItems(node, `\`${kind}\``, listOfEntriesMeantBy(node))?.map((item) =>
    readConditionAt(item, scope, depth),
  );
  return children?.every((child) => child !== undefined) ? { kind, of: children } : undefined;
}

function readAtLeastOf(node: Yaml, scope: Scope, depth: number): Condition | undefined {
  const first = node.kind === 'list' ? node.items[0] : node;
  const count = first?.kind === 'scalar' ? first.written : '…';
  const answer = node.kind === 'map' ? undefined : { hint: `write \`atLeastOf: { count: ${count}, of: [ … ] }\`` };
  const fields = readFields(node, '`atLeastOf`', { required: ['count', 'of'], optional: [] }, answer);
  const ofNode = fields?.get('of')?.value;
  const writtenCount = fields?.get('count')?.value;
  const countNode = writtenCount && scope.parameters.resolve(writtenCount);
  const items = ofNode && readItems(ofNode, '`of`');
  const children = items?.map((item) => readConditionAt(item, scope, depth));
  const least = countNode && readInteger(countNode, '`count`');
  if (least === undefined || countNode === undefined || !children) return undefined;
  if (least < 1 || least > children.length) {
    const most = `${children.length}, the number of conditions of \`of\``;
    return reportAt(countNode, 'wrong-value', `found ${least}; \`count\` must be from 1 to ${most}`);
  }
  return children.every((child) => child !== undefined) ? { kind: 'atLeastOf', count: least, of: children } : undefined;
}

function countTests(condition: Condition, scope: Scope): number {
  if (condition.kind === 'test') return 1;
  // Named conditions were counted when they were read: nested in each other, they expand to any number of tests.
  if (condition.kind === 'named') return scope.conditions.get(condition.name)?.tests ?? 0;
  return condition.of.reduce((tests, part) => tests + countTests(part, scope), 0);
}

/** The fact that is tested, and the names that its tests can refer to. */
type Subject = Scope & Omit<ArgumentContext, 'operator' | 'key'>;

/** The tests of one fact: a value, a list of values, another fact, or operators with their arguments. */
export function readTests(path: string, definition: FactDefinition, node: Yaml, scope: Scope): Condition | undefined {
  const subject: Subject = { ...scope, path, definition };
  if (node.kind === 'list') return readTest('in', { value: node }, subject);
  if (node.kind === 'scalar' && typeof node.value === 'string') {
    const meant = comparisonMeant(node.value, definition);
    if (meant !== undefined) {
      const fix = [{ start: node.start, end: node.end, text: meant }];
      const message = `found "${node.value}"; a test of ${path} with an operator must be a map`;
      return reportAt(node, 'wrong-type', message, { hint: `write \`${meant}\``, fix });
    }
    const hint = everyValueMeant(node.value, path, definition);
    if (hint !== undefined)
      return reportAt(node, 'wrong-value', `found "${node.value}"; no value of ${path}`, { hint });
  }
  if (node.kind === 'scalar' || otherFact(node) || bracedParameter(node))
    return readTest('is', { value: node }, subject);
  const map = readMap(node, `the tests of ${path}`);
  if (!map) return undefined;
  const asked = new Map<OperatorName, MapEntry>();
  const operators = operatorsOf(definition);
  const kind = definition.format === undefined ? definition.type : `${definition.type} of format ${definition.format}`;
  for (const [name, entry] of map.entries) {
    const { key } = entry;
    if (!isOperator(name)) {
      const answer = unknownOperator(path, definition, entry);
      reportAt(key, 'unknown-operator', `there is no operator "${name}"`, answer);
    } else if (!operators.includes(name)) {
      const has = `its operators are ${operators.join(', ')}`;
      const answer = otherOperator(path, definition, entry);
      reportAt(key, 'operator-type', `"${name}" does not apply to ${path}, ${withArticle(kind)}; ${has}`, answer);
    } else {
      asked.set(name, entry);
    }
  }
  const tests = OPERATOR_NAMES.flatMap((name) => {
    const entry = asked.get(name);
    return entry ? [readTest(name, entry, subject)] : [];
  });
  return asked.size === map.entries.size ? conjunction(tests) : undefined;
}

/** `an integer`, `a date`. */
export function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** The entry of `{ fact: path }`, which names another fact. */
function otherFact(node: Yaml): MapEntry | undefined {
  return node.kind === 'map' && node.entries.size === 1 ? node.entries.get('fact') : undefined;
}

/** `key` is that of the operator, if it is written. */
function readTest(
  operator: OperatorName,
  { key: operatorKey, value: written }: { readonly key?: ScalarNode; readonly value: Yaml },
  subject: Subject,
): Test | undefined {
  const { path, definition } = subject;
  const braced = bracedParameter(written);
  if (braced !== undefined) {
    const message = `found "{${braced}}"; a parameter is written without braces, except in a message`;
    return reportAt(written, 'wrong-type', message, parameterAnswer(braced, written));
  }
  const other = otherFact(written);
  const otherPath = other && readOther(operator, other, subject);
  const node = other ? written : withParameters(operator, written, subject);
  if (!node) return undefined;
  const argument = other ? undefined : readArgument(operator, node, { ...subject, key: operatorKey });
  if (otherPath === undefined && argument === undefined) return undefined;
  const asked = { fact: path, operator, argument, other: otherPath };
  const base = { kind: 'test', type: definition.type, expected: toData(node), key: testKey(asked) } as const;
  return noteSpan({ ...base, ...asked }, node, subject);
}

/** The argument of an operator with the values of its parameters. */
function withParameters(operator: OperatorName, node: Yaml, { parameters, path }: Subject): Yaml | undefined {
  const { argument } = operatorRow(operator);
  const what = NOT_PARAMETERS[argument];
  if (what === undefined) return parameters.resolve(node, path);
  return parameters.refuse(node, what) ? undefined : node;
}

/** The kinds of arguments in which a dollar sign is a character like any other. */
const NOT_PARAMETERS: { readonly [Kind in ArgumentKind]?: string } = { pattern: 'a pattern', list: 'a list' };

function readArgument(
  operator: OperatorName,
  node: Yaml,
  subject: Subject & Pick<ArgumentContext, 'key'>,
): Argument | undefined {
  const { type } = subject.definition;
  const isNumber = type === 'number' || type === 'integer';
  const bare =
    isNumber || operatorRow(operator).argument === 'duration' ? bareParameter(node, subject.parameters) : undefined;
  if (bare) return reportAt(node, 'wrong-type', 'found the name of a parameter without its dollar sign', bare);
  const other = operatorRow(operator).againstFact ? factMeant(node, subject) : undefined;
  if (other) return reportAt(node, 'wrong-type', 'found the path of a fact without `fact`', other);
  if (!isNull(node)) return ARGUMENT_READERS[operatorRow(operator).argument](node, { ...subject, operator });
  const hint = `to test whether it is missing, write \`${subject.path}: { known: false }\``;
  return reportAt(node, 'null-value', `a test of ${subject.path} has no value`, { hint });
}

/** `above: email.address.score`: the path of a fact that the tested one can be compared with. */
function factMeant(node: Yaml, { definition, facts }: Subject): Answer | undefined {
  // A text without a format and a domain may be these very letters, of which a check warns.
  const { type, format, values } = definition;
  if (type === 'string' && (format === undefined || format === 'domain')) return undefined;
  if (node.kind !== 'scalar' || node.origin || values?.includes(node.written)) return undefined;
  return factNamed(node, definition, facts);
}

/** How to compare with the fact whose path a text is; undefined for any other text. */
export function factNamed(node: Yaml, definition: FactDefinition, facts: FactTable): Answer | undefined {
  const other = node.kind === 'scalar' && typeof node.value === 'string' ? facts.get(node.value) : undefined;
  if (node.kind !== 'scalar' || !other) return undefined;
  const text = `{ fact: ${node.written} }`;
  if (!areComparable(definition, other)) return comparableIf(definition, other, node.written);
  return { hint: `write \`${text}\``, fix: [{ start: node.start, end: node.end, text }] };
}

/** How the enum of a policy would be comparable with a text that has a format. */
function comparableIf(one: FactDefinition, other: FactDefinition, path: string): Answer {
  const { format } = one;
  if (format === undefined || other.type !== 'enum' || !OWN_PATH.pattern.test(path)) {
    return { hint: 'only facts of one type are compared, with `{ fact: … }`' };
  }
  return { hint: `declare ${path} with \`type: string, format: ${format}\`, and write \`{ fact: ${path} }\`` };
}

function readOther(operator: OperatorName, { key, value }: MapEntry, subject: Subject): string | undefined {
  const { path, definition } = subject;
  const otherPath = readText(value, 'the path of the other fact');
  if (otherPath === undefined) return undefined;
  if (!operatorRow(operator).againstFact) {
    const able = OPERATOR_NAMES.filter((name) => operatorRow(name).againstFact).join(', ');
    return reportAt(key, 'operator-type', `"${operator}" cannot compare with another fact; ${able} can`);
  }
  const other = subject.facts.get(otherPath);
  if (!other) {
    if (subject.unresolved.mayInclude('fact', otherPath)) return undefined;
    return reportAt(value, 'unknown-fact', `there is no fact "${otherPath}"`, unknownFact(otherPath, subject.facts));
  }
  if (areComparable(definition, other)) return otherPath;
  const types = `${path} is ${withArticle(definition.type)}, ${otherPath} ${withArticle(other.type)}`;
  const reason = definition.type === other.type ? 'their values differ' : types;
  const message = `${path} cannot be compared with ${otherPath}: ${reason}`;
  return reportAt(value, 'fact-types', message, definition.format ? comparableIf(definition, other, otherPath) : {});
}

/** Whether two facts have the same type, taking number and integer as one, and the same values if they are enums. */
function areComparable(one: FactDefinition, other: FactDefinition): boolean {
  const kind = (type: string) => (type === 'integer' ? 'number' : type);
  const values = ({ values }: FactDefinition) => JSON.stringify([...(values ?? [])].sort());
  return kind(one.type) === kind(other.type) && values(one) === values(other);
}

/** What a diagnostic says of a mistake. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix'>;

/** The name of `{ $name }`, which YAML reads as a map; undefined for any other node. */
function bracedParameter(node: Yaml): string | undefined {
  if (node.kind !== 'map' || node.entries.size !== 1) return undefined;
  const [[name, { value }] = ['', { value: node }]] = [...node.entries];
  return /^\$[A-Za-z]/.test(name) && isNull(value) ? name : undefined;
}

/** What to say of a text in the place of a number or a duration that is the name of a parameter. */
function bareParameter(node: Yaml, parameters: Pick<Parameters, 'has'>): Answer | undefined {
  const isName = node.kind === 'scalar' && typeof node.value === 'string' && !node.origin && parameters.has(node.value);
  return isName ? parameterAnswer(`$${node.value}`, node) : undefined;
}

/** A parameter as it is written in its place. */
function parameterAnswer(text: string, { start, end }: Span): Answer {
  return { hint: `write \`${text}\``, fix: [{ start, end, text }] };
}
