/** The rules of a policy as columns -> outcome, fired and undetermined rules and score, as in meaning/ranking.ts. */

import type { Policy, Rule } from '../../policy/language.ts';
import { NOTHING, weigh } from '../../policy/weight.ts';
import {
  askedBy,
  type Connectives,
  type End,
  joinAsked,
  rankAtLeast,
  termsOf,
  type WeighedRule,
} from '../meaning/ranking.ts';
import { type Dialect, join } from './dialect.ts';
import type { Query, Role } from './query.ts';

/** The columns of the result, after the key columns. */
export const OUTPUTS = ['outcome', 'fired', 'undetermined', 'score_least', 'score_most'] as const;

/** A rule with the column of its truth. */
export interface RuleColumn {
  readonly rule: Rule;
  readonly sql: string;
}

/** Writes the columns of the result, in the order of `OUTPUTS`. `stage` is the last stage with the column of a rule. */
export function writeSettlement(
  policy: Policy,
  rules: readonly RuleColumn[],
  stage: number,
  query: Query,
  dialect: Dialect,
): readonly string[] {
  const column = (sql: string, role: Role) => query.column({ sql, stage }, role).sql;
  const weighed = rules.map(({ rule, sql }) => ({ weight: weigh(rule), ...truthsOf(sql) }));
  // Rules that ask for the same have one column: true if one of them fired, else NULL if one is undetermined.
  const groups = Map.groupBy(
    weighed.filter(({ weight }) => weight.fired !== NOTHING),
    ({ weight: { fired, undetermined, isFinal } }) => [fired, undetermined, isFinal].join(),
  );
  const asked = [...groups.values()].flatMap((group) => {
    const columns = group.map(({ certain }) => certain);
    const any = truthsOf(column(join(columns, 'OR'), 'any'));
    return group.slice(0, 1).map(({ weight }) => askedBy({ weight, ...any }, CONDITIONS));
  });
  const least = column(writeScore(weighed, 'least'), 'score');
  const most = column(writeScore(weighed, 'most'), 'score');
  const reaches = (end: End, limit: number) => `${end === 'least' ? least : most} >= ${limit}`;
  const { reject, review } = rankAtLeast(policy, joinAsked(asked, CONDITIONS.or), reaches, CONDITIONS);
  const cases = Object.entries({ reject, review }).flatMap(([then, when]) =>
    when === NEVER ? [] : `WHEN ${when} THEN '${then}'`,
  );
  const outcome = cases.length === 0 ? "'accept'" : `CASE ${cases.join(' ')} ELSE 'accept' END`;
  const ids = rules.map(({ rule }) => rule.id);
  const chooseIds = (conditions: readonly string[]) =>
    ids.length === 0 ? dialect.emptyList : dialect.choose(ids, conditions);
  const fired = chooseIds(rules.map(({ sql }) => `COALESCE(${sql}, false)`));
  const undetermined = chooseIds(rules.map(({ sql }) => `${sql} IS NULL`));
  return [outcome, fired, undetermined, least, most];
}

const NEVER = 'false';
const ALWAYS = 'true';

/** Conditions in SQL that are true where they hold, and else false or NULL. */
const CONDITIONS: Connectives<string> = {
  and: (parts) => connect(parts, 'AND', ALWAYS, NEVER),
  or: (parts) => connect(parts, 'OR', NEVER, ALWAYS),
  not: (part) => (part === NEVER ? ALWAYS : part === ALWAYS ? NEVER : `COALESCE(${part}, false) = false`),
};

/** `neutral` changes nothing; `absorbing` is all that is left. */
function connect(parts: readonly string[], by: 'AND' | 'OR', neutral: string, absorbing: string): string {
  const needed = parts.filter((part) => part !== neutral);
  if (needed.includes(absorbing)) return absorbing;
  return needed.length > 1 ? `(${join(needed, by)})` : (needed[0] ?? neutral);
}

/** What a column with the truth of a rule says: when the rule is true, and when it is true or unknown. */
function truthsOf(column: string): { readonly certain: string; readonly possible: string } {
  return { certain: column, possible: `COALESCE(${column}, true)` };
}

/** Engines add whole numbers in 32 bits; a greater sum needs a bigint. */
const GREATEST_INTEGER = 2 ** 31 - 1;

/** One end of the score. */
function writeScore(rules: readonly WeighedRule<string>[], end: End): string {
  const terms = termsOf(rules, end);
  const greatest = terms.reduce((sum, [points]) => sum + Math.abs(points), 0);
  const write = (points: number) => (greatest > GREATEST_INTEGER ? `CAST(${points} AS bigint)` : String(points));
  const counted = terms.map(([points, when]) => `CASE WHEN ${when} THEN ${write(points)} ELSE 0 END`);
  return `CAST(${counted.length === 0 ? '0' : join(counted, '+')} AS bigint)`;
}
