/** The YAML of a notice -> one text, or a text for each language; and the JSON Schema of it. */

import { type JsonSchema, MAP, TEXT, whereType } from '../../facts/json-schema.ts';
import { reportAt } from '../../platform/files/source.ts';
import type { ScalarNode, Yaml } from '../../platform/yaml.ts';
import { readMap, readText } from '../../platform/yaml-fields.ts';
import type { Notice } from '../language.ts';
import { LANGUAGE } from './form.ts';
import { type Key, key } from './key.ts';

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
  if (node.kind !== 'map') return readText(node, what);
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
