/** Entries of the log -> what becomes of the cases: opened, resolved by a person, closed. */

import type { NewLine } from '../../audit/index/index-sql.ts';
import type { NewEntry } from '../../audit/index/log-index.ts';
import { isDerivedId } from '../../audit/query/note.ts';
import type { Query } from '../../platform/homes/query.ts';
import { questionOf } from '../../policy/language.ts';
import type { Case, Cases, NewCase } from '../../stores/state/cases.ts';
import { casesIn } from '../../stores/state/state-postgres.ts';
import type { Queue } from '../config.ts';
import { derivedId, type Seal } from '../note-id.ts';
import { queueOf } from './queues.ts';

export type Note = Extract<NewEntry['entry'], { kind: 'note' }>;

/** The cases on a decision besides its review, and since when the log has only sealed notes: ISO 8601. */
export interface EarlierCases {
  readonly opened: readonly string[];
  readonly sealedFrom?: string | undefined;
}

/** What the transaction does that writes lines into a log: a log in a database has sealed notes alone. */
export function casesAlongside({ queues, seal }: { readonly queues: readonly Queue[]; readonly seal: Seal }) {
  return async (query: Query, lines: readonly NewLine[]): Promise<void> => {
    const cases = casesIn(query);
    const entries = lines.flatMap(({ entry }) => (entry.kind === 'open' || entry.kind === 'seal' ? [] : [entry]));
    const opened = entries.flatMap((entry) => caseOf(entry, queues) ?? []);
    if (opened.length > 0) await cases.open(opened);
    for (const entry of entries) {
      if (entry.kind === 'decision' && entry.replaces) {
        await cases.close({ id: entry.replaces, at: Date.parse(entry.at) });
      }
      if (entry.kind === 'note') await resolve(entry, cases, seal, { opened: [] });
      if (entry.kind === 'erasure') await cases.forgetFacts(entry.records);
    }
  };
}

/** Resolves the case that a note answers, if it answers one; a label is put to the cases of its decision. */
export async function resolve(note: Note, cases: Cases, seal: Seal, earlier: EarlierCases): Promise<void> {
  const { id, decision, disposition, resolves } = note;
  const at = Date.parse(note.at);
  if (questionOf(disposition) === 'label') return cases.label({ decision, label: disposition, at });
  const resolved = resolvedBy(note, seal, earlier);
  if (!resolved) return;
  await cases.finishResolve({ decision, note: id, disposition, at, resolver: resolves?.actor, ...resolved });
}

/**
 * The case that a note resolves; without an id, the one that waits for this note, else the review of its decision.
 * Undefined if it resolves none.
 */
function resolvedBy(
  { id, disposition, at, resolves }: Note,
  seal: Seal,
  { opened, sealedFrom = '' }: EarlierCases,
): { readonly id?: string } | undefined {
  if (disposition !== 'approve' && disposition !== 'decline') return undefined;
  if (resolves) return seal.note(resolves) === id ? { id: resolves.case } : undefined;
  if (!isDerivedId(id)) return {};
  if (at >= sealedFrom) return undefined;
  const waiting = opened.find((each) => isEarlierNote(id, each));
  return waiting === undefined ? {} : { id: waiting };
}

export function caseOf(entry: NewEntry['entry'], queues: readonly Queue[]): NewCase | undefined {
  if (entry.kind === 'decision' && entry.outcome === 'review') {
    const queue = queueOf(queues, entry);
    const { policy, reasons } = entry;
    const shown = { policy: policy.name, codes: reasons?.decisive };
    return queue && { ...newCase(entry.id, entry.id, 'review', queue, entry.at), ...shown };
  }
  if (entry.kind === 'event' && entry.type === 'case.opened' && entry.object !== undefined) {
    const queue = queues.at(-1);
    const kind = entry.detail === 'recheck' ? 'recheck' : 'challenge';
    return queue && { ...newCase(entry.id, entry.object, kind, queue, entry.at), opener: entry.actor };
  }
  return undefined;
}

function newCase(id: string, decision: string, kind: Case['kind'], queue: Queue, at: string): NewCase {
  const openedAt = Date.parse(at);
  return { id, decision, kind, queue: queue.name, openedAt, due: openedAt + queue.withinMs };
}

/** More holders than a case had. */
const MOST_TOKENS = 1000;

/** Whether a note that is not sealed has the id that followed from the case and the token of its holder. */
function isEarlierNote(note: string, id: string): boolean {
  for (let token = 1; token <= MOST_TOKENS; token++) if (derivedId(`${id} ${token}`) === note) return true;
  return false;
}
