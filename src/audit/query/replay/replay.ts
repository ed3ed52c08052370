/** A log and its keys -> every decision made again: whether it comes out as it is on record, and what another policy would have decided. */

import { compile, type Matcher } from '../../../decision/matcher/matcher.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import { VerdictError } from '../../../errors.ts';
import type { Policy } from '../../../policy/language.ts';
import { type BodyTexts, readDecision, readFactTexts } from '../../entry/body.ts';
import type { DecisionFields, Entry } from '../../entry/entry.ts';
import * as is from '../../entry/schema.ts';
import { dayOf } from '../../entry/searchable.ts';
import { checkKeys } from '../../keys/index-keys.ts';
import { readLog } from '../../log-file.ts';
import { keysFolder, type LogPlace } from '../../place.ts';
import { ArtifactStore } from '../../store/artifact-store.ts';
import { wrapIoErrors } from '../../store/io-errors.ts';
import { positionWords, TamperedError } from '../../tampered-error.ts';
import { saysTheSame } from '../../verify/check-body.ts';
import { IdSet } from '../../verify/id-set.ts';
import { doubledError, placesOf } from '../lookup.ts';
import { BodyReader, type LineAt, readLines } from '../read-log.ts';
import { Comparison, type OtherOutcomes } from './comparison.ts';
import { differingParts } from './differing-parts.ts';
import { type DecisionPlace, type DecisionPosition, placeOf, ShreddedDecisions } from './unreadable.ts';

/** What is decided again. */
export interface ReplayOptions extends LogPlace {
  /** Which decisions. Default: all. */
  readonly isWanted?: (line: Entry & DecisionFields) => boolean;
  /** Another policy, whose outcomes are compared with those on record. */
  readonly policy?: Policy;
  /** Told now and then how many decisions were read. */
  readonly onProgress?: (read: number) => void;
}

/** A decision that did not come out as it is on record, or could not be made again. */
export interface ReplayProblem extends DecisionPlace {
  /** `differs`: another verdict. `clear-differs`: a body in clear that says something else than the record. Otherwise why it could not be made again. */
  readonly why: 'differs' | 'clear-differs' | 'not-opened' | 'no-body' | 'key-missing' | 'policy-missing';
  /** The parts of the verdict that differ. */
  readonly parts: readonly (keyof Verdict)[];
}

/** What a replay comes to. */
export interface Replay {
  /** Decisions that were made again. */
  readonly compared: number;
  /** Of those, which came out as on record, to the last byte of canonical JSON. */
  readonly same: number;
  /** The policies that decided, in the order in which they are met. */
  readonly policies: readonly DecisionFields['policy'][];
  /** Decisions whose facts were erased, as the log tells. */
  readonly erased: number;
  /** How many did not come out so, or could not be made again, and the first of them. */
  readonly problemCount: number;
  readonly problems: readonly ReplayProblem[];
  /** With another policy. */
  readonly other?: OtherOutcomes;
}

const SHOWN_PROBLEMS = 100;

/**
 * Decides the records of a log again. Rejects with CONFIGURATION_INVALID where there is no log, or the keys are not its own, and with AUDIT_FAILED
 * where a line of it is not as it was written, or two records have one id. What a line says in clear is held to its body by `verifyLog`, with the
 * keys; here only where the body stands in clear too, and so nothing binds the one to the other.
 */
export async function replayLog(options: ReplayOptions): Promise<Replay> {
  const { dir } = options;
  const keysDir = keysFolder(options);
  const { log } = await readLog(dir);
  // With the keys of another log every record would look as if its key were gone.
  await checkKeys(keysDir, log);
  return wrapIoErrors('read', () => replayLines(options, log, new BodyReader(keysDir)));
}

async function replayLines(options: ReplayOptions, log: string, bodies: BodyReader): Promise<Replay> {
  const { dir, isWanted = () => true, policy, onProgress } = options;
  const matchers = new Matchers(new ArtifactStore(dir));
  const other = policy && new Comparison(policy);
  const tally = new ReplayTally();
  const ids = new IdSet();
  for await (const lines of readLines(dir, log)) {
    for (const each of lines) {
      const { line } = each;
      if (line.kind === 'erasure') tally.gone.tell(line);
      if (line.kind !== 'decision' && line.kind !== 'note') continue;
      // Of a line that is read fast the form of the id is not looked at.
      if (!is.ID.is(line.id) || !ids.add(line.id)) throw await idError(dir, each);
      if (line.kind !== 'decision' || !isWanted(line)) continue;
      const at = each as DecisionPosition;
      tally.meet(line);
      const opened = bodies.openNow(line) ?? (await bodies.open(line));
      if ('closed' in opened) {
        tally.leave(at, opened.closed);
        continue;
      }
      const [, , verdict = ''] = opened.texts;
      const facts = readFactTexts(opened.texts);
      const matcher = matchers.same(line) ?? (await matchers.of(line));
      const wrong = line.plain === undefined ? undefined : wrongInClear(line, opened.texts);
      if (!facts || wrong === 'no-body') tally.leave(at, 'no-body');
      else if (wrong) tally.leave(at, wrong);
      else if (matcher === MISSING) tally.leave(at, 'policy-missing');
      else tally.compare(at, differingParts(matcher.verdict(facts, dayOf(line)), verdict));
      if (facts) other?.add(line, facts);
    }
    onProgress?.(tally.read);
  }
  const found = tally.result();
  return other ? { ...found, other: other.result() } : found;
}

