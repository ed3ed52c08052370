/** Tests and diagnostics -> what build servers read: the XML of JUnit, and workflow commands of GitHub. */

import { type Diagnostic, type Finding, placeWords } from '../../diagnostics.ts';
import type { TestReport, TestResult } from '../../lab/test/run-tests.ts';
import { printable, printableLines } from '../../text.ts';
import { deciderWords, type FailedResult, failedIn, failureLines, failureWords } from '../tests.ts';

/** The XML that build servers read, a suite for each file. */
export function asJunit(report: TestReport): string {
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

/** A workflow command for each diagnostic. */
export function diagnosticCommands(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(asWorkflowCommand).join('');
}

/** A workflow command for each test that failed. */
export function testCommands({ results }: TestReport): string {
  return failedIn(results).map(findingOf).map(asWorkflowCommand).join('');
}

function findingOf(failed: FailedResult): PlacedFinding {
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

type PlacedFinding = Finding & { readonly file: string };

/**
 * `::error file=…,line=…,col=…::message`, a workflow command of GitHub, escaped like in its toolkit
 * (actions/toolkit, packages/core/src/command.ts).
 */
function asWorkflowCommand(finding: PlacedFinding): string {
  const { severity, code, message, hint, file, position, related } = finding;
  const data = (text: string) => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  const property = (text: string) => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
  const at = position
    ? `,line=${position.line},col=${position.column},endColumn=${position.column + position.length}`
    : '';
  const other = related && `${placeWords(related)}: ${related.message}`;
  const more = [hint, other].filter((part) => part !== undefined).join('; ');
  const text = printable(more === '' ? message : `${message} (${more})`);
  return `::${severity} file=${property(printable(file))}${at},title=${property(code)}::${data(text)}\n`;
}
