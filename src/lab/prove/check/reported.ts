/** A place of a policy -> whether a warning of an ordinary check is about it. */

import type { DiagnosticCode } from '../../../diagnostics.ts';
import { allowancesOf } from '../../../platform/files/allowance.ts';
import type { Span } from '../../../platform/files/source.ts';

/** The codes of warnings that a rule does nothing. */
export const INEFFECTIVE_CODES: readonly DiagnosticCode[] = [
  'never-true',
  'never-fires',
  'never-matters',
  'same-condition',
  'covered',
  'never-decides',
  'accept-no-effect',
];

/** A warning that a comment silences counts too. */
export function wasReported(at: Span | undefined, codes: readonly DiagnosticCode[]): boolean {
  if (!at) return false;
  const { source, start, end } = at;
  const [first, last] = [source.lineAt(start), source.lineAt(end)];
  const diagnostics = [...source.diagnostics, ...allowancesOf(source.diagnostics).silenced];
  return diagnostics.some(({ file, code, position }) => {
    const isThere = position !== undefined && position.line >= first && position.line <= last;
    return isThere && file === source.file && codes.includes(code);
  });
}
