/** The service -> what its pages show: counts, policies, cases, and decisions as their reader may see them. */

import { dirname, relative } from 'node:path';
import { homeOf } from '../../audit/home.ts';
import { searchIndex } from '../../audit/query/search-index.ts';
import { subjectText } from '../../audit/read/criteria.ts';
import { filterOf } from '../../audit/read/filter.ts';
import { findDecision } from '../../audit/read/read-log.ts';
import { ArtifactStore } from '../../audit/store/artifact-store.ts';
import { dayOfInstant } from '../../facts/day.ts';
import { describeEdits } from '../../lab/diff/edits/describe-edits.ts';
import type { PolicyEdit } from '../../lab/diff/edits/edit.ts';
import type { TestFunctions, TestSummary } from '../../lab/test/test-thread.ts';
import { Thread } from '../../platform/thread.ts';
import type { Policy } from '../../policy/language.ts';
import { positionsOf } from '../../policy/source-map.ts';
import { recordContent } from '../../report/html/record-page.ts';
import { type ShownRecord, unreadableFacts } from '../../report/record.ts';
import { pause } from '../../signals/deadline.ts';
import type { Case } from '../../stores/state/cases.ts';
import type { Caller } from '../auth/roles.ts';
import {
  explainTo,
  mayReveal,
  maySeeDecisions,
  maySeeEntries,
  maySeeWords,
  personalFacts,
  shownDigest,
} from '../auth/see.ts';
import { displayOf, type Person } from '../auth/sessions.ts';
import { reasonsOf } from '../cases/queues.ts';
import { findVisible, indexedOf } from '../handlers/records.ts';
import { ProblemError } from '../problem.ts';
import type { ServedPolicy, Service } from '../service.ts';
import { Counted, DAY_MS, DAYS, daysTo, sum } from './data/counted.ts';
import type { CaseData, Seen } from './pages/case-page.ts';
import type { ComparisonData } from './pages/comparison-page.ts';
import type { QueueState } from './pages/home-page.ts';
import type { PolicyData } from './pages/policy-pages.ts';

export async function queueStates(service: Service): Promise<readonly QueueState[]> {
  const { cases } = indexedOf(service);
  const counts = await cases.counts();
  return service.config.queues.map(({ name }) => {
    const own = counts.filter(({ queue }) => queue === name);
    const waiting = own.reduce((all, { count }) => all + count, 0);
    const overdue = own.reduce((all, each) => all + each.overdue, 0);
    return { name, waiting, overdue, firstDue: Math.min(...own.map(({ oldestDue }) => oldestDue)) };
  });
}

export async function policyData(name: string, filters: PolicyData['filters'], person: Person, service: Service) {
  const served = service.policies.get(name);
  if (!served) throw new ProblemError('NOT_FOUND');
  const { policy, brokenSince } = served.watched;
  const now = Date.now();
  const isClear = maySeeEntries(person);
  const lists = [...policy.lists.values()].map(({ name, entries }) => {
    return { name, size: entries.size, entries: isClear ? entries : undefined };
  });
  return {
    digest: await shownDigest(served.watched, service),
    ...{ name, policy, brokenSince, filters, lists, day: dayOfInstant(now, policy.timeZone) },
    // The texts name whom the lists name.
    files: isClear ? textsOf(policy, served.file) : undefined,
    tests: await testsOf(dirname(served.file), service),
    ...(await countsOf(served, now, service)),
  } satisfies PolicyData;
}

/** The files of rules; lists have a part of their own. */
function textsOf(policy: Policy, main: string): ReadonlyMap<string, string> {
  const files = positionsOf(policy).files.filter(({ name }) => /\.ya?ml$/.test(name));
  return new Map(files.map(({ name, text }) => [relative(dirname(main), name), text]));
}

/** How long a page waits for the tests. */
const TESTS_MS = 5000;

/** The last run of tests by their folder: a page that is opened meanwhile waits for the same run. */
const runs = new Map<string, { readonly run: Promise<TestSummary | undefined>; endedAt: number }>();

/** `keptMs`: for how long a run that has ended will do. */
export function testsOf(folder: string, service: Service, keptMs = 0): Promise<TestSummary | undefined> {
  const last = runs.get(folder);
  if (last && Date.now() < last.endedAt + keptMs) return last.run;
  const run = runTests(folder, service);
  const begun = { run, endedAt: Number.POSITIVE_INFINITY };
  runs.set(folder, begun);
  void run.then(() => {
    begun.endedAt = Date.now();
  });
  return run;
}

/** Runs the tests in a thread that ends with this run. Undefined if they fail to run in time. */
async function runTests(folder: string, { closed }: Service): Promise<TestSummary | undefined> {
  const thread = new Thread<TestFunctions>('lab/test/test-thread', undefined);
  const ended = new AbortController();
  try {
    return await Promise.race([
      thread.call('summaryOf', folder),
      pause(TESTS_MS, AbortSignal.any([closed, ended.signal])).then(() => undefined),
    ]);
  } catch {
    return undefined;
  } finally {
    ended.abort();
    await thread.end();
  }
}

