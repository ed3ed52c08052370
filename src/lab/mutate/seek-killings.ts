/** Mutants that no test kills -> few cases that kill them, or for each the proof that no case can. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFactsLine } from '../../facts/facts-line.ts';
import { digest } from '../../platform/digest.ts';
import type { Policy } from '../../policy/language.ts';
import { ENGINE_VERSION } from '../../version.ts';
import { type Batch, type Seek, searchCases, type Unreached } from '../cases/search-cases.ts';
import { takeName } from '../cases/test-yaml.ts';
import { MUTANTS_TOGETHER } from '../limits.ts';
import type { Steps } from '../steps.ts';
import { differencesIn, type TestedPolicy } from '../test/test-case.ts';
import { createJudge, type JudgedCase } from './judge.ts';
import { type KillingCase, KillingCases } from './killing-case.ts';
import type { Mutant } from './mutants.ts';

/** The answer for a mutant; `personal` if the case that kills it has a personal value which the policy names. */
export type Answer = KillingCase | 'equivalent' | 'undecided' | 'personal';

const ANSWERS = { unreachable: 'equivalent', withheld: 'personal', open: 'undecided' } as const satisfies {
  readonly [Why in Unreached]: Answer;
};

/** What a run found, for later runs. */
export interface Kept {
  /** Equal for policies whose equivalent mutants are the same. */
  readonly basis: string;
  /** The digests of the keys of mutants that are proved to be equivalent. */
  readonly equivalent: readonly string[];
  readonly cases: readonly KillingCase[];
}

/** What to search for. */
export interface Sought {
  readonly tested: TestedPolicy;
  /** Days on which cases may be. */
  readonly days: readonly string[];
  readonly mutants: readonly Mutant[];
  readonly steps: Steps;
  /** The names of existing tests: in a file, each has a name of its own. */
  readonly names: Iterable<string>;
  /** What an earlier run found. Its cases are judged by this policy, its proofs are of this policy or are left. */
  readonly earlier: Kept | undefined;
}

export interface Found {
  /** The answers; without the solver, only those that are found without it. */
  readonly answers: ReadonlyMap<Mutant, Answer>;
  readonly hasSolver: boolean;
  readonly kept: Kept;
  /** How many cases and proofs are those of the earlier run. */
  readonly reused: { readonly cases: number; readonly proofs: number };
}

/** Seeks a case or a proof for each mutant. */
export async function seekKillings(sought: Sought): Promise<Found> {
  const { tested, days, mutants, steps, names, earlier } = sought;
  const { policy } = tested;
  const basis = basisOf(tested, days);
  const proofs = new Set(earlier?.basis === basis ? earlier.equivalent : []);
  const proved = new Set(mutants.filter(({ key }) => proofs.has(digest(key))));
  const foundCases = new FoundCases(policy, mutants);
  const old = (earlier?.cases ?? []).flatMap((each) => (days.includes(each.at) ? asFound(each, policy) : []));
  for (const each of old) foundCases.add(each);
  const taken = new Set([...names, ...old.map(({ killing }) => killing.name)]);
  const isReached = (mutant: Mutant) => foundCases.killing(mutant) !== undefined;
  const { unreached, unproved } = await searchCases({ batches: batches(), isReached, prepare });
  const answers = new Map<Mutant, Answer>();
  for (const mutant of mutants) {
    const why = proved.has(mutant) ? 'unreachable' : unreached.get(mutant);
    // A case that was found for a later mutant may kill it.
    const killing = why === 'unreachable' ? undefined : foundCases.killing(mutant);
    if (killing) answers.set(mutant, killing);
    else if (why || unproved === undefined) answers.set(mutant, ANSWERS[why ?? 'open']);
  }
  const cases = new Set([...answers.values()].filter((answer) => typeof answer === 'object'));
  const equivalent = mutants.flatMap((mutant) => (answers.get(mutant) === 'equivalent' ? digest(mutant.key) : []));
  return {
    answers,
    hasSolver: unproved === undefined,
    kept: { basis, equivalent, cases: [...cases] },
    reused: { cases: old.filter(({ killing }) => cases.has(killing)).length, proofs: proved.size },
  };

  function* batches(): Generator<Batch<Mutant>> {
    for (const goals of groupsOf(mutants, (mutant) => !proved.has(mutant) && !isReached(mutant))) {
      if (steps.areOver) return;
      yield { goals, days };
    }
  }

  async function prepare(day: string, left: readonly Mutant[]): Promise<Seek<Mutant>> {
    const killingCases = await KillingCases.prepare(policy, day, left);
    return async (mutant) => {
      const killing = await killingCases.find(mutant, steps);
      if (killing.kind !== 'case') return killing.kind;
      const named = { name: takeName(nameOf(mutant), taken), ...killing.case };
      foundCases.add({ killing: named, facts: killing.facts, at: day }, mutant);
      return 'reached';
    };
  }
}

