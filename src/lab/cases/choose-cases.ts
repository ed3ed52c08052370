/** Cases, each with the goals that it reaches -> few of them that reach the same goals, greedily. */

import type { Candidate } from './candidate.ts';

/** A case that is suggested, and the goals that it is the first to reach, by index. */
export interface Chosen {
  readonly candidate: Candidate;
  readonly goals: readonly number[];
}

/**
 * Chooses one case after the other: always one that reaches most goals that are still open, and among those the one
 * that changes least, in the shortest words.
 */
export function chooseCases(candidates: readonly Candidate[]): readonly Chosen[] {
  const open = new Set(candidates.flatMap(({ goals }) => [...goals]));
  let left = candidates.map((candidate) => ({ candidate, size: sizeOf(candidate) }));
  const chosen: Chosen[] = [];
  while (open.size > 0) {
    let best: { candidate: Candidate; size: number; gain: number } | undefined;
    left = left.filter(({ candidate, size }) => {
      const gain = candidate.goals.intersection(open).size;
      if (gain > 0 && (!best || gain > best.gain || (gain === best.gain && size < best.size))) {
        best = { candidate, size, gain };
      }
      return gain > 0;
    });
    if (!best) break;
    const { candidate } = best;
    const goals = [...candidate.goals.intersection(open)];
    chosen.push({ candidate, goals });
    for (const goal of goals) open.delete(goal);
  }
  return chosen;
}

/** The number of changes; of equal ones, 5 comes before 5.000000000000001. */
function sizeOf({ facts, missing }: Candidate): number {
  return facts.size + missing.length + 1 - 1 / (1 + JSON.stringify([...facts.values()]).length);
}
