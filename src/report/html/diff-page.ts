/** The difference of two policies -> one self-contained page: the edits, and whose decisions change. */

import type { PolicyEdit } from '../../lab/diff/edits/edit.ts';
import type { Impact } from '../../lab/impact/impact.ts';
import { count } from '../../text.ts';
import {
  type ChangedRegions,
  changesOf,
  closingWords,
  type Examples,
  exampleLines,
  FOR_OLD,
  isProvedSame,
  isUndecided,
  NO_EXAMPLE,
  noEdits,
  reasonLines,
  reasonsClosing,
  type ShownDiff,
} from '../words/diff.ts';
import {
  applicantWords,
  flowTable,
  impactHeadline,
  nameOf,
  notes,
  reasonWords,
  unjudgedWords,
} from '../words/impact.ts';
import { writePage } from './document.ts';
import { type Child, h1, h3, li, p, span, strong, ul } from './markup.ts';
import { outcomeMark } from './parts/marks.ts';
import { codeValue } from './parts/phrases.ts';
import { bullets, folded, pairs, table } from './parts/table.ts';

/** The page. It needs no network, no script and no other file. */
export function diffPage(shown: ShownDiff): string {
  const { diff, policies, at, impact } = shown;
  const [old, policy] = policies;
  const changes = changesOf(diff);
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
        ['On', codeValue(at)],
        ['Real applicants', impact && impactHeadline(impact)],
        ['Only applicants for whom', diff.where],
      ]),
    ],
    parts: [
      {
        id: 'edits',
        title: 'What was edited',
        content: diff.edits.length > 0 ? editList(diff.edits) : p(noEdits(shown)),
      },
      { id: 'impact', title: 'Real applicants', content: impact && impactPart(impact) },
      { id: 'changes', title: 'Changed decisions', content: changes.length > 0 ? changeTable(changes) : undefined },
      {
        id: 'regions',
        title: 'Whose decisions change',
        content: changes.length > 0 ? regionPart(changes, shown) : undefined,
      },
      { id: 'reasons', title: 'The same outcome, other reasons', content: reasonPart(shown) },
    ],
  });
}

function isRenamed([old, now]: ShownDiff['policies']): boolean {
  return old.name !== now.name || old.version !== now.version;
}

function reasonPart(shown: ShownDiff): Child {
  const closing = reasonsClosing(shown);
  if (closing === undefined) return undefined;
  const { regions = [] } = shown.diff.reasons ?? {};
  return [
    p(closing),
    ul(
      { class: 'cards', role: 'list' },
      regions.map((region) =>
        li(
          { class: 'rule' },
          p(strong(reasonLines(region).join('; '))),
          region.conditions.length > 0 ? bullets(region.conditions) : p('Every applicant'),
          examplePart(region, shown),
        ),
      ),
    ),
  ];
}

function examplePart(region: Examples, shown: ShownDiff): Child {
  const [line, old] = exampleLines(region, shown);
  if (line === undefined) return p(NO_EXAMPLE);
  const forOld = old === undefined ? [] : [FOR_OLD, codeValue(old)];
  return folded('Example, a line for evaluate', p(codeValue(line), ...forOld));
}

function headline({ diff }: ShownDiff): string {
  if (isProvedSame(diff)) return 'Every applicant is decided the same';
  if (diff.regions.length === 0) return 'Undecided';
  const known = `${count(diff.regions.length, 'region')} of applicants ${diff.regions.length === 1 ? 'is' : 'are'}`;
  return `${known} decided differently${isUndecided(diff) ? ', and more is undecided' : ''}`;
}

function editList(edits: readonly PolicyEdit[]): Child {
  return bullets(
    edits.map(({ text, place }) => [
      text,
      place ? [' ', span({ class: 'soft' }, `${place.file}:${place.line}`)] : undefined,
    ]),
  );
}

function changeTable(changes: readonly ChangedRegions[]): Child {
  return table({
    id: 'changes-by-kind',
    caption: 'Outcomes before and after',
    columns: ['From', 'To', 'Regions'],
    width: 'tight',
    rows: changes.map(({ from, to, regions }) => [outcomeMark(from), outcomeMark(to), String(regions.length)]),
  });
}

function impactPart(impact: Impact): Child {
  const [titles = [], ...rows] = flowTable(impact.flows);
  const left = unjudgedWords(impact.unjudged);
  return [
    ...(impact.applicants > 0
      ? [
          table({
            id: 'flows',
            caption: 'Applicants by their outcome before and after',
            columns: ['Outcome', ...titles.slice(1)],
            width: 'tight',
            rows,
          }),
          ...notes(impact).map((note) => p(note)),
        ]
      : []),
    ...(impact.worst.length > 0
      ? [
          table({
            id: 'worst',
            caption: 'The worst changes',
            columns: ['Applicant', 'Before', 'After', 'Reasons'],
            rows: impact.worst.map((changed) => [
              [codeValue(nameOf(changed.name)), ` on ${changed.day}`],
              outcomeMark(changed.from),
              outcomeMark(changed.to),
              reasonWords(changed),
            ]),
          }),
        ]
      : []),
    ...(left.length > 0 ? [h3('Not counted'), bullets(left)] : []),
  ];
}

/** The regions of all changes, numbered so that people can speak of them. */
function regionPart(changes: readonly ChangedRegions[], shown: ShownDiff): Child {
  const all = changes.flatMap(({ regions }) => regions);
  return changes.map(({ from, to, regions }) => [
    h3(outcomeMark(from), ' to ', outcomeMark(to)),
    ul(
      { class: 'cards', role: 'list' },
      regions.map((region) => {
        const { conditions, applicants } = region;
        const counted = applicants === undefined ? '' : `: ${applicantWords(applicants, 'real applicant')}`;
        return li(
          { class: 'rule' },
          p(strong(`Region ${all.indexOf(region) + 1}`), counted),
          conditions.length > 0 ? bullets(conditions) : p('Every applicant'),
          examplePart(region, shown),
        );
      }),
    ),
  ]);
}
