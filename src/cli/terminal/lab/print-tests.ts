/** The report of a run of tests -> text for people, TAP, JUnit XML, JSON, or workflow commands of GitHub. */

import { placeWords } from '../../../diagnostics.ts';
import type { PolicyMutation } from '../../../lab/mutate/mutate.ts';
import type { TestReport, TestResult } from '../../../lab/test/run-tests.ts';
import type { Styler } from '../../../report/words/style.ts';
import { count, printable, printableLines, toJson } from '../../../text.ts';
import { asWorkflowCommand } from '../print-diagnostics.ts';
import { deciderWords, type FailedResult, failureLines, failureWords } from './failure-words.ts';
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

function failedIn(results: readonly TestResult[]): readonly FailedResult[] {
  return results.filter((each): each is FailedResult => each.result === 'failed');
}

function printTests({ results, passed, failed, skipped }: TestReport, style: Styler): string {
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

function findingOf(failed: FailedResult): Parameters<typeof asWorkflowCommand>[0] {
  const { name, place } = failed;
  const hint = deciderWords(failed);
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
  const text = entities(printableLines(failureLines(each, (_, plain) => plain).join('\n')));
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
