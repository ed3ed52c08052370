/** Sets -> a smallest set that has an element of each of them. */

/** A set that has an element of each. */
export interface HittingSet {
  readonly elements: ReadonlySet<number>;
  /** Whether no smaller one does. */
  readonly isSmallest: boolean;
}

/**
 * Looks for a smallest set by branch and bound; where that takes more than `mostSteps`, the best that was found is given.
 * Elements are whole numbers from 0; no set is empty. `least` is a size that no such set goes below, where one is known.
 */
export function hittingSet(sets: readonly (readonly number[])[], mostSteps: number, least = 0): HittingSet {
  const elements = [...new Set(sets.flat())];
  const family = withoutSupersets(sets.map((set) => bitsOf(set, elements)));
  let best = greedy(family, elements.length);
  let steps = 0;
  const chosen: number[] = [];
  const barred = new Int32Array(Math.ceil(elements.length / 32));

  const search = (open: readonly Bits[]): void => {
    if (best.length <= least) return;
    steps += 1;
    if (steps > mostSteps) return;
    if (open.length === 0) {
      best = [...chosen];
      return;
    }
    if (chosen.length + leastNeeded(open, barred) >= best.length) return;
    const branch = narrowest(open, barred);
    const counts = countsIn(open, elements.length);
    const inOrder = membersOf(branch).sort((a, b) => (counts[b] as number) - (counts[a] as number));
    for (const element of inOrder) {
      chosen.push(element);
      search(open.filter((set) => !has(set, element)));
      chosen.pop();
      // What has been tried is not tried again further on.
      barred[element >> 5] = (barred[element >> 5] as number) | (1 << (element & 31));
    }
    for (const element of inOrder) barred[element >> 5] = (barred[element >> 5] as number) & ~(1 << (element & 31));
  };
  search(family);
  return { elements: new Set(best.map((element) => elements[element] as number)), isSmallest: steps <= mostSteps };
}

/** Elements by their places, as bits. */
type Bits = Int32Array;

function bitsOf(set: readonly number[], elements: readonly number[]): Bits {
  const bits = new Int32Array(Math.ceil(elements.length / 32));
  for (const element of set) {
    const at = elements.indexOf(element);
    bits[at >> 5] = (bits[at >> 5] as number) | (1 << (at & 31));
  }
  return bits;
}

function has(set: Bits, element: number): boolean {
  return ((set[element >> 5] as number) & (1 << (element & 31))) !== 0;
}

function membersOf(set: Bits): number[] {
  const members: number[] = [];
  for (let word = 0; word < set.length; word++) {
    for (let rest = set[word] as number; rest !== 0; rest &= rest - 1) {
      members.push(word * 32 + (31 - Math.clz32(rest & -rest)));
    }
  }
  return members;
}

function sizeOf(set: Bits): number {
  let size = 0;
  for (let word = 0; word < set.length; word++) {
    for (let rest = set[word] as number; rest !== 0; rest &= rest - 1) size += 1;
  }
  return size;
}

/** A set that has an element of another needs not be looked at if all of the other lies in it. */
function withoutSupersets(sets: readonly Bits[]): readonly Bits[] {
  const kept: Bits[] = [];
  const bySize = sets.map((set) => ({ set, size: sizeOf(set) })).sort((one, other) => one.size - other.size);
  for (const { set } of bySize) if (!kept.some((other) => isWithin(other, set))) kept.push(set);
  return kept;
}

function isWithin(one: Bits, other: Bits): boolean {
  for (let word = 0; word < one.length; word++) if ((one[word] as number) & ~(other[word] as number)) return false;
  return true;
}

/** The element that is in the most sets, again and again; then without those that turned out not to be needed. */
function greedy(family: readonly Bits[], count: number): number[] {
  const chosen: number[] = [];
  for (let open = family; open.length > 0; ) {
    const counts = countsIn(open, count);
    const most = counts.indexOf(Math.max(...counts));
    chosen.push(most);
    open = open.filter((set) => !has(set, most));
  }
  return chosen.reduce((left, element) => {
    const others = left.filter((other) => other !== element);
    return family.every((set) => others.some((other) => has(set, other))) ? others : left;
  }, chosen);
}

/** By element, in how many sets it is. */
function countsIn(open: readonly Bits[], count: number): Int32Array {
  const counts = new Int32Array(count);
  for (const set of open) for (const element of membersOf(set)) counts[element] = (counts[element] as number) + 1;
  return counts;
}

/** So many sets share no element that may still be chosen: each needs one of its own. */
function leastNeeded(open: readonly Bits[], barred: Bits): number {
  const taken = new Int32Array(barred.length);
  let count = 0;
  for (const set of open) {
    let isFree = false;
    let isApart = true;
    for (let word = 0; word < set.length; word++) {
      const free = (set[word] as number) & ~(barred[word] as number);
      if (free !== 0) isFree = true;
      if (free & (taken[word] as number)) isApart = false;
    }
    if (!isFree) return Number.POSITIVE_INFINITY;
    if (!isApart) continue;
    for (let word = 0; word < set.length; word++) {
      taken[word] = (taken[word] as number) | ((set[word] as number) & ~(barred[word] as number));
    }
    count += 1;
  }
  return count;
}

/** Of the set that has the fewest, the elements that may still be chosen. */
function narrowest(open: readonly Bits[], barred: Bits): Bits {
  let least = new Int32Array(barred.length);
  let fewest = Number.POSITIVE_INFINITY;
  for (const set of open) {
    const free = set.map((word, i) => word & ~(barred[i] as number));
    const size = sizeOf(free);
    if (size < fewest) [least, fewest] = [free, size];
  }
  return least;
}
