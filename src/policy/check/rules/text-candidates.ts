/** The axes of tests of texts -> those on which a region has fewer cells than its own axes show. */

import { type Axis, cellsIn } from '../../cells/cells.ts';
import type { Region } from '../../cells/conjunctions.ts';
import type { TextPart } from '../../cells/text-forms.ts';

/** More axes of literals, lists and patterns of one text are not looked at: patterns take time. */
const MOST_OTHERS = 16;
/** Parts of parts are looked up up to this length. */
const MOST_CHARACTERS = 40;

/** Finds the axes that what a region says of a text may narrow: in time that does not grow with their number. */
export function textAxisFinder(axes: Iterable<Axis>): (region: Region) => Iterable<Axis> {
  const byPart = new Map<string, Axis>();
  // With one axis, there is nothing to narrow.
  const counts = new Map<string, number>();
  const others = new Map<string, Axis[]>();
  for (const axis of axes) {
    if (!axis.formOf) continue;
    counts.set(axis.subject, (counts.get(axis.subject) ?? 0) + 1);
    const [part] = partsOf(axis, axis.firstValue);
    if (part && part.place !== 'is') byPart.set(keyOf(axis.subject, part.place, part.text), axis);
    else others.set(axis.subject, [...(others.get(axis.subject) ?? []), axis]);
  }
  return function* ({ sets }) {
    for (const [axis, set] of sets) {
      if (!axis.formOf || (counts.get(axis.subject) ?? 0) < 2) continue;
      const cell = cellsIn(set).find((index) => index >= axis.firstValue);
      if (cell === undefined) continue;
      const same = others.get(axis.subject) ?? [];
      if (same.length <= MOST_OTHERS) yield* same;
      // What all cells have in common, the first of them has.
      const [part] = partsOf(axis, cell);
      for (const key of part && byPart.size > 0 ? keysWithin(axis.subject, part) : []) {
        const found = byPart.get(key);
        if (found) yield found;
      }
    }
  };
}

function partsOf({ formOf }: Axis, cell: number): readonly TextPart[] {
  return formOf?.(cell).oneOf ?? [];
}

/** The keys of the parts that every text with a part has. */
function* keysWithin(subject: string, { place, text }: TextPart): Generator<string> {
  for (let start = 0; start < Math.min(text.length, MOST_CHARACTERS); start++) {
    if (place === 'is' || place === 'endsWith') yield keyOf(subject, 'endsWith', text.slice(start));
    for (let end = start + 1; end <= Math.min(text.length, MOST_CHARACTERS); end++) {
      yield keyOf(subject, 'contains', text.slice(start, end));
      if (start === 0 && (place === 'is' || place === 'startsWith'))
        yield keyOf(subject, 'startsWith', text.slice(0, end));
    }
  }
}

function keyOf(subject: string, place: TextPart['place'], text: string): string {
  return `${subject} ${place} ${text}`;
}
