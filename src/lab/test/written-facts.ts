/** The YAML of facts, and of facts that are missing -> the facts on a day, as given. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { isDay } from '../../facts/day.ts';
import { CAUSES, type Cause, type GivenFact, isMissing, NEVER } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import { catalogRows } from '../../facts/json-schema.ts';
import { reportAt } from '../../platform/files/source.ts';
import { type Format, readFormat } from '../../platform/formats/format.ts';
import { describeNode, type MapEntry, type Yaml } from '../../platform/yaml.ts';
import { isNull, readFields, readMap, readOneOf, readText } from '../../platform/yaml-fields.ts';
import { isOperator } from '../../policy/operators.ts';
import { readLiteral } from '../../policy/read/conditions/argument.ts';
import { readTextOfFormat } from '../../policy/read/form.ts';
import { unknownFact } from '../../policy/read/mistakes/facts.ts';
import {
  type Answer,
  anyDayMeant,
  CAUSE_SYNONYMS,
  causeMeant,
  missingMeant,
  nestedPath,
  readRelativeDay,
} from './mistakes.ts';

/** A fact as it is written: which day a relative one is depends on the day of the test. */
export interface WrittenFact {
  readonly node: Yaml;
  on(day: string): GivenFact;
}

/** By path. */
export type WrittenFacts = ReadonlyMap<string, WrittenFact>;

/**
 * Reads a map of facts, each a value or `{ missing: cause }`. Those that cannot be read are reported and left out. `{}`
 * means no facts, as in the line of facts of an example.
 */
export function readWrittenFacts(node: Yaml, what: string, table: FactTable, answer?: Answer): WrittenFacts {
  const facts = new Map<string, WrittenFact>();
  if (node.kind === 'map' && node.entries.size === 0) return facts;
  for (const [path, entry] of readMap(node, what, answer)?.entries ?? []) {
    const definition = givable(path, entry, table);
    const fact = definition && readWrittenFact(path, definition, entry.value);
    if (fact) facts.set(path, fact);
  }
  return facts;
}

/** Reads one fact; undefined, with a diagnostic, for anything that the fact cannot be. */
export function readWrittenFact(path: string, definition: FactDefinition, node: Yaml): WrittenFact | undefined {
  if (node.kind === 'list') {
    const hint = 'for several values write a `table` with a row for each';
    return reportAt(node, 'wrong-type', `found a list; ${path} needs one value`, { hint });
  }
  if (node.kind === 'map') {
    if ([...node.entries.keys()].some(isOperator)) {
      const message = `found a condition; ${path} needs a value, or \`{ missing: … }\` for a fact without one`;
      return reportAt(node, 'wrong-type', message);
    }
    const fields = readFields(node, path, { required: ['missing'], optional: [] });
    const cause = fields?.get('missing') && readCause(fields.get('missing') as MapEntry);
    return cause && { node, on: () => ({ missing: cause }) };
  }
  if (isNull(node)) {
    const hint = 'write `{ missing: notReturned }` for a fact without a value';
    return reportAt(node, 'null-value', `found nothing; ${path} needs a value`, { hint });
  }
  if (definition.type === 'date') return readDate(path, node);
  const noValue = noValueMeant(node, definition);
  if (noValue) return reportAt(node, 'wrong-value', `found a word for a missing value; ${path} needs a value`, noValue);
  if (definition.format !== undefined) return readFormatted(path, definition.format, node);
  if (readLiteral(node, { path, definition }) === undefined || node.kind !== 'scalar') return undefined;
  // As it is written: reasons show texts as they came, not folded.
  const { value } = node;
  return { node, on: () => ({ value }) };
}

function readFormatted(path: string, format: Format, node: Yaml): WrittenFact | undefined {
  const text = readTextOfFormat(node, path, format);
  if (text === undefined) return undefined;
  const read = readFormat(format, text);
  if ('value' in read) return { node, on: () => ({ value: text }) };
  // Of a phone number, an email or an IP address, no other is shown.
  const meant = format === 'country' || format === 'domain' ? read.corrected : undefined;
  const answer = meant === undefined ? {} : { hint: `did you mean "${meant}"?`, fix: { value: meant } };
  return reportAt(node, 'wrong-format', `${path} cannot have this value: it ${read.problem}`, answer);
}

/** What to say of a word for a missing value; undefined where the word may be the value. */
function noValueMeant(node: Yaml, { type, values }: FactDefinition): Answer | undefined {
  if (type === 'string' || node.kind !== 'scalar' || values?.includes(node.written)) return undefined;
  return causeMeant(node.written);
}

