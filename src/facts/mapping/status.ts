/** The `answer` and `sources` of a mapping (YAML) -> where an answer says that the call, or one source, succeeded. */

import { reportAt } from '../../platform/files/source.ts';
import { type MapEntry, toData, type Yaml } from '../../platform/yaml.ts';
import { type Fields, readFields, readItems, readMap, readText } from '../../platform/yaml-fields.ts';
import type { FactTable } from '../catalog.ts';
import { type DeclaredFacts, readDeclaredFacts, tableOf } from '../declare.ts';
import { type Path, readPath } from './path.ts';
import { isOneOf, isScalar, spellingKey } from './value/spelling-key.ts';

/** Where an answer says that the service, or one source, answered or failed. */
export interface StatusMapping {
  readonly path: Path;
  /** The JSON values that mean success; undefined if the path is that of an error, so that no value means success. */
  readonly answered: AnsweredValues | undefined;
}

/** JSON values, those compared by `spellingKey` apart from null, lists and maps. */
interface AnsweredValues {
  readonly names: ReadonlySet<string>;
  readonly others: readonly unknown[];
}

/** Whether the values at the path of a status mean success. A status has to be there; an error must not be. */
export function meansSuccess(values: readonly unknown[], { answered }: StatusMapping): boolean {
  if (!answered) return values.every(isNothing);
  const isGood = (value: unknown) => {
    return isScalar(value) ? answered.names.has(spellingKey(value)) : isOneOf(value, answered.others);
  };
  return values.length > 0 && values.every(isGood);
}

/** Whether a value means that there is no error: null, or an empty text, list or map. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === '';
}

/** A source of the service. If it fails, its facts are `sourceFailed`. */
export interface SourceMapping extends StatusMapping {
  readonly name: string;
  /** The paths of its facts. */
  readonly facts: ReadonlySet<string>;
}

/** What a mapping says about the whole answer. */
export interface AnswerMapping {
  /** The status of the whole answer. */
  readonly status: StatusMapping | undefined;
  /** Where the answer repeats the caller's reference. */
  readonly reference: Path | undefined;
  /** Where the answer has a section for each service, under the name by which it is asked. */
  readonly sections: Path | undefined;
}

export function readAnswer(entry: MapEntry | undefined): AnswerMapping {
  const keys = { optional: [...STATUS_KEYS, 'reference', 'sections'] };
  const fields = entry && readFields(entry.value, '`answer`', keys);
  const [reference, sections] = [fields?.get('reference'), fields?.get('sections')];
  const hasStatus = STATUS_KEYS.some((key) => fields?.isMeant(key));
  return {
    status: entry && fields && hasStatus ? readStatus(entry, '`answer`', fields) : undefined,
    reference: reference && readPath(reference.value, 'the path of the reference'),
    sections: sections && readPath(sections.value, 'the path of the sections'),
  };
}

export function readSources(entry: MapEntry | undefined, mappable: MappableFacts): readonly SourceMapping[] {
  const entries = (entry && readMap(entry.value, '`sources`')?.entries) ?? new Map<string, MapEntry>();
  return [...entries].flatMap(([name, source]) => {
    const what = `the source "${name}"`;
    const fields = readFields(source.value, what, { optional: [...STATUS_KEYS, 'signals'] });
    if (!fields) return [];
    const patterns = fields.get('signals');
    if (!fields.isMeant('signals')) {
      reportAt(source.key, 'missing-key', `${what} needs the key "signals"`);
    }
    const items = (patterns && readItems(patterns.value, `\`signals\` of ${what}`)) ?? [];
    const facts = new Set(items.flatMap((item) => readPattern(item, what, mappable)));
    const status = readStatus(source, what, fields);
    return status ? [{ name, facts, ...status }] : [];
  });
}

/** The keys of a map that say where its status is: `at` and `answered` together, or `error`. */
const STATUS_KEYS = ['at', 'answered', 'error'] as const;

