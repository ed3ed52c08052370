/** Policy texts with `‹` before each position that is to be reported -> the positions reported and marked. */

import { join, relative } from 'node:path';
import type { Diagnostic } from '../../../src/diagnostics.ts';
import { WORLD } from '../../../src/platform/formats/geo/world.ts';
import { RE2 } from '../../../src/platform/formats/re2.ts';
import { readChecked } from '../../../src/policy/check/check.ts';
import { PolicyFolder } from '../../../src/policy/read/files/folder.ts';
import { HEAD, temporaryFolder } from './policy.ts';

/** The day of the checks. */
const DAY = '2026-11-20';

/** The problems reported of a policy, and its marks. */
export interface Problems {
  /** `file:line:column` of each diagnostic, in their order. */
  readonly places: readonly string[];
  /** `file:line:column` of each mark, in the order of the files and their texts. */
  readonly marks: readonly string[];
  /** `error`, `warning`s with their code: `wrong-type`, `warning empty-list`. */
  readonly codes: readonly string[];
  readonly hints: readonly (string | undefined)[];
  readonly diagnostics: readonly Diagnostic[];
  readonly loads: boolean;
}

/** Reads `policy.yaml` with this text and the files beside it, without their marks. */
export function problemsOf(text: string, files: Readonly<Record<string, string>> = {}): Problems {
  const marked = Object.entries({ 'policy.yaml': text, ...files });
  const folder = temporaryFolder(Object.fromEntries(marked.map(([name, each]) => [name, each.replaceAll('‹', '')])));
  const file = new PolicyFolder(join(folder, 'policy.yaml'));
  const { policy, diagnostics } = readChecked(file, { at: DAY, geodata: WORLD, patterns: RE2 });
  return {
    places: diagnostics.map(({ file, position }) => place(relative(folder, file), position)),
    marks: marked.flatMap(([name, each]) => marksOf(name, each)),
    codes: diagnostics.map(({ code, severity }) => (severity === 'warning' ? `warning ${code}` : code)),
    hints: diagnostics.map(({ hint }) => hint),
    diagnostics,
    loads: policy !== undefined,
  };
}

/** A policy with one rule of this condition. */
export function ruleWhen(condition: string, declarations = ''): string {
  return `${HEAD}${declarations}rules:\n  - id: one\n    then: review\n    when: ${condition}\n`;
}

function place(file: string, position: { readonly line: number; readonly column: number } | undefined): string {
  return position ? `${file}:${position.line}:${position.column}` : file;
}

function marksOf(name: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const pieces = line.split('‹').slice(0, -1);
    return pieces.map((_, i) => {
      const column = pieces.slice(0, i + 1).join('').length + 1;
      return place(name, { line: index + 1, column });
    });
  });
}
