/** Mutated policies -> a report in version 2 of the mutation testing report schema, which has viewers of its own. */

import { testLines } from '../../lab/cases/test-yaml.ts';
import type { MutantResult, MutantStatus, PolicyMutation } from '../../lab/mutate/mutate.ts';
import { OPERATORS } from '../../lab/mutate/mutation-operators.ts';
import type { TestCase } from '../../lab/test/test-case.ts';
import type { Source, Span } from '../../platform/files/source.ts';
import { toJson } from '../../text.ts';
import { ENGINE_VERSION } from '../../version.ts';
import { whyNoCase } from '../mutation.ts';

/** The status of the schema: it has none for what is proved, whose mutants its score leaves out if ignored. */
const STATUS: Readonly<Record<MutantStatus, string>> = {
  killed: 'Killed',
  survived: 'Survived',
  notReached: 'NoCoverage',
  equivalent: 'Ignored',
  notRun: 'Pending',
};

/** The report as JSON. Its free-form `config` has what a later run need not seek again. */
export function mutationReport(mutations: readonly PolicyMutation[]): string {
  const files = new Map<string, { readonly source: Source; readonly mutants: object[] }>();
  const ids = idsOf(mutations);
  let next = 0;
  for (const { results } of mutations) {
    for (const result of results) {
      const { span, place } = result;
      if (!span || !place) continue;
      const file = files.get(place.file) ?? { source: span.source, mutants: [] };
      files.set(place.file, file);
      next += 1;
      file.mutants.push({ id: String(next), ...asMutant(result, ids) });
    }
  }
  const data = {
    schemaVersion: '2.0',
    thresholds: { high: 95, low: 80 },
    config: { kept: Object.fromEntries(mutations.map(({ tested, kept }) => [tested.policy.name, kept])) },
    framework: { name: 'verdict', version: ENGINE_VERSION },
    files: Object.fromEntries(
      [...files].map(([name, { source, mutants }]) => [name, { language: 'yaml', source: source.text, mutants }]),
    ),
    testFiles: testFiles(mutations, ids),
  };
  return `${toJson(data, 2)}\n`;
}

function asMutant(result: MutantResult, ids: ReadonlyMap<TestCase, string>): object {
  const { operator, status, before, after, span, killedBy, reachedBy, killing } = result;
  const idsOfCases = (cases: readonly TestCase[]) => cases.flatMap((each) => ids.get(each) ?? []);
  const why = reasonFor(status, killing);
  return {
    mutatorName: operator,
    description: `${OPERATORS[operator].what}: ${before} becomes ${after}`,
    replacement: span && replacementAt(span, result),
    location: span && { start: span.source.pointAt(span.start), end: span.source.pointAt(span.end) },
    status: STATUS[status],
    ...(why === undefined ? {} : { statusReason: why }),
    coveredBy: idsOfCases(reachedBy),
    killedBy: killedBy ? idsOfCases([killedBy]) : [],
  };
}

/** The text that viewers show in place of what is edited, as far as people write it so. */
function replacementAt({ source, start, end }: Span, { operator, before, after }: MutantResult): string {
  const text = source.text.slice(start, end);
  const written = after === 'removed' ? '' : after;
  switch (operator) {
    case 'band': {
      const [from, to] = [before, written].map((words) => words.replace(/^score: \{ (.*) \}$/, '$1'));
      return text.replace(from as string, to as string);
    }
    case 'default':
      return written.replace(/^default: /, '');
    case 'unknown': {
      if (text === before) return written;
      // What a rule leaves out is added to its keys.
      const indent = ' '.repeat(source.pointAt(start).column - 1);
      return text.startsWith('{')
        ? text.replace(/\s*\}$/, `, ${written} }`)
        : `${text.trimEnd()}\n${indent}${written}${text.slice(text.trimEnd().length)}`;
    }
    default:
      return written;
  }
}

function reasonFor(status: MutantStatus, killing: MutantResult['killing']): string | undefined {
  if (status === 'equivalent') return 'proved: on the days of the tests, no case can tell it from the policy';
  return typeof killing === 'object' ? `killed by this case:\n${testLines(killing).join('\n')}` : whyNoCase(killing);
}

function idsOf(mutations: readonly PolicyMutation[]): ReadonlyMap<TestCase, string> {
  const cases = mutations.flatMap((each) => each.cases.map((one) => one.case));
  return new Map(cases.map((each, i) => [each, String(i + 1)]));
}

function testFiles(mutations: readonly PolicyMutation[], ids: ReadonlyMap<TestCase, string>): object {
  const byFile = Map.groupBy(
    mutations.flatMap(({ cases }) => cases),
    ({ file }) => file,
  );
  return Object.fromEntries(
    [...byFile].map(([file, cases]) => {
      const tests = cases.map(({ case: one }) => {
        const { line, column } = one.place.position;
        return { id: ids.get(one), name: one.name, location: { start: { line, column } } };
      });
      return [file, { tests }];
    }),
  );
}
