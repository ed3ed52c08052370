/** Mutated policies -> text for people, or data for JSON. */

import { placeWords } from '../diagnostics.ts';
import { testLines } from '../lab/cases/test-yaml.ts';
import { isCounted, type MutantResult, type MutantStatus, type PolicyMutation, scoreOf } from '../lab/mutate/mutate.ts';
import { OPERATORS } from '../lab/mutate/mutation-operators.ts';
import { HOW_TO_INSTALL } from '../lab/solver/z3.ts';
import { count, printable } from '../text.ts';
import type { Styler } from './outline.ts';
import { tableLines } from './plain-text.ts';

/** More mutants that live are counted; the data have them all. */
const MOST_SHOWN = 20;

/** Of mutants that one case kills, so many are shown. */
const MOST_OF_A_CASE = 5;

/** Why no case is shown that kills a mutant; undefined where one is shown, or none was sought. */
function whyNoCase(killing: MutantResult['killing']): string | undefined {
  if (killing === 'undecided') return 'no case that kills it was found, nor a proof that there is none';
  if (killing !== 'personal') return undefined;
  return 'a test that kills it needs a value of a personal fact that the policy names, which is not shown';
}

const WORDS: Readonly<Record<MutantStatus, string>> = {
  killed: 'killed',
  survived: 'reached but not checked',
  notReached: 'not reached',
  equivalent: 'proved to change nothing',
  notRun: 'not run in these steps',
};

/** The score of a policy, by operator, and the mutants that live, each with a case that kills it. */
export function printMutation(mutation: PolicyMutation, style: Styler): string {
  const { tested, results, notMutated, hasSolver, reused } = mutation;
  const name = printable(`${tested.policy.name} ${tested.policy.version}`);
  const living = results.filter(({ status }) => status === 'survived' || status === 'notReached');
  const inOrder = [...living].sort((one, other) => rank(one) - rank(other));
  const groups = [...Map.groupBy(inOrder, (each) => (typeof each.killing === 'object' ? each.killing : each)).values()];
  const left = groups.slice(MOST_SHOWN).flat().length;
  const without =
    hasSolver || living.length === 0
      ? []
      : ['', `Without z3, no case is found and nothing is proved: ${HOW_TO_INSTALL}`];
  const found = [
    ...(reused.cases > 0 ? [count(reused.cases, 'case')] : []),
    ...(reused.proofs > 0 ? [count(reused.proofs, 'proof')] : []),
  ];
  const lines = [
    `${style('bold', `${name}: ${scoreOf(results)} % of mutants killed`)}, ${sums(results)}`,
    ...tableLines(
      [...Map.groupBy(results, ({ operator }) => operator)].map(([operator, own]) => [operator, ...row(own)]),
    ),
    ...notMutated.map(({ what, count: number, why }) => style('dim', `  not mutated: ${number} ${what}, ${why}`)),
    ...(found.length > 0 ? [style('dim', `  kept from the last run: ${found.join(' and ')}`)] : []),
    ...groups.slice(0, MOST_SHOWN).flatMap((group) => ['', ...block(group, style)]),
    ...(left > 0 ? ['', style('dim', `and ${left} more: --json lists them`)] : []),
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
    [of('notRun'), WORDS.notRun],
    [undecided, 'undecided in these steps: --steps gives more'],
  ];
  const found = parts.flatMap(([number, words]) => (number > 0 ? `${number} ${words}` : []));
  return [`${of('killed')} of ${count(results.filter(isCounted).length, 'mutant')}`, ...found].join('; ');
}

function row(results: readonly MutantResult[]): readonly string[] {
  const counted = results.filter(isCounted);
  const killed = counted.filter(({ status }) => status === 'killed').length;
  return [`${killed} of ${counted.length}`, counted.length === 0 ? '' : `${scoreOf(results)} %`];
}

/** Mutants that one case kills, and the case; or one without a case. */
function block(group: readonly MutantResult[], style: Styler): readonly string[] {
  const shown = group.slice(0, MOST_OF_A_CASE);
  const left = group.length - shown.length;
  const [{ killing }] = group as readonly [MutantResult];
  return [
    ...shown.flatMap((each) => mutantLines(each, style)),
    ...(left > 0 ? [style('dim', `and ${left} more that the same test kills`)] : []),
    ...(typeof killing === 'object' ? testLines(killing).map((line) => `  ${printable(line)}`) : []),
  ];
}

function mutantLines({ operator, place, before, after, status, killing }: MutantResult, style: Styler) {
  const where = place ? `${style('bold', placeWords(place))}: ` : '';
  const why = whyNoCase(killing);
  return [
    `${where}${style('yellow', WORDS[status])}: ${OPERATORS[operator].what}${why ? `; ${why}` : ''}`,
    `  ${printable(before)}`,
    `  ${style('dim', 'becomes')} ${printable(after)}`,
  ];
}

/** The mutants of a policy as data. */
export function mutationAsData({ tested, cases, results, notMutated, hasSolver, reused }: PolicyMutation): object {
  const { name, version } = tested.policy;
  return {
    policy: { name, version },
    cases: cases.length,
    score: scoreOf(results),
    proved: hasSolver,
    notMutated,
    reused,
    mutants: results.map(({ operator, rules, place, before, after, status, killedBy, reachedBy, killing }) => ({
      ...{ operator, rules, ...(place ? { file: place.file, ...place.position } : {}), before, after, status },
      ...(killedBy ? { killedBy: killedBy.name } : { reachedBy: reachedBy.map((each) => each.name) }),
      ...(killing === undefined ? {} : { killing }),
    })),
  };
}
