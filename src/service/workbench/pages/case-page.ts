/** A case with its decision -> what a reviewer decides on, and beside it the form in which they say it. */

import type { RecordedOutcome } from '../../../audit/entry/entry.ts';
import type { Reason } from '../../../decision/meaning/verdict.ts';
import type { Part, RecordContent } from '../../../report/html/document.ts';
import { a, type Child, details, div, h1, p, strong, summary } from '../../../report/html/markup.ts';
import { codeValue, outcomeMark } from '../../../report/html/parts/phrases.ts';
import { folded } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import type { Case } from '../../../stores/state/cases.ts';
import { entryForm, type ListEntry } from '../parts/entry.ts';
import { actionForm, choice, field, submit, whyField } from '../parts/form.ts';
import { type Reader, type ServedPage, tokenField } from '../parts/frame.ts';
import { type Personal, personalPart } from '../parts/personal.ts';
import { type CaseStep, stepsTable } from '../parts/steps.ts';
import { fromNow, iso, minute } from '../parts/times.ts';
import { CASE, sharedName } from '../words/case.ts';
import { RELEASES } from '../words/releases.ts';
import { DISPOSITIONS, type LinkedDecisions, lanesPart, linkedPart, type ReasonsOf } from './case-linked.ts';

/** What a reviewer chose and wrote, and could not send; `problem`: what has to be mended before it can be recorded. */
export type Draft = Readonly<Partial<Record<'disposition' | 'reason' | 'why' | 'problem', string | undefined>>>;

/** What is known of the decision. */
export interface SeenDecision extends LinkedDecisions {
  readonly outcome: RecordedOutcome;
  /** The reason that decides, of several the first rule; undefined if the record has none. */
  readonly because: Pick<Reason, 'because' | 'code'> | undefined;
  readonly decision: RecordContent;
  readonly personal: Personal;
  readonly entries: readonly ListEntry[];
  /** What the queue shows of it. */
  readonly facts: Personal['facts'];
  /** What the caller calls the applicant. */
  readonly reference: string | undefined;
  /** What the cases of the decision went through. */
  readonly history: readonly CaseStep[];
}

export interface CaseData {
  readonly now: number;
  readonly case: Case;
  /** Whether the reader holds it. */
  readonly isHeld: boolean;
  /** Who else does, or for whom it is kept, as the page shows them. */
  readonly holder: string | undefined;
  readonly keptFor: string | undefined;
  /** Undefined for a reader who may not open decisions. */
  readonly seen: SeenDecision | undefined;
  readonly waiting: number;
  readonly draft?: Draft;
  /** Why a person decides, by disposition: up to 9 each. */
  readonly reasons: ReasonsOf;
  /** What the caller may be asked for, and the other queues. */
  readonly asks: readonly string[];
  readonly queues: readonly string[];
  /** Who may be given the case, as the log and as a page names them; empty for a reader who may not give it. */
  readonly reviewers: readonly (readonly [name: string, shown: string])[];
  /** `refusal`: why the reader may not take it. */
  readonly may: { readonly take: boolean; readonly refusal?: string | undefined; readonly recheck: boolean };
}

/** The parts of the decision's page that come after the reviewer's own, in this order. */
const PARTS = ['unknown', 'clear', 'told', 'facts', 'notes'];

export function casePage(data: CaseData, reader: Reader): ServedPage {
  const { case: one, seen, waiting, now } = data;
  const { id, queue, kind, due, state, openedAt } = one;
  const because = seen?.because ? CASE.because(seen.because) : '';
  const name = seen?.reference ?? id.slice(-12);
  const age = CASE.age(fromNow(openedAt, now));
  const of = (part: string): readonly Part[] => seen?.decision.parts.filter((each) => each.id === part) ?? [];
  const isLate = due < now;
  return {
    title: [name, age, because].filter(Boolean).join(' · '),
    head: [
      p({ class: 'kind' }, CASE.kind(queue, kind), seen && [' · ', CASE.says, outcomeMark(seen.outcome)]),
      h1(codeValue(name), ' · ', age, because === '' ? undefined : [' · ', because]),
    ],
    parts: [
      { id: 'why', title: CASE.parts.why, content: seen ? whyPart(seen) : p(CASE.hidden) },
      { id: 'personal', title: CASE.parts.applicant, content: seen && applicantPart(seen, reader, id) },
      { id: 'seen', title: CASE.parts.seen, content: seen && lanesPart(seen, now) },
      { id: 'linked', title: CASE.parts.linked, content: seen && linkedPart(seen, data, reader) },
      ...PARTS.flatMap(of),
      { id: 'history', title: CASE.parts.history, content: seen && stepsTable('case-history', seen.history) },
      ...of('rules').map((part) => ({ ...part, content: folded(CASE.parts.rules, part.content) })),
      { id: 'list-entry', title: RELEASES.entry, content: seen && entryForm(one.decision, seen.entries, reader) },
      { id: 'more', title: CASE.parts.more, content: morePart(data, reader) },
    ],
    aside: {
      id: 'decide',
      title: CASE.parts.decide,
      content: [
        state === 'resolved'
          ? undefined
          : p(
              'Due ',
              isLate ? strong({ class: 'late' }, fromNow(due, now)) : fromNow(due, now),
              `. ${CASE.waiting(waiting)}.`,
            ),
        statePart(data, reader),
        data.isHeld ? decisionForm(data, reader) : undefined,
      ],
    },
    ...(seen ? { foot: CASE.foot } : {}),
  };
}

