/** A value of a fact `context.…`, as a text or as JSON -> the value in the fact's type, or what was expected. */

import type { ContextValue } from '../../decision/context-facts.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';

/** A value that was read, or what was expected instead; the problem never repeats the value. */
export type ReadContext = { readonly value: ContextValue } | { readonly problem: string };

/** The declaration of `context.NAME`; undefined where the policy has none. */
export function contextFact(name: string, facts: FactTable): FactDefinition | undefined {
  const definition = facts.get(`context.${name}`);
  return definition?.origin === 'caller' ? definition : undefined;
}

/** Reads a text: of an option of the command line, or of a cell. */
export function readContextText(text: string, definition: FactDefinition | undefined): ReadContext {
  switch (definition?.type) {
    case 'number':
    case 'integer':
      return /^-?\d+(\.\d+)?$/.test(text) ? { value: Number(text) } : { problem: 'a number was expected' };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { problem: 'true or false was expected' };
    default:
      return checkText(text, definition);
  }
}

/** Checks a value of JSON. */
export function readContextJson(value: unknown, definition: FactDefinition): ReadContext {
  switch (definition.type) {
    case 'number':
    case 'integer':
      return typeof value === 'number' ? { value } : { problem: 'a number was expected, without quotes' };
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { problem: 'true or false was expected, without quotes' };
    default:
      return typeof value === 'string' ? checkText(value, definition) : { problem: 'a text was expected, in quotes' };
  }
}

function checkText(text: string, definition: FactDefinition | undefined): ReadContext {
  if (definition?.type !== 'enum' || definition.values?.includes(text)) return { value: text };
  return { problem: `one of ${definition.values?.join(', ')} was expected` };
}
