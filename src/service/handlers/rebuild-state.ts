/** The log of a service -> its state after a restore: the references, cases and counts that the state lacks. */

import { readDecision } from '../../audit/entry/body.ts';
import { createAuditLog } from '../../audit/log.ts';
import type { LogPlace } from '../../audit/place.ts';
import { type FoundLog, openLog, readDecisions } from '../../audit/query/replay/read-decisions.ts';
import { VerdictError } from '../../errors.ts';
import { loadMapping } from '../../facts/mapping/mapping.ts';
import { loadPolicy } from '../../policy/read/parse.ts';
import { openState, type State } from '../../stores/state/state.ts';
import { rebuildStore } from '../../stores/velocity/rebuild.ts';
import { createVelocityStore, type VelocityStoreOptions } from '../../stores/velocity/velocity.ts';
import { type Environment, findLogPlace, findStatePlace, findVelocityPlace } from '../config/places.ts';
import type { ServeConfig } from '../config.ts';
import { claimLog, openRecords } from '../service.ts';
import { keyOfReference } from './decide.ts';
import { keep } from './kept.ts';

/** What a state got. */
export interface RebuiltState {
  /** References that were not there, or without their answer. */
  readonly references: number;
  /** Of those, the ones whose question is not on record: each request under them is refused. */
  readonly withoutQuestion: number;
  /** Decisions that are erased, or that the keys do not open: their references are new again. */
  readonly closed: number;
  /** Cases that wait now. */
  readonly cases: number;
  /** Decisions that the store of velocity has now, of all policies; undefined without a store. */
  readonly counted: number | undefined;
}

/**
 * Restores what the log knows better than the state: the answers of references that are remembered, cases, counts.
 * What the state has beyond that stays. A second run changes nothing. Rejects with CONFIGURATION_INVALID if there is no
 * log, or the state is that of another one, and as the log and the stores do.
 */
export async function rebuildState(config: ServeConfig, env: Environment): Promise<RebuiltState> {
  const logPlace = findLogPlace(config, env);
  if (!logPlace) throw new VerdictError('CONFIGURATION_INVALID', 'no log to rebuild from: expected `audit`');
  const closing: (() => unknown)[] = [];
  try {
    const { rememberMs } = config.limits;
    const state = await openState({ ...findStatePlace(config.state, env), rememberMs });
    closing.push(() => state.close());
    const audit = await createAuditLog(logPlace);
    closing.push(() => audit.close());
    const { place } = audit;
    const log = await openLog(place);
    await claimLog(state, log.id);
    const references = await restoreReferences(state, log, Date.now() - rememberMs);
    const means = { report: () => {}, closing, makesAllCases: true };
    const { cases, follower } = await openRecords(audit, state, config, means);
    await follower.catchUp();
    const waiting = (await cases.counts()).reduce((sum, { count }) => sum + count, 0);
    const velocity = findVelocityPlace(config, env);
    const counted = velocity && (await restoreCounts(config, velocity, place));
    return { ...references, cases: waiting, counted };
  } finally {
    for (const each of closing.reverse()) await each();
  }
}

/** Rows that go to the state at a time. */
const AT_ONCE = 500;

async function restoreReferences({ run, hash }: State, log: FoundLog, since: number) {
  let [references, withoutQuestion, closed] = [0, 0, 0];
  const isWanted = ({ at }: { readonly at: string }) => Date.parse(at) >= since;
  for await (const { decisions } of readDecisions({ isWanted }, log)) {
    const rows = decisions.flatMap(({ entry, opened }) => {
      const body = 'texts' in opened ? readDecision(entry, opened.texts) : undefined;
      if (!body) closed++;
      if (body?.caller === undefined) return [];
      const { decision, caller, question = '' } = body;
      const key = keyOfReference(decision.clientReference, { name: caller }, { hash });
      const at = Date.parse(decision.decidedAt);
      return { key, question, decision: decision.id, answer: JSON.stringify(keep(decision)), at };
    });
    // PostgreSQL takes each row once: of a decision and the one that replaces it, the later.
    rows.sort((one, other) => one.at - other.at);
    const last = [...new Map(rows.map((row) => [row.key, row])).values()];
    for (let i = 0; i < last.length; i += AT_ONCE) {
      const given = last.slice(i, i + AT_ONCE);
      const restored = new Set((await run('restoreAnswers', [JSON.stringify(given)])).map(({ key }) => key));
      references += restored.size;
      withoutQuestion += given.filter(({ key, question }) => question === '' && restored.has(key)).length;
    }
  }
  return { references, withoutQuestion, closed };
}

async function restoreCounts({ mapping, policies }: ServeConfig, velocity: VelocityStoreOptions, place: LogPlace) {
  const store = await createVelocityStore(velocity);
  const means = { mapping: loadMapping(mapping) };
  try {
    let counted = 0;
    for (const file of policies.values()) {
      const policy = loadPolicy(file, means);
      counted += (await rebuildStore(place, { store, policy, now: Date.now() })).decisions;
    }
    return counted;
  } finally {
    await store.close();
  }
}
