/** What a search of the log found -> one self-contained page with a table of the decisions. */

import type { FoundDecision } from '../../audit/query/collector.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { causeList } from '../words/missing.ts';
import { writePage } from './document.ts';
import { type Child, element } from './markup.ts';
import { flag, outcomeMark } from './parts/marks.ts';
import { codeName, codeValue, grouped, instant, listed } from './parts/phrases.ts';
import { pairs, table } from './parts/table.ts';

/** The data of the page. */
export interface SearchPage {
  /** What was asked for, in words, such as `outcome review`; none for all decisions. */
  readonly filters: readonly string[];
  /** Those that are shown, in the order in which they are. */
  readonly rows: readonly FoundDecision[];
  /** How many were found in all. */
  readonly total: number;
  /** Whether the log was verified, in a sentence. */
  readonly verification: string;
}

/** The page. It needs no network, no script and no other file, and has nothing that the log keeps sealed. */
export function searchPage({ filters, rows, total, verification }: SearchPage): string {
  const found = total === 1 ? '1 decision' : `${grouped(total)} decisions`;
  return writePage({
    title: `Search of the audit log · ${found}`,
    head: [
      element('p', { class: 'kind' }, 'Search of the audit log'),
      element('h1', {}, `${found} found`),
      element('p', { class: 'lead' }, lead(rows.length, total)),
      pairs([
        [
          'Asked for',
          filters.length === 0 ? 'all decisions' : filters.map((filter, i) => [i === 0 ? '' : '; ', filter]),
        ],
        ['Outcomes shown', rows.length === 0 ? undefined : outcomeCounts(rows)],
        ['Verification', verification],
      ]),
    ],
    parts: [{ id: 'decisions', title: 'Decisions', content: rows.length === 0 ? nothing() : decisions(rows) }],
    foot: element('p', {}, 'This page is complete in itself: it loads nothing and runs nothing.'),
  });
}

function lead(shown: number, total: number): string {
  if (total === 0) return 'No decision fits what was asked for.';
  return shown < total ? `The newest ${grouped(shown)} are shown.` : 'All are shown.';
}

function nothing(): Child {
  return element('p', {}, 'None.');
}

function outcomeCounts(rows: readonly FoundDecision[]): Child {
  const counts = OUTCOMES.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const);
  return listed(counts.filter(([, n]) => n > 0).map(([outcome, n]) => [`${grouped(n)} `, outcomeMark(outcome)]));
}

function decisions(rows: readonly FoundDecision[]): Child {
  return table({
    id: 'decisions-found',
    caption:
      'Decisions, as their records say in clear. Reasons are the codes of rules that fired, of rules that could not be determined, and of the score.',
    columns: ['Decision', 'Outcome', 'Rules that fired', 'Rules undetermined', 'Reasons', 'Policy', 'After review'],
    width: 'wide',
    rows: rows.map(({ at, id, outcome, codes, rules, undetermined, causes, policy, disposition, erased }) => [
      [instant(at), ' ', codeValue(id), erased ? [' ', flag('erased')] : ''],
      outcomeMark(outcome),
      names(rules),
      undetermined.length === 0 ? NONE : [names(undetermined), ' ', missingWords(causes)],
      names(codes),
      [codeName(policy.name), ' ', codeName(policy.version)],
      disposition ?? NONE,
    ]),
  });
}

const NONE = '–';

function names(texts: readonly string[]): Child {
  return texts.length === 0 ? NONE : listed(texts.map((text) => codeName(text)));
}

function missingWords(causes: readonly string[]): Child {
  return causes.length === 0 ? undefined : element('span', { class: 'soft' }, `missing facts: ${causeList(causes)}`);
}
