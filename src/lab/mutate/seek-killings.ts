/** Mutants that no test kills -> few cases that kill them, or for each the proof that no case can. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { readFactsLine } from '../../facts/facts-line.ts';
import { digest } from '../../platform/digest.ts';
import type { Policy } from '../../policy/language.ts';
import { ENGINE_VERSION } from '../../version.ts';
import { type Batch, type Seek, searchCases, type Unreached } from '../cases/search-cases.ts';
import { takeName } from '../cases/test-yaml.ts';
import { MUTANTS_TOGETHER } from '../limits.ts';
import type { Steps } from '../steps.ts';
import { differencesIn, type TestedPolicy } from '../test/test-case.ts';
import { createRuns, type RunCase } from './judge.ts';
import { type KillingCase, prepareKillings } from './killing-case.ts';
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
interface Sought {
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
  // A case often kills further mutants.
  const { runs, add } = createRuns<FoundCase>(mutants.filter((mutant) => !proved.has(mutant)));
  const killing = (mutant: Mutant) => runs.get(mutant)?.killedBy?.killing;
  const old = (earlier?.cases ?? []).flatMap((each) => (days.includes(each.at) ? asFound(each, policy) : []));
  for (const each of old) add(each);
  const taken = new Set([...names, ...old.map((each) => each.killing.name)]);
  const isReached = (mutant: Mutant) => killing(mutant) !== undefined;
  const { unreached, unproved } = await searchCases({ batches: batches(), isReached, prepare });
  const answers = new Map<Mutant, Answer>();
  for (const mutant of mutants) {
    const why = proved.has(mutant) ? 'unreachable' : unreached.get(mutant);
    const answer = killing(mutant) ?? (why || unproved === undefined ? ANSWERS[why ?? 'open'] : undefined);
    if (answer) answers.set(mutant, answer);
  }
  const cases = new Set([...answers.values()].filter((answer) => typeof answer === 'object'));
  const equivalent = mutants.flatMap((mutant) => (answers.get(mutant) === 'equivalent' ? digest(mutant.key) : []));
  return {
    answers,
    hasSolver: unproved === undefined,
    kept: { basis, equivalent, cases: [...cases] },
    reused: { cases: old.filter((each) => cases.has(each.killing)).length, proofs: proved.size },
  };

  /**
   * Mutants that are open when their turn comes. One of a computed fact is alone: its facts depend on those of the
   * policy, and would have to be in some state in the cases of all others.
   */
  function* batches(): Generator<Batch<Mutant>> {
    let left = [...runs.keys()];
    while (!steps.areOver) {
      left = left.filter((mutant) => !isReached(mutant));
      const [first] = left;
      if (!first) return;
      const others = left.filter(({ change }) => !change.facts).slice(0, MUTANTS_TOGETHER);
      const goals = new Set(first.change.facts ? [first] : others);
      yield { goals: [...goals], days };
      left = left.filter((mutant) => !goals.has(mutant));
    }
  }

  async function prepare(day: string, left: readonly Mutant[]): Promise<Seek<Mutant>> {
    const findKilling = await prepareKillings(policy, day, left, steps);
    return async (mutant) => {
      const found = await findKilling(mutant);
      if (found.kind !== 'case') return found.kind;
      const named = { name: takeName(nameOf(mutant), taken), ...found.case };
      add({ killing: named, policy, facts: found.facts, at: day, expect: named.expect });
      return 'reached';
    };
  }
}

/** A case with its facts as `readFacts` gives them. */
interface FoundCase extends RunCase {
  readonly killing: KillingCase;
}

/** A case of an earlier run, if the policy still decides it so. */
function asFound(killing: KillingCase, policy: Policy): readonly FoundCase[] {
  const { facts, missing, at, expect } = killing;
  const read = readFactsLine(JSON.stringify({ facts, ...(missing ? { missing } : {}) }), policy.facts, at);
  if ('problem' in read) return [];
  const isHeld = differencesIn(matcherOf(policy).verdict(read.facts, at), expect).length === 0;
  return isHeld ? [{ killing, policy, facts: read.facts, at, expect }] : [];
}

function basisOf({ policy, mapping }: TestedPolicy, days: readonly string[]): string {
  return digest([ENGINE_VERSION, policy.digest, mapping.digest, [...days].sort()]);
}

function nameOf({ before, after, rules, place }: Mutant): string {
  const [only, ...others] = rules;
  const where = only !== undefined && others.length === 0 ? only : `line ${place?.position.line ?? 1}`;
  return `${where}: ${before}${after === 'removed' ? ' matters' : ` rather than ${after}`}`;
}
