/** Axes of one text, each of how it starts, or of how it ends -> one axis: of two starts, one is part of the other. */

import { isMissing } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import type { TextForm } from '../../policy/cells/text-forms.ts';
import { axisOf, type JoinedAxis } from './joined-axis.ts';

/** One of the axes: its cells are the missing one, the texts with a start or an end, and all other texts. */
interface Branch {
  readonly axis: Axis;
  readonly place: 'startsWith' | 'endsWith';
  readonly text: string;
}

const [MISSING, HAS, HAS_NOT] = [0, 1, 2] as const;

const WORDS = { startsWith: 'starts', endsWith: 'ends' } as const;

/** The trees among some axes. Their cells are the longest start that a text has, in order, and last none of them. */
export function textTreesIn(axes: readonly Axis[]): readonly JoinedAxis[] {
  const branches = axes.flatMap((axis) => branchOf(axis) ?? []);
  const groups = Map.groupBy(branches, ({ axis, place }) => `${place} ${axis.fact}`);
  return [...groups.values()].flatMap((group) => (group.length > 1 ? treeOf(group) : []));
}

function branchOf(axis: Axis): Branch | undefined {
  if (axis.cells.length !== 3) return undefined;
  const [part, ...others] = axis.formOf?.(HAS).oneOf ?? [];
  if (!part || others.length > 0) return undefined;
  const { place, text } = part;
  return place === 'startsWith' || place === 'endsWith' ? { axis, place, text } : undefined;
}

function treeOf(unsorted: readonly Branch[]): JoinedAxis {
  const [{ axis: first, place }] = unsorted as readonly [Branch];
  // A start comes before those that begin with it: the last one that a text has is the longest.
  const order = ({ text }: Branch) => (place === 'startsWith' ? text : [...text].reverse().join(''));
  const branches = unsorted.toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
  const isIn = (outer: Branch, inner: Branch) => inner.text[place](outer.text);
  const parents = branches.map((each, i) => branches.slice(0, i).findLastIndex((outer) => isIn(outer, each)));
  /** The longer starts next to one; next to none, at -1, those that begin with no other. */
  const childrenOf = (at: number) => branches.filter((_, i) => parents[i] === at);
  const forms = [...branches.keys(), -1].map((at): TextForm => {
    const absent = childrenOf(at).map(({ axis }) => axis.formOf?.(HAS_NOT));
    return {
      oneOf: branches[at]?.axis.formOf?.(HAS).oneOf,
      lacks: (part) => absent.some((form) => form?.lacks(part)),
    };
  });
  const words = branches.map(({ text }, at) => {
    const longer = childrenOf(at).map((child) => JSON.stringify(child.text));
    const but = longer.length > 0 ? `, but not with ${longer.join(' or ')}` : '';
    return `a text that ${WORDS[place]} with ${JSON.stringify(text)}${but}`;
  });
  return {
    axis: axisOf({ fact: first.fact, other: undefined }, [...words, 'any other text'], {
      formOf: (cell) => forms[cell - HAS] as TextForm,
      find(fact, _, day) {
        if (isMissing(fact)) return MISSING;
        const at = branches.findLastIndex(({ axis }) => axis.find(fact, undefined, day) === HAS);
        return HAS + (at < 0 ? branches.length : at);
      },
    }),
    cells: new Map(
      branches.map((each) => [
        each.axis,
        [MISSING, ...[...branches, undefined].map((inner) => (inner && isIn(each, inner) ? HAS : HAS_NOT))],
      ]),
    ),
  };
}
