/** The head of a file of tests -> what its tests are read with: the policy, the mapping, the sets of facts. */

import type { Diagnostic } from '../../diagnostics.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import { reportAt } from '../../platform/files/source.ts';
import { type MapEntry, parseYaml, type ScalarNode, type Yaml } from '../../platform/yaml.ts';
import { readFields } from '../../platform/yaml-fields.ts';
import type { ParameterValue, Policy } from '../../policy/language.ts';
import { keySetOf, readValues, type ValuesOf } from '../../policy/read/key.ts';
import { type ExpectedNames, namesOf } from './expectation.ts';
import { fileMeant } from './mistakes.ts';
import type { FilesBeside, Parameters, Policies } from './named-files.ts';
import type { TestedPolicy } from './test-case.ts';
import { FACT_FILE_KEYS, FACT_SET_KEYS, type TEST_FILE_KEYS } from './test-keys.ts';
import {
  givenOn,
  type MissingFacts,
  readWrittenFacts,
  readWrittenMissing,
  type WrittenFacts,
} from './written-facts.ts';

/** How files of tests are read. */
export interface ReadingOptions {
  /** Whether `only: true` is allowed: not where all tests have to run. */
  readonly allowOnly: boolean;
  /** The day that `today` is in tests, yyyy-MM-dd. Default: that of the clock, UTC. */
  readonly today?: string;
}

type FileValues = ValuesOf<typeof TEST_FILE_KEYS>;

/** A set of facts: those that are missing by a pattern are overridden by all others. */
type FactSet = readonly WrittenFacts[];

/** What the tests of a file are read with. */
export interface Context extends ReadingOptions {
  /** The policy as the file names it. */
  readonly named: ScalarNode;
  /** All policies that the file names. */
  readonly allNamed: readonly ScalarNode[];
  readonly files: FilesBeside;
  readonly policies: Policies;
  readonly path: string;
  readonly mapping: Mapping;
  /** Undefined for the mapping of the package. */
  readonly mappingPath: string | undefined;
  /** The policy with the parameters of the file. */
  readonly policy: Policy;
  readonly tested: TestedPolicy;
  readonly parameters: Parameters;
  readonly names: ExpectedNames;
  readonly sets: ReadonlyMap<string, FactSet>;
  readonly at: string;
  readonly today: string;
  /** The names of tests so far. */
  readonly taken: Set<string>;
  /** The facts that were reported already: a test may start from a set that others start from. */
  readonly reported: Set<Yaml>;
}

/** The policy, the mapping and the sets of facts; undefined, with diagnostics, without them no test can be read. */
export function prepare(
  values: FileValues,
  given: ReadingOptions & Pick<Context, 'named' | 'allNamed' | 'files' | 'policies' | 'today'>,
): Context | undefined {
  const { named, files, policies } = given;
  const path = files.locate(named);
  const mappingPath = values.mapping && files.locate(values.mapping);
  // Opened here, so that a file that is not there is reported where it is named.
  const opened = [named, values.mapping ?? []].flat();
  if (path === undefined || !opened.every((node) => files.open(node))) return undefined;
  const { mapping, diagnostics } = policies.mapping(mappingPath);
  if (!mapping) return reportOther(files, diagnostics);
  const plain = policies.policy(path, mapping, {});
  if (!plain.policy) return reportOther(files, plain.diagnostics);
  const parameters = readParameters(values.with, plain.policy, {});
  const policy = policyWith({ policies, path, mapping }, parameters, values.with);
  if (!policy || values.at === undefined) return undefined;
  const reported = new Set<Yaml>();
  const sets = new Map<string, FactSet>();
  for (const [name, { key, value }] of values.facts ?? []) {
    if (policy.facts.has(name)) {
      const hint = 'write facts below a name of your own, `known: { … }`, and `from: known` in the tests';
      reportAt(key, 'wrong-value', `found the fact ${name}; here are sets of facts, each with a name`, { hint });
      continue;
    }
    const set = readSet(name, value, policy, files);
    // What is wrong in a set is found even if no test starts from it.
    givenOn(values.at, set, policy.facts, reported);
    sets.set(name, set);
  }
  return {
    ...given,
    ...{
      path,
      mapping,
      mappingPath,
      policy,
      tested: { path, mapping, policy: plain.policy },
      parameters,
      names: namesOf(policy),
      sets,
      at: values.at,
    },
    taken: new Set(),
    reported,
  };
}

