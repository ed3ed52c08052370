/** What tests cover of a policy -> text, or data for JSON. */

import { type Coverage, type CoverageItem, gapsOf, kindsOf, shareOf } from '../lab/test/coverage/coverage.ts';
import { itemWords, KINDS } from '../lab/test/coverage/item.ts';
import { count, printable } from '../text.ts';
import type { Styler } from './outline.ts';
import { tableLines } from './text/columns.ts';

/** More gaps are counted; a page has them all. */
const MOST_GAPS = 40;

/** The table of one policy, and what is missing, with its place. */
export function printCoverage(coverage: Coverage, style: Styler): string {
  const { policy, goals, reached, items } = coverage;
  const name = printable(`${policy.name} ${policy.version}`);
  if (goals === 0) return `${style('bold', name)}: nothing to cover\n`;
  const table = tableLines(
    kindsOf(coverage).map((kind) => [KINDS[kind.kind], `${kind.reached} of ${kind.goals}`, `${shareOf(kind)} %`]),
  );
  const gaps = inTextOrder(items.filter((item) => gapsOf(item).length > 0));
  const left = gaps.length - MOST_GAPS;
  const lines = [
    `${style('bold', `${name}: ${shareOf(coverage)} % covered`)}, ${reached} of ${count(goals, 'goal')}`,
    ...table,
    ...(gaps.length > 0 ? ['', 'Not covered:', ...tableLines(gaps.slice(0, MOST_GAPS).map(gapRow), LONGEST)] : []),
    ...(left > 0 ? [style('dim', `  and ${left} more; --html <file> shows them in the policy's text`)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** File by file, line by line; what has no place comes last. */
function inTextOrder(items: readonly CoverageItem[]): readonly CoverageItem[] {
  const line = ({ place }: CoverageItem) => place?.position.line ?? 0;
  const files = Map.groupBy(items, ({ place }) => place?.file);
  const placed = [...files].filter(([file]) => file !== undefined);
  return [...placed.flatMap(([, own]) => own.sort((a, b) => line(a) - line(b))), ...(files.get(undefined) ?? [])];
}

/** A wider cell continues on the next line. */
const LONGEST = 70;

function gapRow(item: CoverageItem): readonly string[] {
  const { place } = item;
  const where = place ? `${place.file}:${place.position.line}` : '';
  return [where, itemWords(item), gapsOf(item).join(', ')].map(printable);
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
