/** The formats of each report -> what writes them: a new format is a row here, and one function. */

import type { PolicyMutation } from '../../lab/mutate/mutate.ts';
import type { Proof } from '../../lab/prove/prove.ts';
import type { TestReport } from '../../lab/test/run-tests.ts';
import type { CheckReport } from '../../policy/check/check-files.ts';
import type { Policy } from '../../policy/language.ts';
import { toJson } from '../../text.ts';
import type { ShownDiff } from '../diff.ts';
import type { Styler } from '../outline.ts';

/** Writes a report in one format. What it needs is loaded then: a command starts without the printers. */
type Writer<Shown> = (shown: Shown, style: Styler) => Promise<string>;

/** The formats of `check`; the first is the default, as in the other tables. */
export const CHECK_FORMATS = {
  pretty: async (report, style) => (await import('../check.ts')).printReport(report, style),
  line: async ({ diagnostics }) => (await import('../check.ts')).diagnosticLines(diagnostics),
  json: async ({ diagnostics }) => json(diagnostics),
  sarif: async ({ diagnostics, silenced }) =>
    json((await import('./sarif.ts')).sarifLog([...diagnostics, ...silenced])),
  github: async ({ diagnostics }) => (await import('./build-servers.ts')).diagnosticCommands(diagnostics),
} as const satisfies Formats<CheckReport>;

export type CheckFormat = keyof typeof CHECK_FORMATS;

/** The mutants of the policies are part of JSON alone. */
type ShownTests = readonly [report: TestReport, mutation?: readonly PolicyMutation[] | undefined];

/** The formats of `test`. */
export const TEST_FORMATS = {
  pretty: async ([report], style) => (await import('../tests.ts')).printTests(report, style),
  junit: async ([report]) => (await import('./build-servers.ts')).asJunit(report),
  json: async ([report, mutation]) => json((await import('../tests.ts')).testsAsData(report, mutation)),
  github: async ([report]) => (await import('./build-servers.ts')).testCommands(report),
} as const satisfies Formats<ShownTests>;

/** The formats of `diff`. */
export const DIFF_FORMATS = {
  text: async (shown, style) => {
    const { textOf } = await import('../plain-text.ts');
    return textOf((await import('../diff.ts')).diffText(shown), style);
  },
  json: async (shown) => json((await import('../diff.ts')).diffAsData(shown)),
  markdown: async (shown) => {
    const { markdownOf } = await import('../markdown.ts');
    return markdownOf((await import('../diff.ts')).diffMarkdown(shown));
  },
} as const satisfies Formats<ShownDiff>;

type ShownProofs = readonly [proofs: readonly Proof[], policy: Policy, at: string];

/** The formats of `prove`. */
export const PROOF_FORMATS = {
  text: async ([proofs, policy], style) => (await import('../proofs.ts')).printProofs(proofs, policy, style),
  json: async (shown) => json((await import('../proofs.ts')).proofsAsData(...shown)),
  markdown: async (shown) => (await import('../proofs.ts')).proofsAsMarkdown(...shown),
} as const satisfies Formats<ShownProofs>;

type Formats<Shown> = Readonly<Record<string, Writer<Shown>>>;

/** The names of the formats of a table, in its order. */
export function namesOf<Format extends string>(formats: Readonly<Record<Format, unknown>>) {
  return Object.keys(formats) as [Format, ...Format[]];
}

function json(data: unknown): string {
  return `${toJson(data, 2)}\n`;
}
