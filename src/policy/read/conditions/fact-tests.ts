/** The YAML of the tests of one fact -> the tests, joined. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import { type DiagnosticDetails, reportAt, type Span } from '../../../platform/files/source.ts';
import { type MapEntry, type ScalarNode, toData, type Yaml } from '../../../platform/yaml.ts';
import { isNull, readMap, readText } from '../../../platform/yaml-fields.ts';
import type { Argument, ArgumentKind } from '../../arguments.ts';
import type { Condition, Test } from '../../language.ts';
import { isOperator, OPERATOR_NAMES, type OperatorName, operatorRow, operatorsOf } from '../../operators.ts';
import { testKey } from '../../sameness.ts';
import { unknownFact } from '../slips/facts.ts';
import { comparisonMeant, otherOperator, unknownOperator } from '../slips/tests.ts';
import type { Parameters } from '../values/parameters.ts';
import { ARGUMENT_READERS, type ArgumentContext } from './argument.ts';
import { conjunction, noteSpan, type Scope } from './scope.ts';

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
      reportAt(key, 'operator-type', `"${name}" does not apply to ${path}, ${article(kind)}; ${has}`, answer);
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

function article(type: string): string {
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
  const other = isNumber && operatorRow(operator).againstFact ? factMeant(node, subject) : undefined;
  if (other) return reportAt(node, 'wrong-type', 'found the path of a fact without `fact`', other);
  if (!isNull(node)) return ARGUMENT_READERS[operatorRow(operator).argument](node, { ...subject, operator });
  const hint = `to test whether it is missing, write \`${subject.path}: { known: false }\``;
  return reportAt(node, 'null-value', `a test of ${subject.path} has no value`, { hint });
}

/** `above: email.address.score`: the path of a fact that the tested one can be compared with. */
function factMeant(node: Yaml, { definition, facts }: Subject): Pick<DiagnosticDetails, 'hint' | 'fix'> | undefined {
  const other = node.kind === 'scalar' && typeof node.value === 'string' ? facts.get(node.value) : undefined;
  if (node.kind !== 'scalar' || node.origin || !other || !areComparable(definition, other)) return undefined;
  const text = `{ fact: ${node.written} }`;
  return { hint: `write \`${text}\``, fix: [{ start: node.start, end: node.end, text }] };
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
  const types = `${path} is ${article(definition.type)}, ${otherPath} ${article(other.type)}`;
  const reason = definition.type === other.type ? 'their values differ' : types;
  return reportAt(value, 'fact-types', `${path} cannot be compared with ${otherPath}: ${reason}`);
}

/** Whether two facts have the same type, taking number and integer as one, and the same values if they are enums. */
function areComparable(one: FactDefinition, other: FactDefinition): boolean {
  const kind = (type: string) => (type === 'integer' ? 'number' : type);
  const values = ({ values }: FactDefinition) => JSON.stringify([...(values ?? [])].sort());
  return kind(one.type) === kind(other.type) && values(one) === values(other);
}

/** What to say of a slip. */
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
