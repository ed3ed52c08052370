/** A case with its decision -> what a reviewer decides on, and the form in which they say it. */

import type { RecordedOutcome } from '../../../audit/entry/entry.ts';
import type { Judged } from '../../../audit/read/judgement.ts';
import type { Page, Part, RecordContent } from '../../../report/html/document.ts';
import { type Child, div, h1, p, strong } from '../../../report/html/markup.ts';
import { codeValue, outcomeMark } from '../../../report/html/parts/phrases.ts';
import { table } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import { judgedWords } from '../../../report/words/judged.ts';
import type { Case } from '../../../stores/state/cases.ts';
import { actionForm, choice, field, submit, whyField } from '../parts/form.ts';
import { type Reader, tokenField } from '../parts/frame.ts';
import { type Personal, personalPart } from '../parts/personal.ts';
import { fromNow, iso, minute } from '../parts/times.ts';

/** Decisions about somebody with the same identity, found by its keyed hash. */
export interface Seen {
  readonly what: string;
  readonly decisions: number;
  /** The newest ones. */
  readonly last: readonly (Judged & {
    readonly id: string;
    readonly outcome: RecordedOutcome;
    readonly at: string;
  })[];
}

/** What a reviewer chose and wrote, and could not send; `problem`: what has to be mended before it can be recorded. */
export type Draft = Readonly<Partial<Record<'disposition' | 'reason' | 'why' | 'problem', string | undefined>>>;

export interface CaseData {
  readonly now: number;
  readonly case: Case;
  /** Whether the reader holds it. */
  readonly isHeld: boolean;
  /** Who else does, as the page shows them. */
  readonly holder: string | undefined;
  /** Undefined for a reader who may not open decisions. */
  readonly seen:
    | {
        readonly outcome: RecordedOutcome;
        readonly decision: RecordContent;
        readonly personal: Personal;
        /** What the caller calls the applicant. */
        readonly reference: string | undefined;
        /** Until this decision was made, and from then on: what came later had no part in it. */
        readonly seenBefore: readonly Seen[];
        readonly seenSince: readonly Seen[];
      }
    | undefined;
  readonly waiting: number;
  readonly draft?: Draft;
  /** Why a person decides, by disposition: up to 9 each. */
  readonly reasons: Readonly<Record<(typeof DISPOSITIONS)[number], readonly string[]>>;
  /** Who may be given the case, with their displayed names; empty for a reader who may not give it. */
  readonly reviewers: readonly (readonly [name: string, words: string])[];
  readonly mayReassign: boolean;
  readonly mayRecheck: boolean;
}

const DISPOSITIONS = ['approve', 'decline'] as const;

/** The parts of the decision's page that come after the reviewer's own, in this order. */
const PARTS = ['told', 'notes', 'score', 'rules', 'facts'];

export function casePage(data: CaseData, reader: Reader): Page {
  const { case: one, isHeld, seen, waiting, now, draft } = data;
  const { id, queue, kind, due, until, state } = one;
  const of = (part: string): readonly Part[] => seen?.decision.parts.filter((each) => each.id === part) ?? [];
  return {
    title: `Case ${id.slice(-12)}`,
    head: [
      p({ class: 'kind' }, `${queue} · ${kind} case · `, codeValue(seen?.reference ?? id.slice(-12))),
      h1(seen ? 'Why a person is asked' : 'A case'),
      state === 'resolved' ? undefined : p({ class: 'lead' }, `Due ${fromNow(due, now)}. ${waiting} more waiting.`),
      draft && draftPart(draft, data),
      isHeld
        ? s.region(
            {
              id: 'lease',
              role: 'status',
              'data-left': String((until ?? 0) - now),
              'data-case': id,
              'data-token': String(one.token),
            },
            `You hold it until ${iso(until ?? 0).slice(11, 16)} UTC.`,
          )
        : p(stateWords(data)),
      seen
        ? [p('The decision says ', outcomeMark(seen.outcome), '.'), div(seen.decision.reasons)]
        : p('Your roles do not show the decision.'),
    ],
    parts: [
      { id: 'decide', title: 'Your decision', content: isHeld ? decisionForm(data, reader) : undefined },
      ...of('changes'),
      ...of('unknown'),
      ...of('clear'),
      {
        id: 'personal',
        title: 'The applicant',
        content: seen && personalPart(seen.personal, reader, `/cases/${id}/reveal`),
      },
      { id: 'seen', title: 'Seen before', content: seen && seenPart('Earlier', seen.seenBefore) },
      { id: 'since', title: 'Seen since', content: seen && sincePart(seen.seenSince) },
      ...PARTS.flatMap(of),
      { id: 'more', title: 'More', content: morePart(data, reader) },
    ],
    ...(seen ? { foot: 'Personal values are masked. Who reveals them, and why, is on record.' } : {}),
  };
}

/** Who has it, or what became of it. */
function stateWords({ case: { state, disposition, resolvedAt }, holder }: CaseData): Child {
  if (state === 'resolved') {
    const when = resolvedAt === null ? [] : [' on ', minute(resolvedAt)];
    if (disposition === null) return ['It is closed: the decision was made again', when, '.'];
    return ['It is resolved: ', strong(disposition === 'decline' ? 'declined' : 'approved'), when, '.'];
  }
  if (holder !== undefined) return `${holder} holds it.`;
  return [
    'Nobody holds it. The ',
    s.link({ href: '/queue' }, 'queue'),
    ' gives out the next case, the first due first.',
  ];
}

