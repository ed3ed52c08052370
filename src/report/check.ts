/** Diagnostics, and what was fixed of them -> a report for people or for tools. */

import {
  type Diagnostic,
  type DiagnosticPart,
  formatDiagnosticLine,
  listProblems,
  styleDiagnostic,
} from '../diagnostics.ts';
import type { CheckReport } from '../policy/check/check-files.ts';
import type { Fixed } from '../policy/check/fix-files.ts';
import { count, printable } from '../text.ts';
import type { Style, Styler } from './outline.ts';

/** The report for people. */
export function printReport({ files, within, diagnostics, silenced }: CheckReport, style: Styler): string {
  const blocks = styledBlocks(diagnostics, style);
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const counts = [count(errors, 'error'), count(diagnostics.length - errors, 'warning')];
  const found = [...counts, silenced.length === 0 ? [] : `${silenced.length} silenced`].flat().join(', ');
  const fixes = diagnostics.filter(({ fix }) => fix).length;
  const help = fixes === 0 ? [] : [`\`verdict check --fix\` fixes ${fixes} of them`];
  const partOf = within.length === 0 ? '' : `, as part of ${printable(within.join(', '))}`;
  // A broken guarantee is found in a policy without other errors.
  const isUnread = diagnostics.some(({ severity, code }) => severity === 'error' && code !== 'guarantee-broken');
  const left = !isUnread ? '' : '; a policy with errors is not searched for suspicious rules';
  return `${[...blocks, `${count(files, 'file')} checked${partOf}: ${found}${left}`, ...help].join('\n')}\n`;
}

/** A line for each diagnostic. */
export function diagnosticLines(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((each) => `${formatDiagnosticLine(each)}\n`).join('');
}

const STYLES: Readonly<Record<Exclude<DiagnosticPart, 'carets'>, Style>> = {
  place: 'bold',
  error: 'red',
  warning: 'yellow',
  hint: 'dim',
};

/** Diagnostics for people, each a block of lines. */
export function styledBlocks(diagnostics: readonly Diagnostic[], style: Styler): readonly string[] {
  return listProblems(diagnostics, (diagnostic) => `${colour(diagnostic, style)}\n`);
}

/** A diagnostic for people, with its severity in colour. */
function colour(diagnostic: Diagnostic, style: Styler): string {
  return styleDiagnostic(diagnostic, (part, text) =>
    style(STYLES[part === 'carets' ? diagnostic.severity : part], text),
  );
}

/** `rules/a.yaml:7:22: fixed[unknown-operator]: >= is now atLeast`. */
export function printFixed(fixed: readonly Fixed[]): string {
  const lines = fixed.flatMap(({ diagnostic: { file, code, fix = [] }, replaced }) =>
    fix.map(({ start, text }, i) => {
      const place = `${printable(file)}:${start.line}:${start.column}`;
      return `${place}: fixed[${code}]: ${changeWords(replaced[i] ?? '', text)}\n`;
    }),
  );
  return lines.length === 0 ? '' : `${lines.join('')}${count(fixed.length, 'problem')} fixed\n\n`;
}

function changeWords(before: string, after: string): string {
  if (before === '') return `added ${show(after)}`;
  return after === '' ? `removed ${show(before)}` : `${show(before)} is now ${show(after)}`;
}

function show(text: string): string {
  return printable(text.trim() === '' ? JSON.stringify(text) : text.trim());
}
