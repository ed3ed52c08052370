/** The difference of two policies -> one self-contained page: the edits, and whose decisions change. */

import { count } from '../../text.ts';
import { changeHeadline } from '../applicants/figures.ts';
import { closingWords, diffSections, isProvedSame, isUndecided, type ShownDiff } from '../diff.ts';
import { daysWords } from '../words/days.ts';
import { writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { h1, p } from './markup.ts';
import { codeValue } from './parts/phrases.ts';
import { pairs } from './parts/table.ts';

/** The page. It needs no network, no script and no other file. */
export function diffPage(shown: ShownDiff): string {
  const { diff, policies, at } = shown;
  const [old, policy] = policies;
  const sections = diffSections(shown);
  const found = isProvedSame(diff) ? 'no change' : count(diff.regions.length, 'region');
  return writePage({
    title: `Difference of two policies · ${found}`,
    head: [
      p({ class: 'kind' }, 'Difference of two policies'),
      h1(headline(shown)),
      p({ class: 'lead' }, closingWords(shown)),
      pairs([
        ['Policy', [codeValue(policy.name), ' ', codeValue(policy.version)]],
        ['Before', isRenamed(policies) ? [codeValue(old.name), ' ', codeValue(old.version)] : undefined],
        ['Days', daysWords(at, diff)],
        ['Only applicants for whom', diff.where],
      ]),
    ],
    parts: [
      { id: 'edits', title: 'What was edited', content: htmlOf(sections.edits) },
      { id: 'impact', title: 'Real applicants', content: htmlOf(sections.impact) },
      { id: 'changes', title: 'Changed decisions', content: htmlOf(sections.changes) },
      { id: 'regions', title: 'Whose decisions change', content: htmlOf(sections.regions) },
    ],
  });
}

function isRenamed([old, now]: ShownDiff['policies']): boolean {
  return old.name !== now.name || old.version !== now.version;
}

function headline({ diff, impact }: ShownDiff): string {
  const counted = impact && changeHeadline(impact.backtest);
  if (counted !== undefined) return counted;
  if (isProvedSame(diff)) return 'Every applicant is decided the same';
  if (diff.regions.length === 0) return 'Undecided';
  const known = `${count(diff.regions.length, 'region')} of applicants ${diff.regions.length === 1 ? 'is' : 'are'}`;
  return `${known} decided differently${isUndecided(diff) ? ', and more is undecided' : ''}`;
}
