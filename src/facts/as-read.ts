/** Facts as a caller hands them over -> the same, as a reader would give them: no value that its fact cannot have. */

import { readGiven } from '../given/read-given.ts';
import { type FactDefinition, type FactTable, LEVELS } from './catalog.ts';
import { isDay } from './day.ts';
import { type Fact, type Facts, type FactValue, isMissing, NEVER } from './fact.ts';

const read = new WeakSet<Facts>();

/** Marks facts that a reader has made, so that they are not checked again at each decision. */
export function markRead<Given extends Facts>(facts: Given): Given {
  read.add(facts);
  return facts;
}

/**
 * The facts, if a reader made them; else a copy in which a value that its fact cannot have is `invalid`. Runners differ
 * in what they do with such values, so none of them may see one. Throws REQUEST_INVALID for what is no fact.
 */
export function asRead(facts: Facts, table: FactTable): Facts {
  if (read.has(facts)) return facts;
  const readPath = ([path, fact]: readonly [string, Fact]): [string, Fact] => {
    const definition = table.get(path);
    return [path, definition ? factAsRead(definition, fact) : fact];
  };
  return readGiven('REQUEST_INVALID', 'the facts', () => new Map([...facts].map(readPath)));
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
