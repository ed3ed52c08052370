/** A mapping file and captured answers -> warnings about facts whose source could fail unnoticed. */

import type { Diagnostic, SilencedDiagnostic } from '../../../diagnostics.ts';
import { allowancesOf } from '../../../platform/files/allowance.ts';
import { reportAt } from '../../../platform/files/source.ts';
import { readSource } from '../../../platform/files/source-file.ts';
import { type MapEntry, parseYaml, type Yaml } from '../../../platform/yaml.ts';
import type { Mapping } from '../mapping.ts';
import { type CoverageGap, findGaps } from './coverage.ts';

/** The gaps of a mapping, as warnings. */
interface Coverage {
  readonly diagnostics: readonly Diagnostic[];
  readonly silenced: readonly SilencedDiagnostic[];
}

/** One warning for each gap, at its first signal or at its source; a gap of several answers is reported once. */
export function checkCoverage(file: string, mapping: Mapping, answers: readonly unknown[]): Coverage {
  const gaps = answers.flatMap((answer) => findGaps(answer, mapping));
  const diagnostics: Diagnostic[] = [];
  const allowances = allowancesOf(diagnostics);
  const coverage = { diagnostics, silenced: allowances.silenced };
  if (answers.length === 0) return coverage;
  const source = readSource(file, file, diagnostics);
  const root = source && parseYaml(source);
  if (!root) return coverage;
  const reported = new Map(gaps.map((gap) => [JSON.stringify([gap.code, gap.facts, gap.source]), gap]));
  for (const gap of reported.values()) {
    const { code, message, hint } = gap;
    reportAt(placeOf(gap, root), code, message, { severity: 'warning', hint });
  }
  allowances.reportUnused((code) => code === 'unread-status' || code === 'source-elsewhere');
  return coverage;
}

/** The key that the gap is about; the root if it is not found. */
function placeOf({ facts: [first = ''], source }: CoverageGap, root: Yaml): Yaml | MapEntry['key'] {
  const [section, name] = source === undefined ? ['signals', first] : ['sources', source];
  return entryOf(entryOf(root, section)?.value, name)?.key ?? root;
}

function entryOf(node: Yaml | undefined, name: string): MapEntry | undefined {
  return node?.kind === 'map' ? node.entries.get(name) : undefined;
}
