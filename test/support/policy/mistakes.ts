/** Mistakes in policies -> tests that each is reported at its place, and that the corrected text loads. */

import { expect, it } from 'vitest';
import type { DiagnosticCode } from '../../../src/diagnostics.ts';
import { sourceOf } from '../../../src/platform/files/source.ts';
import { applyFixes } from '../../../src/policy/check/fix-files.ts';
import { problemsOf } from './problems.ts';

/** A mistake and its answer. */
export interface Mistake {
  /** What was slipped, such as `a tab as indentation`. */
  readonly mistake: string;
  /** The policy as written, with `‹` before each place that is reported. */
  readonly written: string;
  readonly code: DiagnosticCode;
  /** What the message says; left out where another test has it. */
  readonly message?: string | RegExp;
  readonly hint: string | RegExp | undefined;
  /** The policy as it was meant: what somebody writes who follows the hint. */
  readonly corrected: string;
  /** Whether the corrected text is the only right one, so that `verdict check --fix` writes it. */
  readonly isFixed?: boolean;
  /** Texts of other files beside the policy, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Tests each mistake: nothing else is reported than it, and nothing of the corrected text. */
export function testMistakes(mistakes: readonly Mistake[]): void {
  it.each(mistakes)('$mistake', ({ written, code, message, hint, corrected, isFixed, files = {} }) => {
    const { codes, places, marks, diagnostics } = problemsOf(written, files);
    expect({ codes, places }).toEqual({ codes: marks.map(() => code), places: marks });
    const [answer] = diagnostics;
    if (message !== undefined) expect(answer?.message).toEqual(matching(message));
    expect(answer?.hint).toEqual(hint === undefined ? undefined : matching(hint));
    expect(problemsOf(corrected, files).diagnostics).toEqual([]);
    const source = answer?.fix && sourceOf(answer.fix);
    expect(source && applyFixes(source, diagnostics).text).toBe(isFixed ? corrected : undefined);
  });
}

function matching(text: string | RegExp): unknown {
  return typeof text === 'string' ? text : expect.stringMatching(text);
}
