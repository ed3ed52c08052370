/** Cases that fail -> the edits of their files by which they expect what was decided, and the lines that change. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { applyEdits, flowYaml, quoteYaml, type Replacement, type Source } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { expectationNodes } from '../test/expectation.ts';
import type { CaseInFile } from '../test/run-tests.ts';
import { type Difference, differencesIn, type Expectation } from '../test/test-case.ts';

/** The edits of one file of tests. */
export interface FileEdits {
  readonly file: string;
  readonly source: Source;
  readonly edits: readonly Replacement[];
}

/** An expectation in a file. It can be that of several cases: of the rows of a table, or with several policies. */
interface Expected {
  readonly file: string;
  readonly node: Yaml;
  /** What each of its cases needs there; undefined where nothing fits. */
  readonly wanted: (readonly Replacement[] | undefined)[];
  /** The cases that fail. */
  readonly failing: string[];
}

/**
 * The edits for all cases that fail, and the cases that a person has to edit, with why. Those that are skipped stay as
 * they are.
 */
export function acceptCases(cases: readonly CaseInFile[]) {
  const expected = new Map<string, Expected>();
  for (const { file, case: testCase } of cases) {
    const { name, policy, facts, at, expect, skip } = testCase;
    const differences = skip === undefined ? differencesIn(matcherOf(policy).verdict(facts, at), expect) : [];
    for (const [key, node] of expectationNodes(testCase)) {
      const id = JSON.stringify([node.source.file, node.start]);
      const entry = expected.get(id) ?? { file, node, wanted: [], failing: [] };
      expected.set(id, entry);
      const difference = differences.find((each) => each.key === key);
      if (difference) entry.failing.push(name);
      if (skip === undefined) entry.wanted.push(difference ? editsOf(node, difference) : []);
    }
  }
  const failing = [...expected.values()].filter((each) => each.failing.length > 0);
  const refused = failing.flatMap((each) => {
    const why = whyNot(each);
    return why === undefined ? [] : each.failing.map((name) => ({ name, why }));
  });
  const accepted = failing.filter((each) => whyNot(each) === undefined);
  const files = [...Map.groupBy(accepted, ({ file }) => file)].map(([file, own]): FileEdits => {
    const { source } = (own[0] as Expected).node;
    return { file, source, edits: own.flatMap(({ wanted }) => wanted[0] ?? []) };
  });
  return {
    files,
    /** The number of expectations that are rewritten. */
    expectations: accepted.length,
    refused,
  };
}

/** Why a person has to edit an expectation. */
function whyNot({ file, node, wanted }: Expected): string | undefined {
  if (node.source.ofFile.file !== file) return 'its row is in a CSV file';
  if (wanted.includes(undefined)) return 'each code of `not` fires';
  const all = new Set(wanted.map((edits) => JSON.stringify(edits)));
  return all.size > 1 ? 'cases that share the expectation are decided differently' : undefined;
}

/** The edits by which a node expects what was found. */
function editsOf(node: Yaml, { key, expected, found }: Difference): readonly Replacement[] | undefined {
  const inList = LISTS[key];
  if (inList) {
    const names = inList(expected as Names, found as Names);
    return names && node.kind === 'list' ? listEdits(node, names) : undefined;
  }
  const value = key === 'notice' && Array.isArray(found) ? found[0] : found;
  const { source, start, end } = node;
  const text = typeof value === 'string' ? quoteYaml(value, source.text.slice(start, end)) : flowYaml(value);
  return [{ start, end, text }];
}

type Names = readonly string[];

/** The lists with the names that are expected already in their order; undefined for a list that would be empty. */
const LISTS: { readonly [Key in keyof Expectation]?: (expected: Names, found: Names) => Names | undefined } = {
  reasons: inOrder,
  rules: inOrder,
  undetermined: inOrder,
  not: (expected, found) => {
    const left = expected.filter((code) => !found.includes(code));
    return left.length > 0 ? left : undefined;
  },
};

function inOrder(expected: Names, found: Names): Names {
  return [...expected.filter((name) => found.includes(name)), ...found.filter((name) => !expected.includes(name))];
}

/** A list with a line for each item keeps the lines, and the comments on them. */
function listEdits(node: Extract<Yaml, { kind: 'list' }>, names: Names): readonly Replacement[] {
  const { source, start, items } = node;
  const { text } = source;
  const isInLines = text[start] === '-';
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const nameOf = (item: Yaml) => (item.kind === 'scalar' ? String(item.value) : '');
  const kept = items.filter((item) => names.includes(nameOf(item)));
  const last = kept.at(-1);
  if (!isInLines || !last || indent.trim() !== '') {
    // The end of a list in lines is behind its line break.
    const end = isInLines ? (items.at(-1)?.end ?? node.end) : node.end;
    return [{ start, end, text: flowYaml(names) }];
  }
  const removed = items
    .filter((item) => !kept.includes(item))
    .map((item): Replacement => {
      const from = text.lastIndexOf('\n', item.start) + 1;
      return { start: from, end: Math.min(lineEnd(text, item.end) + 1, text.length), text: '' };
    });
  const knownNames = new Set(items.map(nameOf));
  const added = names.filter((name) => !knownNames.has(name)).map((name) => `\n${indent}- ${flowYaml(name)}`);
  if (added.length === 0) return removed;
  const at = lineEnd(text, last.end);
  return [...removed, { start: at, end: at, text: added.join('') }];
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

/** The lines that replacements change. */
export function hunksOf(text: string, edits: readonly Replacement[]) {
  const groups: { start: number; end: number; edits: Replacement[] }[] = [];
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    const start = text.lastIndexOf('\n', edit.start - 1) + 1;
    const from = edit.end > edit.start && text[edit.end - 1] === '\n' ? edit.end - 1 : edit.end;
    const next = text.indexOf('\n', from);
    const end = next < 0 ? text.length : next + 1;
    const last = groups.at(-1);
    if (last && start <= last.end) {
      last.end = Math.max(last.end, end);
      last.edits.push(edit);
    } else groups.push({ start, end, edits: [edit] });
  }
  return groups.map(({ start, end, edits: own }) => {
    const shifted = own.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
    const old = text.slice(start, end);
    return { line: text.slice(0, start).split('\n').length, old: linesOf(old), now: linesOf(applyEdits(old, shifted)) };
  });
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}
