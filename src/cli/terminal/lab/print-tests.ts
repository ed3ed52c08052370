/** The report of a run of tests -> text for people, TAP, JUnit XML, JSON, or workflow commands of GitHub. */

import { firedReasons } from '../../../decision/meaning/verdict.ts';
import { placeWords } from '../../../diagnostics.ts';
import type { PolicyMutation } from '../../../lab/mutation/mutate.ts';
import type { Difference } from '../../../lab/testing/run-case.ts';
import type { TestReport, TestResult } from '../../../lab/testing/run-tests.ts';
import { placeOf } from '../../../policy/source-map.ts';
import { reasonLines } from '../../../report/words/reasons.ts';
import type { Styler } from '../../../report/words/style.ts';
import { count, printable, printableLines, toJson } from '../../../text.ts';
import { asWorkflowCommand } from '../print-diagnostics.ts';
import { coverageAsData } from './print-coverage.ts';
import { mutationAsData } from './print-mutation.ts';

/** The formats of a report. */
export type TestFormat = 'pretty' | 'tap' | 'junit' | 'json' | 'github';

/** Gives the text of a report; the mutants of the policies are part of JSON alone. */
type TestReporter = (report: TestReport, style: Styler, mutation?: readonly PolicyMutation[]) => string;

/** By format. */
export const TEST_REPORTERS: Readonly<Record<TestFormat, TestReporter>> = {
  pretty: printTests,
  tap: asTap,
  junit: asJunit,
  json: (report, _, mutation) => `${toJson(asData(report, mutation), 2)}\n`,
  github: ({ results }) =>
    failedIn(results)
      .map((failed) => `${asWorkflowCommand(findingOf(failed))}\n`)
      .join(''),
};

type FailedResult = Extract<TestResult, { readonly result: 'failed' }>;

function failedIn(results: readonly TestResult[]): readonly FailedResult[] {
  return results.filter((each): each is FailedResult => each.result === 'failed');
}

