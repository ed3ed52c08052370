/** A log and its keys -> the applicants on record, and how many cannot be judged. */

import { type BodyTexts, readFactTexts, readReference, readSpared } from '../../audit/entry/body.ts';
import type { DecisionFields } from '../../audit/entry/entry.ts';
import { readsCounts, unknownFacts, withOwnCounts } from '../../audit/query/replay/open-decisions.ts';
import { MISSING, PoliciesOnRecord } from '../../audit/query/replay/policies-on-record.ts';
import {
  openLog,
  readDecisions,
  ShreddedDecisions,
  type WantedDecisions,
} from '../../audit/query/replay/read-decisions.ts';
import type { ClosedReason } from '../../audit/read/read-log.ts';
import { wrapIoErrors } from '../../audit/store/io-errors.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { dayOfInstant } from '../../facts/day.ts';
import { readAgain } from '../../facts/read.ts';
import { MOST_UNREADABLE_LISTED } from '../limits.ts';
import { ApplicantBuffer, type ApplicantTally, type Counting } from './applicant-rows.ts';
import type { Applicant } from './applicants.ts';
import { readDecided } from './decided-then.ts';
import type { JoinedFacts } from './joint-facts.ts';

/** A decision whose facts cannot be read, by its id. */
export interface UnreadableDecision {
  readonly id: string;
  readonly problem: string;
}

export type CountingOf = (entry: DecisionFields) => Counting | undefined | Promise<Counting | undefined>;

/**
 * Counts the decisions on record, each as of its own day. Gives those that cannot be read, the first hundred. Rejects
 * as `replayLog` does.
 *
 * @param counting by which facts all decisions are read; or what each is added to, undefined to leave it out
 * @param wanted with the fact of the probability of the holdout, if there is one
 */
export async function addLog(
  tally: ApplicantTally,
  counting: JoinedFacts | CountingOf,
  { holdout, ...wanted }: WantedDecisions & { readonly holdout?: string | undefined },
  onProgress: (read: number) => void,
): Promise<readonly UnreadableDecision[]> {
  const log = await openLog(wanted);
  const all = typeof counting === 'function' ? undefined : { tally, joint: counting };
  const countingOf = typeof counting === 'function' ? counting : () => all;
  const buffer = new ApplicantBuffer();
  const unreadable: UnreadableDecision[] = [];
  const addUnreadable = (id: string, problem: string) => {
    tally.addUnjudged('unreadable', 1, problem);
    if (unreadable.length < MOST_UNREADABLE_LISTED) unreadable.push({ id, problem });
  };
  const tables = new PoliciesOnRecord(wanted, ({ policy }): FactTable => policy.facts);
  const tableOf = async (entry: DecisionFields) => {
    const table = tables.same(entry) ?? (await tables.of(entry));
    return table === MISSING ? undefined : table;
  };
  const shredded = new ShreddedDecisions();
  let read = 0;
  await wrapIoErrors('read', async () => {
    for await (const { decisions, erasures } of readDecisions(wanted, log)) {
      for (const erasure of erasures) shredded.addErasure(erasure);
      for (const decision of decisions) {
        const { entry, opened } = decision;
        const found = await countingOf(entry);
        if (!found) continue;
        const by = 'texts' in opened && readsCounts(found.joint) ? await tableOf(entry) : undefined;
        const reading = { joint: found.joint, by, holdout };
        const applicant = 'texts' in opened ? applicantOf(entry, opened.texts, reading) : undefined;
        if (entry.outcome === 'aborted') tally.addUnjudged('aborted');
        else if (applicant && 'problem' in applicant) addUnreadable(entry.id, applicant.problem);
        else if (applicant) buffer.add(applicant, found);
        else if ('closed' in opened && SHREDDED.includes(opened.closed)) shredded.add(decision);
        else addUnreadable(entry.id, 'its body cannot be read');
      }
      read += decisions.length;
      onProgress(read);
    }
  });
  buffer.flush();
  const { erased, others } = shredded.result();
  tally.addUnjudged('erased', erased);
  for (const { id } of others)
    addUnreadable(id, 'its key is erased or missing, and no erasure for its subject is on record');
  return unreadable;
}

/** Why the body of an erased record is closed. */
const SHREDDED: readonly ClosedReason[] = ['erased', 'key-missing'];

/** Undefined if the body is malformed. `by`: the facts of the policy that decided, where policies read a count. */
function applicantOf(
  entry: DecisionFields,
  texts: BodyTexts,
  {
    joint,
    by,
    holdout = '',
  }: Pick<Counting, 'joint'> & { readonly by: FactTable | undefined; readonly holdout: string | undefined },
): Applicant | { readonly problem: string } | undefined {
  const onRecord = readFactTexts(texts);
  const spared = readSpared(texts);
  if (!onRecord || !spared) return undefined;
  const timeMs = Date.parse(entry.at);
  const day = dayOfInstant(timeMs, joint.timeZone);
  const recorded = withOwnCounts(onRecord, joint, by);
  const facts = readAgain(recorded, joint.facts, day);
  const isUnknown = unknownFacts(recorded, joint, spared);
  const held = onRecord.get(holdout);
  const outcome = entry.outcome === 'aborted' ? null : entry.outcome;
  const decided = readDecided({ outcome, holdout: held && 'value' in held ? held.value : null });
  if ('problem' in decided) return decided;
  return {
    ...{ name: { decision: entry.id }, day, timeMs, facts, isUnknown, decided },
    // Parsed only for those who ask.
    get reference() {
      return readReference(texts);
    },
  };
}
