/** The YAML of a message or a notice -> its parts, or its texts by language; a message and facts -> its text. */

import type { FactTable } from '../../facts/catalog.ts';
import { daysBetween } from '../../facts/day.ts';
import { type Facts, isMissing, NEVER, shownValue } from '../../facts/fact.ts';
import { type JsonSchema, MAP, TEXT, whereType } from '../../facts/json-schema.ts';
import { reportAt, type Span } from '../../platform/files/source.ts';
import type { ScalarNode, Yaml } from '../../platform/yaml.ts';
import { readMap, readText } from '../../platform/yaml-fields.ts';
import { isPersonal } from '../identities.ts';
import type { MessagePart, Notice } from '../language.ts';
import { LANGUAGE, NAMED_PATH } from './form.ts';
import { type Key, key, type SchemaNames, type UnresolvedNames } from './key.ts';
import { unknownFact } from './mistakes/facts.ts';
import { type Parameters, parameterPattern } from './values/parameters.ts';

/** The JSON Schema of a message, which must not name the applicant's own data. */
export function messageSchema({ facts, own }: SchemaNames): JsonSchema {
  const shown = [...facts].filter(([path]) => !isPersonal(path, facts));
  const dates = shown.filter(([, { type }]) => type === 'date');
  const either = (paths: typeof shown) => {
    const knownPaths = paths.map(([path]) => path.replaceAll('.', '\\.'));
    return [...knownPaths, ...(own ? [] : [NAMED_PATH.pattern.source.slice(1, -1)])].join('|');
  };
  const parameter = `\\$(${parameterPattern(own)})`;
  const place = `\\{(${either(shown)}|daysSince +(${either(dates)})|${parameter})\\}`;
  return {
    type: 'string',
    pattern: `^(?=[\\s\\S]*\\S)([^{}]|\\{\\{|\\}\\}|${place})*$`,
    patternErrorMessage:
      'Placeholders are written {fact}, {daysSince fact} for a date, or {$parameter}; braces {{ and }}. ' +
      'Personal data are not shown.',
  };
}

/** The facts that a message can name. */
interface MessageScope {
  readonly facts: FactTable;
  readonly parameters: Pick<Parameters, 'show' | 'has'>;
  readonly unresolved: UnresolvedNames;
}

/** More than an analyst reads. Each place can hold a long text, so that they bound the message too. */
const MAX_PLACES = 50;

/** Two braces, a placeholder, a single brace, or text without braces. */
const TOKEN = /\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g;