function readDate(path: string, node: Yaml): WrittenFact | undefined {
  const isNumber = node.kind === 'scalar' && typeof node.value === 'number';
  const hint = isNumber ? `write "${node.written} years ago" or "${node.written} days ago"` : undefined;
  const text = readText(node, path, hint === undefined ? {} : { allowed: () => false, answer: { hint } });
  if (text === undefined) return undefined;
  if (text === NEVER || isDay(text)) return { node, on: () => ({ value: text }) };
  const move = readRelativeDay(text);
  if (move) return { node, on: (day) => ({ value: move(day) }) };
  const message = `found "${text}"; ${path} must be a day: yyyy-MM-dd, never, today, or like "7 days ago"`;
  return reportAt(node, 'malformed', message, anyDayMeant(text));
}

/** Reads a map of causes by fact or by pattern: `email.*` is every fact below `email` that is not derived. */
export function readWrittenMissing(node: Yaml, what: string, table: FactTable): MissingFacts {
  const patterns = new Map<string, WrittenFact>();
  const facts = new Map<string, WrittenFact>();
  for (const [name, entry] of readMap(node, what, missingMeant(node))?.entries ?? []) {
    const cause = readCause(entry);
    const missing: WrittenFact | undefined = cause && { node: entry.key, on: () => ({ missing: cause }) };
    if (!name.includes('*')) {
      if (!table.has(name) && [...table.keys()].some((path) => path.startsWith(`${name}.`))) {
        const answer = { hint: `write "${name}.*" for all facts below it`, fix: { value: `${name}.*` } };
        reportAt(entry.key, 'unknown-fact', `the policy has no fact "${name}"`, answer);
        continue;
      }
      const definition = givable(name, entry, table);
      if (definition && missing) facts.set(name, missing);
      continue;
    }
    const paths = [...table].flatMap(([path, { origin }]) => (origin !== 'derived' && matches(path, name) ? path : []));
    if (paths.length === 0) reportPattern(name, entry, table);
    for (const path of paths) if (missing) patterns.set(path, missing);
  }
  return { patterns, facts };
}

/** Missing facts: those of patterns, which a given fact overrides, and those that are named. */
export interface MissingFacts {
  readonly patterns: WrittenFacts;
  readonly facts: WrittenFacts;
}

function matches(path: string, pattern: string): boolean {
  return pattern === '*' || (pattern.endsWith('.*') && path.startsWith(pattern.slice(0, -1)));
}

function reportPattern(name: string, { key }: MapEntry, table: FactTable): void {
  const parents = new Set([...table.keys()].flatMap(parentsOf).map((parent) => `${parent}.*`));
  reportAt(key, 'unknown-fact', `no fact matches "${name}"; a pattern must be like email.* or email.address.*`, {
    unknown: { word: name, known: parents },
  });
}

function parentsOf(path: string): readonly string[] {
  const steps = path.split('.');
  return steps.slice(1).map((_, i) => steps.slice(0, i + 1).join('.'));
}

function readCause({ key, value }: MapEntry): Cause | undefined {
  if (!isNull(value)) return readOneOf(value, 'a cause', CAUSES, { synonyms: CAUSE_SYNONYMS });
  return reportAt(key, 'null-value', `found no cause; expected one of ${CAUSES.join(', ')}`);
}

/** The definition of a fact that can be given; undefined, with a diagnostic, for one that does not exist. */
function givable(path: string, { key, value }: MapEntry, table: FactTable): FactDefinition | undefined {
  const definition = table.get(path);
  if (!definition) {
    const nested = nestedPath(path, value);
    if (nested !== undefined && table.has(nested)) {
      const hint = `write the whole path: \`${nested}: …\``;
      return reportAt(key, 'unknown-fact', `the policy has no fact "${path}"`, { hint });
    }
    const { unknown } = unknownFact(path, table);
    return reportAt(key, 'unknown-fact', `the policy has no fact "${path}"`, { unknown });
  }
  if (!definition.compute) return definition;
  return reportAt(key, 'wrong-value', `the policy computes ${path}; give the facts that it is computed from`);
}

/** The facts on a day, later ones in place of earlier ones. Values that their facts cannot have are reported once. */
export function givenOn(
  day: string,
  written: readonly WrittenFacts[],
  table: FactTable,
  reported: Set<Yaml>,
): Map<string, GivenFact> {
  const given = new Map<string, GivenFact>();
  for (const facts of written) {
    for (const [path, fact] of facts) {
      const value = fact.on(day);
      given.set(path, value);
      const definition = table.get(path) as FactDefinition;
      if (isMissing(value) || !isInvalid(definition, value, day) || reported.has(fact.node)) continue;
      reported.add(fact.node);
      const [row] = catalogRows(new Map([[path, definition]]));
      const isDate = definition.type === 'date';
      const dated = isDay(String(value.value)) ? 'a day in the future' : 'no day of the calendar';
      const what = isDate ? `${dated}, seen from ${day}` : describeNode(fact.node);
      reportAt(fact.node, 'wrong-value', `found ${what}; ${path} must be ${row?.values || 'a value of its type'}`);
    }
  }
  return given;
}

function isInvalid(definition: FactDefinition, given: GivenFact, day: string): boolean {
  const fact = readFact(definition, given, day);
  return isMissing(fact) && fact.missing === 'invalid';
}
