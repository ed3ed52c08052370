/** Nodes of a YAML text -> typed values. A node that does not fit is reported, and its value is undefined. */

import { didYouMean, findMeant, joinWords, lettersOf, type Synonyms, trimWhiteSpace } from '../text.ts';
import { amountsMeant } from './files/numeral.ts';
import { type DiagnosticDetails, reportAt } from './files/source.ts';
import {
  indentedBelow,
  listMeantBy,
  listOfListsMeantBy,
  listOfValuesMeantBy,
  mapMeantBy,
  nothingMeant,
  textMeantBy,
} from './syntax/shapes.ts';
import { describeNode, type MapEntry, type MapNode, type ScalarNode, type Yaml } from './yaml.ts';

/** The keys of one kind of map. */
export interface KeySet {
  readonly required?: readonly string[];
  readonly optional: readonly string[];
  /** Words that people write instead of these keys. */
  readonly synonyms?: Synonyms | undefined;
  /** For a key whose value is a map: whether a key belongs to that map, as it may be indented too little. */
  readonly outer?: Readonly<Record<string, (name: string) => boolean>>;
  /** The hint for a map that has none of the required keys. */
  readonly hintIfOther?: string | undefined;
}

/** The entries of a map of known keys that have a value, by key. */
export class Fields extends Map<string, MapEntry> {
  /** Keys without a value, and misspelt keys. They are reported, so they must not be reported as missing too. */
  readonly #doubtful = new Set<string>();

  /** Records that a key is present, but has no value or is misspelt. */
  doubt(name: string): void {
    this.#doubtful.add(name);
  }

  /** Whether a key is present, but has no value or is misspelt. */
  isDoubtful(name: string): boolean {
    return this.#doubtful.has(name);
  }

  /** Whether a key is present, even without a value or misspelt. */
  isMeant(name: string): boolean {
    return this.has(name) || this.#doubtful.has(name);
  }
}

/**
 * Reads a map of known keys. Reports unknown keys, keys without a value, and required keys that are missing. `what`
 * names the map in messages; `answer` is for any other node and an empty map.
 */
export function readFields(node: Yaml, what: string, keys: KeySet, answer?: Answer): Fields | undefined {
  const map = readMap(node, what, answer);
  if (!map) return undefined;
  const knownKeys = [...(keys.required ?? []), ...keys.optional];
  const fields = new Fields();
  const below = new Set<MapEntry>();
  for (const [name, entry] of map.entries) {
    if (below.has(entry)) continue;
    if (!knownKeys.includes(name)) {
      // A key that is present cannot be the one that was meant.
      const missing = knownKeys.filter((key) => !map.entries.has(key));
      const meant = findMeant(name, missing, { synonyms: keys.synonyms });
      if (meant?.word !== undefined) fields.doubt(meant.word);
      const { hint = `its keys are ${knownKeys.join(', ')}` } = didYouMean(name, knownKeys);
      const unknown = { word: name, known: missing, synonyms: keys.synonyms };
      reportAt(entry.key, 'unknown-key', `"${name}" is not a key of ${what}`, { hint, unknown });
    } else if (isNull(entry.value)) {
      fields.doubt(name);
      const inner = innerEntries(map, name, keys);
      for (const each of inner) below.add(each);
      const answer = inner.length > 0 ? indentedBelow(inner) : nothingMeant(entry.key);
      reportAt(entry.key, 'null-value', `"${name}" has no value`, answer);
    } else {
      fields.set(name, entry);
    }
  }
  const missing = (keys.required ?? []).filter((name) => !fields.isMeant(name)).map((name) => `"${name}"`);
  const [first] = map.entries.values();
  if (missing.length > 0) {
    const missingKeys = `${missing.length > 1 ? 'keys' : 'key'} ${joinWords(missing)}`;
    const isOther = missing.length === keys.required?.length;
    const hint = isOther ? keys.hintIfOther : undefined;
    reportAt(first?.key ?? map, 'missing-key', `${what} needs the ${missingKeys}`, { hint });
  }
  return fields;
}

/** The entries right below a key without a value that belong to the map that is its value. */
function innerEntries({ entries, source, start }: MapNode, name: string, { outer = {} }: KeySet): readonly MapEntry[] {
  const isInner = Object.hasOwn(outer, name) ? outer[name] : undefined;
  if (!isInner || source.text[start] === '{') return [];
  const rest = [...entries].slice([...entries.keys()].indexOf(name) + 1);
  const end = rest.findIndex(([key]) => !isInner(key));
  return (end < 0 ? rest : rest.slice(0, end)).map(([, entry]) => entry);
}

