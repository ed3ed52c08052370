/** The rules of a policy as columns -> outcome, fired and undetermined rules and score, as in meaning/outcome.ts. */

import { OUTCOMES, type Outcome, type Policy, type Rule, strictness } from '../../policy/language.ts';
import { asksWhenUnknown } from '../../policy/weight.ts';
import { decideAlone } from '../meaning/outcome.ts';
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
  /** A column that is true if one of these rules fired, else NULL if one is undetermined; none without rules. */
  const anyOf = (test: (rule: Rule) => boolean): readonly string[] => {
    const found = rules.filter(({ rule }) => test(rule)).map(({ sql }) => sql);
    return found.length === 0 ? [] : [column(join(found, 'OR'), 'any')];
  };
  const asking = (then: Outcome, asksUnknown: boolean) =>
    anyOf((rule) => rule.then === then && (asksWhenUnknown(rule) !== null) === asksUnknown);
  const reject = asking('reject', true);
  const review = asking('review', true);
  const certain = {
    reject: [...reject, ...asking('reject', false)],
    review: [...review, ...asking('review', false)],
    accept: anyOf((rule) => rule.then === 'accept'),
  };

  const least = column(writeScore(rules, 'least'), 'score');
  const most = column(writeScore(rules, 'most'), 'score');
  const bands = Object.entries(policy.score).filter((band): band is [string, number] => band[1] !== undefined);
  const reaches = (band: string) => bands.flatMap(([name, from]) => (name === band ? [`${least} >= ${from}`] : []));
  const mightReach = bands.map(([, from]) => `${most} >= ${from} AND ${least} < ${from}`);

  const isCertain = [...Object.values(certain).flat(), ...bands.map(([, from]) => `${least} >= ${from}`)];
  const isDefaultAsked = isCertain.length === 0 ? 'true' : `COALESCE(${join(isCertain, 'OR')}, false) = false`;
  const byDefault = (outcome: Outcome) => (policy.default === outcome ? [isDefaultAsked] : []);
  const asked = {
    reject: [...certain.reject, ...reaches('reject'), ...byDefault('reject')],
    review: [
      ...certain.review,
      ...reaches('review'),
      ...byDefault('review'),
      ...[...reject, ...review].map((any) => `${any} IS NULL`),
      ...mightReach,
    ],
  };
  const cases = [
    ...writeDecidedAlone((then, isAsking) =>
      anyOf((rule) => rule.final && rule.then === then && !(isAsking && asksWhenUnknown(rule) === null)),
    ),
    ...Object.entries(asked)
      .filter(([, conditions]) => conditions.length > 0)
      .map(([outcome, conditions]) => `WHEN ${conditions.map((each) => `(${each})`).join(' OR ')} THEN '${outcome}'`),
  ];
  // INVARIANT: if nothing stricter is asked for, accept is, by a rule or by default.
  const outcome = cases.length === 0 ? "'accept'" : `CASE ${cases.join(' ')} ELSE 'accept' END`;
  const ids = rules.map(({ rule }) => rule.id);
  const chooseIds = (conditions: readonly string[]) =>
    ids.length === 0 ? dialect.emptyList : dialect.choose(ids, conditions);
  const fired = chooseIds(rules.map(({ sql }) => `COALESCE(${sql}, false)`));
  const undetermined = chooseIds(rules.map(({ sql }) => `${sql} IS NULL`));
  return [outcome, fired, undetermined, least, most];
}

/**
 * The cases of the outcome in which final rules decide alone. `anyOf` gives the column of the final rules with a
 * `then`: of all of them, or of those that ask for review when they are undetermined.
 */
function writeDecidedAlone(anyOf: (then: Outcome, isAsking: boolean) => readonly string[]): readonly string[] {
  const strictestFirst = OUTCOMES.toReversed();
  return strictestFirst.flatMap((then) =>
    anyOf(then, false).flatMap((anyFired) => {
      const overruled = strictestFirst.flatMap((open) => {
        const alone = OUTCOMES[decideAlone(strictness(then), strictness(open))];
        if (alone === undefined || alone === then) return [];
        return anyOf(open, true).map((anyOpen) => `WHEN ${anyFired} AND ${anyOpen} IS NULL THEN '${alone}'`);
      });
      return [...overruled, `WHEN ${anyFired} THEN '${then}'`];
    }),
  );
}

/** Engines add whole numbers in 32 bits; a greater sum needs a bigint. */
const GREATEST_INTEGER = 2 ** 31 - 1;

/** One end of the score: points of an undetermined rule count if they widen it, unless they are ignored. */
function writeScore(rules: readonly RuleColumn[], end: 'least' | 'most'): string {
  const greatest = rules.reduce((sum, { rule: { points = 0 } }) => sum + Math.abs(points), 0);
  const write = (points: number) => (greatest > GREATEST_INTEGER ? `CAST(${points} AS bigint)` : String(points));
  const terms = rules.flatMap(({ rule, sql }) => {
    const points = rule.points ?? 0;
    if (points === 0) return [];
    const widens = rule.whenUnknown !== 'ignore' && (end === 'least' ? points < 0 : points > 0);
    const counted = write(points);
    return widens ? `CASE WHEN NOT ${sql} THEN 0 ELSE ${counted} END` : `CASE WHEN ${sql} THEN ${counted} ELSE 0 END`;
  });
  return `CAST(${terms.length === 0 ? '0' : join(terms, '+')} AS bigint)`;
}
