/** Lists, names of lists and single values in the place of one another -> what is meant. */

import { type FactDefinition, LEVELS } from '../../../facts/catalog.ts';
import { plainNumeral } from '../../../platform/files/numeral.ts';
import type { DiagnosticDetails, Replacement } from '../../../platform/files/source.ts';
import { readFormat } from '../../../platform/formats/format.ts';
import { listMeantBy } from '../../../platform/syntax/shapes.ts';
import type { ListNode, ScalarNode, Yaml } from '../../../platform/yaml.ts';
import { nearest } from '../../../text.ts';
import { NAME } from '../form.ts';

/** What to say of a mistake. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix'>;

/** The test with the argument. */
interface Asked {
  readonly operator: string;
  /** The fact. */
  readonly path: string;
  readonly key: ScalarNode | undefined;
  readonly definition: Pick<FactDefinition, 'type' | 'format' | 'values'>;
  readonly lists: ReadonlyMap<string, unknown>;
}

/** `in: blocked`: the name of a list, or a single value. */
export function listMeant(node: Yaml, { operator, key, definition, lists }: Asked): Answer | undefined {
  if (node.kind !== 'scalar' || node.value === null) return undefined;
  const other = operator === 'in' ? 'inList' : 'notInList';
  if (definition.type === 'string' && lists.has(node.written)) {
    return { hint: `write \`${other}: ${node.written}\``, ...renamed(key, other) };
  }
  const { start, end, source } = node;
  // A text without a format, such as the name of a company, may have a comma.
  const isOfForm = definition.type !== 'string' || definition.format !== undefined;
  const words = partsOf(node, /\s+/);
  const parts = isOfForm ? (partsOf(node) ?? (words?.every(isValueOf(definition)) ? words : undefined)) : undefined;
  const text = (parts && listOf(parts, definition)) ?? `[${source.text.slice(start, end)}]`;
  if (definition.type !== 'string' || parts)
    return { hint: `write \`${operator}: ${text}\``, fix: [{ start, end, text }] };
  // It may be a value, or the name of a list that is misspelt or not declared.
  const name = nearest(node.written, lists.keys()) ?? node.written;
  return { hint: `write \`${operator}: ${text}\`; if it is a list, \`${other}: ${name}\`` };
}