/**
 * Mutants that are open when their turn comes, in groups that are solved together. One of a computed fact is alone: its
 * facts depend on those of the policy, and would have to be in some state in the cases of all others.
 */
function* groupsOf(mutants: readonly Mutant[], isOpen: (mutant: Mutant) => boolean): Generator<readonly Mutant[]> {
  let group: Mutant[] = [];
  for (const mutant of mutants) {
    if (!isOpen(mutant)) continue;
    if (mutant.change.facts) {
      yield [mutant];
      continue;
    }
    group.push(mutant);
    if (group.length < MUTANTS_TOGETHER) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** A case with its facts as `readFacts` gives them. */
interface FoundCase {
  readonly killing: KillingCase;
  readonly facts: Facts;
  readonly at: string;
}

/** Cases that kill some mutant: a case often kills further ones. */
class FoundCases {
  readonly #judge: ReturnType<typeof createJudge>;
  readonly #cases: { readonly killing: KillingCase; readonly judged: JudgedCase }[] = [];
  readonly #killers = new Map<Mutant, KillingCase>();
  /** By mutant, how many cases do not kill it. */
  readonly #passed = new Map<Mutant, number>();

  constructor(policy: Policy, mutants: readonly Mutant[]) {
    this.#judge = createJudge(
      policy,
      mutants.map(({ change }) => change),
    );
  }

  /** Adds a case, which kills a mutant. */
  add({ killing, facts, at }: FoundCase, killed?: Mutant): void {
    if (killed) this.#killers.set(killed, killing);
    this.#cases.push({ killing, judged: this.#judge(facts, at) });
  }

  /** A case that kills a mutant: the first that is known to. */
  killing(mutant: Mutant): KillingCase | undefined {
    const killer = this.#killers.get(mutant) ?? this.#seek(mutant);
    if (killer) this.#killers.set(mutant, killer);
    return killer;
  }

  /** The first case that kills a mutant of those added since none did. */
  #seek(mutant: Mutant): KillingCase | undefined {
    const added = this.#cases.slice(this.#passed.get(mutant));
    this.#passed.set(mutant, this.#cases.length);
    const { change } = mutant;
    return added.find(
      ({ killing, judged }) =>
        judged.isReachedBy(change) && differencesIn(judged.verdict(change), killing.expect).length > 0,
    )?.killing;
  }
}

/** A case of an earlier run, if the policy still decides it so. */
function asFound(killing: KillingCase, policy: Policy): readonly FoundCase[] {
  const { facts, missing, at, expect } = killing;
  const read = readFactsLine(JSON.stringify({ facts, ...(missing ? { missing } : {}) }), policy.facts, at);
  if ('problem' in read) return [];
  const isHeld = differencesIn(matcherOf(policy).verdict(read.facts, at), expect).length === 0;
  return isHeld ? [{ killing, facts: read.facts, at }] : [];
}

function basisOf({ policy, mapping }: TestedPolicy, days: readonly string[]): string {
  return digest([ENGINE_VERSION, policy.digest, mapping.digest, [...days].sort()]);
}

function nameOf({ before, after, rules, place }: Mutant): string {
  const [only, ...others] = rules;
  const where = only !== undefined && others.length === 0 ? only : `line ${place?.position.line ?? 1}`;
  return `${where}: ${before}${after === 'removed' ? ' matters' : ` rather than ${after}`}`;
}
