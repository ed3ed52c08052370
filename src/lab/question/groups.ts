/** A space -> the groups of its variables: facts of one group say nothing of the facts of another. */

import type { FactTable } from '../../facts/catalog.ts';
import { factsAmong } from '../../facts/compute.ts';
import { CALENDAR } from '../space/calendar.ts';
import { jointTable, type Space } from '../space/space.ts';
import type { Variable } from '../space/variable.ts';
import { derivableAmong } from './derivable.ts';

const groupCache = new WeakMap<Space, readonly (readonly number[])[]>();

/**
 * The indexes of the variables of each group. Variables of one group are about the same fact, about facts that are
 * derived or computed from each other, or tied.
 */
export function groupsOf(space: Space): readonly (readonly number[])[] {
  const groups = groupCache.get(space) ?? findGroups(space);
  groupCache.set(space, groups);
  return groups;
}

function findGroups({ variables, ties, sides }: Space): readonly (readonly number[])[] {
  const table = jointTable(sides.map(({ policy }) => policy));
  const behind = variables.map((variable) => factsBehind(variable, table));
  const parents = new Map<string, string>();
  const rootOf = (path: string): string => {
    const parent = parents.get(path) ?? path;
    return parent === path ? path : rootOf(parent);
  };
  const link = (paths: readonly string[]) => {
    const [first, ...others] = paths;
    for (const path of others) parents.set(rootOf(path), rootOf(first as string));
  };
  behind.forEach(link);
  for (const { path, inputs } of derivableAmong(behind.flat(), table)) link([path, ...inputs]);
  // What lies in a state may depend on the day, which every search knows.
  const linked = (paths: readonly string[] = []) => paths.filter((path) => path !== CALENDAR);
  for (const tie of ties) link(tie.flatMap(([variable]) => linked(behind[variable])));
  return [...Map.groupBy(variables.keys(), (variable) => rootOf(behind[variable]?.[0] ?? '')).values()];
}

/** The facts that decide the state of a variable: its own, the one that it is compared with, or its operands. */
export function factsBehind({ path, axes }: Variable, table: FactTable): readonly string[] {
  const compute = table.get(path)?.compute;
  const others = axes.flatMap(({ other }) => other ?? []);
  return [...(compute ? factsAmong(compute.operands) : [path]), ...others];
}
