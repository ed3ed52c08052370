/** Control, invisible and bidirectional characters in any text of a policy -> warnings. */

import type { Span } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { count, HIDDEN } from '../../text.ts';
import type { Check } from './context.ts';

export function checkHiddenCharacters({ roots, lists, warn }: Check): void {
  const report = (text: string, span: Span) => {
    const [first, ...others] = text.match(HIDDEN) ?? [];
    if (first === undefined) return;
    const more = others.length === 0 ? '' : `, and ${count(others.length, 'more such character')}`;
    warn(
      spanOf(first, span),
      'hidden-character',
      `found ${describe(first)}${more}`,
      'remove it, or write a visible one',
    );
  };
  for (const root of roots) for (const [text, span] of textsIn(root)) report(text, span);
  const trees = new Set(roots.map(({ source }) => source));
  for (const { entries } of lists) {
    // Entries in place are part of the file's tree.
    for (const { written, span } of entries) if (!trees.has(span.source)) report(written.value, span);
  }
}

/** Every text of a tree; keys are names, whose form the language fixes. */
function* textsIn(node: Yaml): Generator<readonly [text: string, span: Span]> {
  if (node.kind === 'list') for (const item of node.items) yield* textsIn(item);
  else if (node.kind === 'map') for (const { value } of node.entries.values()) yield* textsIn(value);
  else if (typeof node.value === 'string') yield [node.value, node];
}

/** The character itself; the whole text if it is written as an escape. */
function spanOf(character: string, { source, start, end }: Span): Span {
  const at = source.text.slice(start, end).indexOf(character);
  return at < 0 ? { source, start, end } : { source, start: start + at, end: start + at + character.length };
}

function describe(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  if (/\p{Bidi_Control}/u.test(character)) return `U+${code}, which changes the order of the characters beside it`;
  if (/[\p{Zl}\p{Zp}]/u.test(character)) return `U+${code}, a line break that most programs do not show`;
  return `U+${code}, ${/\p{Cc}/u.test(character) ? 'a control character' : 'an invisible character'}`;
}
