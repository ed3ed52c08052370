/** What tests cover of policies -> an LCOV tracefile (geninfo(1)), for editors and genhtml. */

import { type Coverage, type CoverageItem, gapsOf } from '../../../lab/coverage/coverage.ts';

/**
 * The tracefile: a record for each file of the policies. Rules are functions, hit as often as they fired; goals are
 * branches. A line is hit if every goal on it is, as often as the rarest.
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
  const branches = lines.flatMap(([line, own]) =>
    own.flatMap(({ goals }, block) => goals.map(({ count }, branch) => ({ line, block, branch, count }))),
  );
  const isHit = ([, own]: (typeof lines)[number]) => own.every((item) => gapsOf(item).length === 0);
  const rarest = ([, own]: (typeof lines)[number]) =>
    Math.min(...own.flatMap(({ goals }) => goals.map(({ count }) => count)));
  const entries = [
    'TN:',
    `SF:${file}`,
    ...functions.map(({ line, name }) => `FN:${line},${name}`),
    ...functions.map(({ name, hits }) => `FNDA:${hits},${name}`),
    `FNF:${functions.length}`,
    `FNH:${functions.filter(({ hits }) => hits > 0).length}`,
    ...branches.map(({ line, block, branch, count }) => `BRDA:${line},${block},${branch},${count}`),
    `BRF:${branches.length}`,
    `BRH:${branches.filter(({ count }) => count > 0).length}`,
    ...lines.map((line) => `DA:${line[0]},${rarest(line)}`),
    `LF:${lines.length}`,
    `LH:${lines.filter(isHit).length}`,
    'end_of_record',
  ];
  return `${entries.join('\n')}\n`;
}

function lineOf({ place }: CoverageItem): number {
  return place?.position.line ?? 0;
}