/** The hint and the fix of a mistake. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix'>;

/** Whether a node is null or nothing at all. */
export function isNull(node: Yaml): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** Reports a node of another kind than the one expected. */
function reportKind(node: Yaml, expected: string, answer?: Answer): undefined {
  const code = isNull(node) ? 'null-value' : 'wrong-type';
  return reportAt(node, code, `found ${describeNode(node)}; ${expected}`, answer);
}

/** Reads a map; reports any other node and an empty map, with an answer if there is one. */
export function readMap(node: Yaml, what: string, answer?: Answer): MapNode | undefined {
  if (node.kind !== 'map') return reportKind(node, `${what} must be a map`, answer ?? mapMeantBy(node));
  if (node.entries.size > 0) return node;
  return reportAt(node, 'empty', `found an empty map; ${what} needs at least one key`, answer);
}

/** Reads the items of a list; reports any other node. Callers decide about an empty list. */
export function readList(node: Yaml, what: string, answer?: Answer): readonly Yaml[] | undefined {
  return node.kind === 'list' ? node.items : reportKind(node, `${what} must be a list`, answer ?? listMeantBy(node));
}

/** Reads the items of a list; reports an empty list too. */
export function readItems(node: Yaml, what: string, answer?: Answer): readonly Yaml[] | undefined {
  const items = readList(node, what, answer);
  if (items?.length !== 0) return items;
  return reportAt(node, 'empty', `found an empty list; ${what} needs at least one entry`);
}

/** Reads the items of a list of lists; reports texts in one list once, and an empty list too. */
export function readLists(node: Yaml, what: string): readonly Yaml[] | undefined {
  const answer = listOfListsMeantBy(node);
  if (!answer) return readItems(node, what, node.kind === 'scalar' ? {} : listOfValuesMeantBy(node));
  return reportAt(node, 'wrong-type', `found a list of values; ${what} must be a list of lists`, answer);
}

/** How a text is read. */
interface TextOptions {
  /** Whether a value in quotes would be valid. Default: any would. */
  readonly allowed?: (text: string) => boolean;
  /** The answer to a list or a map. */
  readonly answer?: Answer | undefined;
}

/** Reads a text with more than white space in it, as written. */
export function readText(
  node: Yaml,
  what: string,
  { allowed = () => true, answer }: TextOptions = {},
): string | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') {
    const isValue = node.kind === 'scalar' && node.value !== null && allowed(node.written);
    return reportKind(node, `${what} must be a text`, isValue ? inQuotes(node) : (answer ?? textMeantBy(node)));
  }
  if (trimWhiteSpace(node.value) !== '') return node.value;
  return reportAt(node, 'empty', `found an empty text; ${what} needs at least one character`);
}

function inQuotes({ written }: ScalarNode): Answer {
  return { hint: `put it in quotes: "${written}"`, fix: { value: written } };
}

/** How mistakes in one of a few texts are answered. */
interface OneOfOptions {
  /** Words that people write instead of the texts. */
  readonly synonyms?: Synonyms | undefined;
  /** The hint for a text that is not one of them. */
  readonly answer?: Answer | undefined;
}

/** Reads one of a few texts. */
export function readOneOf<Value extends string>(
  node: Yaml,
  what: string,
  values: readonly Value[],
  { synonyms, answer }: OneOfOptions = {},
): Value | undefined {
  const find = (text: string) => values.find((value) => value === text);
  const expected = () => `${what} must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
  if (node.kind === 'scalar' && typeof node.value !== 'string' && find(node.written) === undefined) {
    return reportKind(node, expected(), answer);
  }
  const text = readText(node, what, {
    allowed: (written) => find(written) !== undefined,
    answer: answer ?? loneItem(node),
  });
  if (text === undefined) return undefined;
  const details = answer ?? { unknown: { word: text, known: values, synonyms } };
  return find(text) ?? reportAt(node, 'wrong-value', `found "${text}"; ${expected()}`, details);
}

/** The only item of a list, as in `[review]`: none of a few texts is written in brackets. */
function loneItem(node: Yaml): Answer {
  const [item, ...others] = node.kind === 'list' ? node.items : [];
  if (others.length > 0) return { hint: 'write one of them' };
  if (item?.kind !== 'scalar' || item.value === null) return {};
  const { source, start, end } = item;
  const text = source.text.slice(start, end);
  return { hint: `write \`${text}\``, fix: [{ start: node.start, end: node.end, text }] };
}

