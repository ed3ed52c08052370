/** Refusals: what a dialect of SQL cannot express exactly is refused with a code, never approximated. */

import { type Finding, formatDiagnostic, type Place } from '../../diagnostics.ts';
import { readGiven } from '../../given/read-given.ts';

/**
 * A code of a refusal. The codes are stable.
 * - `sql-pattern`: the dialect would not match the pattern exactly as a policy does.
 * - `sql-text`: the dialect cannot hold the text.
 * - `sql-column`: the column name is taken, or the dialect cannot hold it.
 * - `sql-table`: the dialect cannot hold the name of the table.
 * - `sql-fact`: the map of columns names a fact that the policy does not have.
 * - `sql-depth`: the conditions name each other in more levels than a SELECT can nest.
 */
export type SqlRefusalCode = 'sql-pattern' | 'sql-text' | 'sql-column' | 'sql-table' | 'sql-fact' | 'sql-depth';

/** One refusal. If it is about a rule, `file`, `position` and `line` are its source position in the policy. */
export interface SqlRefusal extends Finding {
  readonly code: SqlRefusalCode;
  readonly severity: 'error';
  /** What was found, and why it is refused. */
  readonly message: string;
  /** The ids of the rules that are refused; empty if it is not about a rule. */
  readonly rules: readonly string[];
}

/** Creates a refusal. */
export function refusal(
  code: SqlRefusalCode,
  message: string,
  { rules = [], place, hint }: { rules?: readonly string[]; place?: Place | undefined; hint?: string | undefined } = {},
): SqlRefusal {
  return { code, severity: 'error', message, rules, ...place, ...(hint === undefined ? {} : { hint }) };
}

/** The most rules named in a message. */
const NAMED_RULES = 3;

/** Formats a refusal like a diagnostic, with its rules: `file:line:column: error[code]: message (rule a)`. */
export function formatRefusal(refused: SqlRefusal): string {
  return readGiven('REQUEST_INVALID', 'the refusal', () =>
    formatDiagnostic({ ...refused, message: `${refused.message}${named(refused.rules)}` }),
  );
}

function named(rules: readonly string[]): string {
  if (rules.length === 0) return '';
  const more = rules.length > NAMED_RULES ? ` and ${rules.length - NAMED_RULES} more` : '';
  return ` (${rules.length === 1 ? 'rule' : 'rules'} ${rules.slice(0, NAMED_RULES).join(', ')}${more})`;
}
