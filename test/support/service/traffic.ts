/** Processes that share a database -> what callers and reviewers were answered, and what of it must not be. */

import { setTimeout } from 'node:timers/promises';
import { openLog } from '../../../src/audit/query/replay/read-decisions.ts';
import { readEntries } from '../../../src/audit/read/read-log.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { personOf } from '../audit/decisions.ts';
import { randomOf } from '../facts/mutate.ts';
import type { PodAnswer, Pods } from './pods.ts';
import { APPLICANT } from './running.ts';

const CALLERS = 24;
const REVIEWERS = 6;
/** How often a caller asks twice at once, again after a decision, and again after none. */
const [AT_ONCE, AGAIN, AFTER_NONE] = [0.05, 0.1, 0.5];
const PAUSE_MS = 50;
/** As often is asked once more for what was billed and not answered. */
const TRIES = 5;

interface Acknowledged {
  readonly id: unknown;
  readonly outcome: unknown;
}

/** Callers and reviewers, and what they saw. */
export class Traffic {
  readonly #pods: Pods;
  readonly #seed: number;
  /** By reference. */
  readonly #acknowledged = new Map<string, Acknowledged[]>();
  /** Who holds a case, and the note of each that is resolved. */
  readonly #holders = new Map<string, string>();
  readonly #notes = new Map<string, Set<unknown>>();
  readonly #heldByTwo: string[] = [];
  #requests = 0;
  #refused = 0;
  #isOver = false;

  constructor(pods: Pods, seed: number) {
    this.#pods = pods;
    this.#seed = seed;
  }

