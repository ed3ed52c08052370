/** Plain logic -> JavaScript as a programmer writes it, and the language of each other engine. */

import type { FactValue } from '../../src/facts/fact.ts';
import { type Logic, withoutNot } from './logic.ts';

/** The syntax of an expression language. */
interface Expressions {
  readonly and: string;
  readonly or: string;
  not(inner: string): string;
  isIn(key: string, values: readonly FactValue[]): string;
}

function write(logic: Logic, language: Expressions): string {
  const inner = (part: Logic) =>
    part.kind === 'all' || part.kind === 'any' ? `(${write(part, language)})` : write(part, language);
  switch (logic.kind) {
    case 'compare':
      return `${logic.key} ${logic.by} ${JSON.stringify(logic.value)}`;
    case 'in':
      return language.isIn(logic.key, logic.values);
    case 'notIn':
      return language.not(language.isIn(logic.key, logic.values));
    case 'between':
      return `${logic.key} >= ${logic.least} ${language.and} ${logic.key} <= ${logic.most}`;
    case 'all':
      return logic.of.map(inner).join(` ${language.and} `);
    case 'any':
      // `between` is two comparisons.
      return logic.of
        .map((part) => (part.kind === 'between' ? `(${inner(part)})` : inner(part)))
        .join(` ${language.or} `);
    case 'not':
      return language.not(write(logic.of, language));
  }
}

const list = (values: readonly FactValue[]) => `[${values.map((value) => JSON.stringify(value)).join(', ')}]`;

/** The Common Expression Language. */
export function celOf(logic: Logic): string {
  return write(logic, {
    and: '&&',
    or: '||',
    not: (inner) => `!(${inner})`,
    isIn: (key, values) => `${key} in ${list(values)}`,
  });
}

/** The expressions of zen-engine. */
export function zenOf(logic: Logic): string {
  return write(logic, {
    and: 'and',
    or: 'or',
    not: (inner) => `not (${inner})`,
    isIn: (key, values) => `${key} in ${list(values)}`,
  });
}

/** JavaScript over an object `f`, as a programmer would write it; a missing fact matches nothing. */
export function javaScriptOf(logic: Logic): string {
  return writeJavaScript(withoutNot(logic));
}

function writeJavaScript(logic: Logic): string {
  const value = 'key' in logic ? `f.${logic.key}` : '';
  switch (logic.kind) {
    case 'compare':
      // Every comparison with undefined is false, except `!==`.
      if (logic.by === '!=') return `(${value} !== undefined && ${value} !== ${JSON.stringify(logic.value)})`;
      return `${value} ${logic.by === '==' ? '===' : logic.by} ${JSON.stringify(logic.value)}`;
    case 'in':
      return `(${logic.values.map((one) => `${value} === ${JSON.stringify(one)}`).join(' || ')})`;
    case 'notIn': {
      const others = ['undefined', ...logic.values.map((one) => JSON.stringify(one))];
      return `(${others.map((one) => `${value} !== ${one}`).join(' && ')})`;
    }
    case 'between':
      return `(${value} >= ${logic.least} && ${value} <= ${logic.most})`;
    case 'all':
    case 'any':
      return `(${logic.of.map(writeJavaScript).join(logic.kind === 'all' ? ' && ' : ' || ')})`;
    case 'not':
      throw new Error('`not` should have been removed before');
  }
}

/** A rule of JsonLogic. */
export function jsonLogicOf(logic: Logic): unknown {
  const variable = 'key' in logic ? { var: logic.key } : undefined;
  switch (logic.kind) {
    case 'compare': {
      const by = logic.by === '==' ? '===' : logic.by === '!=' ? '!==' : logic.by;
      return { [by]: [variable, logic.value] };
    }
    case 'in':
      return { in: [variable, logic.values] };
    case 'notIn':
      return { '!': { in: [variable, logic.values] } };
    case 'between':
      return { '<=': [logic.least, variable, logic.most] };
    case 'all':
      return { and: logic.of.map(jsonLogicOf) };
    case 'any':
      return { or: logic.of.map(jsonLogicOf) };
    case 'not':
      return { '!': jsonLogicOf(logic.of) };
  }
}

const RULES_ENGINE_OPERATORS = {
  '<': 'lessThan',
  '<=': 'lessThanInclusive',
  '>': 'greaterThan',
  '>=': 'greaterThanInclusive',
  '==': 'equal',
  '!=': 'notEqual',
} as const;

/** A condition of json-rules-engine, with its own operators. */
export function rulesEngineOf(logic: Logic): Record<string, unknown> {
  const compare = (operator: string, value: unknown) => ({ fact: 'key' in logic ? logic.key : '', operator, value });
  switch (logic.kind) {
    case 'compare':
      return compare(RULES_ENGINE_OPERATORS[logic.by], logic.value);
    case 'in':
    case 'notIn':
      return compare(logic.kind, logic.values);
    case 'between':
      return { all: [compare('greaterThanInclusive', logic.least), compare('lessThanInclusive', logic.most)] };
    case 'all':
    case 'any':
      return { [logic.kind]: logic.of.map(rulesEngineOf) };
    case 'not':
      return { not: rulesEngineOf(logic.of) };
  }
}
