/** The YAML of a condition -> a condition with every name resolved. */

import { reportAt } from '../../../platform/files/source.ts';
import { listOfEntriesMeantBy } from '../../../platform/syntax/shapes.ts';
import type { MapEntry, Yaml } from '../../../platform/yaml.ts';
import { isNull, readFields, readInteger, readItems, readMap } from '../../../platform/yaml-fields.ts';
import type { Condition } from '../../language.ts';
import { keepSpan } from '../../source-map.ts';
import { alwaysMeant, combinatorMeant, conditionMeant, nestedFact } from '../slips/conditions.ts';
import { unknownFact } from '../slips/facts.ts';
import { readTests } from './fact-tests.ts';
import { conjunction, type NamedCondition, type Scope } from './scope.ts';

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
  if (isNull(value)) return reportAt(keyNode, 'null-value', `"${key}" has no value`);
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
  const fields = readFields(node, '`atLeastOf`', { required: ['count', 'of'], optional: [] });
  const ofNode = fields?.get('of')?.value;
  const writtenCount = fields?.get('count')?.value;
  const countNode = writtenCount && scope.parameters.resolve(writtenCount);
  const items = ofNode && readItems(ofNode, '`of`');
  const children = items?.map((item) => readConditionAt(item, scope, depth));
  const count = countNode && readInteger(countNode, '`count`');
  if (count === undefined || countNode === undefined || !children) return undefined;
  if (count < 1 || count > children.length) {
    const most = `${children.length}, the number of conditions of \`of\``;
    return reportAt(countNode, 'wrong-value', `found ${count}; \`count\` must be from 1 to ${most}`);
  }
  return children.every((child) => child !== undefined) ? { kind: 'atLeastOf', count, of: children } : undefined;
}

function countTests(condition: Condition, scope: Scope): number {
  if (condition.kind === 'test') return 1;
  // Named conditions were counted when they were read: nested in each other, they expand to any number of tests.
  if (condition.kind === 'named') return scope.conditions.get(condition.name)?.tests ?? 0;
  return condition.of.reduce((tests, part) => tests + countTests(part, scope), 0);
}
