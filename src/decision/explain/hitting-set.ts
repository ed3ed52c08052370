/** Sets -> a smallest set that has an element of each of them. */

/** A set that has an element of each. */
export interface HittingSet {
  readonly elements: ReadonlySet<number>;
  /** Whether no smaller one does. */
  readonly isSmallest: boolean;
}

/**
 * Looks for a smallest set by branch and bound; where that takes more than `mostSteps`, the best that was found is given.
 * Elements are whole numbers from 0; no set is empty.
 */
export function hittingSet(sets: readonly (readonly number[])[], mostSteps: number): HittingSet {
  const family = withoutSupersets(sets);
  let best = greedy(family);
  let steps = 0;
  const chosen = new Set<number>();
  const barred = new Set<number>();

  const search = (open: readonly (readonly number[])[]): void => {
    steps += 1;
    if (steps > mostSteps) return;
    if (open.length === 0) {
      best = new Set(chosen);
      return;
    }
    if (chosen.size + leastNeeded(open, barred) >= best.size) return;
    const branch = narrowest(open, barred);
    if (branch.length === 0) return;
    const counts = countsIn(open);
    const tried: number[] = [];
    for (const element of branch.sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))) {
      chosen.add(element);
      search(open.filter((set) => !set.includes(element)));
      chosen.delete(element);
      // What has been tried is not tried again further on.
      barred.add(element);
      tried.push(element);
    }
    for (const element of tried) barred.delete(element);
  };
  search(family);
  return { elements: best, isSmallest: steps <= mostSteps };
}

/** A set that has an element of another needs not be looked at if all of the other lies in it. */
function withoutSupersets(sets: readonly (readonly number[])[]): (readonly number[])[] {
  const kept: ReadonlySet<number>[] = [];
  for (const set of [...sets].sort((a, b) => a.length - b.length)) {
    const own = new Set(set);
    if (!kept.some((other) => [...other].every((element) => own.has(element)))) kept.push(own);
  }
  return kept.map((set) => [...set]);
}

/** The element that is in the most sets, again and again; then without those that turned out not to be needed. */
function greedy(family: readonly (readonly number[])[]): Set<number> {
  const chosen = new Set<number>();
  for (let open = family; open.length > 0; ) {
    const counts = countsIn(open);
    const [most] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
    chosen.add(most);
    open = open.filter((set) => !set.includes(most));
  }
  for (const element of [...chosen]) {
    chosen.delete(element);
    if (!family.every((set) => set.some((each) => chosen.has(each)))) chosen.add(element);
  }
  return chosen;
}

function countsIn(sets: readonly (readonly number[])[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const set of sets) for (const element of set) counts.set(element, (counts.get(element) ?? 0) + 1);
  return counts;
}

/** So many sets share no element that may still be chosen: each needs one of its own. */
function leastNeeded(open: readonly (readonly number[])[], barred: ReadonlySet<number>): number {
  const taken = new Set<number>();
  let count = 0;
  for (const set of open) {
    const free = set.filter((element) => !barred.has(element));
    if (free.length === 0) return Number.POSITIVE_INFINITY;
    if (free.some((element) => taken.has(element))) continue;
    for (const element of free) taken.add(element);
    count += 1;
  }
  return count;
}

function narrowest(open: readonly (readonly number[])[], barred: ReadonlySet<number>): number[] {
  let least: number[] | undefined;
  for (const set of open) {
    const free = set.filter((element) => !barred.has(element));
    if (!least || free.length < least.length) least = free;
  }
  return least ?? [];
}
