/** What tests cover of policies -> one self-contained page: the policies' own text, with what the tests do not see. */

import {
  type Coverage,
  type CoverageItem,
  gapsOf,
  type KindCoverage,
  kindsOf,
  shareOf,
} from '../../../lab/test/coverage/coverage.ts';
import { KINDS } from '../../../lab/test/coverage/item.ts';
import type { CoveredPolicy } from '../../../lab/test/test-coverage.ts';
import { count, grouped } from '../../../text.ts';
import { type Part, writePage } from '../document.ts';
import { type Child, h1, h3, p } from '../markup.ts';
import { codeName } from '../parts/phrases.ts';
import { bullets, table } from '../parts/table.ts';
import { gapLine, markedText } from './marked-text.ts';

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
          'or unknown; a value lies on one side of a border. What cannot happen is no goal. A line with ✓ has all ' +
          'of its goals, one with × none; the others say what no test has seen.',
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
      kindsTable(coverage, id),
      elsewhere.length === 0 ? undefined : bullets(elsewhere.map(gapLine)),
      [...texts].map(([file, text]) => fileText(file, text, items)),
    ],
  };
}

function kindsTable(coverage: Coverage, id: string): Child {
  const row = (name: string, kind: Pick<KindCoverage, 'goals' | 'reached'>): readonly Child[] => [
    ...[name, grouped(kind.reached), grouped(kind.goals), `${shareOf(kind)} %`],
  ];
  return table({
    id: `${id}-kinds`,
    caption: `By ${count(coverage.cases, 'case')}.`,
    columns: ['What', 'Covered', 'Goals', 'Share'],
    width: 'tight',
    rows: kindsOf(coverage).map((kind) => row(KINDS[kind.kind], kind)),
    total: row('all', coverage),
  });
}

function fileText(file: string, text: string, items: readonly CoverageItem[]): Child {
  const own = items.filter(({ place }) => place?.file === file);
  return [h3(codeName(file, 'path')), markedText(text, own)];
}
