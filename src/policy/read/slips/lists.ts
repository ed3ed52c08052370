/** Lists, names of lists and single values in the place of one another -> what is meant. */

import type { DiagnosticDetails, Replacement } from '../../../platform/files/source.ts';
import type { ListNode, ScalarNode, Yaml } from '../../../platform/yaml.ts';
import { nearest } from '../../../text.ts';
import { NAME } from '../form.ts';

/** What to say of a slip. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix'>;

/** The test with the argument. */
interface Asked {
  readonly operator: string;
  readonly key: ScalarNode | undefined;
  readonly definition: { readonly type: string };
  readonly lists: ReadonlyMap<string, unknown>;
}

/** `in: blocked`: the name of a list, or a single value. */
export function listMeant(node: Yaml, { operator, key, definition, lists }: Asked): Answer | undefined {
  if (node.kind !== 'scalar' || node.value === null) return undefined;
  const other = operator === 'in' ? 'inList' : 'notInList';
  if (definition.type === 'string' && lists.has(node.written)) {
    return { hint: `write \`${other}: ${node.written}\``, ...renamed(key, other) };
  }
  const { start, end, source } = node;
  const text = `[${source.text.slice(start, end)}]`;
  if (definition.type !== 'string') return { hint: `write \`${operator}: ${text}\``, fix: [{ start, end, text }] };
  // It may be a value, or the name of a list that is misspelt or not declared.
  const name = nearest(node.written, lists.keys()) ?? node.written;
  return { hint: `write \`${operator}: ${text}\`; if it is a list, \`${other}: ${name}\`` };
}

/** `inList: [a, b]`: values in place of the name of a list. */
export function valuesMeant(node: Yaml, { operator, key }: Asked): Answer | undefined {
  if (node.kind !== 'list') return undefined;
  if (operator === 'inDomainList') return { hint: 'declare the domains under `lists`, and write the name of the list' };
  const other = operator === 'inList' ? 'in' : 'notIn';
  return { hint: `for values in place write \`${other}: [ … ]\``, ...renamed(key, other) };
}

/** `inList: lists/blocked.txt`: a file in place of the name of a list. */
export function declarationMeant(text: string): string {
  if (NAME.pattern.test(text)) return `declare it under \`lists\`, such as \`${text}: [ … ]\``;
  const [, name] = /([A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*)\.(?:txt|csv)$/.exec(text) ?? [];
  if (name === undefined) return 'write the name of a list that is declared under `lists`';
  return `declare it under \`lists\`, as \`${name}: { file: ${text} }\`, and write its name, \`${name}\``;
}

/** `contains: [a, b]`: several texts where one is asked for. */
export function severalMeant({ items }: ListNode, operator: string, path: string): Answer | undefined {
  const tests = items.slice(0, 2).map((item) => `{ ${path}: { ${operator}: ${textOf(item)} } }`);
  return tests.length === 0 ? undefined : { hint: `write a test for each: \`any: [${tests.join(', ')}]\`` };
}

function textOf(node: Yaml): string {
  return node.source.text.slice(node.start, node.end);
}

function renamed(key: ScalarNode | undefined, text: string): { readonly fix?: readonly Replacement[] } {
  return key ? { fix: [{ start: key.start, end: key.end, text }] } : {};
}
