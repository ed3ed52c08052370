/** All ways into the program that are fuzzed, by name. */

import type { OpenTarget } from './case.ts';
import { listTarget, mappingTarget, policyTarget, tableFileTarget, testsTarget } from './files.ts';
import { httpTarget } from './http.ts';
import { answersTarget, csvTarget, factsTarget, ndjsonTarget } from './lines.ts';

export const TARGETS: Readonly<Record<string, OpenTarget>> = {
  policies: policyTarget,
  lists: listTarget,
  rows: tableFileTarget,
  mappings: mappingTarget,
  tests: testsTarget,
  facts: factsTarget,
  answers: answersTarget,
  csv: csvTarget,
  ndjson: ndjsonTarget,
  http: httpTarget,
};
