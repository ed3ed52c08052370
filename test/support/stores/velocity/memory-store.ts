/** The port to a store of velocity, as plainly as it can be said: the model that every store is held to. */

import { createHmac } from 'node:crypto';
import { APPLICATION_MS, beganAt, isSameApplicant } from '../../../../src/decision/application.ts';
import type * as port from '../../../../src/decision/velocity-store.ts';

interface Application extends Pick<port.Asking, 'reference' | 'applicant'> {
  readonly id: string;
  readonly at: number;
  readonly sets: Map<string, string | undefined>;
  readonly counts: Map<string, port.CountedNumber>;
  readonly known: { -readonly [Key in keyof port.Known]: port.Known[Key] };
}

type Ask = Omit<port.Counting, 'counts' | 'adds'>;

/** A store in the memory of this process, which keeps everything until it is pruned. */
export function memoryStore(): port.VelocityStore {
  let applications: Application[] = [];
  const rows = new Map<string, { keepMs: number; since: number }>();
  const logs = new Set<string>();
  let filledTo: number | undefined;
  const setOf = ({ of, kind }: port.SeenSet) => JSON.stringify([kind, ...of]);
  const most = (kind: string) =>
    Math.max(0, ...[...rows].flatMap(([key, { keepMs }]) => (key.startsWith(`${kind}|`) ? keepMs : [])));
  const register = ({ policy, kinds }: port.PolicyKinds, sinceOfNew: number, at: number) => {
    const isNew = rows.size === 0;
    for (const { kind, keepMs } of kinds) {
      const row = rows.get(`${kind}|${policy}`);
      if (row && row.keepMs >= keepMs) continue;
      const since = row ? Math.max(row.since, most(kind) >= keepMs ? 0 : at - most(kind)) : isNew ? sinceOfNew : at;
      rows.set(`${kind}|${policy}`, { keepMs, since });
    }
  };
  const find = ({ decision, application, reference, applicant }: port.Asking) => {
    const certain = applications.find(({ id }) => id === (application ?? decision));
    if (certain || application !== undefined) return certain;
    const isNear = ({ at }: Application) => Math.abs(at - beganAt(decision)) < APPLICATION_MS;
    const same = applications.filter((each) => each.reference === reference && isNear(each));
    const latest = same.toSorted((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1));
    return latest.find((each) => isSameApplicant(each.applicant, applicant));
  };
  const put = (asking: port.Asking, adds: readonly port.SeenMember[]) => {
    const found = find(asking);
    const { decision, application: id = decision, reference, applicant } = asking;
    const made = { id, at: beganAt(id), reference, sets: new Map(), counts: new Map(), known: {} };
    const application: Application = found
      ? Object.assign(found, { applicant: { ...applicant, ...found.applicant } })
      : { ...made, applicant };
    if (!found) applications.push(application);
    for (const add of adds) if (!application.sets.has(setOf(add))) application.sets.set(setOf(add), add.value);
    return application;
  };
  const count = (own: Application, asked: port.AskedCount, { policy }: Ask): port.CountedNumber => {
    const after = Math.max(own.at - asked.withinMs, (asked.sinceMs ?? -1) - 1, -1);
    const since = rows.get(`${asked.kind}|${policy}`)?.since ?? 0;
    if (since > after + 1) return { completeAt: since - 1 + asked.withinMs };
    const key = JSON.stringify(asked);
    const { where } = asked;
    const seen = applications.filter((each) => {
      const isKnown = !where || each.known[where.key]?.value === where.value;
      return each !== own && each.sets.has(setOf(asked)) && each.at > after && isKnown;
    });
    const [values, times] = [seen.map((each) => each.sets.get(setOf(asked))), seen.map(({ at }) => at)];
    const minutes = (at: number) => (seen.length === 0 ? null : Math.max(0, Math.floor((own.at - at) / 60_000)));
    const kept = own.counts.get(key);
    if (kept !== undefined) return kept;
    const counted = {
      ...{ applications: seen.length, distinct: new Set(values).size },
      sum: values.reduce((sum, each) => sum + Math.round(Number(each) * 100), 0) / 100,
      ...{ first: minutes(Math.min(...times)), last: minutes(Math.max(...times)) },
    }[asked.measure];
    own.counts.set(key, counted);
    return counted;
  };
  const setKnown = (own: Application | undefined, known: port.Known) => {
    for (const key of ['outcome', 'review', 'label'] as const) {
      const later = known[key];
      if (own && later && later.at >= (own.known[key]?.at ?? 0)) own.known[key] = later;
    }
  };
  const isOf = (hashes: readonly string[], set: string, id: string, value: string | undefined) =>
    hashes.some((hash) => set.includes(hash) || hash === value || hash === id.replaceAll('-', ''));
  const sweep = (isGone: (set: string, each: Application) => boolean, isDry = false) => {
    const gone = applications.flatMap((each) =>
      [...each.sets.keys()].filter((set) => isGone(set, each)).map((set) => ({ each, set })),
    );
    if (!isDry) for (const { each, set } of gone) each.sets.delete(set);
    return gone.length;
  };
  const store: port.VelocityStore = {
    hash: (text) => createHmac('sha256', 'memory').update(text).digest('hex').slice(0, 32),
    async count({ counts, adds, ...asking }) {
      const at = beganAt(asking.decision);
      register(asking, asking.hasPast ? at : 0, at);
      const own = put(asking, []);
      const counted = counts.map((each) => count(own, each, asking));
      put({ ...asking, application: own.id }, adds);
      return { application: own.id, counts: counted };
    },
    async know({ known, ...asking }) {
      setKnown(find(asking), known);
    },
    async restore(restoring) {
      for (const { adds, known, counted, ...asking } of restoring) {
        const own = put(asking, adds);
        for (const { count: asked, number } of counted) {
          const key = JSON.stringify(asked);
          if (!own.counts.has(key)) own.counts.set(key, number);
        }
        setKnown(own, known);
      }
    },
    async coverage({ policy, kinds }) {
      const since = kinds.flatMap(({ kind }) => {
        const row = rows.get(`${kind}|${policy}`);
        return row ? [[kind, row.since] as const] : [];
      });
      const policies = new Set([...rows.keys()].map((key) => key.split('|')[1])).size;
      return { since: new Map(since), gap: undefined, logs: [...logs], policies, filledTo };
    },
    async cover({ at, since, log, ...asking }) {
      register(asking, at, at);
      for (const { kind } of asking.kinds) {
        const row = rows.get(`${kind}|${asking.policy}`);
        if (row && since !== undefined) row.since = Math.min(row.since, since);
      }
      if (log === undefined) return;
      logs.add(log);
      filledTo = Math.max(at, filledTo ?? 0);
    },
    async erase(hashes) {
      const deleted = sweep((set, each) => isOf(hashes, set, each.id, each.sets.get(set)));
      applications = applications.filter(({ id }) => !hashes.includes(id.replaceAll('-', '')));
      for (const each of applications) {
        const left = Object.entries(each.applicant).filter(([, hash]) => !hashes.includes(hash));
        if (left.length < Object.keys(each.applicant).length) each.counts.clear();
        Object.assign(each, { applicant: Object.fromEntries(left) });
      }
      return deleted;
    },
    async countMembers(hashes) {
      return sweep((set, each) => isOf(hashes, set, each.id, each.sets.get(set)), true);
    },
    async prune(now) {
      const deleted = sweep((set, { at }) => at + most(JSON.parse(set)[0]) <= now);
      const longest = Math.max(APPLICATION_MS, ...[...rows.values()].map(({ keepMs }) => keepMs));
      applications = applications.filter(({ at }) => at + longest > now);
      return deleted;
    },
    async close() {},
  };
  return store;
}