function reportOther(files: FilesBeside, diagnostics: readonly Diagnostic[]): undefined {
  files.diagnostics.push(...diagnostics.filter(({ severity }) => severity === 'error'));
}

/** Values for parameters of a policy, over others. Those that the policy has not, or of another kind, are reported. */
export function readParameters(
  entries: ReadonlyMap<string, MapEntry> | undefined,
  policy: Policy,
  others: Parameters,
): Parameters {
  const values: Record<string, ParameterValue> = { ...others };
  for (const [name, { key, value: node }] of entries ?? []) {
    const declared = policy.parameters.get(name)?.value;
    if (declared === undefined) {
      const unknown = { word: name, known: policy.parameters.keys() };
      reportAt(key, 'unknown-parameter', `the policy has no parameter "${name}"`, { unknown });
    } else if (node.kind !== 'scalar' || typeof node.value !== typeof declared) {
      const kind = typeof declared === 'string' ? 'text' : typeof declared;
      reportAt(node, 'wrong-type', `the value of "${name}" must be a ${kind}, like the one that it replaces`);
    } else {
      values[name] = node.value as ParameterValue;
    }
  }
  return values;
}

/** The policy with parameters; what is wrong with it then is reported at the one that it names, or at the first. */
export function policyWith(
  { policies, path, mapping }: Pick<Context, 'policies' | 'path' | 'mapping'>,
  parameters: Parameters,
  entries: ReadonlyMap<string, MapEntry> | undefined,
): Policy | undefined {
  const { policy, diagnostics } = policies.policy(path, mapping, parameters);
  const [first] = entries?.values() ?? [];
  if (!policy && first) {
    const { message = '', hint } = diagnostics.find(({ severity }) => severity === 'error') ?? {};
    const named = [...(entries ?? [])].find(([name]) => message.startsWith(`$${name}, as set: `))?.[1];
    const problem = `with these parameters, the policy has errors: ${message}`;
    reportAt(named?.value ?? first.key, 'wrong-value', problem, { hint });
  }
  return policy;
}

function readSet(name: string, node: Yaml, { facts: table }: Policy, files: FilesBeside): FactSet {
  const what = `the set "${name}"`;
  const has = (key: string, of: Yaml | undefined) => of?.kind === 'map' && of.entries.has(key);
  let written: Yaml | undefined = node;
  if (has('file', node)) {
    const file = readFields(node, what, keySetOf(FACT_FILE_KEYS))?.get('file')?.value;
    const source = file && files.open(file);
    written = source && parseYaml(source);
  }
  if (!written) return [];
  const from = written.kind === 'map' ? written.entries.get('from') : undefined;
  if (from) {
    const hint = `let the test start from both, the later one counts: \`from: [other, ${name}]\``;
    return reportAt(from.key, 'unknown-key', `found \`from\` in ${what}; a set starts from no other`, { hint }) ?? [];
  }
  const hasKeys = has('facts', written) || has('missing', written);
  if (!hasKeys) return [readWrittenFacts(written, what, table, fileMeant(written))];
  const fields = readFields(written, what, keySetOf(FACT_SET_KEYS));
  const { facts, missing } = readValues(fields ?? new Map(), FACT_SET_KEYS, undefined);
  return joined(
    missing && readWrittenMissing(missing, '`missing`', table),
    facts && readWrittenFacts(facts, '`facts`', table),
  );
}

/** Missing and given facts as one set; a fact that is both is reported. */
export function joined(missing: MissingFacts | undefined, given: WrittenFacts | undefined): FactSet {
  for (const [path, { node }] of missing?.facts ?? []) {
    if (given?.has(path)) reportAt(node, 'duplicate-name', `${path} has both a value and a cause why it is missing`);
  }
  return [missing?.patterns ?? [], given ?? [], missing?.facts ?? []].map((facts) => new Map(facts));
}
