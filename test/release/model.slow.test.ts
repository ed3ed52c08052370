/** What four people do with releases, at random, held to a model of sixty lines. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listEvents } from '../../src/audit/query/list-events.ts';
import { VerdictError } from '../../src/errors.ts';
import { activate, addEvidence, propose, restore, sayOf } from '../../src/release/acts.ts';
import { readManifest } from '../../src/release/manifest.ts';
import type { Release } from '../../src/release/store.ts';
import { verifyLogReleases } from '../../src/release/verify.ts';
import {
  ANA,
  BEN,
  CLEO,
  DAN,
  DAY,
  NOW,
  newLogPlace,
  openReleasesIn,
  type TestReleases,
  withDebt,
} from '../support/release/releases.ts';
import { sampled } from '../support/sampled.ts';

/** Ana and Dan write; Dan may also tighten. */
const PEOPLE = [ANA, BEN, CLEO, DAN] as const;
const WRITERS = [ANA, DAN] as const;
/** The least debts that are reviewed: the lower, the stricter. */
const DEBTS = [90, 80, 70] as const;

const ACTS = ['propose', 'evidence', 'approve', 'reject', 'tighten', 'confirm', 'activate', 'restore'] as const;

interface Step {
  readonly act: (typeof ACTS)[number];
  readonly who: number;
  readonly files: number;
  /** How many releases before the last one it is about. */
  readonly back: number;
}

interface ModelRelease {
  readonly base: number;
  readonly writer: string;
  readonly debt: number;
  hasEvidence: boolean;
  isRejected: boolean;
  readonly approvedBy: Set<string>;
  tightenedBy: string | undefined;
}

/** What has to come of each step. */
class Model {
  readonly releases: ModelRelease[] = [];
  /** The numbers of those that were put in force, from the first. */
  readonly inForce: number[] = [];
  said = 0;

  /** Whether a step succeeds, which it has then done. */
  take({ act, who, files, back }: Step): boolean {
    const number = this.releases.length - back;
    const release = this.releases[number - 1];
    const { by } = PEOPLE[who % 4] ?? ANA;
    if (act === 'propose') return this.#propose(WRITERS[who % 2]?.by ?? '', DEBTS[files] ?? 0);
    if (!release) return false;
    // Only what was approved once may be proposed by somebody who did not write it.
    if (act === 'restore') return this.inForce.includes(number) && this.#propose(by, release.debt);
    if (act === 'evidence') release.hasEvidence = true;
    if (act === 'evidence') return true;
    const isActive = this.inForce.includes(number);
    if (act === 'activate') {
      const { hasEvidence, isRejected, approvedBy, tightenedBy } = release;
      const isBacked = hasEvidence && !isRejected && (approvedBy.size > 0 || tightenedBy !== undefined);
      if (isActive || release.base !== (this.inForce.at(-1) ?? 0) || !isBacked) return false;
      // All approvals need no confirmation.
      if (approvedBy.size > 0) release.tightenedBy = undefined;
      this.inForce.push(number);
      return true;
    }
    if (!this.#maySay(act, by, release, isActive)) return false;
    this.said += 1;
    if (act === 'approve') release.approvedBy.add(by);
    if (act === 'reject') release.isRejected = true;
    if (act === 'tighten') release.tightenedBy ??= by;
    return true;
  }

  #propose(writer: string, debt: number): boolean {
    const base = this.inForce.at(-1) ?? 0;
    if (this.releases[base - 1]?.debt === debt) return false;
    const nothing = { hasEvidence: false, isRejected: false, approvedBy: new Set<string>(), tightenedBy: undefined };
    this.releases.push({ base, writer, debt, ...nothing });
    return true;
  }

  #maySay(act: Step['act'], by: string, release: ModelRelease, isActive: boolean): boolean {
    const { base, writer, debt, hasEvidence, tightenedBy } = release;
    if (act === 'confirm') return isActive && tightenedBy !== undefined && by !== tightenedBy && by !== writer;
    if (isActive || act === 'reject') return !isActive;
    if (act === 'approve') return hasEvidence && by !== writer;
    return hasEvidence && by === DAN.by && debt < (this.releases[base - 1]?.debt ?? 0);
  }
}

