/** A text or a map in the place of a condition that cannot be read -> the condition that is meant. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { DiagnosticDetails, Replacement, Span } from '../../../platform/files/source.ts';
import type { MapEntry, Yaml } from '../../../platform/yaml.ts';
import { lettersOf } from '../../../text.ts';
import { unknownFact } from './facts.ts';
import { testMeant } from './tests.ts';

/** What to say of a mistake. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix' | 'unknown'>;

/** The names that a condition can have. */
interface Names {
  readonly facts: FactTable;
  readonly conditions: ReadonlyMap<string, unknown>;
}

/** Words for a rule that always holds. */
const ALWAYS = new Set(['true', 'always', 'everybody', 'everyone', 'all', 'any', 'else', 'otherwise', 'default', '*']);

const FOR_EVERYBODY =
  'what holds for everybody is the `default` of the policy; a rule for everybody has ' +
  '`when: { applicant.phoneNo: { known: true } }`, as every applicant has a phone number';

/** What to say of a value that is to hold always; nothing of others. */
export function alwaysMeant(node: Yaml): Answer {
  const isAlways = node.kind === 'scalar' ? node.value !== null && ALWAYS.has(lettersOf(node.written)) : isEmpty(node);
  return isAlways ? { hint: FOR_EVERYBODY } : {};
}

function isEmpty(node: Exclude<Yaml, { kind: 'scalar' }>): boolean {
  return node.kind === 'map' ? node.entries.size === 0 : node.items.length === 0;
}

/** What to say of a text that does not name a condition: it may be a test in one line. Undefined for other texts. */
export function conditionMeant(text: string, node: Yaml, { facts, conditions }: Names): Answer | undefined {
  const written = (condition: string) => ({ hint: `write \`${condition}\``, fix: instead(node, condition) });
  const [, negated] = /^(?:not\s+|!\s*)(\S+)$/i.exec(text) ?? [];
  if (negated !== undefined && conditions.has(negated)) return written(`{ not: ${negated} }`);
  if (negated !== undefined && facts.get(negated)?.type === 'boolean') return written(`{ ${negated}: false }`);
  if (facts.get(text)?.type === 'boolean') return written(`{ ${text}: true }`);
  if (facts.has(text)) return { hint: `${text} is a fact: write a test of it, such as \`${text}: { known: true }\`` };
  const [, path = '', test = ''] = /^([A-Za-z][\w.]*)(\s.*|[<>=!].*)$/s.exec(text) ?? [];
  const definition = facts.get(path);
  const meant = definition && testMeant(test, definition);
  if (meant !== undefined) return written(`{ ${path}: ${simplest(meant)} }`);
  const [, joined] = /\s(and|or|&&|\|\|)\s/i.exec(text) ?? [];
  if (joined !== undefined) {
    const combinator = /and|&&/i.test(joined) ? 'all' : 'any';
    return { hint: `write each part as an item of \`${combinator}\`` };
  }
  const [, fact = '', value = ''] = /^([A-Za-z][\w.]*):(\S[^{}[\],]*)$/.exec(text) ?? [];
  if (facts.has(fact)) return written(`{ ${fact}: ${value} }`);
  if (fact.includes('.')) return misspelt(fact, node, facts);
  return definition === undefined && path.includes('.') ? misspelt(path, node, facts) : undefined;
}

/** A text that begins with an unknown fact. */
function misspelt(fact: string, { source, start }: Yaml, facts: FactTable): Answer {
  const { unknown, ...answer } = unknownFact(fact, facts);
  const end = start + fact.length;
  // Between quotes it stands elsewhere.
  return { ...answer, unknown: source.text.slice(start, end) === fact ? { ...unknown, at: { start, end } } : unknown };
}

/** `{ is: 5 }` as its value. */
function simplest(test: string): string {
  return test.replace(/^\{ is: (.*) \}$/s, '$1');
}

/** `phone: { type: voip }`, the steps of a path in maps: the path in one, if it is one. */
export function nestedFact(path: string, { key, value }: MapEntry, facts: FactTable): Answer | undefined {
  let [full, inner] = [path, value];
  while (inner.kind === 'map' && !facts.has(full)) {
    const [[step, entry] = []] = inner.entries;
    if (step === undefined || !entry) return undefined;
    if (inner.entries.size > 1) {
      const knownPaths = [...inner.entries.keys()].map((each) => `${full}.${each}`).filter((each) => facts.has(each));
      return knownPaths.length < inner.entries.size ? undefined : { hint: `write ${knownPaths.join(': …, ')}: …` };
    }
    full = `${full}.${step}`;
    inner = entry.value;
  }
  if (full === path || !facts.has(full)) return undefined;
  return { hint: `write the path in one: \`${full}: …\``, fix: unnested(full, key, value, inner) };
}

/** Only for flow style, or a last step on one line: the lines of a block would need another indentation. */
function unnested(path: string, key: Span, outer: Span, inner: Yaml): readonly Replacement[] | undefined {
  const { text } = key.source;
  const isFlow = text[outer.start] === '{';
  const isInline = inner.kind === 'scalar' || /^[[{]/.test(text.slice(inner.start));
  if (!isInline) return undefined;
  const begin = { start: key.start, end: inner.start, text: `${path}: ` };
  return isFlow ? [begin, { start: inner.end, end: outer.end, text: '' }] : [begin];
}

function instead({ start, end }: Span, text: string): readonly Replacement[] {
  return [{ start, end, text }];
}

/** What people write in place of `all`, `any` and `not`, by its letters. None of them changes AND into OR. */
const COMBINATORS: Readonly<Record<string, string>> = {
  and: 'all',
  '&&': 'all',
  allof: 'all',
  every: 'all',
  or: 'any',
  '||': 'any',
  anyof: 'any',
  some: 'any',
  either: 'any',
  '!': 'not',
};

const NONE = new Set(['none', 'noneof', 'nor', 'neither']);

/** What to say of a key that joins conditions; undefined for any other key. */
export function combinatorMeant(word: string, { key, value }: MapEntry): Answer | undefined {
  const letters = lettersOf(word);
  if (NONE.has(letters)) return noneMeant(key, value);
  if (word === 'of') return { hint: 'it belongs inside `atLeastOf: { count: …, of: [ … ] }`' };
  const meant = Object.hasOwn(COMBINATORS, letters) ? COMBINATORS[letters] : undefined;
  if (meant === undefined) return undefined;
  const fix = [{ start: key.start, end: key.end, text: meant }];
  return { hint: `did you mean "${meant}"?`, fix };
}

/** `none: [a, b]` as `not: { any: [a, b] }`; no fix where its lines would need another indentation. */
function noneMeant(key: Span, value: Yaml): Answer {
  const { text } = key.source;
  const hint = 'write `not: { any: [ … ] }`';
  if (value.kind !== 'list') return { hint };
  const name = { start: key.start, end: key.end, text: 'not' };
  if (text[value.start] === '[') {
    const opened = { start: value.start, end: value.start, text: '{ any: ' };
    return { hint, fix: [name, opened, { start: value.end, end: value.end, text: ' }' }] };
  }
  const indent = value.start - text.lastIndexOf('\n', value.start) - 1;
  const keyIndent = key.start - text.lastIndexOf('\n', key.start) - 1;
  if (indent <= keyIndent || text.slice(value.start - indent, value.start).trim() !== '') return { hint };
  return { hint, fix: [name, { start: value.start, end: value.start, text: `any:\n${' '.repeat(indent)}` }] };
}
