/** The files of a policy -> the policy and diagnostics; never throws. */

import { type Diagnostic, DiagnosticsError, sortDiagnostics } from '../../diagnostics.ts';
import { CATALOG_TABLE, type FactTable } from '../../facts/catalog.ts';
import { declaredIn } from '../../facts/declare.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import { digest } from '../../platform/digest.ts';
import { type MapNode, reportAt, toData, type Yaml } from '../../platform/yaml.ts';
import {
  type Fields,
  type KeySet,
  readFields,
  readInteger,
  readItems,
  readList,
  readMap,
  readMatch,
  readOneOf,
  readText,
} from '../../platform/yaml-fields.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import { checkPolicy } from '../check/check.ts';
import { type Condition, OUTCOMES, type Policy, type Rule, type ScoreBands, WHEN_UNKNOWN } from '../language.ts';
import type { NamedList } from '../operators.ts';
import { keepData } from '../source-map.ts';
import { type NamedCondition, resolveNamed, type Scope } from './condition.ts';
import { NAME, NAME_FORM, readOwnFacts } from './declare.ts';
import { type PolicyFile, type PolicyFiles, PolicyFolder } from './folder.ts';
import { readNamedList } from './list.ts';
import { type RuleContext, readRule } from './rule.ts';
import { readTable, type Table } from './table.ts';
import { UnresolvedNames } from './unresolved-names.ts';

const RULE_SET_KEYS: KeySet = { optional: ['rules', 'tables', 'conditions', 'lists', 'ruleSets'] };

const POLICY_KEYS: KeySet = {
  required: ['policy', 'version', 'default'],
  optional: ['description', 'whenUnknown', 'facts', 'stages', 'score', ...RULE_SET_KEYS.optional],
  notSupported: ['guarantees'],
};

/** So many rule sets may stand inside each other: a chain without an end would use up the stack. */
const MAX_RULE_SETS = 64;

/** What came of reading a policy. */
export interface ReadPolicy {
  /** Undefined if there is an error among the diagnostics. */
  readonly policy: Policy | undefined;
  /** All problems of all its files, by file and place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What a policy is read with. */
export interface PolicyOptions {
  /** The mapping in use: the policy can ask about the match results that it declares. Default: none that declares any. */
  readonly mapping?: Pick<Mapping, 'facts'> | undefined;
}

/** Reads a policy with its rule sets and lists. Never throws: whatever is wrong is among the diagnostics. */
export function readPolicy(file: string, options: PolicyOptions = {}): ReadPolicy {
  return readPolicyIn(new PolicyFolder(file), options);
}

/** What else `readPolicyIn` is told. */
interface ReadingOptions extends PolicyOptions {
  /** Whether to look for what is suspicious, which gives warnings and takes longer than all else. Default: true. */
  readonly warns?: boolean;
}

/** `readPolicy` for whoever wants to know more of the files, or has none. */
export function readPolicyIn(parts: PolicyFiles, { mapping, warns = true }: ReadingOptions = {}): ReadPolicy {
  const reader = new PolicyReader(parts, declaredIn(mapping?.facts ?? CATALOG_TABLE), warns);
  const policy = reader.read();
  const diagnostics = sortDiagnostics(parts.diagnostics, reader.files);
  return { policy, diagnostics };
}

/**
 * Loads a policy with its rule sets and lists.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function loadPolicy(file: string, options: PolicyOptions = {}): Policy {
  return loadPolicyIn(new PolicyFolder(file), options);
}

/** `loadPolicy` for whoever has no file. */
export function loadPolicyIn(parts: PolicyFiles, options: PolicyOptions = {}): Policy {
  // Nobody would hear of warnings.
  const { policy, diagnostics } = readPolicyIn(parts, { ...options, warns: false });
  if (!policy) throw new DiagnosticsError('POLICY_INVALID', diagnostics);
  return policy;
}

/** Gathers what the files declare, then reads what refers to it. */
class PolicyReader {
  readonly #parts: PolicyFiles;
  /** The files in the order of reading. */
  readonly files: string[] = [];
  readonly #lists = new Map<string, NamedList>();
  readonly #conditions = new Map<string, NamedCondition>();
  /** The keys that declare them. */
  readonly #names = new Map<string, Yaml>();
  /** The rules and tables of all files, in the policy's order. */
  readonly #ruleNodes: { readonly kind: 'rule' | 'table'; readonly node: Yaml }[] = [];
  readonly #tables: Table[] = [];
  readonly #finished = new Set<string>();
  readonly #doubts = new UnresolvedNames();
  /** The facts that the mapping declares. */
  readonly #mapped: FactTable;
  readonly #warns: boolean;

  constructor(parts: PolicyFiles, mapped: FactTable, warns: boolean) {
    this.#parts = parts;
    this.#mapped = mapped;
    this.#warns = warns;
  }

