/** The `answer` and `sources` of a mapping (YAML) -> where an answer says that the call, or one source, succeeded. */

import { type MapEntry, reportAt, type Yaml } from '../../platform/yaml.ts';
import { type Fields, readFields, readItems, readMap, readText } from '../../platform/yaml-fields.ts';
import { type MappableFacts, servicePaths } from './mappable-facts.ts';
import { type Path, readPath } from './path.ts';
import { readNames } from './value/spelling-key.ts';

/** A status in an answer, and its values (by `spellingKey`) that mean success. */
export interface StatusMapping {
  readonly path: Path;
  readonly answered: ReadonlySet<string>;
}

/** A source of the service. If it fails, its facts are `sourceFailed`. */
export interface SourceMapping extends StatusMapping {
  readonly name: string;
  /** The paths of its facts. */
  readonly facts: ReadonlySet<string>;
}

/** What a mapping says of the whole answer. */
export interface AnswerMapping {
  /** The status of the whole answer. */
  readonly status: StatusMapping | undefined;
  /** Where the answer repeats the caller's reference. */
  readonly reference: Path | undefined;
}

export function readAnswer(entry: MapEntry | undefined): AnswerMapping {
  const keys = { optional: ['at', 'answered', 'reference'] };
  const fields = entry && readFields(entry.value, '`answer`', keys);
  const reference = fields?.get('reference');
  const hasStatus = fields?.isMeant('at') || fields?.isMeant('answered');
  return {
    status: entry && fields && hasStatus ? readStatus(entry, '`answer`', fields) : undefined,
    reference: reference && readPath(reference.value, 'the path of the reference'),
  };
}

export function readSources(entry: MapEntry | undefined, known: MappableFacts): readonly SourceMapping[] {
  const entries = (entry && readMap(entry.value, '`sources`')?.entries) ?? new Map<string, MapEntry>();
  return [...entries].flatMap(([name, source]) => {
    const what = `the source "${name}"`;
    const fields = readFields(source.value, what, { optional: ['at', 'answered', 'signals'] });
    if (!fields) return [];
    const patterns = fields.get('signals');
    if (!fields.isMeant('signals')) {
      reportAt(source.key, 'missing-key', `${what} needs the key "signals"`);
    }
    const items = (patterns && readItems(patterns.value, `\`signals\` of ${what}`)) ?? [];
    const facts = new Set(items.flatMap((item) => readPattern(item, what, known)));
    const status = readStatus(source, what, fields);
    return status ? [{ name, facts, ...status }] : [];
  });
}

/** The keys `at` and `answered` of a map; neither is allowed without the other. */
function readStatus(entry: MapEntry, what: string, fields: Fields): StatusMapping | undefined {
  const at = fields.get('at');
  const answered = fields.get('answered');
  if (!at || !answered) {
    const lacking = at ? 'answered' : 'at';
    if (!fields.isMeant(lacking)) reportAt(entry.key, 'missing-key', `${what} needs the key "${lacking}"`);
    return undefined;
  }
  const path = readPath(at.value, `the path of ${what}`);
  const items = readItems(answered.value, `\`answered\` of ${what}`);
  return path && items && { path, answered: readNames(items, `the values in \`answered\` of ${what}`) };
}

/** The fact paths that a pattern names: one path, or every path that begins with the part before `.*`. */
function readPattern(node: Yaml, what: string, { table, isDoubtful }: MappableFacts): readonly string[] {
  const pattern = readText(node, `a signal of ${what}`);
  if (pattern === undefined) return [];
  const paths = servicePaths(table);
  const prefix = pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined;
  const found = paths.filter((path) => (prefix === undefined ? path === pattern : path.startsWith(prefix)));
  if (found.length === 0 && !isDoubtful(pattern)) {
    const groups = paths.flatMap((path) => prefixes(path).map((group) => `${group}.*`));
    const message = `"${pattern}" is neither a signal of the service nor the beginning of one`;
    reportAt(node, 'unknown-fact', message, { unknown: { word: pattern, known: new Set([...paths, ...groups]) } });
  }
  return found;
}

/** `a.b.c` -> `a`, `a.b`. */
function prefixes(path: string): readonly string[] {
  const names = path.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}