  /** Goes on until `work` is done. */
  async during(work: Promise<unknown>): Promise<void> {
    const keys = await Promise.all(Array.from({ length: REVIEWERS }, (_, n) => this.#pods.reviewer(`reviewer-${n}`)));
    const busy = [
      ...Array.from({ length: CALLERS }, (_, n) => this.#call(n)),
      ...keys.map((key, n) => this.#review(key, CALLERS + n)),
    ];
    try {
      await work;
    } finally {
      this.#isOver = true;
      await Promise.all(busy);
    }
  }

  /** Asks again for each reference that was billed and not answered. */
  async settle(bills: ReadonlyMap<string, number>): Promise<void> {
    for (const reference of bills.keys()) {
      for (let tries = 0; tries < TRIES && !this.#acknowledged.has(reference); tries++) {
        const { status } = await this.#ask(reference, tries);
        if (status === 409) break;
        if (status !== 200) await setTimeout(PAUSE_MS);
      }
    }
  }

  /** What was seen, and by promise what breaks it. The processes have ended. */
  async check(bills: ReadonlyMap<string, number>) {
    const { findings } = await verifyLog(this.#pods.log);
    const outcomes = new Map<unknown, unknown>();
    const twiceOnRecord: string[] = [];
    const { log, id } = await openLog(this.#pods.log);
    try {
      for await (const batch of readEntries(log, id)) {
        for (const { entry } of batch) {
          if (entry.kind === 'decision') {
            if (outcomes.has(entry.id)) twiceOnRecord.push(entry.id);
            outcomes.set(entry.id, entry.outcome);
          } else if (entry.kind === 'note' && entry.resolves) {
            this.#seeNote(entry.resolves.case, entry.id);
          }
        }
      }
    } catch (error) {
      // Nothing after a finding is read, and it is missing then.
      if (findings.length === 0) throw error;
    }
    const answers = [...this.#acknowledged].flatMap(([reference, given]) =>
      given.map((answer) => ({ reference, ...answer })),
    );
    const idsOf = (given: readonly Acknowledged[]) => new Set(given.map((answer) => answer.id));
    const keysOf = <Value>(map: ReadonlyMap<string, Value>, isBroken: (value: Value) => boolean) =>
      [...map].flatMap(([key, value]) => (isBroken(value) ? [key] : []));
    const isOther = (answer: Acknowledged) => outcomes.has(answer.id) && outcomes.get(answer.id) !== answer.outcome;
    return {
      seen: {
        requests: this.#requests,
        acknowledged: answers.length,
        refused: this.#refused,
        billed: bills.size,
        resolved: this.#notes.size,
      },
      broken: {
        'missing from the log': answers.flatMap((each) => (outcomes.has(each.id) ? [] : [each.reference])),
        'with another outcome': answers.flatMap((each) => (isOther(each) ? [each.reference] : [])),
        'twice in the log': twiceOnRecord,
        'billed twice': keysOf(bills, (count) => count > 1),
        'answered with two ids': keysOf(this.#acknowledged, (given) => idsOf(given).size > 1),
        'held by two': this.#heldByTwo,
        'resolved twice': keysOf(this.#notes, (notes) => notes.size > 1),
        'findings of verify': findings.map((finding) => JSON.stringify(finding)),
      },
    };
  }

  async #call(caller: number): Promise<void> {
    const random = randomOf(this.#seed * 1000 + caller);
    const anyPod = () => Math.floor(random() * this.#pods.count);
    for (let n = 0; !this.#isOver; n++) {
      const reference = `${caller}-${n}`;
      const calls = random() < AT_ONCE ? 2 : 1;
      const answers = await Promise.all(Array.from({ length: calls }, () => this.#ask(reference, anyPod())));
      const isDecided = answers.some(({ status }) => status === 200);
      if (!isDecided) await setTimeout(PAUSE_MS);
      if (random() < (isDecided ? AGAIN : AFTER_NONE)) await this.#ask(reference, anyPod());
    }
  }

  /** The same question for the same reference. */
  async #ask(reference: string, pod: number): Promise<PodAnswer> {
    const [caller = 0, n = 0] = reference.split('-').map(Number);
    const question = n % 2 === 0 ? { policy: 'onboarding', applicant: APPLICANT } : countedQuestion(caller + n);
    const answer = await this.#pods.post(
      pod % this.#pods.count,
      '/v1/decisions',
      { reference, ...question },
      this.#pods.key,
    );
    this.#requests++;
    if (answer.status !== 200) this.#refused++;
    else {
      const { id, outcome } = answer.body;
      const before = this.#acknowledged.get(reference) ?? [];
      this.#acknowledged.set(reference, [...before, { id, outcome }]);
    }
    return answer;
  }

  async #review(key: string, number: number): Promise<void> {
    const random = randomOf(this.#seed * 1000 + number);
    const post = (path: string, body: object) =>
      this.#pods.post(Math.floor(random() * this.#pods.count), path, body, key);
    while (!this.#isOver) {
      const taken = await post('/v1/cases/take', {});
      if (taken.status !== 200) {
        await setTimeout(4 * PAUSE_MS);
        continue;
      }
      const { token } = taken.body;
      const id = String(taken.body['id']);
      const holder = this.#holders.get(id);
      if (holder !== undefined && holder !== key) this.#heldByTwo.push(id);
      this.#holders.set(id, key);
      const said = { token, disposition: random() < 0.5 ? 'approve' : 'decline', why: 'Showed an identity card.' };
      const calls = random() < 0.3 ? 2 : 1;
      const answers = await Promise.all(Array.from({ length: calls }, () => post(`/v1/cases/${id}/resolve`, said)));
      // Whoever was not answered still holds it, or has resolved it.
      if (answers.some(({ status }) => status === 200)) this.#holders.delete(id);
      for (const { status, body } of answers) if (status === 200) this.#seeNote(id, body['note']);
    }
  }

  #seeNote(id: string, note: unknown): void {
    const notes = this.#notes.get(id) ?? new Set();
    this.#notes.set(id, notes.add(note));
  }
}

/** Of a policy that counts. */
function countedQuestion(n: number) {
  return { policy: 'counting', applicant: personOf(n) };
}
