/** The report of a run of tests -> text for people, data, and what other formats say of a failed test. */

import { gatherEvidence } from '../decision/meaning/evidence.ts';
import { firedReasons } from '../decision/meaning/verdict.ts';
import { placeWords } from '../diagnostics.ts';
import type { PolicyMutation } from '../lab/mutate/mutate.ts';
import type { TestReport, TestResult } from '../lab/test/run-tests.ts';
import type { Difference } from '../lab/test/test-case.ts';
import { flowYaml } from '../platform/files/source.ts';
import { isActive, type Rule } from '../policy/language.ts';
import { placeOf } from '../policy/source-map.ts';
import { count, printable } from '../text.ts';
import { coverageAsData } from './coverage.ts';
import { mutationAsData } from './mutation.ts';
import type { Styler } from './outline.ts';
import { plain, sectionLines } from './plain-text.ts';
import { evidenceWords } from './words/fact-states.ts';
import { causeWords } from './words/missing.ts';
import { reasonBlocks } from './words/reasons.ts';

/** The tests that failed. */
export function failedIn(results: readonly TestResult[]): readonly FailedResult[] {
  return results.filter((each): each is FailedResult => each.result === 'failed');
}

/** For people. */
export function printTests({ results, passed, failed, skipped }: TestReport, style: Styler): string {
  const blocks = results.flatMap((each) => {
    const place = `${style('bold', placeWords(each.place))}:`;
    if (each.result === 'skipped')
      return [`${place} ${style('yellow', 'skipped')}: ${title(each)} (${printable(each.why)})\n`];
    return each.result === 'failed'
      ? [`${place} ${style('red', 'failed')}: ${title(each)}\n${failureLines(each, style).join('\n')}\n`]
      : [];
  });
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `${[...blocks, `${count(results.length, 'test')}: ${counts.join(', ')}`].join('\n')}\n`;
}

function title({ name }: TestResult): string {
  return printable(name);
}

/** The report as data; with the mutants of the policies, where there are any. */
export function testsAsData(
  { results, passed, failed, skipped, coverage }: TestReport,
  mutation: readonly PolicyMutation[] | undefined,
): object {
  return {
    ...{ passed, failed, skipped },
    results: results.map((each) => {
      const { name, place, ...rest } = each;
      const { line, column } = place.position;
      const about = { file: each.file, name, place: { file: place.file, line, column }, result: each.result };
      if (each.result !== 'failed') return { ...about, ...('why' in rest ? { why: rest.why } : {}) };
      const { differences, verdict, decidedBy } = each;
      const rules = decidedBy.map(({ rule, place: at }) => ({
        rule,
        ...(at ? { place: { file: at.file, line: at.position.line, column: at.position.column } } : {}),
      }));
      return { ...about, differences, outcome: verdict.outcome, decidedBy: rules };
    }),
    ...(coverage ? { coverage: coverage.map((each) => coverageAsData(each.coverage)) } : {}),
    ...(mutation ? { mutation: mutation.map(mutationAsData) } : {}),
  };
}

export type FailedResult = Extract<TestResult, { readonly result: 'failed' }>;

/** The differences, the reasons of the decision, and where the rules are that it is about. */
export function failureLines(failed: FailedResult, style: Styler): readonly string[] {
  const { verdict, case: testCase, differences } = failed;
  const { policy } = testCase;
  const decisive = verdict.reasons.filter((reason) => reason.decisive);
  const certain = decisive.filter(({ because, code }) => because !== 'undetermined' && code !== 'SCORE_UNDETERMINED');
  const shownWith = { decision: verdict, policy, day: testCase.at };
  const because = reasonBlocks(certain.length > 0 ? certain : decisive, shownWith, 'text');
  return [
    ...differences.map((each) => `  ${differenceWords(each)}`),
    `  ${style('bold', `decided on ${testCase.at}: ${verdict.outcome}, because`)}`,
    ...sectionLines(because, style).map((line) => `  ${line}`),
    ...[...deciderLines(failed), ...ruleLines(othersToldOf(failed))].map((line) => style('dim', `    ${line}`)),
  ];
}

/** All differences in one line: `outcome: expected review, found accept; score: expected 5, found 0`. */
export function failureWords({ differences }: FailedResult): string {
  return differences.map(differenceWords).join('; ');
}

/** The rules that decided, in one line. */
export function deciderWords(failed: FailedResult): string {
  return deciderLines(failed).join('; ');
}

function deciderLines({ decidedBy }: FailedResult): readonly string[] {
  return ruleLines(decidedBy.map(({ rule, place }) => ({ id: rule, place })));
}

