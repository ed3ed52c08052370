/** The name of a parameter that is written without its sign, or in other braces -> how it is written. */

import type { DiagnosticDetails, Span } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { isNull } from '../../../platform/yaml-fields.ts';
import type { Parameters } from '../values/parameters.ts';

/** What to say of a slip. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix'>;

/** The name of `{ $name }`, which YAML reads as a map; undefined for any other node. */
export function bracedParameter(node: Yaml): string | undefined {
  if (node.kind !== 'map' || node.entries.size !== 1) return undefined;
  const [[name, { value }] = ['', { value: node }]] = [...node.entries];
  return /^\$[A-Za-z]/.test(name) && isNull(value) ? name : undefined;
}

/** What to say of a text in the place of a number or a duration that is the name of a parameter. */
export function bareParameter(node: Yaml, parameters: Pick<Parameters, 'has'>): Answer | undefined {
  const isName = node.kind === 'scalar' && typeof node.value === 'string' && !node.origin && parameters.has(node.value);
  return isName ? parameterAnswer(`$${node.value}`, node) : undefined;
}

/** A parameter as it is written in its place. */
export function parameterAnswer(text: string, { start, end }: Span): Answer {
  return { hint: `write \`${text}\``, fix: [{ start, end, text }] };
}
