/** A property -> the question whether somebody breaks it: formulas, and what confirms an applicant. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { evaluate, factAt, TRUE } from '../../decision/meaning/truth.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { type Guarantee, keepsTo, OUTCOMES, type Outcome, type Policy, strictness } from '../../policy/language.ts';
import { factsBehind } from '../question/groups.ts';
import { neededAmong } from '../question/needed.ts';
import type { Reasoner } from '../question/reasoner.ts';
import { outcomeFormulas } from '../solver/encode.ts';
import { type Formula, or } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import type { Variable } from '../space/variable.ts';
import { isHigher, valuesOf } from './higher.ts';
import { isFrom, type PropertyKind, type SourceName } from './property.ts';
import { dependsOn, withOther, withoutAll, withoutSome } from './second-applicant.ts';

/** Given facts of an applicant, or of two: the second is the first with fewer facts, or with another value of one. */
export type Applicants = readonly [Facts] | readonly [Facts, Facts];

/** Whether an applicant exists, and how one is recognised. */
export interface Question {
  readonly formulas: readonly Formula[];
  /** The applicants, if the first one is right, given the states of all variables in the solver's answer. */
  confirm(given: Facts, states: readonly number[]): Applicants | undefined;
}

/** Asks questions about one policy. */
export class Questions {
  readonly #reasoner: Reasoner;
  readonly #side: Side;
  readonly #outcomes: Readonly<Record<Outcome, Formula>>;

  constructor(reasoner: Reasoner) {
    this.#reasoner = reasoner;
    this.#side = reasoner.space.sides[0] as Side;
    this.#outcomes = outcomeFormulas(this.#side, reasoner.encoding);
  }

