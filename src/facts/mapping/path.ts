/** A path as a mapping writes it (RFC 9535 JSONPath, or a bare dotted path) -> a query on an answer. */

import { JSONPathEnvironment, JSONPathError, type JSONPathQuery, jsonpath } from 'json-p3';
import { reportAt } from '../../platform/files/source.ts';
import { isObject } from '../../platform/json.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { readItems, readText } from '../../platform/yaml-fields.ts';

/** A path into an answer, compiled. */
export interface Path {
  /** As written. */
  readonly text: string;
  /** Whether it can find at most one value: it has only names and indexes. */
  readonly singular: boolean;
  /** Whether its last step is one name or index: it then finds a list as a whole, not the entries of the list. */
  readonly endsInName: boolean;
  /** The values found, in the answer's order; empty if there are none. Throws if the answer nests too deep. */
  readonly find: (answer: unknown) => readonly unknown[];
  /**
   * The same values, and undefined for each entry of a list that lacks what follows: `results[*].status.code`. With
   * `maps`, also for each of a map, whose entries otherwise are of several kinds.
   */
  readonly findInEach: (answer: unknown, maps: boolean) => readonly unknown[];
  /** The same values with their steps, and the values that filters tested to select them. Throws likewise. */
  readonly locate: (answer: unknown) => Located;
}

/** The names and indexes that lead from an answer's root to one of its values. */
export type Steps = readonly (string | number)[];

/** A value of an answer and the steps to it. */
export interface LocatedValue {
  readonly value: unknown;
  readonly steps: Steps;
}

/** What a path finds in one answer. */
export interface Located {
  readonly matches: readonly LocatedValue[];
  /** The values that filters tested, in the entries that they selected. */
  readonly tested: readonly LocatedValue[];
}

const NOWHERE: Located = { matches: [], tested: [] };

/** What a path finds; nothing if the answer nests too deep to be searched. */
export function locateIn(path: Path, body: unknown): Located {
  try {
    return path.locate(body);
  } catch {
    return NOWHERE;
  }
}

const { NameSelector, IndexSelector, FilterSelector } = jsonpath.selectors;
const { FilterQuery, FunctionExtension, InfixExpression, LogicalExpression, PrefixExpression, RelativeQuery } =
  jsonpath.expressions;
const environment = new JSONPathEnvironment();
// These functions use the native RegExp, which an answer could keep busy forever.
const REFUSED_FUNCTIONS = ['match', 'search'] as const;
for (const name of REFUSED_FUNCTIONS) environment.functionRegister.delete(name);

type JsonValue = Parameters<JSONPathQuery['query']>[0];
type Expression = InstanceType<typeof jsonpath.expressions.FilterExpression>;
type Query = InstanceType<typeof FilterQuery>;
type Node = InstanceType<typeof jsonpath.JSONPathNode>;

/** One path, or a list of paths; the first that finds something counts. */
export function readPaths(node: Yaml, what: string): Path[] | undefined {
  const nodes = node.kind === 'list' ? readItems(node, what) : [node];
  const paths = nodes?.map((item) => readPath(item, what));
  return paths?.every((path) => path !== undefined) ? paths : undefined;
}

/** One path. */
export function readPath(node: Yaml, what: string): Path | undefined {
  const text = readText(node, what);
  if (text === undefined) return undefined;
  const path = compilePath(text);
  if (!('problem' in path)) return path;
  const hint = 'a name with characters other than letters, digits and _ is written ["like this"]';
  return reportAt(node, 'malformed', `${what} is not a JSONPath (RFC 9535): ${path.problem}`, { hint });
}

/** Compiles a path, or says what is wrong with it. A text without a leading `$` is short for one with `$.`. */
export function compilePath(text: string): Path | { readonly problem: string } {
  try {
    const query = environment.compile(toAbsolute(text.trim()));
    const steps = stepsOf(query);
    const find = (answer: unknown) =>
      steps ? followSteps(steps, answer) : Array.from(query.lazyQuery(answer as JsonValue), (node) => node.value);
    const hasEntries = !steps && endsInName(query) && query.segments.at(-1)?.token.kind !== jsonpath.TokenKind.DDOT;
    const findInEach = (answer: unknown, maps: boolean) =>
      hasEntries ? findInEntries(query.segments, rootOf(answer), { maps, isEntry: false }) : find(answer);
    const locate = (answer: unknown) => locateAll(query, answer as JsonValue);
    return { text, singular: query.singularQuery(), endsInName: endsInName(query), find, findInEach, locate };
  } catch (error) {
    return { problem: error instanceof JSONPathError ? error.message : 'it cannot be read' };
  }
}

