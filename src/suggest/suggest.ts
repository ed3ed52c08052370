/** One or several captured answers of a shape that nobody has described -> a whole mapping file (YAML) that loads as it is. */

import type { Told } from './propose/candidates.ts';
import { propose } from './propose/propose-signals.ts';
import type { ProposedSignal } from './propose/proposed-signal.ts';
import { type Reference, writeMapping } from './propose/write-mapping.ts';
import type { Status } from './structure/statuses.ts';

/**
 * Proposes a mapping. Names are compared by their words and by where they stand, values by the types of the facts; each line
 * has a comment that says how sure it is (`sure`, `likely`, `guess`) and why. A guess is commented out, so that its fact stays
 * `unmapped`. The same answers give the same text. Never throws, whatever JSON the answers are. No value of an answer is in the
 * text, but words for enums, levels, statuses and for nothing, and labels that a place is found by.
 */
export function suggestMapping(answers: readonly unknown[]): string {
  const { lines, statuses, places } = propose(answers);
  const wholes = statuses.filter(({ isWhole }) => isWhole).toSorted((a, b) => depthOf(a) - depthOf(b));
  const [status] = wholes;
  const inner = wholes.slice(1).filter((one) => isAround(one, lines));
  const sources = [...inner, ...statuses.filter(({ isWhole }) => !isWhole)];
  return writeMapping({
    answers: answers.length,
    status,
    reference: findReference(places, answers.length),
    sources,
    lines,
  });
}

function depthOf({ told }: Status): number {
  return told.spot.names.length;
}

/** Whether it stands beside what most of the signals stand in. */
function isAround({ told: { spot } }: Status, lines: ReadonlyMap<string, ProposedSignal>): boolean {
  const inside = [...lines.values()].filter(
    ({ at }) => at.startsWith(`${spot.parent}.`) || at.startsWith(`${spot.parent}[`),
  );
  return inside.length * 2 > lines.size;
}

const CALLER =
  /(?:client|customer|caller|merchant|partner|your|my|user|consumer)[\W_]*(?:ref|reference|transaction|request|correlation)(?:[\W_]*(?:id|no|number|ref|reference))?$/i;
const SOME_REFERENCE = /^(?:request|external|transaction)?[\W_]*(?:ref|reference)(?:[\W_]*(?:id|no|number))?$/i;

/** Where the answer repeats the caller's reference; a reference that may be the service's own is a guess. */
function findReference(places: readonly Told[], answers: number): Reference | undefined {
  const texts = places.filter(({ spot }) => {
    const isText = spot.samples.every(({ value }) => typeof value === 'string' && value !== '');
    return spot.kind === 'value' && !spot.many && isText && spot.samples.length === answers && spot.names.length <= 4;
  });
  const named = (pattern: RegExp) => texts.find(({ spot }) => pattern.test(spot.names.at(-1) ?? ''));
  const own = named(CALLER);
  if (own) return { told: own, isSure: true };
  const other = named(SOME_REFERENCE);
  return other && { told: other, isSure: false };
}