async function countsOf({ watched: { policy } }: ServedPolicy, now: number, service: Service) {
  if (!service.records?.follower.isReady) return { fired: undefined, undetermined: undefined, history: [] };
  const { index } = service.records;
  const days = daysTo(now, DAYS);
  const countsBy = async (kind: 'outcome' | 'rule' | 'openRule') =>
    new Counted(await index.dayCounts(kind, now - DAYS * DAY_MS)).sums(days);
  const all = Math.max(1, sum(await countsBy('outcome')));
  const shares = async (kind: 'rule' | 'openRule') =>
    new Map([...(await countsBy(kind))].map(([rule, n]) => [rule, n / all]));
  const versions = Map.groupBy(await index.dayCounts('policyVersion'), ({ text }) => text ?? '');
  const history = [...versions]
    .filter(([text]) => text.startsWith(`${policy.name}@`))
    .map(([text, own]) => ({
      version: text.slice(policy.name.length + 1),
      from: own[0]?.day ?? '',
      to: own.at(-1)?.day ?? '',
      decisions: own.reduce((sum, { decisions }) => sum + decisions, 0),
    }))
    .toSorted((one, other) => (one.from < other.from ? 1 : -1));
  return { fired: await shares('rule'), undetermined: await shares('openRule'), history };
}

/** The policy of the last decision by a version, as the log keeps it. Throws NOT_FOUND. */
async function policyOfVersion(name: string, version: string, service: Service): Promise<Policy> {
  const { index, place } = indexedOf(service);
  const home = await homeOf(place);
  const { rows } = await searchIndex(index, { filter: filterOf({ policies: [`${name}@${version}`] }), limit: 1 });
  const found = rows[0] && (await findDecision(home.log, rows[0].id, { index }));
  if (!found) throw new ProblemError('NOT_FOUND', 'the log has no decision by that version of the policy');
  const { policy, mapping } = found.record;
  const artifacts = new ArtifactStore(home);
  return (await artifacts.policy(policy.digest, mapping)).policy;
}

/** What was edited between two versions of a policy that decided. Throws NOT_FOUND. */
export async function comparisonData(
  name: string,
  { old, now }: { readonly old: string; readonly now: string },
  person: Person,
  service: Service,
): Promise<ComparisonData> {
  const served = service.policies.get(name);
  if (!served) throw new ProblemError('NOT_FOUND');
  const { name: ownName } = served.watched.policy;
  const [before, after] = [
    await policyOfVersion(ownName, old, service),
    await policyOfVersion(ownName, now, service),
  ] as const;
  const edits = describeEdits(before, after);
  const isShown = ({ path }: PolicyEdit) => maySeeEntries(person) || path[2] !== 'entries';
  const hidden = new Set(edits.flatMap((edit) => (isShown(edit) ? [] : (edit.path[1] ?? []))));
  return { name, old, now, edits: edits.filter(isShown), hiddenLists: [...hidden] };
}

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
  return {
    shown,
    page: recordContent(shown, maySeeWords(viewer) ? undefined : 'not shown'),
    personal: { facts: personalFacts(record, isRevealed), isRevealed, mayReveal: mayReveal(viewer) },
  };
}

/**
 * How many other decisions there were about each identity of a record until it was made, or from then on: by its keyed
 * hash, no identity is read.
 */
async function seenWith(
  { record: { record } }: ShownRecord,
  when: 'before' | 'since',
  service: Service,
): Promise<readonly Seen[]> {
  const { index } = indexedOf(service);
  const { id, at, subjects } = record;
  const next = new Date(Date.parse(at) + 1).toISOString();
  const found: Seen[] = [];
  for (const [variable, digest] of Object.entries(subjects)) {
    const subject = filterOf({ subject: [subjectText(variable, digest)] });
    const filter = { ...subject, ...(when === 'before' ? { to: at } : { from: next }) };
    const { rows, total } = await searchIndex(index, { filter, limit: MOST_SEEN + 1, mostCounted: 1000 });
    const last = rows.filter((row) => row.id !== id).slice(0, MOST_SEEN);
    const own = when === 'before' ? 1 : 0;
    found.push({ what: IDENTITIES[variable] ?? variable, decisions: Math.max(0, total - own), last });
  }
  return found;
}

const MOST_SEEN = 3;

const IDENTITIES: Readonly<Record<string, string>> = {
  phoneNo: 'phone number',
  email: 'email address',
  ip: 'IP address',
};

/** What the page of a case shows. */
export async function caseData(
  one: Case,
  person: Person,
  service: Service,
  { isRevealed = false, draft }: { readonly isRevealed?: boolean; readonly draft?: CaseData['draft'] } = {},
): Promise<Omit<CaseData, 'mayReassign' | 'mayRecheck' | 'reviewers'>> {
  const now = Date.now();
  const seen = maySeeDecisions(person) ? await seeRecord(one.decision, person, service, { isRevealed }) : undefined;
  const isHeldNow = one.state !== 'resolved' && one.holder !== null && (one.until ?? 0) > now;
  const queues = await queueStates(service);
  return {
    ...{ now, case: one, reasons: reasonsOf(service.config.queues, one.queue) },
    seen: seen && {
      outcome: seen.shown.record.record.outcome,
      decision: seen.page,
      reference: referenceOf(seen.shown),
      personal: seen.personal,
      seenBefore: await seenWith(seen.shown, 'before', service),
      seenSince: await seenWith(seen.shown, 'since', service),
    },
    isHeld: isHeldNow && one.holder === person.name,
    holder: isHeldNow && one.holder !== null ? displayOf(one.holder) : undefined,
    waiting: Math.max(0, queues.reduce((all, { waiting }) => all + waiting, 0) - (one.state === 'resolved' ? 0 : 1)),
    ...(draft ? { draft } : {}),
  };
}

function referenceOf({ record: { body } }: ShownRecord): string | undefined {
  return 'closed' in body ? undefined : body.decision.clientReference;
}
