/** The files of a policy -> the policy and diagnostics; never throws. */

import { type Diagnostic, DiagnosticsError, sortDiagnostics } from '../diagnostics.ts';
import { digest } from '../digest.ts';
import { CATALOG_TABLE, type FactTable } from '../facts/catalog.ts';
import {
  type Fields,
  type KeySet,
  readFields,
  readInteger,
  readList,
  readMap,
  readMatch,
  readOneOf,
  readText,
} from '../facts/fields.ts';
import { type MapNode, parseYaml, reportAt, type Source, toData, type Yaml } from '../yaml.ts';
import { type NamedCondition, resolveNamed } from './condition.ts';
import { NAME, NAME_FORM, readNamedList, readOwnFacts } from './declare.ts';
import { Doubts } from './doubt.ts';
import { type PolicyFile, PolicyFolder } from './folder.ts';
import { OUTCOMES, type Policy, type Rule, type ScoreBands, WHEN_UNKNOWN } from './language.ts';
import type { NamedList } from './operators.ts';
import { readRule } from './rule.ts';

const RULE_SET_KEYS: KeySet = { optional: ['rules', 'conditions', 'lists', 'ruleSets'], notSupported: ['tables'] };

const POLICY_KEYS: KeySet = {
  required: ['policy', 'version', 'default'],
  optional: ['description', 'whenUnknown', 'facts', 'score', ...RULE_SET_KEYS.optional],
  notSupported: ['stages', 'guarantees', 'tables'],
};

/** What came of reading a policy. */
export interface ReadPolicy {
  /** Undefined if there is an error among the diagnostics. */
  readonly policy: Policy | undefined;
  /** All problems of all its files, by file and place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a policy with its rule sets and lists. Never throws: whatever is wrong is among the diagnostics. */
export function readPolicy(file: string): ReadPolicy {
  const reader = new PolicyReader(new PolicyFolder(file));
  const policy = reader.read();
  const diagnostics = sortDiagnostics(reader.folder.diagnostics, reader.files);
  return { policy, diagnostics };
}

/**
 * Loads a policy with its rule sets and lists.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function loadPolicy(file: string): Policy {
  const { policy, diagnostics } = readPolicy(file);
  if (!policy) throw new DiagnosticsError('POLICY_INVALID', diagnostics);
  return policy;
}

/** Gathers what the files declare, then reads what refers to it. */
class PolicyReader {
  readonly folder: PolicyFolder;
  /** The files in the order of reading. */
  readonly files: string[] = [];
  readonly #lists = new Map<string, NamedList>();
  readonly #conditions = new Map<string, NamedCondition>();
  readonly #ruleNodes: Yaml[] = [];
  readonly #finished = new Set<string>();
  readonly #doubts = new Doubts();

  constructor(folder: PolicyFolder) {
    this.folder = folder;
  }