/** A rule, where it is, and what is to be said of it. */
interface ToldRule {
  readonly id: string;
  readonly place: ReturnType<typeof placeOf>;
  readonly about?: string;
  /** Why it did not fire. */
  readonly because?: readonly string[];
}

/** Of more rules than these, and of more tests that stopped one, only the first are shown. */
const MOST_RULES = 5;

function ruleLines(rules: readonly ToldRule[]): readonly string[] {
  const left = rules.length - MOST_RULES;
  return [
    ...rules
      .slice(0, MOST_RULES)
      .flatMap(({ id, place, about = '', because = [] }) => [
        `${place ? `${placeWords(place)}: ` : ''}rule ${id}${about}`,
        ...because.slice(0, MOST_RULES).map((line) => `  - ${line}`),
        ...(because.length > MOST_RULES ? [`  - and ${because.length - MOST_RULES} more`] : []),
      ]),
    ...(left > 0 ? [`and ${count(left, 'rule')} more`] : []),
  ];
}

/** The rules that did not decide, and that the differences are about. */
function othersToldOf(failed: FailedResult): readonly ToldRule[] {
  const deciders = new Set(failed.decidedBy.map(({ rule }) => rule));
  const others = failed.case.policy.rules.filter(({ id }) => !deciders.has(id));
  return others.flatMap(tellingOf(failed));
}

/** Tells a rule that was expected otherwise, or whose points are in a score that was. */
function tellingOf({ differences, verdict, case: testCase }: FailedResult): (rule: Rule) => readonly ToldRule[] {
  const { policy, facts, at } = testCase;
  const fired = new Set(firedReasons(verdict).map(({ rule }) => rule));
  const open = new Map(verdict.undetermined.map(({ rule, missing }) => [rule, missing]));
  const isScored = differences.some(({ key }) => key === 'score');
  const lacking = new Set(differences.flatMap((each) => namesOf(each).lacking));
  const more = new Set(differences.flatMap((each) => namesOf(each).more));
  return (rule) => {
    const { id, reason, points = 0 } = rule;
    const isIn = (names: ReadonlySet<unknown>) => names.has(id) || names.has(reason);
    const [missing, place] = [open.get(id), placeOf(rule)];
    const isIdle = !fired.has(id) && !missing;
    const counts = isScored && points !== 0;
    if (!isIn(lacking) && (isIdle || !(counts || isIn(more)))) return [];
    if (missing) {
      const because = missing.map(({ fact, cause }) => `${fact}: ${causeWords(fact, cause, policy.facts)}`);
      return [{ id, place, about: ', undetermined', because }];
    }
    if (rule.shadow) return [{ id, place, about: ', in shadow mode' }];
    if (!isActive(rule, at)) return [{ id, place, about: `, not active on ${at}` }];
    if (!isIdle) return [{ id, place, about: counts ? `, ${count(points, 'point')}` : ', fired' }];
    const evidence = gatherEvidence({ kind: 'not', of: [rule.when] }, facts, at);
    return [
      {
        id,
        place,
        about: ', did not fire',
        because: evidence.map((each) => plain(evidenceWords(each, { day: at, table: policy.facts }))),
      },
    ];
  };
}

/** What a list was expected to have and has not, and what it has beside that. */
function namesOf({ key, expected, found }: Difference): Readonly<Record<'lacking' | 'more', readonly unknown[]>> {
  if (!LISTS.includes(key) || !Array.isArray(expected) || !Array.isArray(found)) return { lacking: [], more: [] };
  if (key === 'not') return { lacking: [], more: found };
  return {
    lacking: expected.filter((each) => !found.includes(each)),
    more: found.filter((each) => !expected.includes(each)),
  };
}

const LISTS: readonly Difference['key'][] = ['reasons', 'not', 'rules', 'undetermined'];

/** `outcome: expected review, found accept`. */
function differenceWords(difference: Difference): string {
  const { key, expected, found } = difference;
  if (!LISTS.includes(key)) return `${key}: expected ${shown(expected)}, found ${shown(found)}`;
  const { lacking, more } = namesOf(difference);
  if (key === 'not') return `not: ${listed(more)} fired`;
  const parts = [
    ...(lacking.length > 0
      ? [`expected ${listed(lacking)}, which ${key === 'undetermined' ? 'is not' : 'did not fire'}`]
      : []),
    ...(more.length > 0 ? [`found ${listed(more)}, not expected`] : []),
  ];
  return `${key}: ${parts.join('; ')}`;
}

function listed(names: readonly unknown[]): string {
  return printable(names.join(', '));
}

/** A value as a file of tests has it. */
function shown(value: unknown): string {
  const notices = Array.isArray(value) && value.every((each) => typeof each !== 'number') ? value : [value];
  return printable(notices.map((each) => (typeof each === 'string' ? each : flowYaml(each))).join(' and '));
}
