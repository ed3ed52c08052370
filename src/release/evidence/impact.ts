/** A log and the policies before and after -> whose decisions of the last days change, by counts alone: a text. */

import * as z from 'zod';
import type { DecisionFields, Entry } from '../../audit/entry/entry.ts';
import type { LogIndex } from '../../audit/index/log-index.ts';
import type { LogPlace } from '../../audit/place.ts';
import { openLog, type WantedDecisions } from '../../audit/query/replay/read-decisions.ts';
import { readHeads } from '../../audit/verify/heads.ts';
import { addLog } from '../../lab/backtest/add-log.ts';
import { BacktestTally } from '../../lab/backtest/backtest.ts';
import { inOnePass } from '../../lab/backtest/in-one-pass.ts';
import { joinFacts } from '../../lab/backtest/joint-facts.ts';
import type { Caught, Costs, LabelCounts } from '../../lab/backtest/label-counts.ts';
import { LabelJoin, type Labels, readNotedLabels } from '../../lab/backtest/labels.ts';
import { canonicalJson } from '../../platform/digest.ts';
import { OUTCOMES, type Policy } from '../../policy/language.ts';
import { ENGINE_VERSION } from '../../version.ts';
import { refused } from '../files.ts';
import { readCanonical } from './canonical-text.ts';
import { comparable } from './comparable.ts';

const COUNT = z.int().nonnegative();
const INSTANT = z.iso.datetime({ precision: 3 });
const OUTCOME = z.enum(OUTCOMES);
const RANGE = z.strictObject({ least: z.number(), most: z.number() });
const DIFFERENCE = RANGE.extend({ by: z.number() });
const CAUGHT = z.strictObject({ caught: COUNT, goodRejected: COUNT });

const COUNTED = z.strictObject({
  decided: COUNT,
  changed: COUNT,
  /** From the first day with a decision to the last. */
  days: COUNT,
  flows: z.array(z.strictObject({ from: OUTCOME, to: OUTCOME, applicants: COUNT })),
  reviewsADay: z.strictObject({ before: z.number(), after: z.number() }),
  /** Of these it is not known what both policies decide. */
  notJudged: z.strictObject({ erased: COUNT, unreadable: COUNT, aborted: COUNT, open: COUNT }),
  /** Where people said of somebody that it is a fraud, or genuine. */
  labels: z
    .strictObject({
      ...{ fraud: COUNT, good: COUNT, before: CAUGHT, after: CAUGHT },
      more: z.strictObject({ caught: DIFFERENCE, goodRejected: DIFFERENCE }),
    })
    .optional(),
  /** What both cost, with costs. */
  money: z.strictObject({ before: RANGE, after: RANGE, more: RANGE }).optional(),
});

const IMPACT = z.strictObject({
  format: z.literal(1),
  engine: z.string(),
  log: z.uuid(),
  /** The last entry of each chain: what was written later counts for nothing. */
  heads: z.array(z.strictObject({ chain: z.uuid(), length: z.int().positive(), hash: z.hex().length(64) })),
  from: INSTANT,
  until: INSTANT,
  matureDays: COUNT,
  costs: z.strictObject({ review: z.number(), acceptedFraud: z.number(), rejectedGood: z.number() }).optional(),
  /** Those in both folders; null if the two cannot be compared. */
  policies: z.array(
    z.strictObject({ name: z.string(), from: z.string(), to: z.string(), counted: COUNTED.nullable() }),
  ),
  /** Decisions of the same days by other policies. */
  others: COUNT,
});

/** What a change of rules does to decisions on record. */
export type Impact = z.infer<typeof IMPACT>;

/** A log, and the policies of both folders by name. */
export interface ImpactSources {
  readonly place: LogPlace;
  /** Leads to the decisions of the last days, if they are few of the log. */
  readonly index?: LogIndex | undefined;
  readonly base: ReadonlyMap<string, Policy>;
  readonly release: ReadonlyMap<string, Policy>;
}

/** Which decisions are counted, and how. */
export interface ImpactOptions extends ImpactSources {
  /** The last instant, ISO 8601, UTC, with milliseconds. */
  readonly until: string;
  /** The first instant. Default: 30 days before the last. */
  readonly from?: string | undefined;
  /** After so many days an applicant without a label counts as good. 0 by default. */
  readonly matureDays?: number;
  readonly costs?: Costs | undefined;
}

/** Counts the decisions of a log. Rejects as `addLog` does. */
export async function makeImpact(options: ImpactOptions): Promise<Impact> {
  const { until, matureDays = 0, costs, ...sources } = options;
  const from = options.from ?? new Date(Date.parse(until) - DAYS * MS_A_DAY).toISOString();
  const { log, id } = await openLog(sources.place);
  const period = { from, until, matureDays, ...(costs ? { costs: { ...costs } } : {}) };
  const known = { log: id, heads: [...(await readHeads(log))], ...period };
  return { format: 1, engine: ENGINE_VERSION, ...known, ...(await count(known, sources)) };
}

const [DAYS, MS_A_DAY] = [30, 86_400_000];

/** The one text of an impact: canonical JSON. */
export function impactText(impact: Impact): string {
  return canonicalJson(impact);
}

