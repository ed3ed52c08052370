/** What tests cover of policies -> an LCOV tracefile (geninfo(1)), for editors and genhtml. */

import type { Coverage, CoverageItem } from '../../lab/test/coverage/coverage.ts';
import { printable } from '../../text.ts';

/**
 * The tracefile: a record for each file of the policies. Rules are functions, hit as often as they fired; goals are
 * branches. A line is hit as often as cases were counted on it, whichever goals they reached: genhtml 2 ends with an
 * error at a branch that is taken on a line that is not hit.
 */
export function lcov(coverages: readonly Coverage[]): string {
  const items = coverages.flatMap((coverage) => coverage.items);
  const files = Map.groupBy(addedUp(items), ({ place }) => place?.file);
  return [...files].flatMap(([file, own]) => (file === undefined ? [] : recordOf(file, own))).join('');
}

/** Policies may share a rule set: what the tests of one of them reach is reached. */
function addedUp(items: readonly CoverageItem[]): readonly CoverageItem[] {
  const same = Map.groupBy(items, ({ kind, name, place }) => JSON.stringify([kind, name, place]));
  return [...same.values()].map((own) => {
    const goals = Map.groupBy(
      own.flatMap((item) => item.goals),
      ({ name }) => name,
    );
    const sum = (all: CoverageItem['goals']) => all.reduce((total, { count }) => total + count, 0);
    return { ...(own[0] as CoverageItem), goals: [...goals].map(([name, all]) => ({ name, count: sum(all) })) };
  });
}

function recordOf(file: string, items: readonly CoverageItem[]): string {
  const lines = [...Map.groupBy(items, lineOf)].sort(([one], [other]) => one - other);
  const rules = items.filter(({ kind }) => kind === 'rule' || kind === 'row');
  const functions = rules.map((item) => ({
    ...{ name: item.name, line: lineOf(item) },
    hits: item.goals.find(({ name }) => name === 'fires')?.count ?? 0,
  }));
  const hitsOn = (own: readonly CoverageItem[]) =>
    Math.max(...own.map(({ goals }) => goals.reduce((sum, { count }) => sum + count, 0)));
  const lineHits = lines.map(([line, own]) => ({ line, hits: hitsOn(own) }));
  const branches = lines.flatMap(([line, own], i) =>
    own.flatMap(({ goals }, block) =>
      goals.map(({ count }, branch) => ({ line, block, branch, count, taken: lineHits[i]?.hits === 0 ? '-' : count })),
    ),
  );
  const entries = [
    'TN:',
    `SF:${file}`,
    ...functions.map(({ line, name }) => `FN:${line},${name}`),
    ...functions.map(({ name, hits }) => `FNDA:${hits},${name}`),
    `FNF:${functions.length}`,
    `FNH:${functions.filter(({ hits }) => hits > 0).length}`,
    ...branches.map(({ line, block, branch, taken }) => `BRDA:${line},${block},${branch},${taken}`),
    `BRF:${branches.length}`,
    `BRH:${branches.filter(({ count }) => count > 0).length}`,
    ...lineHits.map(({ line, hits }) => `DA:${line},${hits}`),
    `LF:${lineHits.length}`,
    `LH:${lineHits.filter(({ hits }) => hits > 0).length}`,
    'end_of_record',
  ];
  // A line break in the name of a file would begin an entry.
  return `${entries.map(printable).join('\n')}\n`;
}

function lineOf({ place }: CoverageItem): number {
  return place?.position.line ?? 0;
}
