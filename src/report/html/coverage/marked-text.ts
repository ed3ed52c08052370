/** A text and what is covered of it -> its lines, each with a sign and with what the tests did not see. */

import { type CoverageItem, gapsOf } from '../../../lab/test/coverage/coverage.ts';
import { itemWords } from '../../../lab/test/coverage/item.ts';
import { type Child, code, div, li, type Markup, ol, span } from '../markup.ts';

/** The lines of a file, with a number, a sign and its gaps. */
export function markedText(text: string, items: readonly CoverageItem[]): Markup {
  const byLine = Map.groupBy(items, ({ place }) => place?.position.line);
  const lines = text.replace(/\n$/, '').split(/\r?\n/);
  const shown = lines.map((line, i) => markedLine(line, i + 1, byLine.get(i + 1) ?? []));
  return ol({ class: 'lines', role: 'list' }, shown);
}

const SIGNS = { full: '✓', part: '·', none: '×', free: '' } as const;

function markedLine(line: string, number: number, items: readonly CoverageItem[]): Markup {
  const state = stateOf(items);
  const gaps = items.filter((item) => gapsOf(item).length > 0);
  return li(
    { class: `line ${state}` },
    span({ class: 'number' }, number),
    span({ class: 'sign', 'aria-hidden': 'true' }, SIGNS[state]),
    div(
      code(marked(line, items)),
      gaps.map((item) => div({ class: 'gap' }, gapLine(item))),
    ),
  );
}

function stateOf(items: readonly CoverageItem[]): keyof typeof SIGNS {
  const goals = items.flatMap((item) => item.goals);
  if (goals.length === 0) return 'free';
  const reached = goals.filter(({ count }) => count > 0).length;
  return reached === goals.length ? 'full' : reached === 0 ? 'none' : 'part';
}

/** What no test has seen of an item, after its name: `rule voip, not seen: fires`. */
export function gapLine(item: CoverageItem): Child {
  return [span({ class: 'soft' }, `${itemWords(item)}, `), `not seen: ${gapsOf(item).join(', ')}`];
}

/** The line with its tests marked. Tests never overlap; a rule begins on the line of its first. */
function marked(line: string, items: readonly CoverageItem[]): Child {
  const tests = items.flatMap(({ kind, place }) => (kind === 'test' && place ? [place.position] : []));
  const parts: Child[] = [];
  let at = 0;
  for (const { column, length } of tests.sort((one, other) => one.column - other.column)) {
    if (column - 1 < at) continue;
    const own = items.filter(({ kind, place }) => {
      return (kind === 'test' || kind === 'border') && place?.position.column === column;
    });
    parts.push(line.slice(at, column - 1));
    at = column - 1 + length;
    const isSeen = own.every((item) => gapsOf(item).length === 0);
    parts.push(span({ class: isSeen ? 'seen' : 'unseen' }, line.slice(column - 1, at)));
  }
  return [...parts, line.slice(at)];
}
