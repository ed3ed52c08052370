/** A policy and the nodes it was read from -> what all of its checks share. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import { type RelatedSpan, reportAt, type Span } from '../../platform/files/source.ts';
import type { Geodata } from '../../platform/formats/geo/geodata.ts';
import type { ScalarNode, Yaml } from '../../platform/yaml.ts';
import { grouped } from '../../text.ts';
import { Cells } from '../cells/cells.ts';
import { Conjunctions, type Region } from '../cells/conjunctions.ts';
import { contradictionIn } from '../cells/ties.ts';
import type { Condition, Policy, Rule, Test } from '../language.ts';
import type { WrittenPolicy } from '../read/policy-reader.ts';
import type { Table } from '../read/tables/table.ts';
import { createConditionKey } from '../sameness.ts';

/** What is checked, and with what. */
export interface PolicyParts extends WrittenPolicy {
  readonly geodata: Geodata | undefined;
  /** The day of the check, yyyy-MM-dd. */
  readonly day: string;
}

/** A rule by cells. */
export interface RuleRegions {
  readonly rule: Rule;
  /** Its index in the policy's order. */
  readonly index: number;
  /** Where it fires. */
  readonly certain: readonly Region[];
  /** Where it fires or is undetermined. */
  readonly possible: readonly Region[];
}

/** What the checks share. */
export interface Check extends PolicyParts {
  readonly cells: Cells;
  readonly conjunctions: Conjunctions;
  /** The rules whose conditions have few enough conjunctions to be looked at. */
  readonly regions: readonly RuleRegions[];
  /** Tests and rules that were reported, so that what follows from it is not reported again. */
  readonly reported: Set<Test | Rule>;
  /** A text that is equal for conditions that say the same, whatever the order of their parts and their names. */
  readonly identify: (condition: Condition) => string;
  readonly warn: (
    at: Span | undefined,
    code: DiagnosticCode,
    message: string,
    hint?: string,
    related?: RelatedSpan,
  ) => void;
  /** The value of a rule's key, be it a cell of a row or a key of its table; without such a key, its id or the row. */
  readonly nodeOf: (rule: Rule, key?: string) => Yaml | undefined;
}

/** With this many problems in all, one more warning does not help; well below the count at which reading gives up. */
const MAX_PROBLEMS = 500;

/** What the checks of a policy share. */
export function createCheck(parts: PolicyParts): Check {
  const { policy, tables, nodes } = parts;
  const cells = new Cells(testsIn(policy), policy.facts);
  const conjunctions = new Conjunctions(cells);
  const tableOf = new Map(tables.flatMap((table) => table.rows.map((row) => [row, table] as const)));
  return {
    ...parts,
    cells,
    conjunctions,
    regions: regionsOf(policy, conjunctions, parts.geodata),
    reported: new Set(),
    identify: createConditionKey(),
    warn,
    nodeOf: (rule, key) => nodeIn(nodes.get(rule), tableOf.get(rule), key),
  };
}

function warn(at: Span | undefined, code: DiagnosticCode, message: string, hint?: string, related?: RelatedSpan): void {
  if (!at) return;
  const { diagnostics, file } = at.source;
  if (diagnostics.length < MAX_PROBLEMS) {
    reportAt(at, code, message, { severity: 'warning', hint, related });
  } else if (diagnostics.length === MAX_PROBLEMS) {
    const tooMany = `more than ${MAX_PROBLEMS} problems; the others are not listed`;
    diagnostics.push({ code: 'too-many', severity: 'warning', message: tooMany, file });
  }
}

/** Every condition that a policy declares or asks, where it stands. */
export function* conditionsOf({ conditions, rules, guarantees }: Policy): Generator<Condition> {
  yield* conditions.values();
  for (const { when } of [...rules, ...guarantees]) yield when;
}

/** A condition and its parts; the parts of a named condition stand elsewhere. */
export function* partsOf(condition: Condition): Generator<Condition> {
  yield condition;
  if (condition.kind === 'test' || condition.kind === 'named') return;
  for (const part of condition.of) yield* partsOf(part);
}

/** The parts of every condition of a policy. */
export function* partsIn(policy: Policy): Generator<Condition> {
  for (const condition of conditionsOf(policy)) yield* partsOf(condition);
}

/** The tests of a policy, where they stand. */
export function* testsIn(policy: Policy): Generator<Test> {
  for (const part of partsIn(policy)) if (part.kind === 'test') yield part;
}

/** `"a"`, or `"a" and 2 more`: the rules that one warning is about. */
export function nameRules(rules: readonly Rule[]): string {
  return `"${rules[0]?.id}"${rules.length > 1 ? ` and ${grouped(rules.length - 1)} more` : ''}`;
}

/** Where the other rule of a warning stands. */
export function placeOfRule(rule: Rule, { nodeOf }: Check): RelatedSpan | undefined {
  const at = nodeOf(rule);
  return at && { at, message: `"${rule.id}" is here` };
}

function regionsOf(
  { rules }: Policy,
  conjunctions: Conjunctions,
  geodata: Geodata | undefined,
): readonly RuleRegions[] {
  return rules.flatMap((rule, index) => {
    const parts = conjunctions.of(rule.when);
    if (!parts) return [];
    const certain = parts.flatMap((part) => part.certain ?? []);
    const isPossible = (region: Region) => contradictionIn(region, geodata) === undefined;
    return { rule, index, certain: certain.filter(isPossible), possible: parts.flatMap((part) => part.possible ?? []) };
  });
}

function nodeIn(node: Yaml | undefined, table: Table | undefined, key = 'id'): Yaml | undefined {
  if (node?.kind === 'map') return node.entries.get(key)?.value ?? node.entries.get('id')?.value ?? node;
  // The id in a table is that of the table.
  if (node?.kind !== 'list' || table?.node.kind !== 'map' || key === 'id') return node;
  return node.items[table.columns.indexOf(key)] ?? table.node.entries.get(key)?.value ?? node;
}

/** Every value of a tree; keys are names, whose form the language fixes. */
export function scalarsIn(node: Yaml): readonly ScalarNode[] {
  if (node.kind === 'list') return node.items.flatMap(scalarsIn);
  return node.kind === 'map' ? [...node.entries.values()].flatMap(({ value }) => scalarsIn(value)) : [node];
}
