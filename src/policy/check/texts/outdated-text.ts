/** Descriptions and messages with a number that their rule or parameter does not have -> warnings. */

import type { Yaml } from '../../../platform/yaml.ts';
import { type Rule, type Test, testsOf } from '../../language.ts';
import { operatorRow } from '../../operators.ts';
import type { Check } from '../context.ts';
import { numbersOf } from '../tests/numbers.ts';
import { type Amount, agesIn, amountsIn } from './amounts.ts';

/** The texts about a rule. */
const KEYS = ['description', 'message'] as const;

const HINT = 'correct the text; in a message, {$name} shows the value of a parameter';

/** The numbers of some tests by unit: `days`, `years`, and the units of facts. */
type Limits = ReadonlyMap<string, ReadonlySet<number>>;

export function checkOutdatedTexts(check: Check): void {
  const { policy, warn, nodeOf } = check;
  for (const key of KEYS) {
    const written = policy.rules.filter((rule) => rule[key] !== undefined);
    // The description of a table is about all of its rows.
    for (const [node, rules] of Map.groupBy(written, (rule) => nodeOf(rule, key))) {
      const text = textOf(node);
      const found = text === undefined ? undefined : contradiction(text, limitsOf(rules, check));
      if (found) warn(node, 'outdated-text', `${found.says}, but "${rules[0]?.id}" asks for ${found.limit}`, HINT);
    }
  }
  for (const { name, description, days } of windows(check)) {
    const text = textOf(description);
    const found = text === undefined ? undefined : contradiction(text, new Map([['days', new Set([days])]]));
    if (found) warn(description, 'outdated-text', `${found.says}, but $${name} is ${found.limit}`, HINT);
  }
}

interface Contradiction {
  readonly says: string;
  readonly limit: string;
}

/**
 * What a text says otherwise than its tests. Certain: the tests have one number of a unit, and the text names another
 * one, in words for such a limit. A number beside it may be meant (`31 days ago` is older than 30 days), and so may any
 * number of the other tests.
 */
function contradiction(text: string, limits: Limits): Contradiction | undefined {
  const known = [...limits.values()].flatMap((numbers) => [...numbers]);
  for (const [unit, numbers] of limits) {
    const [expected, ...others] = numbers;
    if (unit === '' || expected === undefined || others.length > 0) continue;
    const said = saidOf(text, unit);
    const [first] = said;
    if (!first || said.some(({ number }) => known.some((each) => Math.abs(each - number) <= 1))) continue;
    const limit = `${expected} ${expected === 1 ? unit.replace(/s$/, '') : unit}`;
    return { says: `the text says ${first.words}`, limit };
  }
  return undefined;
}

function saidOf(text: string, unit: string): readonly Amount[] {
  const isAge = unit === 'days' || unit === 'years';
  return isAge ? agesIn(text).filter((age) => age.unit === unit) : amountsIn(text, unit);
}

function limitsOf(rules: readonly Rule[], { policy }: Check): Limits {
  const limits = new Map<string, Set<number>>();
  const tests = new Set(rules.flatMap(({ when }) => [...testsOf(when)]));
  for (const test of tests) {
    const unit = unitOf(test, policy.facts.get(test.fact)?.unit);
    const numbers = limits.get(unit) ?? new Set();
    limits.set(unit, numbers.union(new Set(numbersOf(test))));
  }
  return limits;
}

/** The unit of a test's numbers; empty for none that texts name. */
function unitOf({ operator }: Test, unit = ''): string {
  const { argument } = operatorRow(operator);
  if (argument === 'duration') return 'days';
  if (argument === 'years') return 'years';
  // A rule has points of its own, which a text may be about.
  return /^[a-z]+$/i.test(unit) && unit !== 'points' ? unit : '';
}

function textOf(node: Yaml | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** The parameters in force that are counts of days and have a description. */
function* windows({ roots, parameterKeys }: Check) {
  for (const root of roots) {
    const declared = root.kind === 'map' ? root.entries.get('parameters')?.value : undefined;
    for (const [name, { key, value: node }] of declared?.kind === 'map' ? declared.entries : []) {
      if (node.kind !== 'map' || parameterKeys.get(name) !== key) continue;
      const value = textOf(node.entries.get('value')?.value);
      const [, number, unit] = /^(\d+) (day|week)s?$/.exec(value ?? '') ?? [];
      const days = Number(number) * (unit === 'week' ? 7 : 1);
      if (number !== undefined) yield { name, days, description: node.entries.get('description')?.value };
    }
  }
}
