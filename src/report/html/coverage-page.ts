/** What tests cover of policies -> one self-contained page: the policies' own text, with what the tests do not see. */

import { type CoverageItem, gapsOf, shareOf } from '../../lab/test/coverage/coverage.ts';
import type { CoveredPolicy } from '../../lab/test/run-tests.ts';
import { grouped } from '../../text.ts';
import { coverageTable, gapWords } from '../coverage.ts';
import { type Part, writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { type Child, code, div, h1, h3, li, type Markup, ol, p, span } from './markup.ts';
import { codeName } from './parts/phrases.ts';
import { bullets } from './parts/table.ts';

/** The page. It needs no network, no script and no other file; of the cases it shows nothing but their number. */
export function coveragePage(policies: readonly CoveredPolicy[]): string {
  const all = policies.map(({ coverage }) => coverage);
  const sum = (of: 'goals' | 'reached') => all.reduce((total, coverage) => total + coverage[of], 0);
  const total = { goals: sum('goals'), reached: sum('reached') };
  return writePage({
    title: `Coverage of tests · ${shareOf(total)} %`,
    head: [
      p({ class: 'kind' }, 'Coverage of the tests of policies'),
      h1(`${shareOf(total)} % covered`),
      p({ class: 'lead' }, `The tests reach ${grouped(total.reached)} of ${grouped(total.goals)} goals.`),
      p(
        'A goal is one thing that can happen: a rule fires, does not fire or is undetermined; a test is true, false ' +
          'or unknown; a value lies on one side of a border. What cannot happen is not a goal. A line with ✓ has ' +
          'all of its goals, one with × none; the others say what no test has seen.',
      ),
    ],
    parts: policies.map((policy, i) => policyPart(policy, `policy-${i + 1}`)),
    foot: 'It contains the text of the policies.',
  });
}

function policyPart({ coverage, texts }: CoveredPolicy, id: string): Part {
  const { policy, items } = coverage;
  const isElsewhere = ({ place }: CoverageItem) => place === undefined || !texts.has(place.file);
  const elsewhere = items.filter((item) => isElsewhere(item) && gapsOf(item).length > 0);
  return {
    id,
    title: `${policy.name} ${policy.version}: ${shareOf(coverage)} %`,
    content: [
      htmlOf([coverageTable(coverage, `${id}-kinds`)]),
      elsewhere.length === 0 ? undefined : bullets(elsewhere.map(gapWords)),
      [...texts].map(([file, text]) => fileText(file, text, items)),
    ],
  };
}

function fileText(file: string, text: string, items: readonly CoverageItem[]): Child {
  const own = items.filter(({ place }) => place?.file === file);
  return [h3(codeName(file, 'path')), markedText(text, own)];
}

/** The lines of a file, with a number, a sign and its gaps. */
function markedText(text: string, items: readonly CoverageItem[]): Markup {
  const byLine = Map.groupBy(items, ({ place }) => place?.position.line);
  const lines = text.replace(/\n$/, '').split(/\r?\n/);
  const shown = lines.map((line, i) => markedLine(line, i + 1, byLine.get(i + 1) ?? []));
  return ol({ class: 'lines', role: 'list' }, shown);
}

const SIGNS = { full: '✓', part: '·', none: '×', free: '' } as const;

function markedLine(line: string, number: number, items: readonly CoverageItem[]): Markup {
  const state = stateOf(items);
  const gaps = items.filter((item) => gapsOf(item).length > 0);
  return li(
    { class: `line ${state}` },
    span({ class: 'number' }, number),
    span({ class: 'sign', 'aria-hidden': 'true' }, SIGNS[state]),
    div(
      code(marked(line, items)),
      gaps.map((item) => div({ class: 'gap' }, gapWords(item))),
    ),
  );
}

function stateOf(items: readonly CoverageItem[]): keyof typeof SIGNS {
  const goals = items.flatMap((item) => item.goals);
  if (goals.length === 0) return 'free';
  const reached = goals.filter(({ count }) => count > 0).length;
  return reached === goals.length ? 'full' : reached === 0 ? 'none' : 'part';
}

/** The line with its tests marked. Tests never overlap; a rule begins on the line of its first. */
function marked(line: string, items: readonly CoverageItem[]): Child {
  const tests = items.flatMap(({ kind, place }) => (kind === 'test' && place ? [place.position] : []));
  const parts: Child[] = [];
  let at = 0;
  for (const { column, length } of tests.sort((one, other) => one.column - other.column)) {
    if (column - 1 < at) continue;
    const own = items.filter(({ kind, place }) => {
      return (kind === 'test' || kind === 'border') && place?.position.column === column;
    });
    parts.push(line.slice(at, column - 1));
    at = column - 1 + length;
    const isSeen = own.every((item) => gapsOf(item).length === 0);
    parts.push(span({ class: isSeen ? 'seen' : 'unseen' }, line.slice(column - 1, at)));
  }
  return [...parts, line.slice(at)];
}