  read(): Policy | undefined {
    const root = this.#readFile(this.#parts.root, this.#parts.readRoot());
    if (!root) return undefined;
    const fields = readFields(root, 'a policy', POLICY_KEYS);
    if (!fields) return undefined;
    const data = this.#gather(root, fields, this.#parts.root, [this.#parts.root.realPath]);
    if (fields.isDoubtful('facts')) this.#doubts.addKinds('fact');
    const read = <Value>(key: string, reader: (node: Yaml, what: string) => Value): Value | undefined => {
      const entry = fields.get(key);
      return entry && reader(entry.value, `\`${key}\``);
    };
    const facts: FactTable = new Map([
      ...CATALOG_TABLE,
      ...this.#mapped,
      ...(read('facts', (node) => readOwnFacts(node, this.#doubts, this.#mapped)) ?? []),
    ]);
    const policy = {
      name: read('policy', (node, what) => readMatch(node, what, NAME, NAME_FORM)) ?? '',
      version: read('version', readText) ?? '',
      description: read('description', readText),
      default: read('default', (node, what) => readOneOf(node, what, OUTCOMES)) ?? 'review',
      facts,
      score: read('score', readScore) ?? { review: undefined, reject: undefined },
      stages: read('stages', readStages),
    };
    const whenUnknown = read('whenUnknown', (node, what) => readOneOf(node, what, WHEN_UNKNOWN)) ?? 'review';
    const scope: Scope = {
      facts,
      lists: this.#lists,
      conditions: this.#conditions,
      doubts: this.#doubts,
      places: new WeakMap(),
    };
    for (const named of this.#conditions.values()) resolveNamed(named, scope);
    const rules = this.#readRules({ scope, whenUnknown, ids: new Set() });
    // Of what has errors there may be no canonical JSON.
    const isSound = this.#parts.diagnostics.every(({ severity }) => severity !== 'error');
    if (!isSound) return undefined;
    const conditions = new Map<string, Condition>();
    for (const [name, { condition }] of this.#conditions) if (condition) conditions.set(name, condition);
    const whole = { ...policy, rules, conditions, lists: this.#lists, digest: digest(data) };
    if (this.#warns) {
      checkPolicy({ policy: whole, tables: this.#tables, places: scope.places, names: this.#names, keys: fields });
    }
    return keepData(whole, data);
  }

  #readRules(context: RuleContext): readonly Rule[] {
    return this.#ruleNodes.flatMap(({ kind, node }) => {
      if (kind === 'rule') return readRule(node, context) ?? [];
      const table = readTable(node, context);
      if (table) this.#tables.push(table);
      return table?.rows ?? [];
    });
  }

  #readFile({ shown }: PolicyFile, root: Yaml | undefined): MapNode | undefined {
    this.files.push(shown);
    return root && readMap(root, 'the file');
  }

  /** Takes in what one file and the rule sets below it declare. Gives the file as data, with what it names in its place. */
  #gather(root: MapNode, fields: Fields, file: PolicyFile, path: readonly string[]): unknown {
    const data = toData(root) as Record<string, unknown>;
    for (const [kind, key] of [
      ['rule', 'rules'],
      ['table', 'tables'],
    ] as const) {
      const entry = fields.get(key);
      const nodes = entry ? (readList(entry.value, `\`${key}\``) ?? []) : [];
      for (const node of nodes) this.#ruleNodes.push({ kind, node });
    }
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
      this.#names.set(`condition ${name}`, key);
      this.#conditions.set(name, { name, node: value, state: 'declared', condition: undefined, levels: 0 });
    }
  }

  #declareLists(node: Yaml, file: PolicyFile): unknown {
    const data: [string, unknown][] = [];
    const map = readMap(node, '`lists`');
    if (!map) this.#doubts.addKinds('list');
    for (const [name, entry] of map?.entries ?? []) {
      if (!this.#isNewName(name, entry.key, 'list', this.#lists)) continue;
      const declared = readNamedList(name, entry, file, this.#parts);
      this.#lists.set(name, declared.list);
      this.#names.set(`list ${name}`, entry.key);
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
    if (!items || path.length > MAX_RULE_SETS) this.#doubts.addKinds('condition', 'list');
    if (path.length > MAX_RULE_SETS) {
      reportAt(node, 'too-deep', `rule sets inside each other, more than ${MAX_RULE_SETS} levels deep`);
      return [];
    }
    return (items ?? []).flatMap((item) => {
      const file = this.#parts.locate(item, from);
      if (file && path.includes(file.realPath)) {
        reportAt(item, 'file-cycle', 'this file includes itself, directly or through others');
        return [];
      }
      if (file && this.#finished.has(file.realPath)) return []; // a file is read once
      if (file) this.#finished.add(file.realPath);
      const root = file && this.#readFile(file, this.#parts.readRuleSet(file, item));
      const fields = root && readFields(root, 'a rule set', RULE_SET_KEYS);
      if (file && fields) return [this.#gather(root, fields, file, [...path, file.realPath])];
      this.#doubts.addKinds('condition', 'list');
      return [];
    });
  }
}

/** The identity variables to ask for, call by call; each call needs the phone number. */
function readStages(node: Yaml): readonly (readonly IdentityVariable[])[] | undefined {
  return readItems(node, '`stages`')?.map((item) => {
    const stage: IdentityVariable[] = [];
    const entries = readItems(item, 'a stage');
    let isSound = entries !== undefined;
    for (const entry of entries ?? []) {
      const variable = readOneOf(entry, 'an entry of a stage', IDENTITY_VARIABLES);
      if (variable === undefined) isSound = false;
      else if (stage.includes(variable)) reportAt(entry, 'duplicate-name', `"${variable}" stands twice`);
      else stage.push(variable);
    }
    // What could not be read may be meant as phoneNo.
    if (isSound && !stage.includes('phoneNo')) {
      reportAt(item, 'wrong-value', 'a stage without phoneNo; the service is asked about nobody without one');
    }
    return stage;
  });
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
