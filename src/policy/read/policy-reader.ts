/** The files of a policy -> the policy; what is wrong is added to their diagnostics. */

import type { Diagnostic } from '../../diagnostics.ts';
import { CATALOG_TABLE, type FactTable } from '../../facts/catalog.ts';
import { UTC } from '../../facts/day.ts';
import { VELOCITY } from '../../facts/velocity.ts';
import { canonicalJson, digestOfCanonical } from '../../platform/digest.ts';
import { reportAt, type Source, type Span } from '../../platform/files/source.ts';
import type { PatternEngine } from '../../platform/formats/pattern-engine.ts';
import { freeze } from '../../platform/freeze.ts';
import { type MapEntry, type MapNode, parseYaml, toData, type Yaml } from '../../platform/yaml.ts';
import { type Fields, readFields, readMap } from '../../platform/yaml-fields.ts';
import { hasPersonalTexts } from '../identities.ts';
import type { Condition, Policy, Rule } from '../language.ts';
import { keepData, keepKeys, keepSpan } from '../source-map.ts';
import { readCondition, resolveNamed } from './conditions/condition.ts';
import { Budget, type NamedCondition, PatternReader, type Scope } from './conditions/scope.ts';
import type { PolicyFile, PolicyFiles } from './files/policy-files.ts';
import { NAME, ofForm, VELOCITY_NAME } from './form.ts';
import { type Declared, type KeyTable, keySetOf, readValues, UnresolvedNames } from './key.ts';
import { readNamedList } from './list.ts';
import { POLICY_SYNONYMS, RULE_SET_SYNONYMS } from './mistakes/keys.ts';
import { OWN_KEYS, POLICY_KEYS, RULE_SET_KEYS } from './policy-keys.ts';
import { type RuleContext, readGuarantees, readRule } from './rule.ts';
import { readTable, type Table } from './tables/table.ts';
import type { DeclaredList } from './values/declared-list.ts';
import { type ParameterSettings, Parameters } from './values/parameters.ts';
import { checkCountedBy, type ReadVelocity, readVelocity } from './velocity.ts';

/** Rule sets may nest this many levels deep: a chain without an end would use up the stack. */
const MAX_RULE_SETS = 64;

/** The keys of a policy's own file. */
const POLICY_KEY_SET = keySetOf(POLICY_KEYS, {
  synonyms: POLICY_SYNONYMS,
  hintIfOther: 'a rule set is read with the policy that includes it: name the file of that policy',
});

/** What any file may declare. */
const DECLARED: readonly Declared[] = ['condition', 'fact', 'velocity', 'list', 'parameter'];

/** What a rule set that cannot be read may declare. */
const IN_RULE_SETS = RULE_SET_KEYS.ruleSets.declares;

/** How a policy is read. */
interface ReaderOptions {
  /** The facts that the mapping declares. */
  readonly mapped: FactTable;
  readonly settings: ParameterSettings;
  /** Without an engine, a pattern is an error. */
  readonly patterns: PatternEngine | undefined;
}

/** A rule or table of some file, and the file as data. */
interface RuleNode {
  readonly kind: 'rule' | 'table';
  readonly node: Yaml;
  readonly file: PolicyFile;
  readonly data: unknown;
}

/** A policy without errors, and the nodes that its parts were read from. */
export interface WrittenPolicy {
  readonly policy: Policy;
  /** The trees of its own file and its rule sets. */
  readonly roots: readonly Yaml[];
  readonly lists: readonly DeclaredList[];
  readonly tables: readonly Table[];
  /** The nodes of tests, rules and rows. */
  readonly nodes: WeakMap<object, Yaml>;
  /** The keys under which conditions and lists are declared, by name. */
  readonly conditionKeys: ReadonlyMap<string, Yaml>;
  readonly listKeys: ReadonlyMap<string, Yaml>;
  /** The keys under which the parameters in force are declared, by name. */
  readonly parameterKeys: ReadonlyMap<string, Yaml>;
  /** The keys of the policy's own file. */
  readonly keys: ReadonlyMap<string, MapEntry>;
}

