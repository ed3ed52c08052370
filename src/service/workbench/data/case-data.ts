/** The service, a decision and its case -> what their pages show, as their reader may see it. */

import { type Linked, linkedOf } from '../../../audit/query/linked.ts';
import { recordContent } from '../../../report/html/record-page.ts';
import { type ShownRecord, unreadableFacts } from '../../../report/record.ts';
import { nameOfFact } from '../../../report/words/fact-states.ts';
import type { Case, Cases } from '../../../stores/state/cases.ts';
import type { Caller } from '../../auth/roles.ts';
import { explainTo, mayReveal, maySeeDecisions, maySeeReviewers, maySeeWords, personalFacts } from '../../auth/see.ts';
import { displayOf, type Person } from '../../auth/sessions.ts';
import { reasonsOf } from '../../cases/queues.ts';
import { findVisible, indexedOf } from '../../handlers/records.ts';
import type { Service } from '../../service.ts';
import type { LinkedCase } from '../pages/case-linked.ts';
import type { CaseData } from '../pages/case-page.ts';
import { leadingCode } from '../words/case.ts';
import { caseHistory } from './case-history.ts';
import { queueStates } from './queue-states.ts';
import { entriesOf } from './releases/list-entries.ts';

/** Reads a decision. `checkSegment`: whether its segment is verified too. Throws NOT_FOUND. */
export async function seeRecord(
  id: string,
  person: Caller,
  service: Service,
  { checkSegment = false, isRevealed = false } = {},
) {
  const { record, viewer } = await findVisible(id, person, service, { checkSegment, withEvents: true });
  const unreadable = unreadableFacts(record, true);
  const { body } = record;
  const isOpen = !('closed' in body) && !unreadable;
  const explanation = isOpen ? await explainTo(person, body, 'accept') : undefined;
  const shown = { record, explanation, unreadable };
  const facts = personalFacts(record, isRevealed);
  return {
    shown,
    page: recordContent(shown, maySeeWords(viewer) ? undefined : 'not shown'),
    personal: { facts, isRevealed, mayReveal: mayReveal(viewer) },
    entries: entriesOf(record, person, service),
  };
}

type More = Pick<CaseData, 'draft'> & { readonly isRevealed?: boolean };

/** What the page of a case shows. */
export async function caseData(
  one: Case,
  person: Person,
  service: Service,
  more: More = {},
): Promise<Omit<CaseData, 'may' | 'reviewers'>> {
  const { isRevealed = false, draft } = more;
  const { config } = service;
  const now = Date.now();
  const isHeldNow = one.state !== 'resolved' && one.holder !== null && (one.until ?? 0) > now;
  const [queues, seen] = await Promise.all([
    queueStates(service),
    maySeeDecisions(person) ? seenOf(one, person, service, isRevealed) : undefined,
  ]);
  return {
    ...{ now, case: one, reasons: reasonsOf(config.queues, one.queue) },
    asks: config.queues.find(({ name }) => name === one.queue)?.asks ?? [],
    queues: config.queues.flatMap(({ name }) => (name === one.queue ? [] : [name])),
    seen,
    isHeld: isHeldNow && one.holder === person.name,
    holder: isHeldNow && one.holder !== null ? displayOf(one.holder) : undefined,
    keptFor: one.reservedFor === null || (one.reservedUntil ?? 0) < now ? undefined : displayOf(one.reservedFor),
    waiting: Math.max(0, queues.reduce((all, { waiting }) => all + waiting, 0) - (one.state === 'resolved' ? 0 : 1)),
    ...(draft ? { draft } : {}),
  };
}

async function seenOf(one: Case, person: Person, service: Service, isRevealed: boolean) {
  const { shown, page, personal, entries } = await seeRecord(one.decision, person, service, { isRevealed });
  const { place, index, cases } = indexedOf(service);
  const { record, body } = shown.record;
  const linked = await linkedOf(shown.record, { place, index });
  return {
    ...{ at: Date.parse(record.at), outcome: record.outcome, decision: page, personal, entries, linked },
    because: reasonOf(shown),
    reference: 'closed' in body ? undefined : body.decision.clientReference,
    facts: shownFacts(one, shown),
    labels: labelsOf(linked, shown),
    history: caseHistory(shown.record),
    cases: await casesOf(linked, cases, maySeeReviewers(person)),
  };
}

/** The reason that decides, as the queue names it: an undetermined one if there is no other. */
function reasonOf({ record: { body } }: ShownRecord) {
  const all = 'closed' in body ? [] : body.decision.reasons.filter(({ decisive }) => decisive);
  const certain = all.filter(({ because }) => because !== 'undetermined');
  const leading = leadingCode(certain.map(({ code }) => code).sort());
  return certain.find(({ code }) => code === leading) ?? all[0];
}

/** The facts that the queue shows, with their names. */
function shownFacts({ facts }: Case, { record: { body } }: ShownRecord) {
  const table = 'closed' in body ? undefined : body.policy.facts;
  return Object.entries(facts).map(([path, text]) => ({ path, text, name: table && nameOfFact(path, table) }));
}

/** The names of the caller's facts that decisions share. */
function labelsOf({ shared }: Linked, { record: { body } }: ShownRecord): ReadonlyMap<string, string> {
  const table = 'closed' in body ? undefined : body.policy.facts;
  return new Map(
    shared.flatMap(({ name }) => {
      const label = table && nameOfFact(name, table);
      return label === undefined ? [] : [[name, label] as const];
    }),
  );
}

/** The last case of each decision that has one. */
async function casesOf({ decisions }: Linked, cases: Cases, withHolders: boolean) {
  const now = Date.now();
  const reviewed = decisions.flatMap(({ id, outcome }) => (outcome === 'review' ? id : []));
  return new Map(
    (await cases.of(...reviewed)).map(({ id, decision, state, until, holder }): [string, LinkedCase] => {
      const isHeld = holder !== null && (until ?? 0) > now;
      return [decision, { id, state, holder: withHolders && isHeld ? displayOf(holder) : undefined }];
    }),
  );
}