function whyPart(seen: SeenDecision): Child {
  const { reasons, score } = seen.decision;
  return [div(reasons), seenLine(seen), score && div({ id: 'score' }, score.drawn, folded(CASE.points, score.points))];
}

/** How many others share something with it, for who does not read on. */
function seenLine({ linked: { shared }, labels }: SeenDecision): Child {
  const said = (['before', 'later'] as const).flatMap((when) => {
    const found = shared.flatMap(({ name, [when]: n }) =>
      n === 0 ? [] : `${sharedName(name, labels.get(name))} ${CASE.many(n)}`,
    );
    return found.length === 0 ? [] : `${CASE.seen[when]}${found.join(', ')}.`;
  });
  return said.length === 0 ? undefined : p(a({ href: '#seen' }, said.join(' ')));
}

function applicantPart({ personal, facts }: SeenDecision, reader: Reader, id: string): Child {
  return personalPart({ ...personal, facts: [...personal.facts, ...facts] }, reader, `/cases/${id}/reveal`);
}

/** Who has it, what became of it, and why what the reviewer sent was not recorded. */
function statePart(data: CaseData, reader: Reader): Child {
  const { now, case: one, isHeld, holder, keptFor, draft, may } = data;
  const { id, state, until, token } = one;
  if (isHeld) {
    const lease = { 'data-left': String((until ?? 0) - now), 'data-case': id, 'data-token': String(token) };
    return [
      draft &&
        (draft.problem === undefined ? againPart() : s.region({ role: 'alert', class: 'warning' }, draft.problem)),
      s.region({ id: 'lease', role: 'status', ...lease }, CASE.holdUntil(iso(until ?? 0).slice(11, 16))),
    ];
  }
  const lost = draft && lostPart(draft, holder);
  if (state === 'resolved') {
    const when = one.resolvedAt === null ? [] : [' on ', minute(one.resolvedAt)];
    const isOfIt = ({ at, what }: CaseStep) => what === 'case.resolved' && Date.parse(at) === one.resolvedAt;
    const { by, why } = data.seen?.history.find(isOfIt) ?? {};
    return [
      lost,
      p(CASE.resolved(one.disposition), when, by === undefined ? '' : ` by ${by}`, '.'),
      why === undefined ? undefined : p(why),
      p(s.link({ href: '/queue', 'data-key': 'u' }, CASE.back)),
    ];
  }
  if (holder !== undefined) return [lost, p(CASE.held(holder))];
  const sleeps = one.sleepsUntil !== null && one.sleepsUntil > now ? one.sleepsUntil : undefined;
  return [
    lost,
    p(keptFor === undefined ? CASE.free : CASE.kept(keptFor)),
    sleeps === undefined ? undefined : p(CASE.sleeps(one.asked), fromNow(sleeps, now), '.'),
    may.refusal !== undefined && keptFor === undefined ? p(CASE.notYours(may.refusal)) : undefined,
    may.take ? actionForm(reader, { action: `/cases/${id}/take` }, submit(CASE.take)) : undefined,
  ];
}