function readStatus(entry: MapEntry, what: string, fields: Fields): StatusMapping | undefined {
  const keys = STATUS_KEYS.filter((key) => fields.isMeant(key));
  const [other, isError] = [keys[0], keys.includes('error')];
  const lacking = (['at', 'answered'] as const).find((key) => !keys.includes(key));
  if (isError && other !== undefined && other !== 'error') {
    reportAt(entry.key, 'wrong-value', `"error" contradicts "${other}": ${what} has either a status or an error`);
  } else if (!isError && lacking !== undefined) {
    const hint = other === undefined ? 'or the key "error", if the answer shows failures alone' : undefined;
    reportAt(entry.key, 'missing-key', `${what} needs the key "${lacking}"`, { hint });
  }
  const place = fields.get('error') ?? fields.get('at');
  const path = place && readPath(place.value, isError ? `the path of the error of ${what}` : `the path of ${what}`);
  const list = fields.get('answered')?.value;
  const items = list && readItems(list, `\`answered\` of ${what}`);
  const answered = items && readAnswered(items, what);
  return path && (isError || answered) && { path, answered: isError ? undefined : answered };
}

/** A null has to be written out: an item without a text may be one that was left to be filled in. */
function readAnswered(items: readonly Yaml[], what: string): AnsweredValues {
  const values = items.flatMap((item) => {
    const value = toData(item);
    const isWritten = item.kind === 'scalar' ? value !== null || item.written !== '' : isNothing(value);
    if (isWritten) return [value];
    const message = `the values in \`answered\` of ${what} are texts, numbers, booleans, null, [] or {}`;
    return reportAt(item, value === null ? 'null-value' : 'wrong-type', message) ?? [];
  });
  return {
    names: new Set(values.filter(isScalar).map(spellingKey)),
    others: values.filter((value) => !isScalar(value)),
  };
}

/** The fact paths that a pattern names: one path, or every path that begins with the part before `.*`. */
function readPattern(node: Yaml, what: string, { table, isDoubtful }: MappableFacts): readonly string[] {
  const pattern = readText(node, `a signal of ${what}`);
  if (pattern === undefined) return [];
  const paths = servicePaths(table);
  const prefix = pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined;
  const matches = paths.filter((path) => (prefix === undefined ? path === pattern : path.startsWith(prefix)));
  if (matches.length === 0 && !isDoubtful(pattern)) {
    const groups = paths.flatMap((path) => prefixes(path).map((group) => `${group}.*`));
    const message = `"${pattern}" is neither a signal of the service nor the beginning of one`;
    reportAt(node, 'unknown-fact', message, { unknown: { word: pattern, known: new Set([...paths, ...groups]) } });
  }
  return matches;
}

/** `a.b.c` -> `a`, `a.b`. */
function prefixes(path: string): readonly string[] {
  const names = path.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}

/** The facts that a mapping may name. */
export type MappableFacts = ReturnType<typeof readMappableFacts>;

/** The paths of facts that a mapping declares. Facts of the caller are declared by a policy. */
export const MATCH_RESULT = /^identity(\.[a-z][A-Za-z0-9]*)+$/;

export function readMappableFacts(fields: Fields, table: FactTable) {
  const unread = new Set<string | undefined>(fields.isDoubtful('facts') ? [undefined] : []);
  const entry = fields.get('facts');
  const declared: DeclaredFacts = entry
    ? readDeclaredFacts(entry.value, {
        path: MATCH_RESULT,
        hint: 'a mapping declares match results, such as identity.nameScore; a policy declares what the caller gives',
        onUnread: (path) => unread.add(path),
      })
    : new Map();
  return {
    table: new Map([...table, ...tableOf(declared)]),
    /** Whether an unknown path may be one whose declaration could not be read; that error is already reported. */
    isDoubtful: (path: string) => unread.has(path) || (unread.has(undefined) && path.startsWith('identity.')),
  };
}

export function reportUnknownFact(key: Yaml, path: string, table: FactTable): void {
  reportAt(key, 'unknown-fact', `"${path}" is neither in the catalog nor declared`, {
    unknown: { word: path, known: servicePaths(table) },
    hint: MATCH_RESULT.test(path) ? 'declare it under `facts`' : undefined,
  });
}

/** The paths of the facts that come from an answer of the service. */
function servicePaths(table: FactTable): readonly string[] {
  return [...table].flatMap(([path, { origin }]) => (origin === 'service' ? [path] : []));
}
