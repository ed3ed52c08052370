/** Planted bugs: copies of the plain reference, each with one bug, that a comparison has to find. */

import { canonicalJson } from '../../../src/platform/digest.ts';
import type { PlainCondition, PlainFacts, PlainPolicy } from './plain.ts';
import { referenceVerdict } from './reference.ts';
import { outcomeAndScore, type Runner } from './runners.ts';

/** How a bug changes a condition with one key, whose parts are already changed; and how it changes facts. */
interface Bug {
  readonly condition?: (key: string, value: unknown) => PlainCondition;
  readonly facts?: (facts: PlainFacts) => PlainFacts;
}

const BUGS: Readonly<Record<string, Bug>> = {
  'a border off by one': {
    condition: (key, value) => {
      const text = JSON.stringify({ [key]: value });
      return JSON.parse(text.replace('{"above":', '{"atLeast":').replace('{"below":', '{"atMost":'));
    },
  },
  'a missed unknown': {
    condition: (key, value) => (isPath(key) ? { all: [{ [key]: value }, isKnown(key)] } : { [key]: value }),
  },
  'a dropped conjunction': {
    condition: (key, value) =>
      key === 'any' && Array.isArray(value) && value.length > 1 ? { any: value.slice(0, -1) } : { [key]: value },
  },
  'De Morgan on unknown': {
    condition: (key, value) =>
      key === 'not' ? { not: { all: [value, ...pathsIn(value).map(isKnown)] } } : { [key]: value },
  },
  'another spelling taken as invalid': {
    facts: (facts) =>
      Object.fromEntries(
        Object.entries(facts).map(([path, fact]) => [
          path,
          'value' in fact && /^(\+|00|::ffff:)|@.*[A-Z.]$/.test(String(fact.value)) ? { missing: 'invalid' } : fact,
        ]),
      ),
  },
  'a year completed on 28 February': {
    facts: (facts) =>
      Object.fromEntries(
        Object.entries(facts).map(([path, fact]) => [
          path,
          'value' in fact && /^\d{4}-02-29$/.test(String(fact.value))
            ? { value: String(fact.value).replace(/29$/, '28') }
            : fact,
        ]),
      ),
  },
  '`never` taken as old': {
    facts: (facts) =>
      Object.fromEntries(
        Object.entries(facts).map(([path, fact]) => [
          path,
          'value' in fact && fact.value === 'never' ? { value: '1900-01-01' } : fact,
        ]),
      ),
  },
};

/** A runner for each bug, with its name. */
export const PLANTED: readonly Runner[] = Object.entries(BUGS).map(([name, { condition, facts }]) => ({
  name,
  telling: outcomeAndScore,
  answer({ plain, applicants, day }) {
    const policy = condition ? withConditions(plain, condition) : plain;
    return applicants.map((each) => {
      const { outcome, score } = referenceVerdict(policy, facts ? facts(each) : each, day);
      return canonicalJson({ outcome, score });
    });
  },
}));

function withConditions(plain: PlainPolicy, change: NonNullable<Bug['condition']>): PlainPolicy {
  const { rules = [], conditions = {} } = plain;
  return {
    ...plain,
    rules: rules.map((rule) => ({ ...rule, when: rewrite(rule.when, change) })),
    conditions: Object.fromEntries(Object.entries(conditions).map(([name, each]) => [name, rewrite(each, change)])),
  };
}

/** Changes every part of a condition, the inner ones first. A map is the `all` of its entries. */
function rewrite(condition: PlainCondition, change: NonNullable<Bug['condition']>): PlainCondition {
  if (typeof condition === 'string') return condition;
  const each = (parts: unknown) => (parts as readonly PlainCondition[]).map((part) => rewrite(part, change));
  const inner = (key: string, value: unknown): unknown => {
    if (key === 'all' || key === 'any') return each(value);
    if (key === 'not') return rewrite(value as PlainCondition, change);
    if (key !== 'atLeastOf') return value;
    const { count, of } = value as { readonly count: number; readonly of: unknown };
    return { count, of: each(of) };
  };
  return { all: Object.entries(condition).map(([key, value]) => change(key, inner(key, value))) };
}

function isPath(key: string): boolean {
  return key.includes('.');
}

function isKnown(path: string): PlainCondition {
  return { [path]: { known: true } };
}

/** The facts that a condition reads. */
function pathsIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) => [...(isPath(key) ? [key] : []), ...pathsIn(value)]);
}
