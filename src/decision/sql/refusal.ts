/** What SQL, or a dialect of it, cannot say exactly: refused with a code, never approximated. */

import { count } from '../../diagnostics.ts';

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

/** One thing that cannot be said, and where the policy says it. */
export interface SqlRefusal {
  readonly code: SqlRefusalCode;
  /** What was found, and why that is refused. */
  readonly message: string;
  /** The rules, by id, that ask for it; none where it is not about a rule. */
  readonly rules: readonly string[];
  /** What to do about it. */
  readonly hint?: string;
}

/** So many rules are named. */
const NAMED_RULES = 3;

/** `error[code] in rule a, b: message`, and the hint. */
export function formatRefusal({ code, message, rules, hint }: SqlRefusal): string {
  const named = rules.slice(0, NAMED_RULES).join(', ');
  const more = rules.length > NAMED_RULES ? ` and ${count(rules.length - NAMED_RULES, 'more rule')}` : '';
  const place = rules.length === 0 ? '' : ` in ${named}${more}`;
  return `error[${code}]${place}: ${message}${hint === undefined ? '' : `\n  hint: ${hint}`}`;
}