/** `isNot: [a, b]` and `is: a or b`: several values where one is asked for. */
export function severalValuesMeant(node: Yaml, { operator, key, definition }: Asked): Answer | undefined {
  const other = operator === 'isNot' ? 'notIn' : 'in';
  if (node.kind === 'list') {
    const { source, start, end } = node;
    const values = /^\[[^\n]*$/.test(source.text.slice(start, end)) ? source.text.slice(start, end) : '[ … ]';
    return { hint: `for several values write \`${other}: ${values}\``, ...renamed(key, other) };
  }
  const parts = partsOf(node, BETWEEN_VALUES);
  if (!parts?.every(isValueOf(definition))) return undefined;
  const list = listOf(parts, definition);
  const written = key || other === 'notIn' ? `${other}: ${list}` : list;
  return { hint: `write \`${written}\``, fix: [...(renamed(key, other).fix ?? []), { ...spanOf(node), text: list }] };
}

/** What people write between values. */
const BETWEEN_VALUES = /\s*[,;|/]\s*|\s+or\s+|\s+/;

/** `[a; b]`: several values in one item of a list. */
export function severalItemsMeant(item: Yaml, list: Yaml, { definition }: Asked): Answer | undefined {
  const parts = partsOf(item, BETWEEN_VALUES);
  if (!parts?.every(isValueOf(definition))) return undefined;
  if (!textOf(list).startsWith('[')) return { hint: 'it has several values: write each as an item of its own' };
  const text = parts.join(', ');
  return { hint: `write \`${text}\``, fix: [{ ...spanOf(item), text }] };
}

/** Whether a text is a value of a fact. */
function isValueOf({ type, values = [], format }: Asked['definition']): (text: string) => boolean {
  const known: readonly string[] = type === 'level' ? LEVELS : values;
  return (text) => known.includes(text) || (format !== undefined && 'value' in readFormat(format, text));
}

/** The parts of a text with commas, semicolons, bars or "or" between them; undefined for one without. */
function partsOf(node: Yaml, separator = /\s*[,;|]\s*|\s+or\s+/): readonly string[] | undefined {
  // The text of a parameter is written elsewhere.
  if (node.kind !== 'scalar' || typeof node.value !== 'string' || node.origin) return undefined;
  const parts = node.value.split(separator).map((part) => part.trim());
  return parts.length > 1 && !parts.includes('') ? parts : undefined;
}

/** A list in flow style. Quotes keep a text of digits, such as a phone number, from being read as a number. */
function listOf(parts: readonly string[], { type }: Pick<FactDefinition, 'type'>): string {
  const isNumber = type === 'number' || type === 'integer';
  const items = parts.map((part) => (isNumber || /^[A-Za-z][\w.@-]*$/.test(part) ? part : JSON.stringify(part)));
  return `[${items.join(', ')}]`;
}

function spanOf({ start, end }: Yaml): { readonly start: number; readonly end: number } {
  return { start, end };
}

/** `between: 40-60`: a range in one text. */
export function rangeMeant(node: Yaml): Answer {
  const text =
    node.kind === 'scalar' && typeof node.value === 'string' && !node.origin ? rangeIn(node.value) : undefined;
  if (text === undefined) return { hint: 'write the least and the most value, such as `[40, 60]`' };
  return { hint: `write \`${text}\``, fix: [{ ...spanOf(node), text }] };
}

/** The list of the limits of `40-60`, `40..60` or `between 40 and 60`; undefined for any other text. */
export function rangeIn(text: string): string | undefined {
  const written = text.trim().replace(/^(?:between|from) /i, '');
  const ends = /^(\d+(?:[.,]\d+)*)\s*(?:[-–]|\.\.|\b(?:to|and)\b)\s*(\d+(?:[.,]\d+)*)$/.exec(written);
  const [least, most] = ends?.slice(1).map(plainNumeral) ?? [];
  return least === undefined || most === undefined ? undefined : `[${least}, ${most}]`;
}

/** `inList: [a, b]`: values, or the names of several lists, in place of the name of a list. */
export function valuesMeant(node: Yaml, { operator, path, key, lists }: Asked): Answer | undefined {
  if (node.kind !== 'list') return undefined;
  if (node.items.some((item) => item.kind === 'scalar' && lists.has(item.written))) {
    const tests = node.items.map((item) => `{ ${path}: { ${operator}: ${textOf(item)} } }`);
    const join = operator === 'notInList' ? 'all' : 'any';
    return { hint: `write a test for each list: \`${join}: [${tests.join(', ')}]\`` };
  }
  if (operator === 'inDomainList') return { hint: 'declare the domains under `lists`, and write the name of the list' };
  const other = operator === 'inList' ? 'in' : 'notIn';
  return { hint: `for values in place write \`${other}: [ … ]\``, ...renamed(key, other) };
}

/** `inList: lists/blocked.txt`: a file in place of the name of a list. */
export function declarationMeant(text: string): string {
  const [, bare] = /^lists?\.(.+)$/.exec(text) ?? [];
  if (bare !== undefined && NAME.pattern.test(bare)) return `write its name alone: ${bare}`;
  if (NAME.pattern.test(text)) return `declare it under \`lists\`, such as \`${text}: [ … ]\``;
  const [, name] = /([A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*)\.(?:txt|csv)$/.exec(text) ?? [];
  if (name === undefined) return 'write the name of a list that is declared under `lists`';
  return `declare it under \`lists\`, as \`${name}: { file: ${text} }\`, and write its name, \`${name}\``;
}

/** `staff: pat@lumen.example`, `staff: { pat: pat@lumen.example }`: a text or a map in place of a list of entries. */
export function entriesMeant(node: Yaml): Answer {
  if (node.kind !== 'scalar') return { hint: 'write the entries alone, as a list: `[ …, … ]`' };
  const text = textOf(node);
  if (!/\.(txt|csv)$/i.test(node.written)) return { hint: listMeantBy(node)?.hint ?? `write \`[${text}]\`` };
  const { start, end } = node;
  return { hint: `write \`{ file: ${text} }\``, fix: [{ start, end, text: `{ file: ${text} }` }] };
}

/** What to say of an entry or a value that its format does not allow, such as one with more than the entry. */
export function entryMeant(text: string, isOfFormat: (part: string) => boolean): string | undefined {
  const line = LINES.find(([form]) => form.test(text));
  if (line) return line[1];
  const parts = text.split(/\s*[,;|/]\s*/);
  return parts.length > 1 && parts.every(isOfFormat)
    ? 'it has several values: write each as an entry of its own'
    : undefined;
}

const LINES: readonly (readonly [form: RegExp, hint: string])[] = [
  [/^\d([.,]\d+)?E\+\d+$/i, 'Excel has shortened the number: format the column as text, and enter the number again'],
  [/^'/, 'remove the apostrophe before it'],
  [/^\(?0[1-9][\d ()/-]{4,}$/, 'write the country code in place of the 0, such as +44 for GB'],
  [/^\/\//, 'a comment begins with #'],
  [/^([-*•]|\d+[.)])\s+\S/, 'write the entry alone, without a hyphen or a number before it'],
  [/^[A-Za-z][\w ]*:$/, 'write the entries alone: a file of a list has no keys'],
  [/^\$[A-Za-z]/, 'a list cannot contain another, nor a parameter: test each list, as items of `any`'],
  [/[\s,;(]\d{4}-\d\d-\d\d\)?$/, 'write `until` before the last day: `GB until 2026-12-31`'],
];

/** `contains: [a, b]`: several texts where one is asked for. */
export function severalMeant({ items }: ListNode, operator: string, path: string): Answer | undefined {
  const tests = items.slice(0, 2).map((item) => `{ ${path}: { ${operator}: ${textOf(item)} } }`);
  return tests.length === 0 ? undefined : { hint: `write a test for each: \`any: [${tests.join(', ')}]\`` };
}

function textOf(node: Yaml): string {
  return node.source.text.slice(node.start, node.end);
}

function renamed(key: ScalarNode | undefined, text: string): { readonly fix?: readonly Replacement[] } {
  return key ? { fix: [{ start: key.start, end: key.end, text }] } : {};
}
