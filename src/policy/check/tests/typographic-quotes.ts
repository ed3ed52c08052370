/** Literals and list entries between typographic quotes -> warnings. */

import type { Span, Yaml } from '../../../platform/yaml.ts';
import { type Check, testsIn } from '../context.ts';

/** Between marks of the categories initial and final quote, or the low ones of Central Europe. */
const QUOTED = /^[\p{Pi}\p{Pf}\u201a\u201e].*[\p{Pi}\p{Pf}]$/su;

export function checkTypographicQuotes(check: Check): void {
  for (const [text, span] of literalsIn(check)) {
    if (!QUOTED.test(text)) continue;
    const message = 'the quotes are part of the text, so a value without them differs from it';
    check.warn(span, 'typographic-quotes', message, `write them as " or '`);
  }
}

/** The texts that facts are compared with: literals of tests, and the entries of all lists. */
function* literalsIn(check: Check): Generator<readonly [text: string, span: Span]> {
  for (const test of testsIn(check.policy)) {
    const node = check.nodes.get(test);
    if (test.type === 'string' && node) yield* scalarsOf(node);
  }
  for (const { entries } of check.lists) for (const { written, span } of entries) yield [written.value, span];
}

function* scalarsOf(node: Yaml): Generator<readonly [text: string, span: Span]> {
  if (node.kind === 'list') for (const item of node.items) yield* scalarsOf(item);
  else if (node.kind === 'scalar' && typeof node.value === 'string') yield [node.value, node];
}