/** The steps of a singular query. Most paths are singular, and following steps is far faster than the library. */
function stepsOf(query: JSONPathQuery): Steps | undefined {
  if (!query.singularQuery()) return undefined;
  const selectors = query.segments.flatMap((segment) => segment.selectors);
  const steps = selectors.flatMap((selector) => {
    if (selector instanceof NameSelector) return selector.name;
    return selector instanceof IndexSelector ? selector.index : [];
  });
  return steps.length === selectors.length ? steps : undefined;
}

/** The value at the end of the steps, or none. Names select own properties, indexes list entries (RFC 9535, 2.3). */
function followSteps(steps: Steps, answer: unknown): readonly unknown[] {
  let value = answer;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) !== (typeof step === 'number')) return [];
    const key = typeof step === 'number' && step < 0 ? (value as unknown[]).length + step : step;
    if (!Object.hasOwn(value, key)) return [];
    value = (value as Record<string | number, unknown>)[key];
  }
  return [value];
}

/** What segments find from a node on; an entry lacks a value with the list that it lacks. */
function findInEntries(
  segments: JSONPathQuery['segments'],
  node: Node,
  { maps, isEntry }: { readonly maps: boolean; readonly isEntry: boolean },
): readonly unknown[] {
  const at = segments.findIndex(({ selectors, token }) => !isName(selectors) || token.kind === jsonpath.TokenKind.DDOT);
  const [found] = segments.slice(0, at < 0 ? segments.length : at).reduce(resolve, [node]);
  const several = segments[at];
  if (!several) return found || isEntry ? [found?.value] : [];
  if (isEntry && (found === undefined || found.value === null)) return [undefined];
  const isMap = isObject(found?.value) && several.token.kind !== jsonpath.TokenKind.DDOT;
  const entries = found ? several.resolve([found]) : [];
  return (
    entries
      // A map has texts and numbers of its own beside its entries.
      .filter(({ value }) => !isMap || typeof value === 'object')
      .flatMap((entry) => findInEntries(segments.slice(at + 1), entry, { maps, isEntry: maps || !isMap }))
  );
}

function resolve(nodes: Node[], segment: JSONPathQuery['segments'][number]): Node[] {
  return segment.resolve(nodes);
}

function rootOf(answer: unknown): Node {
  return new jsonpath.JSONPathNode(answer as JsonValue, [], answer as JsonValue);
}

function endsInName({ segments }: JSONPathQuery): boolean {
  return isName(segments.at(-1)?.selectors ?? []);
}

function isName(selectors: JSONPathQuery['segments'][number]['selectors']): boolean {
  return selectors.every((one) => one instanceof NameSelector || one instanceof IndexSelector) && selectors.length < 2;
}

/** Follows a query segment by segment, and collects what each filter tested in the entries that it selected. */
function locateAll(query: JSONPathQuery, root: JsonValue): Located {
  let nodes: Node[] = [rootOf(root)];
  const tested: LocatedValue[] = [];
  for (const segment of query.segments) {
    const filters = segment.selectors.filter((selector) => selector instanceof FilterSelector);
    const queries = filters.flatMap(({ expression }) => queriesOf(expression));
    nodes = segment.resolve(nodes);
    for (const node of nodes) tested.push(...queries.flatMap((each) => valuesTestedBy(each, node)));
  }
  return { matches: nodes.map(({ value, location }) => ({ value, steps: location })), tested };
}

/** The queries in a filter's expression, whose values it compares. */
function queriesOf(expression: Expression): readonly Query[] {
  if (expression instanceof FilterQuery) return [expression];
  if (expression instanceof LogicalExpression) return queriesOf(expression.expression);
  if (expression instanceof PrefixExpression) return queriesOf(expression.right);
  if (expression instanceof InfixExpression) return [expression.left, expression.right].flatMap(queriesOf);
  return expression instanceof FunctionExtension ? expression.args.flatMap(queriesOf) : [];
}

/** What a filter's query finds, starting from the selected entry. */
function valuesTestedBy(query: Query, { value, location, root }: Node): readonly LocatedValue[] {
  const isRelative = query instanceof RelativeQuery;
  const { matches, tested } = locateAll(query.path, isRelative ? value : root);
  const values = [...matches, ...tested];
  return isRelative ? values.map((each) => ({ ...each, steps: [...location, ...each.steps] })) : values;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The steps as a path, in the short form if there is one: `results[0].value`, `["Overall Score"]`, `$`. */
export function formatSteps(steps: Steps): string {
  const texts = steps.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return NAME.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  const path = texts.join('');
  return path.startsWith('.') ? path.slice(1) : path || '$';
}

function toAbsolute(text: string): string {
  if (text.startsWith('$')) return text;
  return text.startsWith('[') ? `$${text}` : `$.${text}`;
}
