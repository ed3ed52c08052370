/** Facts as a caller hands them over -> the same, as a reader would give them: no value that its fact cannot have. */

import { readGiven } from '../given/read-given.ts';
import { type FactDefinition, type FactTable, LEVELS } from './catalog.ts';
import { computedIn, setComputed } from './compute.ts';
import { isDay } from './day.ts';
import { type Fact, type Facts, type FactValue, isMissing, NEVER } from './fact.ts';

/** The facts that a reader has made, each with the table by which computed facts are computed; none if without any. */
const read = new WeakMap<Facts, FactTable | undefined>();

/** Marks facts that a reader has made, so that they are not checked again at each decision. */
export function markRead<Given extends Facts>(facts: Given, table?: FactTable): Given {
  read.set(facts, table);
  return facts;
}

/**
 * The facts, or a copy of those that no reader made, in which a value that its fact cannot have is `invalid`. Runners
 * differ in what they do with such values, so none of them may see one. Facts that the policy computes are computed
 * again unless the reader did so by the same table. Throws REQUEST_INVALID for what is no fact.
 */
export function asRead(facts: Facts, table: FactTable): Facts {
  const madeBy = read.get(facts);
  if (madeBy === table) return facts;
  const isRead = madeBy !== undefined || read.has(facts);
  const hasComputed = computedIn(table).size > 0;
  if (isRead && !hasComputed) return facts;
  return readGiven('REQUEST_INVALID', 'the facts', () => {
    // Mostly every value is one that its fact can have, and no copy is needed.
    let copy: Map<string, Fact> | undefined;
    for (const [path, fact] of isRead ? [] : facts) {
      const definition = table.get(path);
      const asRead = definition ? factAsRead(definition, fact) : fact;
      if (asRead === fact) continue;
      copy ??= new Map(facts);
      copy.set(path, asRead);
    }
    if (!hasComputed) return copy ?? facts;
    copy ??= new Map(facts);
    setComputed(copy, table);
    return copy;
  });
}

/** A fact; missing as `invalid` if it has a value that it cannot have. */
export function factAsRead(definition: FactDefinition, fact: Fact): Fact {
  return isMissing(fact) || canHave(definition, fact.value) ? fact : { missing: 'invalid' };
}

/** Whether a value is one of the fact's. Texts are folded already, and days in the future are the reader's concern. */
function canHave({ type, values = [], range }: FactDefinition, value: FactValue): boolean {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string';
    case 'date':
      return typeof value === 'string' && (value === NEVER || isDay(value));
    case 'level':
    case 'enum': {
      const names: readonly FactValue[] = type === 'level' ? LEVELS : values;
      return names.includes(value);
    }
    default: {
      if (type === 'integer' ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return false;
      return !range || ((value as number) >= range[0] && (value as number) <= range[1]);
    }
  }
}