/** What is wrong with a body in clear, which whoever can write can write: it is looked at whole, as a verification does. */
function wrongInClear(line: Entry & DecisionFields, texts: BodyTexts): 'no-body' | 'clear-differs' | undefined {
  const body = readDecision(line, texts);
  if (!body) return 'no-body';
  return saysTheSame(line, body.decision) ? undefined : 'clear-differs';
}

async function idError(dir: string, { line, segment, number }: LineAt): Promise<Error> {
  const places = 'id' in line ? ((await placesOf(dir, [line.id])).get(line.id) ?? []) : [];
  if (places.length > 1) return doubledError(places);
  const where = positionWords({ chain: line.chain, segment, line: number });
  return new TamperedError(`${where} is not as it was written: expected an id of its own, ${is.ID.expected}`);
}

/** What came of the decisions so far. */
class ReplayTally {
  read = 0;
  readonly gone = new ShreddedDecisions();
  #compared = 0;
  #same = 0;
  #problems = 0;
  readonly #first: ReplayProblem[] = [];
  readonly #policies = new Map<string, DecisionFields['policy']>();

  meet({ policy }: DecisionFields): void {
    this.read += 1;
    if (!this.#policies.has(policy.digest)) this.#policies.set(policy.digest, policy);
  }

  /** A decision that could not be made again. */
  leave(at: DecisionPosition, why: Exclude<ReplayProblem['why'], 'differs'> | 'erased'): void {
    if (why === 'erased' || why === 'key-missing') this.gone.add(at);
    else this.#note(placeOf(at), why, []);
  }

  /** One that was, and the parts in which it came out otherwise. */
  compare(at: DecisionPosition, parts: ReplayProblem['parts'] | undefined): void {
    if (!parts) {
      this.leave(at, 'no-body');
      return;
    }
    this.#compared += 1;
    if (parts.length === 0) this.#same += 1;
    else this.#note(placeOf(at), 'differs', parts);
  }

  result(): Replay {
    const { erased, others } = this.gone.result();
    for (const place of others) this.#note(place, 'key-missing', []);
    const [compared, same] = [this.#compared, this.#same];
    const policies = [...this.#policies.values()];
    return { compared, same, policies, erased, problemCount: this.#problems, problems: this.#first };
  }

  #note(place: DecisionPlace, why: ReplayProblem['why'], parts: ReplayProblem['parts']): void {
    this.#problems += 1;
    if (this.#first.length < SHOWN_PROBLEMS) this.#first.push({ ...place, why, parts });
  }
}

/** Stands for a policy that is not kept, or cannot be read, or whose mapping is not. */
const MISSING = 'missing';

/** The compiled policies of the archive. */
class Matchers {
  readonly #archive: ArtifactStore;
  readonly #matchers = new Map<string, Matcher | typeof MISSING>();
  #last: { readonly digest: string; readonly mapping: string; readonly matcher: Matcher | typeof MISSING } | undefined;

  constructor(archive: ArtifactStore) {
    this.#archive = archive;
  }

  /** Undefined where it is not that of the decision before. */
  same({ policy: { digest }, mapping }: DecisionFields): Matcher | typeof MISSING | undefined {
    return this.#last?.digest === digest && this.#last.mapping === mapping ? this.#last.matcher : undefined;
  }

  async of({ policy: { digest }, mapping }: DecisionFields): Promise<Matcher | typeof MISSING> {
    const name = `${digest} ${mapping}`;
    const matcher = this.#matchers.get(name) ?? (await this.#compile(digest, mapping));
    this.#matchers.set(name, matcher);
    this.#last = { digest, mapping, matcher };
    return matcher;
  }

  async #compile(digest: string, mapping: string): Promise<Matcher | typeof MISSING> {
    try {
      return compile(await this.#archive.policy(digest, mapping));
    } catch (error) {
      if (error instanceof VerdictError) return MISSING;
      throw error;
    }
  }
}
