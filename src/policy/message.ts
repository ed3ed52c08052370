/** A rule's message with places for facts: its YAML -> its parts, and its parts with facts -> the text. */

import { didYouMean } from '../diagnostics.ts';
import type { FactTable } from '../facts/catalog.ts';
import { daysBetween } from '../facts/day.ts';
import { type Facts, isMissing, NEVER, shownValue } from '../facts/fact.ts';
import { reportAt, type Yaml } from '../yaml.ts';
import { readText } from './fields.ts';
import type { MessagePart } from './language.ts';

/** Reads a message; undefined, with diagnostics, where a place in it is wrong. */
export function readMessage(node: Yaml, facts: FactTable): readonly MessagePart[] | undefined {
  const text = readText(node, 'a message');
  if (text === undefined) return undefined;
  const parts: MessagePart[] = [];
  let isSound = true;
  for (const token of text.match(/\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g) ?? []) {
    if (token === '{{' || token === '}}') {
      parts.push(token.charAt(0));
    } else if (token === '{' || token === '}') {
      reportAt(node, 'bad-message', `a "${token}" without its partner`, {
        hint: `write "${token}${token}" for the character`,
      });
      isSound = false;
    } else if (token.startsWith('{')) {
      const part = readPlace(token, node, facts);
      if (part) parts.push(part);
      else isSound = false;
    } else {
      parts.push(token);
    }
  }
  return isSound ? parts : undefined;
}

/**
 * The text of a message: a missing value reads "unknown", never reads "never", numbers as JSON writes them, texts as they
 * came.
 */
export function renderMessage(parts: readonly MessagePart[], facts: Facts, day: string): string {
  return parts.map((part) => (typeof part === 'string' ? part : renderPlace(part, facts, day))).join('');
}

function readPlace(token: string, node: Yaml, facts: FactTable): MessagePart | undefined {
  const at = node.source.text.indexOf(token, node.start);
  const place = at >= 0 && at < node.end ? { source: node.source, start: at, end: at + token.length } : node;
  const [, daysSince, path = ''] = /^\{(daysSince +)?([^ ]*)\}$/.exec(token) ?? [];
  const definition = facts.get(path);
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