async function take({ act, who, files, back }: Step, last: number, { means, trust }: TestReleases): Promise<unknown> {
  const number = last - back;
  const signer = PEOPLE[who % 4] ?? ANA;
  switch (act) {
    case 'propose': {
      const authors = [WRITERS[who % 2]?.by ?? ''];
      return propose(means, { files: withDebt(DEBTS[files] ?? 0), mapping: 'signals.yaml', title: 'A', authors });
    }
    case 'restore':
      return restore(means, number, signer.by);
    case 'evidence':
      return addEvidence(means, number, { day: DAY });
    case 'activate':
      return activate(means, number, trust, { by: signer.by });
    default:
      return sayOf(means, number, trust, { ...signer, verdict: act, why: 'As I see it.' });
  }
}

/** Whether it succeeds. */
async function succeeds(act: Promise<unknown>): Promise<boolean> {
  try {
    await act;
    return true;
  } catch (error) {
    if (VerdictError.is(error) && error.code === 'RELEASE_REFUSED') return false;
    throw error;
  }
}

const of = (...acts: readonly Step['act'][]): fc.Arbitrary<Step> =>
  fc.record({
    ...{ act: fc.constantFrom(...acts), who: fc.nat(3), files: fc.nat(DEBTS.length - 1) },
    back: fc.constantFrom(...Array<number>(12).fill(0), 1, 2),
  });
/** The way of a release that succeeds, often; and anything. */
const STEPS: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc.tuple(
    of('propose', 'restore'),
    of('evidence'),
    of('approve', 'tighten'),
    of('approve', 'tighten'),
    of('activate'),
  ),
  fc.array(of(...ACTS), { minLength: 1, maxLength: 4 }),
);

async function holds(steps: readonly Step[]): Promise<number> {
  let now = NOW;
  const tighten = { atMost: 0.1, confirmWithinMs: 1000 };
  const releases = await openReleasesIn(await newLogPlace(), { now: () => now, tighten });
  const { store, place, means, trust, log } = releases;
  const model = new Model();
  for (const step of steps) {
    now += 1000;
    const last = model.releases.length;
    const expected = model.take(step);
    expect(await succeeds(take(step, last, releases)), JSON.stringify(step)).toBe(expected);
    const inForce = (await store.activations()).map(({ release }) => release.number);
    expect(inForce).toEqual(model.inForce);
  }
  expect((await verifyLogReleases(means, trust)).filter(({ problem }) => problem !== undefined)).toEqual([]);
  for (const [i, number] of model.inForce.entries()) {
    const { manifest, notes, activation } = (await store.read(number)) as Release;
    const { authors, base } = readManifest(manifest).manifest;
    expect(base?.number ?? 0).toBe(model.inForce[i - 1] ?? 0);
    expect(number).toBeGreaterThan(base?.number ?? 0);
    const approvers = notes.filter(({ verdict }) => verdict === 'approve').map(({ by }) => by);
    expect(approvers.filter((by) => authors.includes(by))).toEqual([]);
    expect(activation?.notes?.length).toBeGreaterThan(0);
  }
  const events = await listEvents(place);
  const told = (type: string) => events.filter((event) => event.type === type);
  const numbersIn = (type: string) => told(type).map(({ details }) => Number.parseInt(details?.['release'] ?? '', 10));
  expect(numbersIn('release.proposed')).toEqual(model.releases.map((_, i) => i + 1));
  expect(numbersIn('release.activated')).toEqual(model.inForce);
  expect(told('release.said')).toHaveLength(model.said);
  await log.close();
  return model.inForce.length;
}

const RUNS = sampled(5, 10_000);

test('no approval is of an author or outlives an edit, no base is skipped, no number falls, and the log has it all', async () => {
  let inForce = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(STEPS, { minLength: 3, maxLength: 8 }), async (steps) => {
      inForce += await holds(steps.flat());
    }),
    { numRuns: RUNS },
  );
  // The sequences come far.
  expect(inForce).toBeGreaterThan(RUNS / 2);
});
