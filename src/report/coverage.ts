/** What tests cover of a policy -> an outline, or data for JSON. */

import { type Coverage, type CoverageItem, gapsOf, kindsOf, shareOf } from '../lab/test/coverage/coverage.ts';
import { itemWords, KINDS } from '../lab/test/coverage/items.ts';
import { count, grouped } from '../text.ts';
import { type Cells, heading, list, paragraph, placeMark, strong, type TextBlock } from './outline.ts';

/** More gaps are counted; the data have them all. */
const MOST_GAPS = 40;

/** The table of one policy, and what is missing, with its place. */
export function coverageText(coverage: Coverage): readonly TextBlock[] {
  const { policy, goals, reached, items } = coverage;
  const name = `${policy.name} ${policy.version}`;
  if (goals === 0) return [paragraph(strong(name), ': nothing to cover')];
  const gaps = inTextOrder(items.filter((item) => gapsOf(item).length > 0));
  const gapItem = (item: CoverageItem) => {
    const { place } = item;
    return [gapWords(item), placeMark(place && { file: place.file, line: place.position.line })];
  };
  return [
    paragraph(strong(`${name}: ${shareOf(coverage)} % covered`), `, ${reached} of ${count(goals, 'goal')}`),
    goalTable(coverage),
    ...(gaps.length > 0 ? [heading('Not covered'), list(gaps.map(gapItem), MOST_GAPS)] : []),
  ];
}

/** The goals of each kind, and how many of them are covered. */
function goalTable(coverage: Coverage): Cells {
  return {
    is: 'table',
    columns: ['goals', 'covered', 'all', 'share'],
    rows: kindsOf(coverage).map((kind) => [
      ...[KINDS[kind.kind], grouped(kind.reached), grouped(kind.goals), `${shareOf(kind)} %`],
    ]),
  };
}

/** What no test has seen of an item: `rule voip, not seen: fires`. */
function gapWords(item: CoverageItem): string {
  return `${itemWords(item)}, not seen: ${gapsOf(item).join(', ')}`;
}

/** File by file, line by line; what has no place comes last. */
function inTextOrder(items: readonly CoverageItem[]): readonly CoverageItem[] {
  const line = ({ place }: CoverageItem) => place?.position.line ?? 0;
  const files = Map.groupBy(items, ({ place }) => place?.file);
  const placed = [...files].filter(([file]) => file !== undefined);
  return [...placed.flatMap(([, own]) => own.sort((a, b) => line(a) - line(b))), ...(files.get(undefined) ?? [])];
}

/** The coverage of one policy as data. */
export function coverageAsData(coverage: Coverage): object {
  const { policy, cases, goals, reached, items } = coverage;
  return {
    policy,
    cases,
    share: shareOf(coverage),
    goals,
    reached,
    kinds: kindsOf(coverage),
    items: items.map(({ place, ...item }) => ({
      ...item,
      ...(place ? { file: place.file, ...place.position } : {}),
    })),
  };
}
