/** The newest decisions of today -> what most of them share, by the keyed hashes in clear; of the first ones, words. */

import { readAt } from '../../../audit/read/read-log.ts';
import { readSearchEntry } from '../../../audit/read/search-entry.ts';
import { valueKey } from '../../../decision/velocity.ts';
import { maskedAs } from '../../auth/see.ts';
import { findRecord, indexedOf } from '../../handlers/records.ts';
import type { Service } from '../../service.ts';
import type { SharedValue, TodayData } from '../pages/today-page.ts';
import { DAY_MS } from './counted.ts';

/** So many decisions are read; of each name so many values are shown, if so many decisions have them. */
const [MOST_READ, MOST_SHOWN, FEWEST] = [5000, 5, 2];

/** All readers see the same count for this long. */
const KEPT_MS = 60_000;

const counted = new WeakMap<Service, { readonly at: number; readonly data: Promise<TodayData> }>();

export function todayData(service: Service): Promise<TodayData> {
  const now = Date.now();
  const last = counted.get(service);
  if (last && now < last.at + KEPT_MS) return last.data;
  const data = countToday(now, service);
  counted.set(service, { at: now, data });
  data.catch(() => counted.delete(service));
  return data;
}

type Shared = Omit<SharedValue, 'text'> & { readonly hash: string };

async function countToday(now: number, service: Service): Promise<TodayData> {
  const { index } = indexedOf(service);
  await index.catchUp();
  const from = new Date(now - (now % DAY_MS)).toISOString();
  const { found } = await index.search({ filter: { from }, limit: MOST_READ });
  const names = new Map<string, Map<string, Shared>>();
  const inOrder = found.toSorted((one, other) => one.segment - other.segment || one.start - other.start);
  for await (const { bytes, position } of readAt(index.log, inOrder)) {
    const entry = readSearchEntry(bytes);
    if (entry?.kind !== 'decision') continue;
    for (const [name, hash] of Object.entries({ ...entry.subjects, ...entry.links })) {
      // It is only compared elsewhere, so it may be malformed.
      if (typeof hash !== 'string') continue;
      const own = names.get(name) ?? new Map<string, Shared>();
      names.set(name, own.set(hash, withDecision(own.get(hash), { ...position, hash, outcome: entry.outcome })));
    }
  }
  const shown = [...names].map(async ([name, own]) => {
    const often = [...own.values()].filter(({ decisions }) => decisions >= FEWEST);
    const first = often.toSorted((one, other) => other.decisions - one.decisions).slice(0, MOST_SHOWN);
    const values = first.map(async ({ hash, ...value }) => ({
      ...value,
      text: await textOf(name, hash, value, service),
    }));
    return { name, values: await Promise.all(values) };
  });
  const all = (await Promise.all(shown)).filter(({ values }) => values.length > 0);
  return { decisions: found.length, isAll: found.length < MOST_READ, names: all };
}

function withDecision(
  known: Shared | undefined,
  { hash, id, at, outcome }: { hash: string; id: string; at: number; outcome: string },
): Shared {
  const { decisions = 0, reviews = 0, rejects = 0, last = { id, at } } = known ?? {};
  return {
    ...{ hash, decisions: decisions + 1 },
    reviews: reviews + Number(outcome === 'review'),
    rejects: rejects + Number(outcome === 'reject'),
    last: at >= last.at ? { id, at } : last,
  };
}

/** The value, masked, of a decision that has it; the beginning of its hash if that cannot be read. */
async function textOf(name: string, hash: string, { last }: Pick<Shared, 'last'>, service: Service): Promise<string> {
  const { body } = await findRecord(last.id, service);
  const value = 'closed' in body ? undefined : valueKey(name, body.facts);
  return maskedAs(name, value?.slice(value.indexOf(':') + 1)) ?? hash.slice(hash.indexOf(':') + 1).slice(0, 8);
}
