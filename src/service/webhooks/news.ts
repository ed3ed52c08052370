/** An entry of the log -> the event that callers and receivers of webhooks learn of, without personal data. */

import { EVENT_TYPES } from '../../audit/entry/entry.ts';
import type { NewEntry } from '../../audit/index/log-index.ts';

/** Who may do what, and what was asked of nobody in particular: no news to callers. */
const OF_THE_HOUSE: ReadonlySet<string> = new Set<(typeof EVENT_TYPES)[number]>([
  ...(['cases.sealed', 'key.changed', 'session.begun', 'subject.erased', 'facts.searched'] as const),
  ...(['release.proposed', 'release.said', 'release.activated', 'release.refused'] as const),
]);

/** The types of events. */
export const NEWS = [
  ...(['decision.made', 'decision.noted', 'decisions.erased'] as const),
  ...EVENT_TYPES.filter((type) => !OF_THE_HOUSE.has(type)),
];

/** What happened, and to which decision; beyond that, each type has fields of its own. */
export type News = Readonly<Record<string, unknown>> & {
  readonly type: (typeof NEWS)[number];
  readonly at: string;
  readonly id?: string;
  readonly decision?: string;
  readonly decisions?: readonly string[];
};

/** Undefined for an entry that is not news. */
export function newsOf(entry: NewEntry['entry']): News | undefined {
  const { at } = entry;
  switch (entry.kind) {
    case 'decision': {
      const { id, outcome, reasons, policy } = entry;
      const codes = reasons?.decisive ?? [];
      return { type: 'decision.made', id, at, decision: id, outcome, codes, policy: policy.name };
    }
    case 'note': {
      const { id, decision, disposition } = entry;
      return { type: 'decision.noted', id, at, decision, disposition };
    }
    case 'event': {
      const { id, type, object, detail } = entry;
      if (OF_THE_HOUSE.has(type)) return undefined;
      const about = object === undefined ? {} : { decision: object };
      return { type, id, at, ...about, ...(detail === undefined ? {} : { detail }) };
    }
    case 'erasure':
      return { type: 'decisions.erased', at, decisions: entry.records };
  }
}
