/** Cases and conditions -> in which cases a condition is true, false or unknown: a bit for each case. */

import { evaluate, evaluateTest, FALSE, factAt, TRUE, type Truth } from '../../decision/meaning/truth.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { setComputed } from '../../facts/compute.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { foldParts, type Logic } from '../../policy/fold.ts';
import type { Condition, Test } from '../../policy/language.ts';

/** A bit for each case; bits after the last case are 0. */
export type CaseBits = Int32Array;

/** The cases in which a condition is true, and in which it is true or unknown. */
export interface TruthBits {
  readonly certain: CaseBits;
  readonly possible: CaseBits;
}

/** Facts on a day, yyyy-MM-dd. */
export interface FactsOnDay {
  readonly facts: Facts;
  readonly at: string;
}

interface FactOnDay {
  readonly fact: Fact;
  readonly at: string;
}

/** The values of a fact on days, each once since cases share most of them; and for each case the index of its value. */
interface Column {
  readonly values: readonly FactOnDay[];
  readonly indexOf: Int32Array;
}

/** Evaluates conditions in all cases at once: a condition with one other part costs only that part. */
export class CaseTruths {
  readonly none: CaseBits;
  readonly #cases: readonly FactsOnDay[];
  readonly #all: CaseBits;
  readonly #columns = new Map<string, Column>();
  readonly #kept = new WeakMap<Condition, TruthBits>();
  readonly #logic: Logic<TruthBits> = {
    test: (test) => this.#evaluateTest(test),
    not: ({ certain, possible }) => ({ certain: this.#without(possible), possible: this.#without(certain) }),
    atLeast: (count, parts) => this.#atLeast(count, parts),
  };

  constructor(cases: readonly FactsOnDay[]) {
    this.#cases = cases;
    this.none = new Int32Array(Math.ceil(cases.length / 32));
    this.#all = this.bitsWhere(() => true);
  }

  /** The same cases, with computed facts in addition to their own. */
  withComputed(table: FactTable): CaseTruths {
    return new CaseTruths(
      this.#cases.map(({ facts, at }) => {
        const more = new Map(facts);
        setComputed(more, table);
        return { facts: more, at };
      }),
    );
  }

  /** The cases on whose day something holds. */
  bitsWhere(holds: (each: FactsOnDay) => boolean): CaseBits {
    const bits = this.none.slice();
    for (const [i, each] of this.#cases.entries()) if (holds(each)) setBit(bits, i);
    return bits;
  }

  /** Where a condition has which truth; those of its parts that `keep` has seen are not evaluated again. */
  of(condition: Condition): TruthBits {
    return this.#kept.get(condition) ?? foldParts(condition, this.#logic, (part) => this.of(part));
  }

  /** The same, remembered with all parts. */
  keep(condition: Condition): TruthBits {
    const kept = this.#kept.get(condition) ?? foldParts(condition, this.#logic, (part) => this.keep(part));
    this.#kept.set(condition, kept);
    return kept;
  }

  #evaluateTest(test: Test): TruthBits {
    if (test.other !== undefined) return this.#bitsOf(({ facts, at }) => evaluate(test, facts, at));
    const { values, indexOf } = this.#columnOf(test.fact);
    const truths = values.map(({ fact, at }) => evaluateTest(test, fact, undefined, at));
    return this.#bitsOf((_, i) => truths[indexOf[i] as number] as Truth);
  }

  #bitsOf(truthIn: (each: FactsOnDay, index: number) => Truth): TruthBits {
    const [certain, possible] = [this.none.slice(), this.none.slice()];
    for (let i = 0; i < this.#cases.length; i++) {
      const truth = truthIn(this.#cases[i] as FactsOnDay, i);
      if (truth === TRUE) setBit(certain, i);
      if (truth !== FALSE) setBit(possible, i);
    }
    return { certain, possible };
  }

  #columnOf(path: string): Column {
    const cached = this.#columns.get(path);
    if (cached) return cached;
    const indexes = new Map<string, number>();
    const values: FactOnDay[] = [];
    const indexOf = Int32Array.from(this.#cases, (each) => {
      const fact = factAt(each.facts, path);
      const key = JSON.stringify([each.at, isMissing(fact) ? [] : fact.value]);
      const index = indexes.get(key) ?? values.push({ fact, at: each.at }) - 1;
      indexes.set(key, index);
      return index;
    });
    const column = { values, indexOf };
    this.#columns.set(path, column);
    return column;
  }

  #without(bits: CaseBits): CaseBits {
    return this.#all.map((every, at) => every & ~(bits[at] as number));
  }

  #atLeast(count: number, parts: readonly TruthBits[]): TruthBits {
    const [certain, possible] = (['certain', 'possible'] as const).map((end) => {
      // By number up to the count: the cases in which that many parts hold.
      const holding = [this.#all, ...Array.from({ length: count }, () => this.none.slice())];
      for (const { [end]: own } of parts) {
        for (let number = count; number > 0; number--) {
          const [fewer, bits] = [holding[number - 1] as CaseBits, holding[number] as CaseBits];
          for (let at = 0; at < bits.length; at++) {
            bits[at] = (bits[at] as number) | ((own[at] as number) & (fewer[at] as number));
          }
        }
      }
      return holding[count] as CaseBits;
    }) as [CaseBits, CaseBits];
    return { certain, possible };
  }
}

function setBit(bits: CaseBits, index: number): void {
  bits[index >> 5] = (bits[index >> 5] as number) | (1 << (index & 31));
}

/** The indexes of the bits that are set, in order. */
export function indexesIn(bits: CaseBits): readonly number[] {
  const indexes: number[] = [];
  for (let word = 0; word < bits.length; word++) {
    for (let left = bits[word] as number; left !== 0; left &= left - 1) {
      indexes.push(word * 32 + 31 - Math.clz32(left & -left));
    }
  }
  return indexes;
}
