/** A place as a mapping writes it (RFC 9535 JSONPath, or a bare dotted path) -> a query that finds its values in an answer. */

import { JSONPathEnvironment, JSONPathError, type JSONPathQuery, jsonpath } from 'json-p3';
import { reportAt, type Yaml } from '../yaml.ts';
import { readItems, readText } from './fields.ts';

/** A place in an answer, compiled. */
export interface Place {
  /** As written. */
  readonly text: string;
  /** Whether it can name one value at most: names and indexes alone. */
  readonly singular: boolean;
  /** Whether its last step is one name or index: a list found there is named as a whole, not one of its entries. */
  readonly endsInName: boolean;
  /** The values found, in the answer's order; none where nothing is there. Throws on nesting beyond all measure. */
  readonly find: (answer: unknown) => readonly unknown[];
}

const { NameSelector, IndexSelector } = jsonpath.selectors;
const environment = new JSONPathEnvironment();
// They run on the native RegExp, which an answer could keep busy for ever.
const REFUSED_FUNCTIONS = ['match', 'search'] as const;
for (const name of REFUSED_FUNCTIONS) environment.functionRegister.delete(name);

type JsonValue = Parameters<ReturnType<JSONPathEnvironment['compile']>['query']>[0];

/** One place, or several of which the first that is there counts. */
export function readPlaces(node: Yaml, what: string): Place[] | undefined {
  const nodes = node.kind === 'list' ? readItems(node, what) : [node];
  const places = nodes?.map((item) => readPlace(item, what));
  return places?.every((place) => place !== undefined) ? places : undefined;
}

/** One place. */
export function readPlace(node: Yaml, what: string): Place | undefined {
  const text = readText(node, what);
  if (text === undefined) return undefined;
  const place = compilePlace(text);
  if (!('problem' in place)) return place;
  const hint = 'names with other characters than letters, digits and _ are written ["like this"]';
  reportAt(node, 'malformed', `${what} is not an RFC 9535 place: ${place.problem}`, { hint });
  return undefined;
}

/** Compiles a place, or says what is wrong with it. A text without `$` in front is short for one with `$.`. */
export function compilePlace(text: string): Place | { readonly problem: string } {
  try {
    const query = environment.compile(absolute(text.trim()));
    const find = (answer: unknown) => Array.from(query.lazyQuery(answer as JsonValue), (node) => node.value);
    return { text, singular: query.singularQuery(), endsInName: endsInName(query), find };
  } catch (error) {
    return { problem: error instanceof JSONPathError ? error.message : 'it cannot be read' };
  }
}

function endsInName({ segments }: JSONPathQuery): boolean {
  const selectors = segments.at(-1)?.selectors ?? [];
  return selectors.every((one) => one instanceof NameSelector || one instanceof IndexSelector) && selectors.length < 2;
}

function absolute(text: string): string {
  if (text.startsWith('$')) return text;
  return text.startsWith('[') ? `$${text}` : `$.${text}`;
}