/** Reads a message; undefined, with diagnostics, if a placeholder in it is wrong. */
export function readMessage(node: Yaml, scope: MessageScope): readonly MessagePart[] | undefined {
  const text = readText(node, 'a message');
  if (text === undefined) return undefined;
  const tokens = text.match(TOKEN) ?? [];
  const places = tokens.filter((token) => /^\{[^{]/.test(token)).length;
  if (places > MAX_PLACES) {
    return reportAt(node, 'too-large', `found ${places} placeholders; a message has at most ${MAX_PLACES}`);
  }
  const parts: MessagePart[] = [];
  let isSound = true;
  const spans = bracedSpans(node).values();
  for (const token of tokens) {
    const span = /[{}]/.test(token) ? (spans.next().value ?? node) : node;
    if (token === '{{' || token === '}}') {
      parts.push(token.charAt(0));
    } else if (token === '{' || token === '}') {
      reportAt(span, 'bad-message', `found a single "${token}"; braces of a placeholder come in pairs`, {
        hint: `for the character itself, write "${token}${token}"`,
      });
      isSound = false;
    } else if (token.startsWith('{')) {
      const part = readPlaceholder(token, span, scope);
      if (part) parts.push(part);
      else isSound = false;
    } else {
      parts.push(token);
    }
  }
  return isSound ? parts : undefined;
}

/** The spans of the tokens with braces in the text as written, which has quotes and escapes. */
function bracedSpans({ source, start, end }: Span): Span[] {
  return [...source.text.slice(start, end).matchAll(TOKEN)]
    .filter(([token]) => /[{}]/.test(token))
    .map(({ 0: token, index }) => ({ source, start: start + index, end: start + index + token.length }));
}

/**
 * The text of a message. A missing value reads "unknown", a date that never happened "never"; numbers are written as in
 * JSON, texts as they came.
 */
export function renderMessage(parts: readonly MessagePart[], facts: Facts, day: string): string {
  let text = '';
  // By index, as the policy is frozen (platform/freeze.ts).
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as MessagePart;
    text += typeof part === 'string' ? part : renderPlaceholder(part, facts, day);
  }
  return text;
}

/** `{ phone.score }` and `{daysSince(phone.porting.portedDate)}` as they are written; undefined for other mistakes. */
function placeholderMeant(token: string, { facts, parameters }: MessageScope): string | undefined {
  const inner = token.slice(1, -1).trim();
  if (facts.has(inner) || /^\$\S+$/.test(inner)) return `{${inner}}`;
  if (parameters.has(inner)) return `{$${inner}}`;
  const [, date = ''] = /^days ?since[ (]+([^ ()]+)[ )]*$/i.exec(inner) ?? [];
  return facts.get(date)?.type === 'date' ? `{daysSince ${date}}` : undefined;
}

function readPlaceholder(token: string, span: Span, scope: MessageScope): MessagePart | undefined {
  const { facts, parameters, unresolved } = scope;
  if (token.startsWith('{$')) return parameters.show(token.slice(2, -1), span);
  const [, daysSince, path = ''] = /^\{(daysSince +)?([^ ]*)\}$/.exec(token) ?? [];
  const definition = facts.get(path);
  if (!definition && unresolved.mayInclude('fact', path)) return undefined;
  const meant = definition ? undefined : placeholderMeant(token, scope);
  if (meant !== undefined) return reportAt(span, 'bad-message', `found "${token}"`, { hint: `write ${meant}` });
  if (!definition) {
    const what = path === '' ? `found "${token}"; a placeholder must name a fact` : `there is no fact "${path}"`;
    const hint = 'write a placeholder as {fact}, {daysSince fact} or {$parameter}';
    if (path === '') return reportAt(span, 'bad-message', what, { hint });
    const start = span.start + token.indexOf(path);
    const unknown = { ...unknownFact(path, facts).unknown, at: { start, end: start + path.length } };
    return reportAt(span, 'unknown-fact', what, { hint, unknown });
  }
  if (isPersonal(path, facts)) {
    const origin = definition.compute ? 'it is computed from personal facts: ' : '';
    const hint = `${origin}write the message without its value`;
    return reportAt(span, 'bad-message', `${path} is personal data, which a message must not show`, { hint });
  }
  if (daysSince !== undefined && definition.type !== 'date') {
    return reportAt(span, 'bad-message', `{daysSince …} needs a date; ${path} has the type ${definition.type}`);
  }
  return { fact: path, place: daysSince === undefined ? 'value' : 'daysSince' };
}

function renderPlaceholder({ fact: path, place }: Exclude<MessagePart, string>, facts: Facts, day: string): string {
  const fact = facts.get(path);
  if (fact === undefined || isMissing(fact)) return 'unknown';
  if (place === 'daysSince' && fact.value !== NEVER) return String(daysBetween(String(fact.value), day));
  return String(shownValue(fact));
}

/** The JSON Schema of the texts by language. */
export const NOTICE_MAP: JsonSchema = {
  type: 'object',
  minProperties: 1,
  propertyNames: LANGUAGE.schema,
  additionalProperties: TEXT,
};

const NOTICE_SCHEMA: JsonSchema = { anyOf: [TEXT, MAP], ...whereType('object', NOTICE_MAP) };

/** A key whose value is a notice. */
export function noticeKey(description: string): Key<Notice, unknown> {
  return key(description, NOTICE_SCHEMA, readNotice);
}

/** Undefined, with diagnostics, if it is neither a text nor a map of texts by language. */
function readNotice(node: Yaml, what: string): Notice | undefined {
  const isOfMaps = node.kind === 'list' && node.items.some(({ kind }) => kind === 'map');
  const answer = isOfMaps ? { hint: 'write one map, with a key for each language: `{ en: …, de: … }`' } : undefined;
  if (node.kind !== 'map') return readText(node, what, { answer });
  const texts: [string, string][] = [];
  const taken = new Map<string, string>();
  for (const [tag, { key, value }] of readMap(node, what)?.entries ?? []) {
    const text = readText(value, `the notice in "${tag}"`);
    const other = taken.get(tag.toLowerCase());
    if (!LANGUAGE.pattern.test(tag)) reportLanguage(key, tag);
    else if (other !== undefined) {
      reportAt(key, 'duplicate-name', `"${other}" and "${tag}" are one language: case does not matter`);
    } else if (text !== undefined) texts.push([tag, text]);
    taken.set(tag.toLowerCase(), tag);
  }
  return texts.length === node.entries.size && texts.length > 0 ? Object.fromEntries(texts) : undefined;
}

function reportLanguage(key: ScalarNode, tag: string): void {
  const meant = languageMeant(tag);
  const hint = meant === undefined ? 'for example en, pt-BR or zh-Hant' : `did you mean "${meant}"?`;
  reportAt(key, 'malformed', `found "${tag}"; a language must be ${LANGUAGE.words}`, { hint });
}

/** The tag that a locale of POSIX (`de_AT.UTF-8`), a quality of HTTP (`de;q=0.8`) or the English name of it means. */
function languageMeant(written: string): string | undefined {
  const tag = written
    .trim()
    .replace(/[.@;].*$/s, '')
    .replaceAll('_', '-');
  if (LANGUAGE.pattern.test(tag)) return Intl.getCanonicalLocales(tag)[0];
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  return TWO_LETTERS.find((code) => names.of(code)?.toLowerCase() === tag.toLowerCase());
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** Every code that ISO 639-1 could have. */
const TWO_LETTERS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
