/** A backtest of two policies beside the regions of their difference -> an outline, or data for JSON. */

import type { Placing } from '../../lab/impact/impact.ts';
import { count, grouped } from '../../text.ts';
import { type Block, type Form, heading, paragraph } from '../outline.ts';
import { backtestAsData, backtestHeadline, backtestSections, type ShownBacktest } from './backtest.ts';

/** What a change means for real applicants, and how those who change fall to the regions. */
export interface ShownImpact extends ShownBacktest {
  readonly placing: Placing;
}

/** The data. Each region has its own count of applicants. */
export function impactAsData({ placing, ...shown }: ShownImpact): object {
  return { ...backtestAsData(shown), ...placing };
}

/** `first`: who is decided how, and by which edits: every form says this before whom it concerns. */
export function impactBlocks(shown: ShownImpact, form: Form): Readonly<Record<'first' | 'details', readonly Block[]>> {
  const { outsideRegions, notPlaced = 0, beginLater, inForceOn } = shown.placing;
  const { first, outcomes, edits, velocities, groups, worst, undecided } = backtestSections(shown, form);
  const headline = backtestHeadline(shown.backtest);
  const rules = inForceOn === undefined ? [] : [`All are decided by the rules in force on ${inForceOn}.`];
  const placed = [
    ...(outsideRegions > 0 ? [outsideWords(outsideRegions)] : []),
    ...(notPlaced > 0 ? [`${grouped(notPlaced)} more were not looked for in the regions.`] : []),
    ...(beginLater ? [laterWords(beginLater)] : []),
  ];
  return {
    first: [
      form === 'text' ? heading(headline) : paragraph(`${headline}.`),
      ...[...first, ...rules.map((words) => paragraph(words)), ...outcomes, ...edits],
    ],
    details: [...velocities, ...groups, ...placed.map((words) => paragraph(words)), ...worst, ...undecided],
  };
}

/** `1,880 of those who change are in none of the regions.` */
export function outsideWords(n: number, whom = 'who change'): string {
  return `${grouped(n)} of those ${whom} ${n === 1 ? 'is' : 'are'} in none of the regions.`;
}

/** `2 regions begin later, on 2026-12-01 at the earliest: …`. */
function laterWords({ regions, firstDay }: NonNullable<Placing['beginLater']>): string {
  const begin = `${count(regions, 'region')} ${regions === 1 ? 'begins' : 'begin'} later`;
  return `${begin}, on ${firstDay} at the earliest, and nobody is counted there: --as-if-in-force ${firstDay} does.`;
}
