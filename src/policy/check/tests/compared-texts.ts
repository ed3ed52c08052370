/** A policy -> the texts that its facts are compared with, where they stand. */

import type { Format } from '../../../formats/format.ts';
import type { Span } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { askedOf } from '../../operators.ts';
import { type Check, testsIn } from '../context.ts';

/** A literal of a test, or an entry of a list. */
export interface ComparedText {
  readonly text: string;
  readonly span: Span;
  /** What a value equals that equals the text; undefined for a part of a value, and without a format. */
  readonly format: Format | undefined;
}

/** The literals of the tests of texts, and the entries of all lists. */
export function* comparedTexts({ policy, nodes, lists }: Check): Generator<ComparedText> {
  for (const test of testsIn(policy)) {
    const node = nodes.get(test);
    if (test.type !== 'string' || !node) continue;
    const isWhole = askedOf(test.operator) === 'values';
    const format = isWhole ? policy.facts.get(test.fact)?.format : undefined;
    for (const { value, span } of textsIn(node)) yield { text: value, span, format };
  }
  for (const { entries, format } of lists)
    for (const { written, span } of entries) yield { text: written.value, span, format };
}

function* textsIn(node: Yaml): Generator<{ readonly value: string; readonly span: Span }> {
  if (node.kind === 'list') for (const item of node.items) yield* textsIn(item);
  else if (node.kind === 'scalar' && typeof node.value === 'string') yield { value: node.value, span: node };
}