  /** The question that asks for somebody who breaks a property; of `reachable`, for somebody with the outcome. */
  of(kind: Exclude<PropertyKind, 'every-rule-matters'>, about: string): Question {
    switch (kind) {
      case 'guarantee':
        return this.#guarantee(this.#policy.guarantees.find(({ id }) => id === about) as Guarantee);
      case 'missing-never-helps':
        return this.#missing();
      case 'outage':
        return this.#outage(about as SourceName);
      case 'monotone':
        return this.#monotone(about);
      case 'reachable':
        return {
          formulas: [this.#outcomes[about as Outcome]],
          confirm: (given) => (this.#outcomeOf(given) === about ? [given] : undefined),
        };
    }
  }

  get #policy(): Policy {
    return this.#side.policy;
  }

  #read(given: Facts): Facts {
    return readFacts(given, this.#policy.facts, this.#reasoner.space.day);
  }

  #outcomeOf(given: Facts): Outcome {
    return matcherOf(this.#policy).outcome(this.#read(given), this.#reasoner.space.day).outcome;
  }

  #guarantee(guarantee: Guarantee): Question {
    const broken = OUTCOMES.filter((outcome) => !keepsTo(guarantee, outcome));
    const { encoding, space } = this.#reasoner;
    return {
      formulas: [encoding.truth(guarantee.when).certain, or(broken.map((outcome) => this.#outcomes[outcome]))],
      confirm: (given) => {
        const isMeant = evaluate(guarantee.when, this.#read(given), space.day) === TRUE;
        return isMeant && broken.includes(this.#outcomeOf(given)) ? [given] : undefined;
      },
    };
  }

  #missing(): Question {
    const { space, table } = this.#reasoner;
    const second = withoutSome(this.#reasoner);
    const isAccepted = (given: Facts) => this.#outcomeOf(given) === 'accept';
    return {
      formulas: [second.rises(this.#outcomes.accept), second.isPossible],
      confirm: (given, states) => {
        if (isAccepted(given)) return undefined;
        const lost = space.variables.filter((_, variable) => second.isLost(variable, states));
        const less = waysToLose(lost, table)
          .flatMap((taken) => this.#without(given, taken))
          .find(isAccepted);
        return less && smallest(given, withMost(given, less, isAccepted), isAccepted);
      },
    };
  }

  /** Facts without some of them: with what is derived from them, without it, and with what would be derived again. */
  #without(given: Facts, taken: ReadonlySet<string>): readonly Facts[] {
    const { table } = this.#reasoner;
    const left = (isLost: (path: string) => boolean) => new Map([...given].filter(([path]) => !isLost(path)));
    const literal = left((path) => taken.has(path));
    const read = this.#read(literal);
    const again = [...taken].filter((path) => !isMissing(factAt(read, path)));
    return [
      left((path) => dependsOn(path, taken, table)),
      literal,
      new Map([...literal, ...again.map((path): [string, Fact] => [path, { missing: 'notGiven' }])]),
    ];
  }

  #outage(source: SourceName): Question {
    const { table } = this.#reasoner;
    const own = new Set([...table.keys()].filter((path) => isFrom(source, path, table)));
    const second = withoutAll(this.#reasoner, own);
    return {
      formulas: [second.rises(this.#outcomes.accept), second.isPossible],
      confirm: (given) => {
        if (this.#outcomeOf(given) === 'accept') return undefined;
        const left = new Map<string, Fact>();
        for (const [path, fact] of given) {
          if (own.has(path)) left.set(path, isMissing(fact) ? fact : { missing: 'sourceFailed' });
          else if (!dependsOn(path, own, table)) left.set(path, fact);
        }
        return this.#outcomeOf(left) === 'accept' ? [given, left] : undefined;
      },
    };
  }

  #monotone(path: string): Question {
    const second = withOther(this.#reasoner, path);
    const { accept, reject } = this.#outcomes;
    const isMilder = or([second.falls(reject), second.rises(accept)]);
    return {
      formulas: [isMilder, isHigher(path, this.#reasoner, second), second.isPossible],
      confirm: (given) => {
        for (const values of valuesOf(path, given, this.#reasoner)) {
          const people = values.map((value) => new Map([...given, [path, { value }]]));
          const ranks = people.map((each) => strictness(this.#outcomeOf(each)));
          // Where the outcome gets milder anywhere, it does so from one value to the next.
          const at = ranks.findIndex((rank, i) => (ranks[i + 1] ?? rank) < rank);
          const [lower, higher] = people.slice(at, at + 2);
          if (at >= 0 && lower && higher) return [lower, higher];
        }
        return undefined;
      },
    };
  }
}

/** The sets of facts whose loss may make these variables missing: a pair needs the loss of one of its facts alone. */
function waysToLose(lost: readonly Variable[], table: FactTable): readonly ReadonlySet<string>[] {
  const behind = lost.map((variable) => factsBehind(variable, table));
  const alone = new Set(behind.flatMap((facts) => (facts.length === 1 ? facts : [])));
  const open = behind.filter((facts) => !facts.some((path) => alone.has(path)));
  const most = Math.max(1, ...open.map(({ length }) => length));
  return Array.from({ length: most }, (_, i) =>
    alone.union(new Set(open.map((facts) => facts[i % facts.length] as string))),
  );
}

/** Fewer facts with as many of the others as a check allows. */
function withMost(all: Facts, less: Facts, isKept: (given: Facts) => boolean): Facts {
  let most = less;
  for (const [path, fact] of all) {
    if (most.get(path) === fact) continue;
    const more = new Map([...most, [path, fact]]);
    if (isKept(more)) most = more;
  }
  return most;
}

/** Two applicants without what both of them can do without: the first is not accepted, and the second is. */
function smallest(all: Facts, less: Facts, isAccepted: (given: Facts) => boolean): readonly [Facts, Facts] {
  const left = (facts: Facts, kept: readonly string[]) =>
    new Map([...facts].filter(([path]) => !less.has(path) || kept.includes(path)));
  const needed = neededAmong(
    [...less.keys()],
    (paths) => !isAccepted(left(all, paths)) && isAccepted(left(less, paths)),
  );
  return [left(all, needed), left(less, needed)];
}