/** Gathers the declarations of all files, then reads the rules and tables that refer to them. */
export class PolicyReader {
  readonly #parts: PolicyFiles;
  /** The files by their names in diagnostics, in the order of reading. */
  readonly files: string[] = [];
  readonly #lists = new Map<string, DeclaredList>();
  readonly #conditions = new Map<string, NamedCondition>();
  readonly #velocities = new Map<string, MapEntry>();
  /** The keys that declare them. */
  readonly #listKeys = new Map<string, Yaml>();
  readonly #conditionKeys = new Map<string, Yaml>();
  /** All keys but those of parameters that have a setting. */
  readonly #keySpans: KeySpans = new Map();
  /** The rules and tables of all files, in the policy's order. */
  readonly #ruleNodes: RuleNode[] = [];
  readonly #tables: Table[] = [];
  /** The trees of all files. */
  readonly #roots: Yaml[] = [];
  readonly #finished = new Set<string>();
  readonly #unresolved = new UnresolvedNames();
  readonly #budget = new Budget();
  readonly #patterns: PatternReader;
  readonly #parameters: Parameters;
  readonly #mapped: FactTable;
  /** The names that conditions can refer to, once the policy has been read. */
  #scope: Scope | undefined;
  /** The policy with its nodes, once it has been read without errors. */
  written: WrittenPolicy | undefined;

  constructor(parts: PolicyFiles, { mapped, settings, patterns }: ReaderOptions) {
    this.#parts = parts;
    this.#mapped = mapped;
    this.#parameters = new Parameters(settings, this.#unresolved);
    this.#patterns = new PatternReader(patterns, this.#budget);
    if (parts.isPart) this.#unresolved.addKinds(...DECLARED);
  }