/** Reads the text of an impact; undefined for any other text. */
export function readImpact(text: string): Impact | undefined {
  return readCanonical(IMPACT, text);
}

/** The share of the decisions on record whose outcome changes, or may, from 0 to 1; of the policy that changes most. */
export function changedShare({ policies }: Impact): number {
  const shares = policies.map(({ counted }) => {
    if (!counted) return 1;
    const { decided, changed, notJudged } = counted;
    const unknown = notJudged.erased + notJudged.unreadable + notJudged.open;
    return decided + unknown === 0 ? 0 : (changed + unknown) / (decided + unknown);
  });
  return Math.max(0, ...shares);
}

/** An impact that was counted again. */
export interface ImpactAgain {
  /** By the same entries, as far as they are there. */
  readonly impact: Impact;
  /** Whether all counts are as they were. */
  readonly isSame: boolean;
  /** How many records were counted then and were erased or pruned since. */
  readonly gone: number;
}

/** Counts again. Rejects as `makeImpact` does, and with RELEASE_REFUSED for another log. */
export async function rerunImpact(impact: Impact, sources: ImpactSources): Promise<ImpactAgain> {
  const { id } = await openLog(sources.place);
  if (id !== impact.log) throw refused('the impact is of another log');
  const again = { ...impact, engine: ENGINE_VERSION, ...(await count(impact, sources)) };
  const readable = ({ policies, others }: Impact) =>
    policies.reduce((sum, { counted }) => {
      return sum + (counted ? counted.decided + counted.notJudged.aborted + counted.notJudged.open : 0);
    }, others);
  return { impact: again, isSame: impactText(again) === impactText(impact), gone: readable(impact) - readable(again) };
}

type Period = Pick<Impact, 'heads' | 'from' | 'until' | 'matureDays' | 'costs'>;

/** Each policy in a pass of its own, since a record that cannot be read says of which policy it is, and not to whom. */
async function count(
  period: Period,
  { place, index, base, release }: ImpactSources,
): Promise<Pick<Impact, 'policies' | 'others'>> {
  const lengths = new Map(period.heads.map(({ chain, length }) => [chain, length]));
  const isThere = ({ chain, seq }: Pick<Entry, 'chain' | 'seq'>) => seq <= (lengths.get(chain) ?? 0);
  const labels = await readNotedLabels(place, isThere);
  const pairs = [...release.keys()].sort().flatMap((name) => {
    const [old, now] = [base.get(name), release.get(name)];
    return old && now ? [{ name, policies: [old, now] as const }] : [];
  });
  const narrowing = index && { index, filter: { from: period.from, to: period.until } };
  const policies: Impact['policies'] = [];
  let others = 0;
  for (const { name, policies: pair } of pairs) {
    const isWanted = (entry: Entry & DecisionFields) => {
      if (!isThere(entry) || entry.at < period.from || entry.at > period.until) return false;
      const isOther = policies.length === 0 && !pairs.some((each) => each.name === entry.policy.name);
      others += isOther ? 1 : 0;
      return entry.policy.name === name;
    };
    const [{ version: from }, { version: to }] = pair;
    const wanted = { ...place, isWanted, ...(narrowing ? { narrowing } : {}) };
    policies.push({ name, from, to, counted: await countOne(pair, wanted, labels, period) });
  }
  return { policies, others };
}

async function countOne(
  policies: readonly [old: Policy, now: Policy],
  wanted: WantedDecisions,
  labels: Labels,
  { until, matureDays, costs }: Period,
): Promise<z.infer<typeof COUNTED> | null> {
  const joint = await comparable(() => joinFacts(...policies));
  if (!joint) return null;
  const tally = new BacktestTally(policies, joint, { by: [], worst: 0, compares: true, hasLabels: true, costs });
  const join = new LabelJoin(labels, { asOf: until.slice(0, 'yyyy-MM-dd'.length), matureDays });
  await addLog(inOnePass([tally], join), joint, wanted, () => {});
  const { decided, changed = 0, flows = [], before, outcomes, period, undecided, labels: found } = tally.result();
  const days = period?.days ?? 0;
  const aDay = (reviews = 0) => (days === 0 ? 0 : reviews / days);
  const { erased, unreadable, aborted, open } = undecided;
  return {
    ...{ decided, changed, days, reviewsADay: { before: aDay(before?.review), after: aDay(outcomes.review) } },
    flows: flows.flatMap(({ from, to, applicants }) => (applicants > 0 ? [{ from, to, applicants }] : [])),
    notJudged: { erased, unreadable, aborted, open },
    ...(found && labels.labels.size > 0 ? labelled(found) : {}),
  };
}

function labelled({ labels, before, now, more, money }: LabelCounts): Partial<z.infer<typeof COUNTED>> {
  const caughtBy = ({ caught, goodRejected }: Caught) => ({ caught, goodRejected });
  return {
    labels: { fraud: labels.fraud, good: labels.good, before: caughtBy(before), after: caughtBy(now), more },
    ...(money ? { money: { before: money.before.sum, after: money.now.sum, more: money.more } } : {}),
  };
}
