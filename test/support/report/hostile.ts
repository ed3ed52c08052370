/** The data of a page -> the same data with a hostile text appended to every free text. */

import type { FactDefinition } from '../../../src/facts/catalog.ts';
import { type Fact, isMissing } from '../../../src/facts/fact.ts';
import type { ShownDecision } from '../../../src/report/decision.ts';

/** Closes elements, attributes, styles and comments; runs scripts; contains an entity. */
const SEEN =
  `</code></title></style>"'><script>alert(1)</script><img src=x onerror=alert(1)> onclick=alert(1) ]]>--><!--` +
  'javascript:alert(1)&lt;&#60;';

/** A right-to-left override, an isolate, a NUL and a line separator. */
const UNSEEN = [0x202e, 0x2066, 0x0000, 0x2028];

const HOSTILE = SEEN + String.fromCodePoint(...UNSEEN);

/** The hostile text as the page must show it. */
export const HOSTILE_SHOWN = SEEN + UNSEEN.map((c) => `\\u{${c.toString(16).padStart(4, '0')}}`).join('');

/** Appends the hostile text. */
export function hostile(text: string): string {
  return text + HOSTILE;
}

/** The keys whose values belong to a closed set, on which the page writer branches. */
const CLOSED = [
  'because',
  'outcome',
  'cause',
  'missing',
  'operator',
  'kind',
  'type',
  'state',
  'result',
  'remedy',
  'unit',
  'asks',
  'to',
  'band',
  'disposition',
  'then',
  'default',
  'whenUnknown',
  'origin',
  'place',
  'from',
  'until',
  'day',
  'language',
  'key',
  'range',
];

/** Spoils every text except those of closed sets. */
export function spoil(data: unknown, key = ''): unknown {
  // The rules must give the same results, so texts for comparison stay and only displayed texts change.
  if (key === 'argument') return data;
  if (typeof data === 'string') return CLOSED.includes(key) ? data : hostile(data);
  if (Array.isArray(data)) return data.map((each) => spoil(each, key));
  if (data instanceof Map) return data;
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, spoil(value, name)]));
}

function spoilFact(fact: Fact): Fact {
  if (isMissing(fact)) return fact.raw === undefined ? fact : { ...fact, raw: hostile(fact.raw) };
  return typeof fact.value === 'string' ? { ...fact, text: hostile(fact.text ?? fact.value) } : fact;
}

function spoilMap<Value>(map: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map([...map].map(([path, value]) => [hostile(path), spoil(value) as Value]));
}

/** Spoils the data of a page. Equal texts stay equal, so the page still finds rules and facts. */
export function spoilPage(page: ShownDecision): ShownDecision {
  const { policy, facts, decision, explanation, record, notes, events } = page;
  const missing = Object.entries(decision.signals?.missing ?? {}).map(([path, cause]) => [hostile(path), cause]);
  const spoiled = spoil(decision) as ShownDecision['decision'];
  return {
    day: page.day,
    decision: {
      ...spoiled,
      ...(spoiled.signals ? { signals: { ...spoiled.signals, missing: Object.fromEntries(missing) } } : {}),
    },
    ...(explanation ? { explanation: spoil(explanation) as NonNullable<ShownDecision['explanation']> } : {}),
    policy: {
      ...(spoil(policy) as ShownDecision['policy']),
      facts: spoilMap<FactDefinition>(policy.facts),
    },
    facts: new Map([...facts].map(([path, fact]) => [hostile(path), spoilFact(fact)])),
    ...(record ? { record: spoil(record) as NonNullable<ShownDecision['record']> } : {}),
    ...(notes ? { notes: spoil(notes) as NonNullable<ShownDecision['notes']> } : {}),
    ...(events ? { events: spoil(events) as NonNullable<ShownDecision['events']> } : {}),
  };
}
