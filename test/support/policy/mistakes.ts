/** Slips of people who write policies -> tests that each is answered at its place, and that the mended text loads. */

import { expect, it } from 'vitest';
import type { DiagnosticCode } from '../../../src/diagnostics.ts';
import { sourceOf } from '../../../src/platform/files/source.ts';
import { applyFixes } from '../../../src/policy/check/fix-files.ts';
import { problemsOf } from './problems.ts';

/** A slip and its answer. */
export interface Slip {
  /** What was slipped, such as `a tab as indentation`. */
  readonly slip: string;
  /** The policy as written, with `‹` before each place that is reported. */
  readonly written: string;
  readonly code: DiagnosticCode;
  /** What the message says; left out where another test has it. */
  readonly message?: string | RegExp;
  readonly hint: string | RegExp | undefined;
  /** The policy as it was meant: what somebody writes who follows the hint. */
  readonly mended: string;
  /** Whether the mended text is the only right one, so that `verdict check --fix` writes it. */
  readonly isFixed?: boolean;
  /** Texts of other files beside the policy, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Tests each slip: nothing else is reported than it, and nothing of the mended text. */
export function testSlips(slips: readonly Slip[]): void {
  it.each(slips)('$slip', ({ written, code, message, hint, mended, isFixed, files = {} }) => {
    const { codes, places, marks, diagnostics } = problemsOf(written, files);
    expect({ codes, places }).toEqual({ codes: marks.map(() => code), places: marks });
    const [answer] = diagnostics;
    if (message !== undefined) expect(answer?.message).toEqual(matching(message));
    expect(answer?.hint).toEqual(hint === undefined ? undefined : matching(hint));
    expect(problemsOf(mended, files).diagnostics).toEqual([]);
    const source = answer?.fix && sourceOf(answer.fix);
    expect(source && applyFixes(source, diagnostics).text).toBe(isFixed ? mended : undefined);
  });
}

function matching(text: string | RegExp): unknown {
  return typeof text === 'string' ? text : expect.stringMatching(text);
}
