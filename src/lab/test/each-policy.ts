/** The policies that a file of tests names -> what is read with each, and each problem once. */

import { type Diagnostic, keepLineFromLogs } from '../../diagnostics.ts';
import type { ScalarNode } from '../../platform/yaml.ts';

/** Reads with each policy in turn. A problem that only some of several policies cause is reported with their names. */
export function readWithEach<Read>(
  policies: readonly ScalarNode[],
  diagnostics: Diagnostic[],
  read: (policy: ScalarNode) => readonly Read[],
): readonly Read[] {
  const problems = new Map<string, { readonly problem: Diagnostic; readonly among: string[] }>();
  const found = policies.flatMap((policy) => {
    const first = diagnostics.length;
    const items = read(policy);
    for (const problem of diagnostics.splice(first)) {
      const { file, position, code, message } = problem;
      const key = JSON.stringify([file, position, code, message]);
      const known = problems.get(key) ?? { problem, among: [] };
      known.among.push(String(policy.value));
      problems.set(key, known);
    }
    return items;
  });
  for (const { problem, among } of problems.values()) {
    const isOfAll = among.length === policies.length;
    diagnostics.push(isOfAll ? problem : withNames(problem, among));
  }
  return found;
}

function withNames(problem: Diagnostic, policies: readonly string[]): Diagnostic {
  const named = { ...problem, message: `${problem.message} (${policies.join(', ')})` };
  // The line of the problem may be private, and what marks it is the object.
  keepLineFromLogs(named);
  return named;
}