/** Words that people write for true and false, by their letters. */
const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
]);

/** Reads true or false. */
export function readBoolean(node: Yaml, what: string): boolean | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
  const word = node.kind === 'scalar' && node.value !== null ? lettersOf(node.written) : '';
  // `phone.valid: invalid` says the name of the fact.
  const name = lettersOf(what.slice(what.lastIndexOf('.') + 1));
  const isNamed = word === name || ['in', 'un', 'not'].some((prefix) => word === prefix + name);
  const meant = TRUTHS.get(word) ?? (isNamed ? word === name : undefined);
  const answer = meant === undefined ? {} : { hint: `write ${meant}`, fix: { value: meant } };
  return reportKind(node, `${what} must be true or false`, answer);
}

/** Reads a finite number. `answer`: what to say of a node that is not a number. */
export function readNumber(node: Yaml, what: string, answer?: Answer): number | undefined {
  const value = node.kind === 'scalar' ? node.value : undefined;
  if (typeof value === 'number') return value + 0; // -0 becomes 0
  const meant = answer ?? (typeof value === 'string' ? numberMeant(value) : undefined);
  return reportKind(node, `${what} must be a number`, meant);
}

function numberMeant(text: string, isWhole = false): Answer {
  const [numeral, amount] = /^(-?\d+(?:\.\d+)?)(\s*%)?$/.exec(text.trim()) ?? [];
  // Accepts a typographic minus sign and full-width digits.
  const plain = text.normalize('NFKC').replace(/^[−–]/, '-');
  if (plain !== text && /^-?\d+(\.\d+)?$/.test(plain)) return { hint: `write ${plain}`, fix: { value: Number(plain) } };
  const [one, other] = amountsMeant(text);
  if (one !== undefined && other !== undefined) return { hint: `write ${one}, or ${other}` };
  if (amount === undefined) return otherNumberMeant(text.trim(), isWhole);
  if (amount === numeral) return { hint: 'remove the quotes', fix: { value: Number(amount) } };
  if (isWhole) return wholeMeant(Number(amount));
  return { hint: `write ${amount} for a number of percent, ${Number(amount) / 100} for a share of 1` };
}

/** What to say of a text with more than a number in it. */
function otherNumberMeant(text: string, isWhole: boolean): Answer {
  const [, positive] = /^\+\s*(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (positive !== undefined) return { hint: `write ${positive}`, fix: { value: Number(positive) } };
  if (/[A-Za-z)]\s*[*/]|[*/+]\s*[A-Za-z$(]|^-\$/.test(text)) {
    return { hint: 'nothing is calculated here: declare a parameter with the result, or a fact with `compute`' };
  }
  const [amount] = amountsMeant(text);
  if (amount !== undefined) {
    const isRight = !isWhole || Number.isSafeInteger(amount);
    return isRight ? { hint: `write ${amount}`, fix: { value: amount } } : wholeMeant(amount);
  }
  const [, number] = /^(?:[€$£]|[A-Z]{3}\b)?\s*(-?\d+(?:\.\d+)?)\s*(?:[A-Za-z]+|[€$£])?$/.exec(text) ?? [];
  if (number !== undefined) return { hint: `write the number alone: ${number}` };
  return /^[-+.]?\d/.test(text) ? { hint: 'write numbers like 1000 or 0.5' } : {};
}

/** Reads an integer that a double holds exactly. */
export function readInteger(node: Yaml, what: string, answer?: Answer): number | undefined {
  const meant = node.kind === 'scalar' && typeof node.value === 'string' ? numberMeant(node.value, true) : undefined;
  const value = readNumber(node, what, answer ?? meant);
  if (value === undefined || Number.isSafeInteger(value)) return value;
  return reportAt(node, 'wrong-type', `found ${describeNode(node)}; ${what} must be an integer`, wholeMeant(value));
}

/** The integers beside a number. */
function wholeMeant(value: number): Answer {
  const [below, above] = [Math.floor(value), Math.ceil(value)];
  return Number.isSafeInteger(above) ? { hint: below === above ? `write ${below}` : `write ${below} or ${above}` } : {};
}
