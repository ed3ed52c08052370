/** Decisions that share something with that of a case -> their parts of its page: lanes, tables, the form of a ring. */

import { MOST_READ, type ReadCount } from '../../../audit/query/counted.ts';
import type { Linked, LinkedDecision } from '../../../audit/query/linked.ts';
import { isMissing } from '../../../facts/fact.ts';
import { countedWords, VELOCITY } from '../../../facts/velocity.ts';
import { type Child, div, p } from '../../../report/html/markup.ts';
import { flag, outcomeMark, soft } from '../../../report/html/parts/phrases.ts';
import { folded, NONE, table } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import { judgedWords } from '../../../report/words/judged.ts';
import type { CaseState } from '../../../stores/state/cases.ts';
import { minuteWords } from '../../../text.ts';
import { actionForm, choice, submit } from '../parts/form.ts';
import type { Reader } from '../parts/frame.ts';
import { type LaneAxis, lane, laneDates } from '../parts/lanes.ts';
import { minute } from '../parts/times.ts';
import { CASE, sharedName } from '../words/case.ts';

/** The case of another decision. */
export interface LinkedCase {
  readonly id: string;
  readonly state: CaseState;
  /** Who has it, for readers who may know. */
  readonly holder: string | undefined;
}

/** What is linked to the decision of a case, which is of an instant. */
export interface LinkedDecisions {
  readonly at: number;
  readonly linked: Linked;
  /** The names of what is shared, where there are better ones; the cases of other decisions by their ids. */
  readonly labels: ReadonlyMap<string, string>;
  readonly cases: ReadonlyMap<string, LinkedCase>;
}

export const DISPOSITIONS = ['approve', 'decline'] as const;

export type ReasonsOf = Readonly<Record<(typeof DISPOSITIONS)[number], readonly string[]>>;

/** What the cases of a ring are decided together by. */
interface Ring {
  readonly case: { readonly id: string };
  readonly isHeld: boolean;
  readonly reasons: ReasonsOf;
}

/** Rows that are not folded. */
const MOST_OPEN = 8;

/** A lane for each name that others share, on one axis. */
export function lanesPart({ at, linked, labels }: LinkedDecisions, now: number): Child {
  const { shared, decisions } = linked;
  const [some, none] = [shared.filter(isShared), shared.filter((each) => !isShared(each))];
  const nameOf = (name: string) => sharedName(name, labels.get(name));
  const alone =
    none.length > 0 || some.length === 0
      ? p(soft(CASE.nothingShared(none.map((each) => nameOf(each.name)))))
      : undefined;
  if (some.length === 0) return alone;
  const times = decisions.map((each) => Date.parse(each.at));
  const axis: LaneAxis = { from: Math.min(at, ...times), to: Math.max(now, at + 1, ...times), at, words: CASE.thisOne };
  return [
    table({
      ...{ id: 'seen-before', caption: CASE.lanes, kinds: ['', 'number', 'number', 'drawn'] },
      columns: CASE.lane,
      total: [CASE.time, '', '', laneDates(axis)],
      rows: some.map(({ name, before, later }) => {
        const marks = decisions
          .filter(({ shares }) => shares.includes(name))
          .map((each) => {
            const { outcome } = each;
            const words = [minuteWords(Date.parse(each.at)), outcome, judgedWords(each)].filter(Boolean).join(', ');
            return { at: Date.parse(each.at), outcome, words };
          });
        const isCut = marks.length < before + later;
        const title = isCut ? [nameOf(name), ' ', soft(CASE.drawn(marks.length, before + later))] : nameOf(name);
        return [title, CASE.many(before), CASE.many(later), lane(axis, marks, isCut)];
      }),
    }),
    alone,
  ];
}

function isShared({ before, later }: Linked['shared'][number]): boolean {
  return before + later > 0;
}

