/** The decisions that a search of the log found -> one self-contained page with a table. */

import { RECORDED_OUTCOMES } from '../../audit/entry/entry.ts';
import type { FoundDecision } from '../../audit/query/search-entry.ts';
import { grouped } from '../../text.ts';
import { missingWords } from '../words/missing.ts';
import { writePage } from './document.ts';
import { wordsOf } from './html.ts';
import { type Child, h1, p } from './markup.ts';
import { codeName, codeNames, codeValue, flag, instant, joined, outcomeMark, soft } from './parts/phrases.ts';
import { NONE, pairs, table } from './parts/table.ts';

export interface SearchPage {
  /** The filters in words, such as `outcome review`; empty for all decisions. */
  readonly filters: readonly string[];
  readonly rows: readonly FoundDecision[];
  /** The number of decisions that were found. */
  readonly total: number;
  /** Whether the log was verified, in a sentence. */
  readonly verification: string;
}

/** The page. It needs no network, no script and no other file, and shows nothing that the log encrypts. */
export function searchPage({ filters, rows, total, verification }: SearchPage): string {
  const found = total === 1 ? '1 decision' : `${grouped(total)} decisions`;
  return writePage({
    title: `Search of the audit log · ${found}`,
    head: [
      p({ class: 'kind' }, 'Search of the audit log'),
      h1(`${found} found`),
      p({ class: 'lead' }, lead(rows.length, total)),
      pairs([
        ['Asked for', filters.length === 0 ? 'all decisions' : filters.join('; ')],
        ['Outcomes shown', rows.length === 0 ? undefined : outcomeCounts(rows)],
        ['Verification', verification],
      ]),
    ],
    parts: [{ id: 'decisions', title: 'Decisions', content: rows.length === 0 ? p('None.') : decisionTable(rows) }],
  });
}

function lead(shown: number, total: number): string {
  if (total === 0) return 'No decision fits the filters.';
  return shown < total ? `The newest ${grouped(shown)} are shown.` : 'All are shown.';
}

function outcomeCounts(rows: readonly FoundDecision[]): Child {
  const counts = RECORDED_OUTCOMES.map(
    (outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const,
  );
  return joined(counts.filter(([, n]) => n > 0).map(([outcome, n]) => [`${grouped(n)} `, outcomeMark(outcome)]));
}

function decisionTable(rows: readonly FoundDecision[]): Child {
  return table({
    id: 'decisions-found',
    caption:
      'Decisions by the searchable fields of their records. Reasons are the codes of fired and undetermined rules, ' +
      'and of the score.',
    columns: ['Decision', 'Outcome', 'Rules that fired', 'Rules undetermined', 'Reasons', 'Policy', 'After review'],
    width: 'wide',
    rows: rows.map(({ at, id, outcome, codes, rules, undetermined, missing, policy, disposition, erased }) => [
      [instant(at), ' ', codeValue(id), erased ? [' ', flag('erased')] : ''],
      outcomeMark(outcome),
      rules.length === 0 ? NONE : codeNames(rules),
      undetermined.length === 0 ? NONE : [codeNames(undetermined), ' ', missingPart(missing)],
      codes.length === 0 ? NONE : codeNames(codes),
      [codeName(policy.name), ' ', codeName(policy.version)],
      disposition ?? NONE,
    ]),
  });
}

function missingPart(missing: FoundDecision['missing']): Child {
  const words = missingWords(missing);
  return words.length === 0 ? undefined : soft('missing facts: ', wordsOf(words));
}
