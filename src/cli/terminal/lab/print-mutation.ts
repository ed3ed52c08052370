/** Mutated policies -> text for people, or data for JSON. */

import { placeWords } from '../../../diagnostics.ts';
import { type MutantResult, type MutantStatus, type PolicyMutation, scoreOf } from '../../../lab/mutation/mutate.ts';
import { OPERATORS } from '../../../lab/mutation/mutation-operators.ts';
import { HOW_TO_INSTALL } from '../../../lab/solver/z3.ts';
import { testLines } from '../../../lab/writing/case-yaml.ts';
import type { Styler } from '../../../report/words/style.ts';
import { count, printable } from '../../../text.ts';
import { tableLines } from '../table.ts';

/** More mutants that live are counted; the report has them all. */
const MOST_SHOWN = 20;

const WORDS: Readonly<Record<MutantStatus, string>> = {
  killed: 'killed',
  survived: 'reached but not checked',
  notReached: 'not reached',
  equivalent: 'proved to change nothing',
};

/** The score of a policy, by operator, and the mutants that live, each with a case that kills it. */
export function printMutation(mutation: PolicyMutation, style: Styler): string {
  const { tested, results, notMutated, hasSolver } = mutation;
  const name = printable(`${tested.policy.name} ${tested.policy.version}`);
  const living = results.filter(({ status }) => status === 'survived' || status === 'notReached');
  const inOrder = [...living].sort((one, other) => rank(one) - rank(other));
  const left = living.length - MOST_SHOWN;
  const without =
    hasSolver || living.length === 0
      ? []
      : ['', `Without z3, no case is found and nothing is proved: ${HOW_TO_INSTALL}`];
  const lines = [
    `${style('bold', `${name}: ${scoreOf(results)} % of mutants killed`)}, ${sums(results)}`,
    ...tableLines(
      [...Map.groupBy(results, ({ operator }) => operator)].map(([operator, own]) => [operator, ...row(own)]),
    ),
    ...notMutated.map(({ what, count: number, why }) => style('dim', `  not mutated: ${number} ${what}, ${why}`)),
    ...inOrder.slice(0, MOST_SHOWN).flatMap((each) => ['', ...block(each, style)]),
    ...(left > 0 ? ['', style('dim', `and ${left} more; --report <file> has them all`)] : []),
    ...without,
  ];
  return `${lines.join('\n')}\n`;
}

/** Those that cases reach first, and of them those with a case to paste. */
function rank({ status, killing }: MutantResult): number {
  return (status === 'survived' ? 0 : 2) + (typeof killing === 'object' ? 0 : 1);
}

function sums(results: readonly MutantResult[]): string {
  const of = (status: MutantStatus) => results.filter((each) => each.status === status).length;
  const undecided = results.filter(({ killing }) => killing === 'undecided').length;
  const parts: readonly (readonly [number, string])[] = [
    [of('survived'), WORDS.survived],
    [of('notReached'), WORDS.notReached],
    [of('equivalent'), WORDS.equivalent],
    [undecided, 'undecided'],
  ];
  const found = parts.flatMap(([number, words]) => (number > 0 ? `${number} ${words}` : []));
  return [`${of('killed')} of ${count(results.length - of('equivalent'), 'mutant')}`, ...found].join('; ');
}

function row(results: readonly MutantResult[]): readonly string[] {
  const counted = results.filter(({ status }) => status !== 'equivalent');
  const killed = counted.filter(({ status }) => status === 'killed').length;
  return [`${killed} of ${counted.length}`, counted.length === 0 ? '' : `${scoreOf(results)} %`];
}

function block({ operator, place, before, after, status, killing }: MutantResult, style: Styler): readonly string[] {
  const where = place ? `${style('bold', placeWords(place))}: ` : '';
  const undecided = killing === 'undecided' ? '; no case that kills it was found, nor a proof that there is none' : '';
  return [
    `${where}${style('yellow', WORDS[status])}: ${OPERATORS[operator]}${undecided}`,
    `  ${printable(before)}`,
    `  ${style('dim', 'becomes')} ${printable(after)}`,
    ...(typeof killing === 'object' ? testLines(killing).map((line) => `  ${printable(line)}`) : []),
  ];
}

/** The mutants of a policy as data. */
export function mutationAsData({ tested, cases, results, notMutated, hasSolver }: PolicyMutation): object {
  const { name, version } = tested.policy;
  return {
    policy: { name, version },
    cases: cases.length,
    score: scoreOf(results),
    proved: hasSolver,
    notMutated,
    mutants: results.map(({ operator, rules, place, before, after, status, killedBy, reachedBy, killing }) => ({
      ...{ operator, rules, ...(place ? { file: place.file, ...place.position } : {}), before, after, status },
      ...(killedBy ? { killedBy: killedBy.name } : { reachedBy: reachedBy.map((each) => each.name) }),
      ...(killing === undefined ? {} : { killing }),
    })),
  };
}
