/** A condition with its truths -> nested lists: each part with its truth, each test with the value of its fact. */

import { FALSE, TRUE, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { type Child, div, li, type Markup, span, strong, ul } from '../markup.ts';
import {
  codeName,
  distanceWords,
  factLabel,
  type PhraseSetting,
  pathsOf,
  stateWords,
  testPhrase,
  truthMark,
  truthName,
} from '../parts/phrases.ts';
import { type Branch, isLeaf, type Leaf, type TruthTree } from './truth-tree.ts';

export function drawTree(tree: TruthTree, setting: PhraseSetting): Markup {
  return ul({ class: 'tree', role: 'list' }, drawPart(tree, setting, 0));
}

/** Deeper parts are not indented further, so that there is room for their words. */
const DEEPEST_INDENT = 8;

function drawPart(tree: TruthTree, setting: PhraseSetting, depth: number): Markup {
  const [words, met] = isLeaf(tree) ? leafWords(tree, setting) : branchWords(tree);
  return li(
    { class: `${truthName(tree.truth)}${isLeaf(tree) ? ' leaf' : ''}` },
    div(
      { class: 'node' },
      truthMark(tree.truth),
      ' ',
      span({ class: 'words' }, words),
      ' ',
      span({ class: 'met' }, met),
    ),
    isLeaf(tree)
      ? undefined
      : ul(
          { role: 'list', ...(depth >= DEEPEST_INDENT ? { class: 'deep' } : {}) },
          tree.parts.map((part) => drawPart(part, setting, depth + 1)),
        ),
  );
}

/** What a test asks, and the value of its fact. */
function leafWords({ condition, is, other, missedBy }: Leaf, setting: PhraseSetting): readonly [Child, Child] {
  const { fact, operator, expected, other: otherPath } = condition;
  const against = otherPath === undefined ? {} : { other: { fact: otherPath } };
  return [
    [testPhrase({ fact, operator, expected, ...against }, setting), pathsOf([fact, otherPath ?? fact], setting.table)],
    [
      stateWords(is, fact, setting),
      otherPath === undefined || !other
        ? ''
        : ['; ', factLabel(otherPath, setting.table), ': ', stateWords(other, otherPath, setting)],
      missedBy ? ['; ', span({ class: 'miss' }, distanceWords(missedBy))] : '',
    ],
  ];
}

/** How parts are combined, and how many of them are true, false and unknown. */
function branchWords({ condition, parts }: Branch): readonly [Child, Child] {
  switch (condition.kind) {
    case 'all':
      return [strong('all of'), countWords(parts)];
    case 'any':
      return [strong('any of'), countWords(parts)];
    case 'atLeastOf':
      return [strong(`at least ${condition.count} of`), countWords(parts)];
    case 'not':
      return [strong('not'), undefined];
    case 'named':
      return [[codeName(condition.name), ', a named condition'], undefined];
  }
}

/** `2 true, 1 unknown`. */
function countWords(parts: readonly TruthTree[]): string {
  const counts = ([TRUE, FALSE, UNKNOWN] as const).map((truth) => {
    const n = parts.filter((part) => part.truth === truth).length;
    return n === 0 ? [] : `${n} ${truthName(truth)}`;
  });
  return counts.flat().join(', ');
}
