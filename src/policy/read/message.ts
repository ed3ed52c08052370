/** A rule's message with places for facts: its YAML -> its parts, and its parts with facts -> the text. */

import type { FactTable } from '../../facts/catalog.ts';
import { daysBetween } from '../../facts/day.ts';
import { type Facts, isMissing, NEVER, shownValue } from '../../facts/fact.ts';
import type { JsonSchema } from '../../facts/json-schema.ts';
import { reportAt, type Span, type Yaml } from '../../platform/yaml.ts';
import { readText } from '../../platform/yaml-fields.ts';
import { didYouMean } from '../../text.ts';
import type { MessagePart } from '../language.ts';
import { OWN_PATH } from './form.ts';
import type { SchemaNames } from './key.ts';
import type { UnresolvedNames } from './unresolved-names.ts';

/** The JSON Schema of a message. The applicant's own data are no facts that it may name. */
export function messageSchema({ facts, own }: SchemaNames): JsonSchema {
  const shown = [...facts].filter(([path]) => !path.startsWith('applicant.'));
  const dates = shown.filter(([, { type }]) => type === 'date');
  const either = (paths: typeof shown) => {
    const known = paths.map(([path]) => path.replaceAll('.', '\\.'));
    return [...known, ...(own ? [] : [OWN_PATH.pattern.source.slice(1, -1)])].join('|');
  };
  const place = `\\{(${either(shown)}|daysSince +(${either(dates)}))\\}`;
  return {
    type: 'string',
    pattern: `^(?=[\\s\\S]*\\S)([^{}]|\\{\\{|\\}\\}|${place})*$`,
    patternErrorMessage:
      "Places are written {fact}, or {daysSince fact} for a date; braces {{ and }}. The applicant's own data are not shown.",
  };
}

/** The facts that a message can name. */
export interface MessageScope {
  readonly facts: FactTable;
  readonly unresolved: UnresolvedNames;
}

/** Two braces, a place, a brace alone, or text without any. */
const TOKEN = /\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g;

/** Reads a message; undefined, with diagnostics, where a place in it is wrong. */
export function readMessage(node: Yaml, scope: MessageScope): readonly MessagePart[] | undefined {
  const text = readText(node, 'a message');
  if (text === undefined) return undefined;
  const parts: MessagePart[] = [];
  let isSound = true;
  const places = placesIn(node);
  for (const token of text.match(TOKEN) ?? []) {
    const place = /[{}]/.test(token) ? (places.shift() ?? node) : node;
    if (token === '{{' || token === '}}') {
      parts.push(token.charAt(0));
    } else if (token === '{' || token === '}') {
      reportAt(place, 'bad-message', `a "${token}" without its partner`, {
        hint: `write "${token}${token}" for the character`,
      });
      isSound = false;
    } else if (token.startsWith('{')) {
      const part = readPlace(token, place, scope);
      if (part) parts.push(part);
      else isSound = false;
    } else {
      parts.push(token);
    }
  }
  return isSound ? parts : undefined;
}

/** Where the tokens with braces stand in the text as written, quotes and escapes included. */
function placesIn({ source, start, end }: Span): Span[] {
  return [...source.text.slice(start, end).matchAll(TOKEN)]
    .filter(([token]) => /[{}]/.test(token))
    .map(({ 0: token, index }) => ({ source, start: start + index, end: start + index + token.length }));
}

/**
 * The text of a message: a missing value reads "unknown", never reads "never", numbers as JSON writes them, texts as they
 * came.
 */
export function renderMessage(parts: readonly MessagePart[], facts: Facts, day: string): string {
  return parts.map((part) => (typeof part === 'string' ? part : renderPlace(part, facts, day))).join('');
}

function readPlace(token: string, place: Span, { facts, unresolved }: MessageScope): MessagePart | undefined {
  const [, daysSince, path = ''] = /^\{(daysSince +)?([^ ]*)\}$/.exec(token) ?? [];
  const definition = facts.get(path);
  if (!definition && unresolved.mayInclude('fact', path)) return undefined;
  if (!definition) {
    const what = path === '' ? `"${token}" is not a place` : `there is no fact "${path}"`;
    reportAt(place, path === '' ? 'bad-message' : 'unknown-fact', what, {
      hint: 'a place is written {fact} or {daysSince fact}',
      ...didYouMean(path, facts.keys()),
    });
    return undefined;
  }
  if (definition.origin === 'applicant' || path.startsWith('applicant.')) {
    reportAt(place, 'bad-message', `${path} is a personal datum, which no message may show`);
    return undefined;
  }
  if (daysSince !== undefined && definition.type !== 'date') {
    reportAt(place, 'bad-message', `{daysSince …} is for dates, and ${path} is of the type ${definition.type}`);
    return undefined;
  }
  return { fact: path, place: daysSince === undefined ? 'value' : 'daysSince' };
}

function renderPlace({ fact: path, place }: Exclude<MessagePart, string>, facts: Facts, day: string): string {
  const fact = facts.get(path);
  if (fact === undefined || isMissing(fact)) return 'unknown';
  if (place === 'daysSince' && fact.value !== NEVER) return String(daysBetween(String(fact.value), day));
  return String(shownValue(fact));
}
