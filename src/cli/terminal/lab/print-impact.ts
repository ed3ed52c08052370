/** What a change of a policy means for real applicants -> text, Markdown, or data for JSON. */

import type { Impact } from '../../../lab/impact/impact.ts';
import { flowTable, impactHeadline, nameOf, notes, reasonWords, unjudgedWords } from '../../../report/words/impact.ts';
import type { Styler } from '../../../report/words/style.ts';
import { tableLines } from '../table.ts';

/** The impact as data. Each region has its own count of applicants. */
export function impactAsData({ inRegions: _, worst, ...impact }: Impact): object {
  return { ...impact, worst: worst.map(({ name, ...changed }) => ({ ...name, ...changed })) };
}

export function printImpact(impact: Impact, style: Styler): string {
  const { applicants, worst, unjudged } = impact;
  const lines = [style('bold', impactHeadline(impact))];
  if (applicants > 0) {
    const [head = '', ...rows] = tableLines(flowTable(impact.flows));
    lines.push('', style('dim', head), ...rows, ...notes(impact).map((note) => `\n${note}`));
  }
  if (worst.length > 0) {
    lines.push('', style('bold', 'The worst'));
    for (const changed of worst) {
      const { from, to, day } = changed;
      lines.push(`  ${from} to ${to}  ${nameOf(changed.name)} on ${day}`, `    ${reasonWords(changed)}`);
    }
  }
  const left = unjudgedWords(unjudged);
  if (left.length > 0) lines.push('', style('bold', 'Not counted'), ...left.map((each) => `  ${each}`));
  return `${lines.join('\n')}\n`;
}

export function impactAsMarkdown(impact: Impact): string {
  const { applicants, worst, unjudged } = impact;
  const table = (rows: readonly (readonly string[])[]) => {
    const [titles = [], ...others] = rows.map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
    return [titles, titles.map((_, i) => (i === 0 ? '---' : '---:')), ...others].map(
      (cells) => `| ${cells.join(' | ')} |`,
    );
  };
  const worstRows = worst.map((changed) => {
    const cells = [`${changed.from} to ${changed.to}`, `${nameOf(changed.name)} on ${changed.day}`];
    return `| ${[...cells, reasonWords(changed)].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  const lines = [
    '### Real applicants',
    '',
    impactHeadline(impact),
    ...(applicants > 0 ? ['', ...table(flowTable(impact.flows)), ...notes(impact).flatMap((note) => ['', note])] : []),
    ...(worst.length > 0 ? ['', '| the worst | applicant | reasons |', '| --- | --- | --- |', ...worstRows] : []),
    ...unjudgedWords(unjudged).flatMap((each, i) => [...(i === 0 ? ['', 'Not counted:', ''] : []), `- ${each}`]),
  ];
  return `${lines.join('\n')}\n`;
}