/** Why what the reviewer sent was not recorded. */
function draftPart(draft: Draft, { isHeld, holder }: CaseData): Child {
  if (!isHeld) return lostPart(draft, holder);
  return draft.problem === undefined ? againPart() : s.region({ role: 'alert', class: 'warning' }, draft.problem);
}

function decisionForm({ case: { id, token }, reasons, draft = {} }: CaseData, reader: Reader): Child {
  const hidden = s.input({ type: 'hidden', name: 'token', value: String(token) });
  let key = 0;
  const one = (name: string, value: string, words: string, key: string, chosen: string | undefined) => [
    s.label(
      { class: 'option' },
      s.input({ type: 'radio', name, value, required: true, 'data-key': key, checked: chosen === value }),
      ' ',
      s.region({ class: 'key' }, key),
      ` ${words}`,
    ),
  ];
  return [
    actionForm(
      reader,
      { action: `/cases/${id}/resolve`, id: 'resolve' },
      hidden,
      s.fieldset(
        { class: 'options' },
        s.legend({}, 'What you decide'),
        one('disposition', 'approve', 'Approve', 'a', draft.disposition),
        one('disposition', 'decline', 'Decline', 'd', draft.disposition),
      ),
      DISPOSITIONS.map((each) =>
        s.fieldset(
          { class: 'options' },
          s.legend({}, `Why you ${each}`),
          reasons[each].map((words) => one('reason', words, words, String(++key), draft.reason)),
        ),
      ),
      one('reason', '', 'In your own words', 'w', draft.reason),
      field(
        'why',
        'Words, if any; they stay in the log',
        s.textarea({ id: 'why', name: 'why', rows: 2, maxlength: 2000 }, draft.why),
      ),
      submit('Record the decision (Enter)', { class: 'main' }),
    ),
    s.form(
      { method: 'post', action: `/cases/${id}/release`, class: 'line', id: 'release' },
      tokenField(reader.csrf),
      hidden,
      s.button({ type: 'submit', name: 'skip', value: 'true', 'data-key': 's' }, 'Skip (s): I do not get it again'),
      s.button({ type: 'submit', 'data-key': 'u' }, 'Back to the queue (u)'),
    ),
    p('Choose, give a reason, then Enter: no key decides alone. It cannot be undone; a correction is a second note.'),
  ];
}

/** Who lost a case, and has taken it again meanwhile, finds what they wrote in the form. */
function againPart(): Child {
  return s.region(
    { role: 'alert', class: 'warning' },
    p(
      strong('Nothing was recorded: you did not hold this case for a time. '),
      'You hold it again, so send it once more.',
    ),
  );
}

function lostPart({ disposition, reason = '', why = '' }: Draft, holder: string | undefined): Child {
  return s.region(
    { role: 'alert', class: 'warning' },
    p(
      strong('You no longer hold this case, so nothing was recorded. '),
      holder === undefined ? '' : `${holder} has it now.`,
    ),
    p(`You chose: ${disposition ?? 'nothing'}. ${reason}`),
    field('lost-text', 'What you wrote', s.textarea({ id: 'lost-text', rows: 3, readonly: true }, why)),
  );
}

/** None if nothing came later. */
function sincePart(seen: readonly Seen[]): Child {
  return seen.some(({ decisions }) => decisions > 0) ? seenPart('Later', seen) : undefined;
}

function seenPart(when: 'Earlier' | 'Later', seen: readonly Seen[]): Child {
  if (seen.length === 0) return p('The record names no identity to compare.');
  return table({
    id: when === 'Earlier' ? 'seen-before' : 'seen-since',
    caption: `${when} decisions about the same identity, by its keyed hash`,
    columns: ['Same', 'Decisions', 'The newest'],
    rows: seen.map(({ what, decisions, last }) => [
      what,
      decisions === 0 ? 'none' : String(decisions),
      last.map(({ id, outcome, at, ...judged }) => [
        s.link({ href: `/decisions/${id}` }, at.slice(0, 10)),
        ' ',
        outcomeMark(outcome),
        judgedWords(judged) === '' ? ' ' : `, noted: ${judgedWords(judged)} `,
      ]),
    ]),
  });
}

function morePart(
  { case: { id, decision, state }, seen, reviewers, mayReassign, mayRecheck }: CaseData,
  reader: Reader,
): Child {
  const isOpen = state !== 'resolved';
  if (!seen && !(mayReassign && isOpen)) return undefined;
  return [
    seen
      ? [seen.decision.names, p(s.link({ href: `/decisions/${decision}` }, 'The whole record of the decision'))]
      : undefined,
    mayReassign && isOpen && reviewers.length > 0
      ? actionForm(
          reader,
          { action: `/cases/${id}/reassign` },
          choice('to', 'Give it to', reviewers),
          whyField('reassign-why', 'Why; it goes on record'),
          submit('Reassign'),
        )
      : undefined,
    mayRecheck
      ? actionForm(
          reader,
          { action: `/decisions/${decision}/open` },
          s.input({ type: 'hidden', name: 'kind', value: 'recheck' }),
          whyField(
            'recheck-why',
            'Why it is to be checked again. The reviewer may ask the verification service again, which may be billed.',
          ),
          submit('Open a recheck'),
        )
      : undefined,
  ];
}