/** Those before the decision, with those that counts counted; apart from them what came later. */
export function linkedPart(seen: LinkedDecisions, data: Ring, reader: Reader): Child {
  const { decisions, counts } = seen.linked;
  const [later, before] = [decisions.filter((each) => each.isLater), decisions.filter((each) => !each.isLater)];
  const nobody = counts.filter((count) => count.number === 0 && !differs(count));
  if (decisions.length === 0 && nobody.length === counts.length) return undefined;
  const tables = [
    before.length > 0 ? linkedTable('linked-before', CASE.before, before, seen) : undefined,
    later.length > 0 ? linkedTable('linked-since', CASE.since, later, seen) : undefined,
  ];
  const isRing = data.isHeld && [...seen.cases.values()].some(isFree);
  return [
    counts.filter((count) => !nobody.includes(count)).map((count) => p(countWords(count))),
    nobody.length > 0 ? p(soft(CASE.nobody(nobody.map(({ path }) => shortName(path))))) : undefined,
    isRing ? togetherForm(data, tables, reader) : tables,
  ];
}

function isFree({ state, holder }: LinkedCase): boolean {
  return state !== 'resolved' && holder === undefined;
}

/** The cases of others are chosen by boxes in the tables; what is about to happen is asked first. */
function togetherForm({ case: { id }, reasons }: Ring, tables: Child, reader: Reader): Child {
  const why = DISPOSITIONS.flatMap((each) => reasons[each].map((text) => [text, CASE.reasonFor(each, text)] as const));
  return actionForm(
    reader,
    { action: `/cases/${id}/together`, id: 'ring' },
    tables,
    div(
      { class: 'row' },
      choice('disposition', CASE.together, [
        ['approve', CASE.approve],
        ['decline', CASE.decline],
      ]),
      choice('reason', CASE.togetherWhy, why),
      submit(CASE.askFirst),
    ),
  );
}

function linkedTable(id: string, title: string, decisions: readonly LinkedDecision[], seen: LinkedDecisions): Child {
  const rowsOf = (some: readonly LinkedDecision[]) => some.map((each) => linkedRow(each, seen));
  const tableOf = (id: string, caption: string, some: readonly LinkedDecision[]) =>
    table({ id, caption, columns: CASE.columns, rows: rowsOf(some) });
  const further = decisions.slice(MOST_OPEN);
  const more = CASE.furtherRows(further.length);
  return [
    tableOf(id, title, decisions.slice(0, MOST_OPEN)),
    further.length > 0 ? folded(more, tableOf(`${id}-more`, more, further)) : undefined,
  ];
}

function linkedRow(decision: LinkedDecision, { cases, labels }: LinkedDecisions): readonly Child[] {
  const { id, at, outcome, shares, isErased, isSameReference, countedBy } = decision;
  const names = shares.map((name) => sharedName(name, labels.get(name)));
  const said = judgedWords(decision);
  const one = cases.get(id);
  return [
    s.link({ href: `/decisions/${id}` }, minute(Date.parse(at))),
    outcomeMark(outcome),
    [...(isSameReference ? [CASE.sameReference] : []), ...names, ...(isErased ? [CASE.erased] : [])].join(', '),
    said === '' ? NONE : said,
    countedBy.length === 0 ? NONE : countedBy.map((path) => [flag(shortName(path)), ' ']),
    one ? [box(one), s.link({ href: `/cases/${one.id}` }, CASE.caseOf(one.state, one.holder))] : NONE,
  ];
}

/** Chooses a case for the form around its table; the cases of others have none. */
function box(one: LinkedCase): Child {
  if (!isFree(one)) return undefined;
  return [s.input({ type: 'checkbox', name: one.id, value: 'true', 'aria-label': CASE.choose }), ' '];
}

function shortName(path: string): string {
  return path.slice(VELOCITY.length);
}

function recordedOf({ fact }: ReadCount): number | null {
  return isMissing(fact) ? null : Number(fact.value);
}

function differs(count: ReadCount): boolean {
  return count.number !== undefined && count.number !== recordedOf(count);
}

function countWords(count: ReadCount): Child {
  const { path, velocity, number, decisions, closed } = count;
  return [
    flag(shortName(path)),
    ` ${CASE.counted(countedWords(velocity), recordedOf(count), velocity.withinMs)}`,
    differs(count) ? CASE.differs(number ?? null, closed) : '',
    number === undefined ? CASE.tooMany(MOST_READ) : decisions.length > 0 ? CASE.marked(decisions.length) : '',
  ];
}
