/** Old segments of each chain, and where erased records are -> the segments that may be pruned, in order. */

/** What the order depends on. */
export interface OldSegment {
  readonly chain: string;
  readonly segment: number;
  /** Its tombstone is written: it is pruned whatever it records. */
  readonly hasTombstone: boolean;
  /** The records whose erasure is recorded here. */
  readonly erased: readonly string[];
}

/** A segment among the old ones of its chain. */
interface Node<Segment> {
  readonly segment: Segment;
  /** Positions in the list of chains, and in the chain's list of segments. */
  readonly chain: number;
  readonly index: number;
  /** The other segments that record the erasure of a record of this one. */
  readonly erasures: Set<Node<Segment>>;
  /** How many segments with records whose erasure is recorded here are still to be pruned. */
  waitsFor: number;
}

/** Names a segment of a log. */
export function segmentName({ chain, segment }: Pick<OldSegment, 'chain' | 'segment'>): string {
  return `${chain}/${segment}`;
}

/**
 * Takes the old segments, in the order of each chain, and the segment of each erased record by its name. A
 * chain is pruned up to the first segment that records the erasure of a record that stays. Takes time in
 * proportion to the number of segments and erased records.
 */
export function orderPruning<Segment extends OldSegment>(
  old: readonly Segment[],
  segmentOf: ReadonlyMap<string, string>,
): Segment[] {
  const chains = [...Map.groupBy(old, ({ chain }) => chain).values()].map((segments, chain) =>
    segments.map((segment, index): Node<Segment> => ({ segment, chain, index, erasures: new Set(), waitsFor: 0 })),
  );
  const nodes = new Map(chains.flat().map((node) => [segmentName(node.segment), node]));
  const needed: Node<Segment>[] = [];
  for (const node of nodes.values()) {
    for (const id of node.segment.erased) {
      const name = segmentOf.get(id);
      if (name === undefined) continue;
      const records = nodes.get(name);
      if (!records) needed.push(node);
      else if (records !== node) records.erasures.add(node);
    }
  }
  const ends = cut(chains, needed);
  return recordsFirst(chains.map((chain, i) => chain.slice(0, ends[i])));
}

/** How many segments of each chain go, where these have to stay. Whatever follows a segment that stays, stays. */
function cut<Segment extends OldSegment>(
  chains: readonly (readonly Node<Segment>[])[],
  needed: readonly Node<Segment>[],
): number[] {
  const ends = chains.map(({ length }) => length);
  const staying = [...needed];
  for (let node = staying.pop(); node; node = staying.pop()) {
    const end = ends[node.chain] ?? 0;
    if (node.segment.hasTombstone || node.index >= end) continue;
    ends[node.chain] = node.index;
    for (const { erasures } of chains[node.chain]?.slice(node.index, end) ?? []) {
      for (const erasure of erasures) staying.push(erasure);
    }
  }
  return ends;
}

/** Prunes erasure entries after their records where chain order allows: an interruption leaves none unexplained. */
function recordsFirst<Segment>(chains: readonly (readonly Node<Segment>[])[]): Segment[] {
  for (const { erasures } of chains.flat()) for (const erasure of erasures) erasure.waitsFor += 1;
  const ordered: Segment[] = [];
  const next = chains.map(() => 0);
  const headOf = (chain: number) => chains[chain]?.[next[chain] ?? 0];
  // The first chain last: it is taken from the end.
  const ready = [...chains.keys()].reverse();
  const prune = (node: Node<Segment>) => {
    ordered.push(node.segment);
    next[node.chain] = node.index + 1;
    for (const erasure of node.erasures) {
      erasure.waitsFor -= 1;
      if (erasure.waitsFor === 0 && headOf(erasure.chain) === erasure) ready.push(erasure.chain);
    }
  };
  for (let first = 0; ; ) {
    for (let chain = ready.pop(); chain !== undefined; chain = ready.pop()) {
      for (let node = headOf(chain); node?.waitsFor === 0; node = headOf(chain)) prune(node);
    }
    while (first < chains.length && !headOf(first)) first += 1;
    // Where two chains record erasures of each other's records, one has to begin.
    const stuck = headOf(first);
    if (!stuck) return ordered;
    prune(stuck);
    ready.push(first);
  }
}