  read(): Policy | undefined {
    const source = this.folder.openRoot();
    const root = source && this.#openMap(source);
    if (!root) return undefined;
    const fields = readFields(root, 'a policy', POLICY_KEYS);
    if (!fields) return undefined;
    const data = this.#gather(root, fields, this.folder.root, [this.folder.root.realPath]);
    if (fields.isDoubtful('facts')) this.#doubts.addKinds('fact');
    const read = <Value>(key: string, reader: (node: Yaml, what: string) => Value): Value | undefined => {
      const entry = fields.get(key);
      return entry && reader(entry.value, `\`${key}\``);
    };
    const facts: FactTable = new Map([
      ...CATALOG_TABLE,
      ...(read('facts', (node) => readOwnFacts(node, this.#doubts)) ?? []),
    ]);
    const policy = {
      name: read('policy', (node, what) => readMatch(node, what, NAME, NAME_FORM)) ?? '',
      version: read('version', readText) ?? '',
      description: read('description', readText),
      default: read('default', (node, what) => readOneOf(node, what, OUTCOMES)) ?? 'review',
      facts,
      score: read('score', readScore) ?? { review: undefined, reject: undefined },
    };
    const whenUnknown = read('whenUnknown', (node, what) => readOneOf(node, what, WHEN_UNKNOWN)) ?? 'review';
    const scope = { facts, lists: this.#lists, conditions: this.#conditions, doubts: this.#doubts };
    for (const named of this.#conditions.values()) resolveNamed(named, scope);
    const ids = new Set<string>();
    const rules = this.#ruleNodes.flatMap((node) => readRule(node, { scope, whenUnknown, ids }) ?? []) satisfies Rule[];
    // Of what has errors there may be no canonical JSON.
    const isSound = this.folder.diagnostics.every(({ severity }) => severity !== 'error');
    return isSound ? { ...policy, rules, digest: digest(data) } : undefined;
  }

  #openMap(source: Source): MapNode | undefined {
    this.files.push(source.file);
    const root = parseYaml(source);
    return root && readMap(root, 'the file');
  }

  /** Takes in what one file and the rule sets below it declare. Gives the file as data, with what it names in its place. */
  #gather(root: MapNode, fields: Fields, file: PolicyFile, path: readonly string[]): unknown {
    const data = toData(root) as Record<string, unknown>;
    const rules = fields.get('rules');
    if (rules) this.#ruleNodes.push(...(readList(rules.value, '`rules`') ?? []));
    if (fields.isDoubtful('conditions')) this.#doubts.addKinds('condition');
    if (fields.isDoubtful('lists')) this.#doubts.addKinds('list');
    if (fields.isDoubtful('ruleSets')) this.#doubts.addKinds('condition', 'list');
    const conditions = fields.get('conditions');
    if (conditions) this.#declareConditions(conditions.value);
    const lists = fields.get('lists');
    if (lists) data['lists'] = this.#declareLists(lists.value, file);
    const ruleSets = fields.get('ruleSets');
    if (ruleSets) data['ruleSets'] = this.#gatherRuleSets(ruleSets.value, file, path);
    return data;
  }

  #declareConditions(node: Yaml): void {
    const map = readMap(node, '`conditions`');
    if (!map) this.#doubts.addKinds('condition');
    for (const [name, { key, value }] of map?.entries ?? []) {
      if (!this.#isNewName(name, key, 'condition', this.#conditions)) continue;
      this.#conditions.set(name, { name, node: value, state: 'declared', condition: undefined, levels: 0 });
    }
  }

  #declareLists(node: Yaml, file: PolicyFile): unknown {
    const data: [string, unknown][] = [];
    const map = readMap(node, '`lists`');
    if (!map) this.#doubts.addKinds('list');
    for (const [name, entry] of map?.entries ?? []) {
      if (!this.#isNewName(name, entry.key, 'list', this.#lists)) continue;
      const declared = readNamedList(name, entry, file, this.folder);
      this.#lists.set(name, declared.list);
      data.push([name, declared.data]);
    }
    return Object.fromEntries(data);
  }

  #isNewName(name: string, key: Yaml, kind: 'condition' | 'list', taken: ReadonlyMap<string, unknown>): boolean {
    if (!NAME.test(name)) {
      reportAt(key, 'malformed', `"${name}" is not a name for a ${kind}: ${NAME_FORM}`);
      this.#doubts.addName(kind, name);
      return false;
    }
    if (taken.has(name)) {
      reportAt(key, 'duplicate-name', `there is a ${kind} named "${name}" already; names are unique over all files`);
      return false;
    }
    return true;
  }

  #gatherRuleSets(node: Yaml, from: PolicyFile, path: readonly string[]): unknown[] {
    const items = readList(node, '`ruleSets`');
    if (!items) this.#doubts.addKinds('condition', 'list');
    return (items ?? []).flatMap((item) => {
      const file = this.folder.locate(item, from);
      if (file && path.includes(file.realPath)) {
        reportAt(item, 'file-cycle', 'this file includes itself, directly or through others');
        return [];
      }
      if (file && this.#finished.has(file.realPath)) return []; // a file is read once
      if (file) this.#finished.add(file.realPath);
      const source = file && this.folder.open(file, item);
      const root = source && this.#openMap(source);
      const fields = root && readFields(root, 'a rule set', RULE_SET_KEYS);
      if (file && fields) return [this.#gather(root, fields, file, [...path, file.realPath])];
      this.#doubts.addKinds('condition', 'list');
      return [];
    });
  }
}

function readScore(node: Yaml): ScoreBands | undefined {
  const fields = readFields(node, '`score`', { optional: ['review', 'reject'] });
  if (!fields) return undefined;
  const band = (key: string) => {
    const entry = fields.get(key);
    return entry && readInteger(entry.value, `\`${key}\``);
  };
  const bands = { review: band('review'), reject: band('reject') };
  if (bands.review !== undefined && bands.reject !== undefined && bands.review >= bands.reject) {
    reportAt(
      node,
      'score-bands',
      `review from ${bands.review} and reject from ${bands.reject}; review has to be lower`,
    );
  }
  return bands;
}