  /** The lists of all files, with the keys that declare them. */
  get lists(): readonly { readonly list: DeclaredList; readonly key: Yaml | undefined }[] {
    return [...this.#lists.values()].map((list) => ({ list, key: this.#listKeys.get(list.name) }));
  }

  /** The names that were taken to be declared in a part that could not be read. */
  get assumed(): readonly string[] {
    return [...this.#unresolved.assumed];
  }

  /** An error for each parameter that has a setting and is not declared, once the policy has been read. */
  get unknownSettings(): ReadonlyMap<string, Diagnostic> {
    return this.#parameters.unknownSettings(this.#parts.root.shown);
  }

  read(): Policy | undefined {
    const steps = this.steps();
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }

  /** Reads the policy; between any two steps, something else may run. */
  *steps(): Generator<undefined, Policy | undefined> {
    const root = this.#readFile(this.#parts.root, this.#parts.readRoot());
    const fields = root && readFields(root, 'a policy', POLICY_KEY_SET);
    if (!fields) {
      this.#unresolved.addKinds('parameter');
      return undefined;
    }
    yield;
    const data = this.#gather(root, fields, this.#parts.root, [this.#parts.root]);
    yield;
    const [unresolved, parameters] = [this.#unresolved, this.#parameters];
    const read = this.#readVelocities();
    const velocities: FactTable = new Map([...read].map(([path, { fact }]) => [path, fact]));
    const values = readValues(fields, OWN_KEYS, { unresolved, mapped: this.#mapped, velocities, parameters });
    this.#noteUnread(OWN_KEYS, fields, values);
    const facts: FactTable = new Map([...CATALOG_TABLE, ...this.#mapped, ...velocities, ...(values.facts ?? [])]);
    checkCountedBy(read.values(), { facts, unresolved });
    const scope: Scope = {
      facts,
      lists: this.#lists,
      conditions: this.#conditions,
      reading: [],
      parameters,
      unresolved,
      budget: this.#budget,
      patterns: this.#patterns,
      nodes: new WeakMap(),
    };
    this.#scope = scope;
    for (const named of this.#conditions.values()) resolveNamed(named, scope);
    const rules = yield* this.#readRules({ scope, whenUnknown: values.whenUnknown ?? 'review', ids: new Map() });
    const guarantees = readGuarantees(values.guarantees ?? [], scope);
    const lists = new Map([...this.#lists].map(([name, declared]) => [name, declared.list]));
    parameters.checkShown((path) => hasPersonalTexts(path, facts));
    // A policy with errors may have no canonical JSON, so no digest.
    const isSound = this.#parts.diagnostics.every(({ severity }) => severity !== 'error');
    if (!isSound) return undefined;
    const canonical = canonicalJson(data);
    yield;
    const conditions = new Map<string, Condition>();
    for (const [name, { condition }] of this.#conditions) if (condition) conditions.set(name, condition);
    const policy: Policy = {
      name: values.policy ?? '',
      version: values.version ?? '',
      description: values.description,
      default: values.default ?? 'review',
      timeZone: values.timeZone ?? UTC,
      facts,
      rules,
      guarantees,
      conditions,
      lists,
      parameters: parameters.all,
      stages: values.stages,
      score: { review: values.score?.review?.atLeast, reject: values.score?.reject?.atLeast },
      scoreNotices: { review: values.score?.review?.notice, reject: values.score?.reject?.notice },
      defaultNotice: values.defaultNotice,
      digest: digestOfCanonical(canonical),
    };
    this.written = {
      policy,
      roots: this.#roots,
      lists: [...this.#lists.values()],
      tables: this.#tables,
      nodes: scope.nodes,
      conditionKeys: this.#conditionKeys,
      listKeys: this.#listKeys,
      parameterKeys: parameters.keys,
      keys: fields,
    };
    keepSpan(policy.score, fields.get('score')?.value ?? root);
    keepSpan(policy, fields.get('default')?.value ?? root);
    for (const name of parameters.settings) this.#keySpans.delete(JSON.stringify(['parameters', name]));
    keepKeys(policy, this.#keySpans);
    yield;
    return keepData(freeze(policy), canonical);
  }

  /** Reads a condition that is written elsewhere, in the names of the policy, which was read. */
  readCondition(source: Source): Condition | undefined {
    const node = parseYaml(source);
    return node && this.#scope && readCondition(node, this.#scope);
  }

  *#readRules(context: RuleContext): Generator<undefined, readonly Rule[]> {
    const rules: (readonly Rule[])[] = [];
    for (const node of this.#ruleNodes) {
      rules.push(this.#readRuleNode(node, context));
      yield;
    }
    return rules.flat();
  }

  #readRuleNode({ kind, node, file, data }: RuleNode, context: RuleContext): readonly Rule[] {
    if (kind === 'rule') {
      const rule = this.#budget.spend('rules', 1, node) && readRule(node, context);
      return rule ? [rule] : [];
    }
    const { isInlined } = this.#parts;
    const table = readTable(node, { ...context, openText: (name) => this.#openText(name, file), isInlined });
    if (!table) return [];
    this.#tables.push(table);
    addTableSpans(node, this.#keySpans, table.id);
    if (table.fileData) Object.assign(data as object, { rows: table.fileData });
    return table.rows;
  }

  #openText(name: Yaml, from: PolicyFile): Source | undefined {
    const file = this.#parts.locate(name, from);
    return file && this.#parts.openText(file, name);
  }

  #readFile({ shown }: PolicyFile, root: Yaml | undefined): MapNode | undefined {
    this.files.push(shown);
    if (root) this.#roots.push(root);
    if (root?.source.isGuessed) this.#unresolved.addKinds(...DECLARED);
    const [first] = root?.kind === 'list' ? root.items : [];
    const isOfRules = first?.kind === 'map' && first.entries.has('when');
    return root && readMap(root, 'the file', isOfRules ? { hint: 'write `rules:` above the list' } : undefined);
  }

  /** Gathers what one file and the rule sets below it declare. Gives the file as data, lists and rule sets inlined. */
  #gather(root: MapNode, fields: Fields, file: PolicyFile, path: readonly PolicyFile[]): unknown {
    const values = readValues(fields, RULE_SET_KEYS, undefined);
    this.#noteUnread(RULE_SET_KEYS, fields, values);
    addKeySpans(root, this.#keySpans);
    const data = toData(root) as Record<string, unknown>;
    if (values.parameters) data['parameters'] = this.#parameters.declare(values.parameters, path.length > 1);
    for (const kind of ['rule', 'table'] as const) {
      const parts = data[`${kind}s`] as readonly unknown[];
      for (const [i, node] of (values[`${kind}s`] ?? []).entries())
        this.#ruleNodes.push({ kind, node, file, data: parts[i] });
    }
    if (values.velocity) this.#declareVelocities(values.velocity);
    if (values.conditions) this.#declareConditions(values.conditions);
    if (values.lists) data['lists'] = this.#declareLists(values.lists, file);
    const ruleSets = fields.get('ruleSets')?.value;
    if (values.ruleSets && ruleSets) data['ruleSets'] = this.#gatherRuleSets(values.ruleSets, ruleSets, file, path);
    return data;
  }

  /** What may be declared under a key that is there but could not be read is unresolved. */
  #noteUnread(table: KeyTable<never>, fields: Fields, values: Readonly<Record<string, unknown>>): void {
    for (const [key, { declares }] of Object.entries(table)) {
      if (fields.isMeant(key) && values[key] === undefined) this.#unresolved.addKinds(...declares);
    }
  }

  #declareVelocities({ entries }: MapNode): void {
    for (const [name, entry] of entries) {
      if (!this.#isNewName(name, entry.key, 'velocity', this.#velocities.get(name)?.key)) continue;
      if (!this.#budget.spend('velocities', 1, entry.key)) {
        this.#unresolved.addKinds('velocity');
        break;
      }
      this.#velocities.set(name, entry);
    }
  }

  /** By the paths of their facts. Those that cannot be read are unresolved. */
  #readVelocities(): ReadonlyMap<string, ReadVelocity> {
    const read = new Map<string, ReadVelocity>();
    for (const [name, entry] of this.#velocities) {
      const velocity = readVelocity(name, entry, { parameters: this.#parameters });
      if (velocity) read.set(VELOCITY + name, velocity);
      else this.#unresolved.addName('velocity', VELOCITY + name);
    }
    return read;
  }

  #declareConditions({ entries }: MapNode): void {
    for (const [name, { key, value }] of entries) {
      if (!this.#isNewName(name, key, 'condition', this.#conditionKeys.get(name))) continue;
      this.#conditionKeys.set(name, key);
      this.#conditions.set(name, { name, node: value, state: 'declared', condition: undefined, levels: 0, tests: 0 });
    }
  }

  #declareLists({ entries }: MapNode, file: PolicyFile): unknown {
    const data: [string, unknown][] = [];
    for (const [name, entry] of entries) {
      if (!this.#budget.spend('lists', 1, entry.key)) {
        this.#unresolved.addKinds('list');
        break;
      }
      if (!this.#isNewName(name, entry.key, 'list', this.#listKeys.get(name))) continue;
      const declared = readNamedList(name, entry, file, this.#parts);
      this.#lists.set(name, declared);
      this.#listKeys.set(name, entry.key);
      data.push([name, declared.data]);
    }
    return Object.fromEntries(data);
  }

  /** `first`: the key that declared it before. */
  #isNewName(name: string, key: Yaml, kind: 'condition' | 'list' | 'velocity', first: Yaml | undefined): boolean {
    const form = kind === 'velocity' ? VELOCITY_NAME : NAME;
    if (!form.pattern.test(name)) {
      // Other places name it too, so that one edit would not do.
      const { hint } = ofForm(name, form);
      reportAt(key, 'malformed', `found "${name}"; the name of a ${kind} must be ${form.words}`, { hint });
      this.#unresolved.addName(kind, kind === 'velocity' ? VELOCITY + name : name);
      return false;
    }
    if (first) {
      const related = { at: first, message: `"${name}" is declared here first` };
      const message = `the ${kind} "${name}" is declared twice; names must be unique over all files`;
      reportAt(key, 'duplicate-name', message, { related });
      return false;
    }
    return true;
  }

  #gatherRuleSets(items: readonly Yaml[], node: Yaml, from: PolicyFile, path: readonly PolicyFile[]): unknown[] {
    if (path.length > MAX_RULE_SETS) {
      this.#unresolved.addKinds(...IN_RULE_SETS);
      reportAt(node, 'too-deep', `rule sets nest more than ${MAX_RULE_SETS} levels deep`);
      return [];
    }
    return items.flatMap((item) => {
      const file = this.#parts.locate(item, from);
      const first = path.findIndex(({ realPath }) => realPath === file?.realPath);
      if (file && first >= 0) {
        const way = [...path.slice(first), file].map(({ shown }) => shown).join(' -> ');
        reportAt(item, 'file-cycle', `this file includes itself: ${way}`);
        return [];
      }
      if (file && this.#finished.has(file.realPath)) return []; // a file is read once
      if (file) this.#finished.add(file.realPath);
      const root = file && this.#readFile(file, this.#parts.readRuleSet(file, item));
      const fields = root && readFields(root, 'a rule set', keySetOf(RULE_SET_KEYS, { synonyms: RULE_SET_SYNONYMS }));
      if (file && fields) return [this.#gather(root, fields, file, [...path, file])];
      this.#unresolved.addKinds(...IN_RULE_SETS);
      return [];
    });
  }
}

/** As deep as `facts:`, a fact, its key. */
const MAX_DEPTH = 3;

/** Spans by path as JSON. */
type KeySpans = Map<string, Span>;

/** Adds the keys of a map and of the maps below it. The first file that has a key counts. */
function addKeySpans(node: Yaml, into: KeySpans, path: readonly string[] = []): void {
  if (node.kind !== 'map' || path.length === MAX_DEPTH) return;
  for (const [name, { key, value }] of node.entries) {
    const ownPath = [...path, name];
    addSpan(key, into, ownPath);
    addKeySpans(value, into, ownPath);
  }
}

/** Adds a table, which its list has no key for, and its keys. */
function addTableSpans(node: Yaml, into: KeySpans, id: string): void {
  const path = ['tables', id];
  addSpan(node, into, path);
  addKeySpans(node, into, path);
}

function addSpan({ source, start, end }: Span, into: KeySpans, path: readonly string[]): void {
  const key = JSON.stringify(path);
  if (!into.has(key)) into.set(key, { source, start, end });
}
