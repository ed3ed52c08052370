/** What SQL, or a dialect of it, cannot say exactly: refused with a code, never approximated. */

import { type Finding, formatDiagnostic, type Place } from '../../diagnostics.ts';

/** Every code with its meaning in one sentence. The codes are stable. */
export const SQL_REFUSALS = {
  'sql-pattern': 'A pattern that the dialect would not match exactly as the policy language does.',
  'sql-text': 'A text that the dialect cannot hold.',
  'sql-column': 'A column name that is taken, or that the dialect cannot hold.',
  'sql-fact': 'A column is given for a fact that the policy does not know.',
  'sql-depth': 'Conditions that build on each other in more steps than an engine can sensibly nest.',
} as const;

/** A stable name for a kind of refusal. */
export type SqlRefusalCode = keyof typeof SQL_REFUSALS;

/** One thing that cannot be said; `file`, `position` and `line` are where the policy says it, if it is about a rule. */
export interface SqlRefusal extends Finding {
  readonly code: SqlRefusalCode;
  readonly severity: 'error';
  /** What was found, and why that is refused. */
  readonly message: string;
  /** The rules, by id, that ask for it; none where it is not about a rule. */
  readonly rules: readonly string[];
}

/** A refusal of what some rules ask for, at a place of theirs. */
export function refusal(
  code: SqlRefusalCode,
  message: string,
  { rules = [], place, hint }: { rules?: readonly string[]; place?: Place | undefined; hint?: string | undefined } = {},
): SqlRefusal {
  return { code, severity: 'error', message, rules, ...place, ...(hint === undefined ? {} : { hint }) };
}

/** So many rules are named. */
const NAMED_RULES = 3;

/** A refusal as diagnostics are shown, with the rules that ask for it: `file:line:column: error[code]: message (rule a)`. */
export function formatRefusal(refused: SqlRefusal): string {
  return formatDiagnostic({ ...refused, message: `${refused.message}${named(refused.rules)}` });
}

function named(rules: readonly string[]): string {
  if (rules.length === 0) return '';
  const more = rules.length > NAMED_RULES ? ` and ${rules.length - NAMED_RULES} more` : '';
  return ` (${rules.length === 1 ? 'rule' : 'rules'} ${rules.slice(0, NAMED_RULES).join(', ')}${more})`;
}
