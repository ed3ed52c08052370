/** Facts in hand -> where, for each axis, the vectors of the cell stand in which they lie. */

import { LEVELS } from '../../facts/catalog.ts';
import { dayNumber } from '../../facts/day.ts';
import { type Facts, type FactValue, isMissing, NEVER } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells.ts';
import { type Steps, stepOf } from '../../policy/segments.ts';
import { finderOf } from './finder.ts';
import type { BitAxis, Program } from './program.ts';

/** Writes, by the place of its axis, where the vectors of each axis's cell stand. */
export type Placement = (facts: Facts, day: string, starts: Int32Array) => void;

/** How most facts are looked at: each once, in a loop that does not depend on how many kinds there are. */
interface FactPlan {
  readonly path: string;
  readonly kind: 'number' | 'named' | 'date';
  /** Of a number, or of a date's days. */
  readonly days: AxisPlan | undefined;
  /** Of a date's age. */
  readonly age: AxisPlan | undefined;
  readonly named: NamedPlan | undefined;
}

interface AxisPlan {
  /** The place of the axis among all. */
  readonly axis: number;
  readonly steps: Steps;
  /** Where the vectors of each cell stand: of what is missing, and of each step. */
  readonly missing: number;
  readonly never: number;
  readonly starts: Int32Array;
}

interface NamedPlan {
  readonly axis: number;
  readonly missing: number;
  readonly starts: ReadonlyMap<FactValue, number>;
  readonly others: number;
}

/** Plans how facts are looked at. */
export function planPlacement({ axes, words, policy }: Program): Placement {
  const stride = 2 * words;
  // The very texts that are the keys of facts which were read: a Map need not compare them letter by letter.
  const paths = new Map([...policy.facts.keys()].map((path) => [path, path]));
  const plans = new Map<string, FactPlan>();
  const others: { readonly axis: number; readonly base: number; readonly find: ReturnType<typeof finderOf> }[] = [];
  for (const [axis, bitAxis] of axes.entries()) {
    const plan = planOf(axis, bitAxis, stride);
    if (!plan) {
      others.push({ axis, base: bitAxis.base, find: finderOf(bitAxis.source) });
      continue;
    }
    const { days = plan.days, age = plan.age, named = plan.named } = plans.get(plan.path) ?? {};
    const path = paths.get(plan.path) ?? plan.path;
    plans.set(path, { ...plan, path, days: plan.days ?? days, age: plan.age ?? age, named: plan.named ?? named });
  }
  const all = [...plans.values()];
  let lastDay = '';
  let today = 0;

  return (facts, day, starts) => {
    if (day !== lastDay) {
      today = dayNumber(day);
      lastDay = day;
    }
    for (let i = 0; i < all.length; i++) {
      const { path, kind, days, age, named } = all[i] as FactPlan;
      const fact = facts.get(path);
      if (fact === undefined || isMissing(fact)) {
        if (named) starts[named.axis] = named.missing;
        if (days) starts[days.axis] = days.missing;
        if (age) starts[age.axis] = age.missing;
        continue;
      }
      const { value } = fact;
      if (named) starts[named.axis] = named.starts.get(value) ?? named.others;
      else if (kind === 'number') {
        if (days) starts[days.axis] = startOf(days, value as number);
      } else if (value === NEVER) {
        if (days) starts[days.axis] = days.never;
        if (age) starts[age.axis] = age.never;
      } else {
        const number = dayNumber(value as string);
        if (days) starts[days.axis] = startOf(days, number);
        if (age) starts[age.axis] = startOf(age, today - number);
      }
    }
    for (let i = 0; i < others.length; i++) {
      const { axis, base, find } = others[i] as (typeof others)[number];
      starts[axis] = base + find(facts, day) * stride;
    }
  };
}

function startOf({ steps, starts, missing }: AxisPlan, number: number): number {
  const step = stepOf(steps, number);
  return step < 0 ? missing : (starts[step] as number);
}

/** Undefined for an axis that is looked at by itself. */
function planOf(axis: number, { source, base }: BitAxis, stride: number): FactPlan | undefined {
  if ('kind' in source || source.other !== undefined) return undefined;
  const { fact: path, numbers, named } = source;
  const none = { days: undefined, age: undefined, named: undefined };
  const start = (cell: number) => base + cell * stride;
  if (numbers?.unit === 'level') {
    const starts = new Map(LEVELS.map((level, i) => [level as FactValue, start(cellOf(source, numbers.steps, i))]));
    return { ...none, path, kind: 'named', named: { axis, missing: base, starts, others: base } };
  }
  if (numbers) {
    const { steps } = numbers;
    const starts = Int32Array.from(steps.firsts, (_, step) => start(source.firstValue + step));
    const plan = { axis, steps, missing: base, never: start(1), starts };
    const kind = numbers.unit === 'number' ? 'number' : 'date';
    return numbers.unit === 'age' ? { ...none, path, kind, age: plan } : { ...none, path, kind, days: plan };
  }
  if (!named) return undefined;
  const starts = new Map([...named.cells].map(([value, cell]) => [value, start(source.firstValue + cell)]));
  const others = named.others === undefined ? base : start(source.firstValue + named.others);
  return { ...none, path, kind: 'named', named: { axis, missing: base, starts, others } };
}

function cellOf({ firstValue }: Axis, steps: Steps, number: number): number {
  return firstValue + stepOf(steps, number);
}
