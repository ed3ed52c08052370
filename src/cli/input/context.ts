/** The text or JSON of a context fact -> the value in the type of the fact, or a problem. */

import type { ContextValue } from '../../decision/fetch/context-facts.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';

/** A value, or a problem, which says what was expected and never repeats the value. */
export type ReadContext = { readonly value: ContextValue } | { readonly problem: string };

/** The declaration of `context.NAME`; undefined if the policy has none. */
export function contextFact(name: string, facts: FactTable): FactDefinition | undefined {
  const definition = facts.get(`context.${name}`);
  return definition?.origin === 'caller' ? definition : undefined;
}

/** Reads the text of an option, or of a cell. */
export function readContextText(text: string, definition: FactDefinition | undefined): ReadContext {
  switch (definition?.type) {
    case 'number':
    case 'integer':
      return /^-?\d+(\.\d+)?$/.test(text) ? { value: Number(text) } : { problem: 'expected a number' };
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : { problem: 'expected true or false' };
    default:
      return checkText(text, definition);
  }
}

export function readContextJson(value: unknown, definition: FactDefinition): ReadContext {
  switch (definition.type) {
    case 'number':
    case 'integer':
      return typeof value === 'number' ? { value } : { problem: 'expected a number, without quotes' };
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { problem: 'expected true or false, without quotes' };
    default:
      return typeof value === 'string' ? checkText(value, definition) : { problem: 'expected a text, in quotes' };
  }
}

function checkText(text: string, definition: FactDefinition | undefined): ReadContext {
  if (definition?.type !== 'enum' || definition.values?.includes(text)) return { value: text };
  return { problem: `expected one of ${definition.values?.join(', ')}` };
}
