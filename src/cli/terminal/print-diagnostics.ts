/** Diagnostics -> a report for people or for tools. */

import {
  type Diagnostic,
  type DiagnosticPart,
  type Finding,
  formatDiagnosticLine,
  placeWords,
  type SilencedDiagnostic,
  styleDiagnostic,
} from '../../diagnostics.ts';
import type { Style, Styler } from '../../report/words/style.ts';
import { count, printable, toJson } from '../../text.ts';
import { sarifLog } from './sarif.ts';

/** The formats of a report; the first is the default. */
export const REPORT_FORMATS = ['pretty', 'line', 'json', 'sarif', 'github'] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface Report {
  readonly files: number;
  readonly within: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly silenced: readonly SilencedDiagnostic[];
}

export const REPORTERS: Readonly<Record<ReportFormat, (report: Report, style: Styler) => string>> = {
  pretty: ({ files, within, diagnostics, silenced }, style) => {
    const blocks = styledBlocks(diagnostics, style);
    const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
    const counts = [count(errors, 'error'), count(diagnostics.length - errors, 'warning')];
    const found = [...counts, silenced.length === 0 ? [] : `${silenced.length} silenced`].flat().join(', ');
    const fixes = diagnostics.filter(({ fix }) => fix).length;
    const help = fixes === 0 ? [] : [`\`verdict check --fix\` mends ${fixes} of them`];
    const partOf = within.length === 0 ? '' : `, as part of ${printable(within.join(', '))}`;
    // A broken guarantee is found in a policy without other errors.
    const isUnread = diagnostics.some(({ severity, code }) => severity === 'error' && code !== 'guarantee-broken');
    const left = !isUnread ? '' : '; a policy with errors is not searched for suspicious rules';
    return `${[...blocks, `${count(files, 'file')} checked${partOf}: ${found}${left}`, ...help].join('\n')}\n`;
  },
  line: ({ diagnostics }) => diagnostics.map((each) => `${formatDiagnosticLine(each)}\n`).join(''),
  json: ({ diagnostics }) => `${toJson(diagnostics, 2)}\n`,
  sarif: ({ diagnostics, silenced }) => `${toJson(sarifLog([...diagnostics, ...silenced]), 2)}\n`,
  github: ({ diagnostics }) => diagnostics.map((each) => `${asWorkflowCommand(each)}\n`).join(''),
};

const STYLES: Readonly<Record<Exclude<DiagnosticPart, 'carets'>, Style>> = {
  place: 'bold',
  error: 'red',
  warning: 'yellow',
  hint: 'dim',
};

/** Diagnostics for people, each a block of lines. */
export function styledBlocks(diagnostics: readonly Diagnostic[], style: Styler): readonly string[] {
  return diagnostics.map((diagnostic) => `${colour(diagnostic, style)}\n`);
}

/** A diagnostic for people, with its severity in colour. */
function colour(diagnostic: Diagnostic, style: Styler): string {
  return styleDiagnostic(diagnostic, (part, text) =>
    style(STYLES[part === 'carets' ? diagnostic.severity : part], text),
  );
}

/**
 * `::error file=…,line=…,col=…::message`, a workflow command of GitHub, escaped like in its toolkit
 * (actions/toolkit, packages/core/src/command.ts).
 */
export function asWorkflowCommand(finding: Finding & { readonly file: string }): string {
  const { severity, code, message, hint, file, position, related } = finding;
  const data = (text: string) => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  const property = (text: string) => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
  const at = position
    ? `,line=${position.line},col=${position.column},endColumn=${position.column + position.length}`
    : '';
  const other = related && `${placeWords(related)}: ${related.message}`;
  const more = [hint, other].filter((part) => part !== undefined).join('; ');
  const text = printable(more === '' ? message : `${message} (${more})`);
  return `::${severity} file=${property(printable(file))}${at},title=${property(code)}::${data(text)}`;
}
