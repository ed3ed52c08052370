/** An order and the borders that tests set in it -> the segments that cover it, none of them empty. */

/** The numbers from `least` to `most`, both included: whole numbers, or all doubles. */
export interface Order {
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
  /** A number for people: 30 is `30`, `medium`, `30 days` or `1970-01-31`. */
  show(number: number): string;
  /** Of ages: the numbers up to this one of a date, which is later than the day, as an end: -3 is `3 years ahead`. */
  showAhead?(number: number): string;
}

/** A border between two neighbours of an order: just before a number, or just after it. */
export interface Border {
  readonly at: number;
  readonly side: 'before' | 'after';
}

/** Numbers of an order without a border between them; `hasLeast` and `hasMost` tell whether its ends belong to it. */
export interface Segment {
  readonly least: number;
  readonly most: number;
  readonly hasLeast: boolean;
  readonly hasMost: boolean;
}

/** The segments of an order, lowest first. Borders outside the order and repeated borders are ignored. */
export function cutOrder(order: Order, borders: readonly Border[]): readonly Segment[] {
  const first: Border = { at: order.least, side: 'before' };
  const last: Border = { at: order.most, side: 'after' };
  const placed = borders.map((border) => (order.isWhole ? beforeWhole(border) : border));
  const inside = placed.filter((border) => compare(first, border) < 0 && compare(border, last) < 0).sort(compare);
  const all = [first, ...inside, last];
  return all.flatMap((from, i) => {
    const to = all[i + 1];
    const segment = to && segmentBetween(from, to, order.isWhole);
    return segment && contains(segment, witnessOf(segment)) ? segment : [];
  });
}

/** Whether a number lies in a segment. */
function contains({ least, most, hasLeast, hasMost }: Segment, number: number): boolean {
  return (number > least || (hasLeast && number === least)) && (number < most || (hasMost && number === most));
}

/** The beginnings of the segments of an order, for looking up the segment of a number. */
export interface Steps {
  /** The first number of each segment: `least`, or the next double if `least` does not belong to it. */
  readonly firsts: Float64Array;
  /** The greatest number of the last segment. */
  readonly most: number;
  readonly isWhole: boolean;
}

/** The steps of segments. INVARIANT: the segments are those that `cutOrder` gives for the order. */
export function stepsOf(segments: readonly Segment[], { most, isWhole }: Order): Steps {
  return {
    firsts: Float64Array.from(segments, ({ least, hasLeast }) => (hasLeast ? least : nextUp(least))),
    most,
    isWhole,
  };
}

/** The index of the segment in which a number lies; -1 if it lies in none. */
export function stepOf({ firsts, most, isWhole }: Steps, number: number): number {
  // Negated, so that NaN lies in no segment.
  if (!(number <= most) || (isWhole && !Number.isInteger(number))) return -1;
  let low = 0;
  let high = firsts.length;
  while (high - low > FEW_STEPS) {
    const middle = (low + high) >> 1;
    if ((firsts[middle] as number) <= number) low = middle + 1;
    else high = middle;
  }
  while (low < high && (firsts[low] as number) <= number) low += 1;
  return low - 1;
}

/** Up to this many steps a linear search is faster than a binary one. */
const FEW_STEPS = 4;

/** The first and the last number of a segment. */
export function endsOf({ firsts, most, isWhole }: Steps, segment: number): readonly [first: number, last: number] {
  const next = firsts[segment + 1];
  const last = next === undefined ? most : isWhole ? next - 1 : -nextUp(-next);
  return [firsts[segment] as number, last];
}

/**
 * The limit at which a segment starts, as a policy has it. Limits in policies have few digits. A number with many is
 * the next double after a limit that is itself excluded.
 */
export function startOf(first: number): { readonly at: number; readonly isIn: boolean } {
  const limit = -nextUp(-first);
  // The least of all doubles has no double before it.
  const isExcluded = Number.isFinite(limit) && String(limit).length < String(first).length;
  return isExcluded ? { at: limit, isIn: false } : { at: first, isIn: true };
}

/** The index of the first segment behind a border that the segments were cut at. */
export function segmentAfter({ firsts, isWhole }: Steps, border: Border): number {
  const { at, side } = isWhole ? beforeWhole(border) : border;
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const first = firsts[middle] as number;
    if (side === 'after' ? first <= at : first < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The next greater double. */
export function nextUp(number: number): number {
  if (number === 0) return Number.MIN_VALUE;
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, number);
  bytes.setBigInt64(0, bytes.getBigInt64(0) + (number > 0 ? 1n : -1n));
  return bytes.getFloat64(0);
}

/** A number of a segment: the nearest to 0 if both ends belong to it, an end that does, or the middle. */
export function witnessOf({ least, most, hasLeast, hasMost }: Segment): number {
  if (hasLeast && hasMost) return Math.min(Math.max(0, least), most);
  if (hasLeast) return least;
  if (hasMost) return most;
  // Halved first: the sum of two doubles may overflow.
  return least / 2 + most / 2;
}

/** Describes a segment for people. */
export function describeSegment(segment: Segment, order: Order): string {
  const { least, most, hasLeast, hasMost } = segment;
  const ahead = order.showAhead && describeAhead(segment, order, order.showAhead);
  if (ahead !== undefined) return ahead;
  if (least === most) return order.show(least);
  // Above the least number of all, a segment has a border on that side too.
  const isFirst = hasLeast && least === order.least;
  const isLast = hasMost && most === order.most;
  if (isFirst && isLast) return 'any value';
  if (isFirst) return `${hasMost ? 'at most' : 'below'} ${order.show(most)}`;
  if (isLast) return `${hasLeast ? 'at least' : 'above'} ${order.show(least)}`;
  if (hasLeast && hasMost) return `${order.show(least)} to ${order.show(most)}`;
  const from = `${hasLeast ? 'at least' : 'above'} ${order.show(least)}`;
  return `${from} and ${hasMost ? 'at most' : 'below'} ${order.show(most)}`;
}

/**
 * Describes ages below 0, which are dates in the future: -3 completed years are more than 2 and at most 3 years ahead.
 * Undefined if no date of the segment has such an age, or all future dates are in it.
 */
function describeAhead(
  { least, most }: Segment,
  order: Order,
  showAhead: (number: number) => string,
): string | undefined {
  const isLast = most === order.most;
  if (least === 0 && isLast && order.least < 0) return 'today or earlier';
  if (least >= 0) return undefined;
  const from = most === -1 ? 'in the future' : `more than ${showAhead(most + 1)}`;
  if (least === order.least) return most < 0 ? from : undefined;
  if (most < 0) return `${from} and at most ${showAhead(least)}`;
  return isLast ? `at most ${showAhead(least)}` : `${showAhead(least)} to ${order.show(most)}`;
}

/** The same border among whole numbers, written as the one before the next whole number. */
function beforeWhole({ at, side }: Border): Border {
  return { at: side === 'before' ? Math.ceil(at) : Math.floor(at) + 1, side: 'before' };
}

function compare(one: Border, other: Border): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1;
  return Number(one.side === 'after') - Number(other.side === 'after');
}

function segmentBetween(from: Border, to: Border, isWhole: boolean): Segment | undefined {
  if (compare(from, to) === 0) return undefined;
  if (isWhole) {
    const most = to.side === 'after' ? to.at : to.at - 1;
    return most < from.at ? undefined : { least: from.at, most, hasLeast: true, hasMost: true };
  }
  return { least: from.at, most: to.at, hasLeast: from.side === 'before', hasMost: to.side === 'after' };
}