function decisionForm(data: CaseData, reader: Reader): Child {
  const { case: one, reasons, draft = {} } = data;
  const hidden = s.input({ type: 'hidden', name: 'token', value: String(one.token) });
  const option = (name: string, value: string, words: string, key: string, more: { readonly required?: true } = {}) => {
    const isChosen = (name === 'disposition' ? draft.disposition : draft.reason) === value;
    const radio = { type: 'radio', name, value, 'data-key': key, checked: isChosen, ...more } as const;
    return s.label({ class: 'option' }, s.input(radio), ' ', s.region({ class: 'key' }, key), ` ${words}`);
  };
  return [
    actionForm(
      reader,
      { action: `/cases/${one.id}/resolve`, id: 'resolve' },
      hidden,
      s.fieldset(
        { class: 'options choice' },
        s.legend({}, CASE.what),
        option('disposition', 'approve', CASE.approve, 'a', { required: true }),
        option('disposition', 'decline', CASE.decline, 'd', { required: true }),
      ),
      DISPOSITIONS.map((each) =>
        s.fieldset(
          { class: `options of-${each}` },
          s.legend({}, each === 'approve' ? CASE.whyApprove : CASE.whyDecline),
          reasons[each].map((words, i) => option('reason', words, words, String(i + 1))),
        ),
      ),
      field(
        'text',
        CASE.words,
        s.textarea({ id: 'text', name: 'why', rows: 2, maxlength: 2000, 'data-key': 'w' }, draft.why),
      ),
      submit(CASE.record, { class: 'main' }),
    ),
    otherForms(data, hidden, reader),
    s.form(
      { method: 'post', action: `/cases/${one.id}/release`, class: 'line', id: 'release' },
      tokenField(reader.csrf),
      hidden,
      s.button({ type: 'submit', name: 'skip', value: 'true', 'data-key': 's' }, CASE.skip),
      s.button({ type: 'submit', 'data-key': 'u' }, CASE.back),
    ),
    p({ class: 'soft' }, CASE.noAccident),
  ];
}

/** What is neither yes nor no. */
function otherForms({ now, case: { id }, asks, queues }: CaseData, hidden: Child, reader: Reader): Child {
  const times = CASE.times.map(([hours, words]) => [iso(now + hours * 3_600_000), words] as const);
  const fold = (title: string, form: Child) => details({ class: 'more' }, summary(title), form);
  const pairs = (texts: readonly string[]) => texts.map((each) => [each, each] as const);
  return [
    fold(
      CASE.hold,
      actionForm(
        reader,
        { action: `/cases/${id}/hold` },
        hidden,
        choice('until', CASE.until, times),
        whyField('hold-why', CASE.holdWhy),
        submit(CASE.hold),
      ),
    ),
    asks.length === 0
      ? undefined
      : fold(
          CASE.ask,
          actionForm(
            reader,
            { action: `/cases/${id}/ask` },
            hidden,
            choice('code', CASE.askFor, pairs(asks)),
            submit(CASE.askNow),
          ),
        ),
    queues.length === 0
      ? undefined
      : fold(
          CASE.escalate,
          actionForm(
            reader,
            { action: `/cases/${id}/escalate` },
            hidden,
            choice('queue', CASE.queue, pairs(queues)),
            whyField('escalate-why', CASE.escalateWhy),
            submit(CASE.escalate),
          ),
        ),
  ];
}

/** Who lost a case, and has taken it again meanwhile, finds what they wrote in the form. */
function againPart(): Child {
  return s.region({ role: 'alert', class: 'warning' }, p(strong(CASE.again), CASE.sendAgain));
}

function lostPart({ disposition, reason, why = '' }: Draft, holder: string | undefined): Child {
  return s.region(
    { role: 'alert', class: 'warning' },
    p(strong(CASE.lost), holder === undefined ? '' : CASE.hasIt(holder)),
    p(CASE.chose(disposition, reason)),
    why === '' ? '' : field('lost-text', CASE.wrote, s.textarea({ id: 'lost-text', rows: 3, readonly: true }, why)),
  );
}

function morePart({ case: { id, decision, state }, seen, reviewers, may }: CaseData, reader: Reader): Child {
  const mayGive = reviewers.length > 0 && state !== 'resolved';
  if (!seen && !mayGive) return undefined;
  return [
    seen ? [seen.decision.names, p(s.link({ href: `/decisions/${decision}` }, CASE.wholeRecord))] : undefined,
    mayGive
      ? actionForm(
          reader,
          { action: `/cases/${id}/reassign` },
          choice('to', CASE.giveTo, reviewers),
          whyField('reassign-why', CASE.giveWhy),
          submit(CASE.give),
        )
      : undefined,
    may.recheck
      ? actionForm(
          reader,
          { action: `/decisions/${decision}/open` },
          s.input({ type: 'hidden', name: 'kind', value: 'recheck' }),
          whyField('recheck-why', CASE.recheckWhy),
          submit(CASE.recheck),
        )
      : undefined,
  ];
}
