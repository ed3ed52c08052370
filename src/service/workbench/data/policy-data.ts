/** The service -> what its pages show: policies and their versions, as their reader may see them. */

import { dirname, relative } from 'node:path';
import { homeOf } from '../../../audit/home.ts';
import { searchIndex } from '../../../audit/query/search-index.ts';
import { filterOf } from '../../../audit/read/filter.ts';
import { findDecision } from '../../../audit/read/read-log.ts';
import { ArtifactStore } from '../../../audit/store/artifact-store.ts';
import { dayOfInstant } from '../../../facts/day.ts';
import { describeEdits } from '../../../lab/diff/edits/describe-edits.ts';
import type { PolicyEdit } from '../../../lab/diff/edits/edit.ts';
import type { TestFunctions, TestSummary } from '../../../lab/test/test-thread.ts';
import { Thread } from '../../../platform/thread.ts';
import type { Policy } from '../../../policy/language.ts';
import { positionsOf } from '../../../policy/source-map.ts';
import { pause } from '../../../signals/deadline.ts';
import { maySeeEntries, shownDigest } from '../../auth/see.ts';
import type { Person } from '../../auth/sessions.ts';
import { indexedOf } from '../../handlers/records.ts';
import { ProblemError } from '../../problem.ts';
import type { ServedPolicy, Service } from '../../service.ts';
import type { ComparisonData } from '../pages/comparison-page.ts';
import type { PolicyData } from '../pages/policy-pages.ts';
import { Counted, DAY_MS, DAYS, daysTo, sum } from './counted.ts';

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