function printTests({ results, passed, failed, skipped }: TestReport, style: Styler): string {
  const blocks = results.flatMap((each) => {
    const place = `${style('bold', placeWords(each.place))}:`;
    if (each.result === 'skipped')
      return [`${place} ${style('yellow', 'skipped')}: ${title(each)} (${printable(each.why)})\n`];
    return each.result === 'failed'
      ? [`${place} ${style('red', 'failed')}: ${title(each)}\n${block(each, style)}\n`]
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

/** What was expected and found, then why. */
function block(failed: FailedResult, style: Styler): string {
  const { verdict, case: testCase, decidedBy } = failed;
  const { policy } = testCase;
  const { score, reasons, undetermined } = verdict;
  const scored = { score, bands: policy.score, reasons, undetermined, table: policy.facts };
  const decisive = reasons.filter((reason) => reason.decisive);
  const certain = decisive.filter(({ because, code }) => because !== 'undetermined' && code !== 'SCORE_UNDETERMINED');
  return [
    ...failed.differences.map((each) => `  ${differenceWords(each)}`),
    `  ${style('bold', `decided on ${testCase.at}: ${verdict.outcome}, because`)}`,
    ...reasonLines(certain.length > 0 ? certain : decisive, scored, style).map((line) => `  ${line}`),
    ...shownRules(decidedBy).map((line) => style('dim', `    ${line}`)),
    ...idleRules(failed).map((line) => style('dim', `    ${line}, did not fire`)),
  ].join('\n');
}

/** Of more rules than these that decided, only the first are shown. */
const MOST_RULES = 5;

function shownRules(decidedBy: FailedResult['decidedBy']): readonly string[] {
  const lines = decidedBy.slice(0, MOST_RULES).map(({ rule, place }) => {
    return place ? `${placeWords(place)}: rule ${rule}` : `rule ${rule}`;
  });
  const left = decidedBy.length - lines.length;
  return left > 0 ? [...lines, `and ${count(left, 'rule')} more`] : lines;
}

/** The rules that were expected to fire, by id or by reason, and did not. */
function idleRules({ differences, verdict, case: { policy } }: FailedResult): readonly string[] {
  const fired = new Set(firedReasons(verdict).map(({ rule }) => rule));
  const expected = differences.flatMap(({ key, expected: names }) =>
    (key === 'rules' || key === 'reasons') && Array.isArray(names) ? names : [],
  );
  const idle = policy.rules.filter(({ id, reason }) => {
    return !fired.has(id) && (expected.includes(id) || expected.includes(reason));
  });
  return shownRules(idle.map((rule) => ({ rule: rule.id, place: placeOf(rule) })));
}

/** `outcome: expected review, found accept`. */
function differenceWords({ key, expected, found }: Difference): string {
  if (key === 'not') return `not: ${shown(found)} fired`;
  if (key === 'score' || !Array.isArray(expected) || !Array.isArray(found)) {
    return `${key}: expected ${shown(expected)}, found ${shown(found)}`;
  }
  const lacking = expected.filter((each) => !found.includes(each));
  const more = found.filter((each) => !expected.includes(each));
  const parts = [
    ...(lacking.length > 0
      ? [`expected ${shown(lacking)}, which ${key === 'undetermined' ? 'is not' : 'did not fire'}`]
      : []),
    ...(more.length > 0 ? [`found ${shown(more)}, not expected`] : []),
  ];
  return `${key}: ${parts.join('; ')}`;
}

function shown(value: unknown): string {
  const isNames = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isNames) return value.length === 0 ? 'none' : printable(value.join(', '));
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A failure as one line: `outcome: expected review, found accept; score: expected 5, found 0`. */
function failureWords({ differences }: FailedResult): string {
  return differences.map(differenceWords).join('; ');
}

function findingOf(failed: FailedResult): Parameters<typeof asWorkflowCommand>[0] {
  const { name, place } = failed;
  const hint = shownRules(failed.decidedBy).join('; ');
  return {
    ...place,
    code: 'test-failed',
    severity: 'error',
    message: `${name}: ${failureWords(failed)}`,
    ...(hint === '' ? {} : { hint: `decided by ${hint}` }),
  };
}

/** Test Anything Protocol 14. */
function asTap({ results }: TestReport): string {
  const description = (text: string) => printable(text).replace(/[\\#]/g, '\\$&');
  const lines = results.flatMap((each, i) => {
    const line = `ok ${i + 1} - ${description(each.name)}`;
    if (each.result === 'passed') return [line];
    if (each.result === 'skipped') return [`${line} # SKIP ${description(each.why)}`];
    const details = { message: failureWords(each), at: placeWords(each.place), outcome: each.verdict.outcome };
    const yaml = Object.entries(details).map(([name, value]) => `  ${name}: ${toJson(value)}`);
    return [`not ${line}`, '  ---', ...yaml, '  ...'];
  });
  return `${['TAP version 14', `1..${results.length}`, ...lines].join('\n')}\n`;
}

/** The XML that build servers read, a suite for each file. */
function asJunit(report: TestReport): string {
  const suites = [...Map.groupBy(report.results, ({ file }) => file)].map(([file, own]) => [
    `  <testsuite name="${xml(file)}"${countsOf(own)}>`,
    ...own.map(testcase),
    '  </testsuite>',
  ]);
  const lines = [`<testsuites name="verdict"${countsOf(report.results)}>`, ...suites.flat(), '</testsuites>'];
  return `${['<?xml version="1.0" encoding="UTF-8"?>', ...lines].join('\n')}\n`;
}

function testcase(each: TestResult): string {
  const { name, file, place } = each;
  const at = `file="${xml(place.file)}" line="${place.position.line}"`;
  const open = `    <testcase name="${xml(name)}" classname="${xml(file)}" ${at} time="${seconds([each])}"`;
  if (each.result === 'passed') return `${open}/>`;
  if (each.result === 'skipped') return `${open}><skipped message="${xml(each.why)}"/></testcase>`;
  const text = entities(printableLines(block(each, (_, plain) => plain)));
  return `${open}><failure message="${xml(failureWords(each))}">${text}</failure></testcase>`;
}

function countsOf(results: readonly TestResult[]): string {
  const skipped = results.filter(({ result }) => result === 'skipped').length;
  const counts = `tests="${results.length}" failures="${failedIn(results).length}" skipped="${skipped}"`;
  return ` ${counts} time="${seconds(results)}"`;
}

function seconds(results: readonly TestResult[]): string {
  const ms = results.reduce((sum, each) => sum + ('durationMs' in each ? each.durationMs : 0), 0);
  return (ms / 1000).toFixed(6);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text in XML. Characters that XML 1.0 does not have are escaped as on a terminal. */
function xml(text: string): string {
  return entities(printable(text));
}

function entities(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] as string);
}

/** The report as data. */
function asData(
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
