/** The files of test/cases -> the inputs of the reference and the runners; and cases -> readable JSON. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Cause, FactValue } from '../../../src/facts/fact.ts';
import type { PlainFacts, PlainPolicy } from './plain.ts';

/** The inputs of a case. */
export interface GivenCase {
  /** What it shows, in a sentence. */
  readonly name: string;
  readonly policy: PlainPolicy;
  readonly day: string;
  /** Values by path, as they came. */
  readonly facts?: Readonly<Record<string, FactValue>>;
  /** The causes of missing facts by path. A fact that is neither here nor in `facts` was not given. */
  readonly missing?: Readonly<Record<string, Cause>>;
}

/** A case with the verdict that every runner must give. */
export interface ConformanceCase extends GivenCase {
  readonly expected: Verdict;
}

/** A file of cases. */
export interface CaseFile<Each = ConformanceCase> {
  /** The theme. */
  readonly about: string;
  readonly cases: readonly Each[];
}

const FOLDER = join(import.meta.dirname, '../../cases');

/** The paths of all case files, sorted. */
export function caseFiles(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => join(FOLDER, file));
}

/** Reads a case file. */
export function readCaseFile(path: string): CaseFile {
  return JSON.parse(readFileSync(path, 'utf8')) as CaseFile;
}

/** The facts of a case. */
export function factsOfCase({ facts = {}, missing = {} }: GivenCase): PlainFacts {
  const present = Object.entries(facts).map(([path, value]) => [path, { value }] as const);
  const absent = Object.entries(missing).map(([path, cause]) => [path, { missing: cause }] as const);
  return Object.fromEntries([...present, ...absent]);
}

/** A random case in the form of a case file; its policy declares the facts that it uses. */
export function caseOf(name: string, plain: PlainPolicy, applicant: PlainFacts, day: string): GivenCase {
  const computed = Object.entries(plain.facts ?? {}).filter(([, { compute }]) => compute);
  const text = JSON.stringify([{ ...plain, facts: Object.fromEntries(computed) }, applicant]);
  const own = Object.entries(plain.facts ?? {}).filter(([path]) => text.includes(path));
  const policy: PlainPolicy = Object.assign({ policy: 'case', version: '1' }, plain, {
    facts: Object.fromEntries(own),
  });
  const facts: Record<string, FactValue> = {};
  const missing: Record<string, Cause> = {};
  for (const [path, fact] of Object.entries(applicant)) {
    if ('missing' in fact) missing[path] = fact.missing;
    else facts[path] = fact.value;
  }
  return { name, policy, day, facts, missing };
}

/** JSON in which every value that fits on a line is on one. */
export function formatJson(data: unknown, indent = ''): string {
  const flat = formatFlat(data);
  // The key before and the comma after are on the same line.
  if (typeof data !== 'object' || data === null || indent.length + flat.length <= 110) return flat;
  const deeper = `${indent}  `;
  if (Array.isArray(data)) {
    return `[\n${data.map((item) => deeper + formatJson(item, deeper)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(data).map(
    ([key, value]) => `${deeper}${JSON.stringify(key)}: ${formatJson(value, deeper)}`,
  );
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

function formatFlat(data: unknown): string {
  // JSON has -0, but `JSON.stringify` writes 0.
  if (Object.is(data, -0)) return '-0';
  if (typeof data !== 'object' || data === null) return JSON.stringify(data);
  if (Array.isArray(data)) return `[${data.map(formatFlat).join(', ')}]`;
  const entries = Object.entries(data).map(([key, value]) => `${JSON.stringify(key)}: ${formatFlat(value)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
