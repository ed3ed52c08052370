/** Runner 1: a policy, and facts that may still have to be fetched -> the verdict, by json-rules-engine. */

import { type Almanac, type ConditionProperties, Engine, type TopLevelCondition } from 'json-rules-engine';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import {
  type Condition,
  factsOf,
  isActive,
  messageFacts,
  type Policy,
  type Rule,
  type Test,
} from '../../policy/language.ts';
import { evaluate, evaluateTest, FALSE, factAt, negate, TRUE, type Truth, UNKNOWN } from '../meaning/truth.ts';
import { giveVerdict, type RuleTruth, type Verdict } from '../meaning/verdict.ts';

/** Gives a fact when it is first needed. Called once a run for each fact that a rule reads. */
export type FactSource = (path: string) => Fact | Promise<Fact>;

/** What a live run comes to: the verdict, and the facts that it read. */
export interface LiveRun {
  readonly verdict: Verdict;
  readonly facts: Facts;
}

/**
 * Decides on facts that are fetched when they are first needed. A source that fails gives a fact that is missing
 * (`sourceFailed`); it never silences a rule.
 */
export async function runLive(policy: Policy, source: FactSource, day: string): Promise<LiveRun> {
  const rules = policy.rules.filter((rule) => isActive(rule, day));
  const facts = new Map<string, Fact>();
  const read = async (path: string): Promise<Fact> => {
    const fact = await fetchFact(source, path);
    facts.set(path, fact);
    return fact;
  };
  const certain = await runEngine(rules, 'certainly', read, day);
  const isDoubtful = (rule: Rule) => !certain.has(rule) && isOpen(rule.when, facts, day);
  // Facts are read by now: the second run asks only of those already here.
  const possible = await runEngine(rules.filter(isDoubtful), 'possibly', (path) => factAt(facts, path), day);
  const found = rules.flatMap((rule): RuleTruth[] => {
    if (certain.has(rule)) return [{ rule, truth: TRUE }];
    return possible.has(rule) ? [{ rule, truth: UNKNOWN }] : [];
  });
  for (const path of messageFacts(rules.filter((rule) => certain.has(rule) && !rule.shadow)))
    if (!facts.has(path)) await read(path);
  return { verdict: giveVerdict(policy, found, facts, day), facts };
}

/** A fact; where its source fails, missing. */
export async function fetchFact(source: FactSource, path: string): Promise<Fact> {
  try {
    return await source(path);
  } catch {
    return { missing: 'sourceFailed' };
  }
}

/**
 * `certainly`: an unknown test counts as false. `possibly`: it counts as true. Both with every `not` pushed down to the
 * tests, so that Kleene's logic becomes two plain boolean runs.
 */
type Mode = 'certainly' | 'possibly';

/** The rules that hold in a mode. */
async function runEngine(rules: readonly Rule[], mode: Mode, read: FactSource, day: string): Promise<Set<Rule>> {
  if (rules.length === 0) return new Set();
  // An Engine serves one run at a time: shared, the first run to end would make all others skip their rules.
  const engine = new Engine();
  const translation = new Translation(engine, mode, read, day);
  for (const [i, rule] of rules.entries()) {
    engine.addRule({ name: String(i), conditions: translation.translateRoot(rule.when), event: { type: 'holds' } });
  }
  const { results } = await engine.run();
  return new Set(results.flatMap((result) => rules[Number(result.name)] ?? []));
}

/** The cache of json-rules-engine goes by a hash under which two paths can be one: facts are kept here instead. */
const UNCACHED = { cache: false };

/** Conditions -> json-rules-engine's, over an operator of our own for each test; its built-in ones take part in nothing. */
class Translation {
  readonly #engine: Engine;
  readonly #mode: Mode;
  readonly #read: FactSource;
  readonly #day: string;
  readonly #operators = new Map<string, string>();
  readonly #facts = new Set<string>();
  #computed = 0;

  constructor(engine: Engine, mode: Mode, read: FactSource, day: string) {
    this.#engine = engine;
    this.#mode = mode;
    this.#read = read;
    this.#day = day;
    engine.addOperator('holds', (truth: Truth) => this.#counts(truth));
    engine.addOperator('fails', (truth: Truth) => this.#counts(negate(truth)));
  }

  /** A rule's condition; json-rules-engine wants a combinator at its root. */
  translateRoot(condition: Condition): TopLevelCondition {
    return { all: [this.#translate(condition, false)] };
  }

  #counts(truth: Truth): boolean {
    return this.#mode === 'certainly' ? truth === TRUE : truth !== FALSE;
  }

  #translate(condition: Condition, isNegated: boolean): ConditionProperties | TopLevelCondition {
    switch (condition.kind) {
      case 'test':
        return this.#translateTest(condition, isNegated);
      case 'not':
        return this.#translate(condition.of[0], !isNegated);
      case 'named':
        return this.#translate(condition.of[0], isNegated);
      case 'atLeastOf':
        return this.#compute(condition, isNegated);
      case 'all':
      case 'any': {
        // INVARIANT: only `all` can be empty, and is never negated: a row of a table that asks nothing, which always fires.
        const parts = condition.of.map((part) => this.#translate(part, isNegated)) as TopLevelCondition[];
        return (condition.kind === 'all') === isNegated ? { any: parts } : { all: parts };
      }
    }
  }

  #translateTest(test: Test, isNegated: boolean): ConditionProperties {
    this.#declareFact(test.fact);
    if (test.other !== undefined) this.#declareFact(test.other);
    const key = `${isNegated ? 'fails' : 'holds'} ${test.key}`;
    let operator = this.#operators.get(key);
    if (operator === undefined) {
      // A name without a colon: json-rules-engine takes what stands before one for a decorator.
      operator = `${isNegated ? 'fails' : 'holds'} ${this.#operators.size}`;
      this.#operators.set(key, operator);
      this.#engine.addOperator(operator, (fact: Fact, other: Fact | null) => {
        const truth = evaluateTest(test, fact, other ?? undefined, this.#day);
        return this.#counts(isNegated ? negate(truth) : truth);
      });
    }
    return { fact: test.fact, operator, value: test.other === undefined ? null : { fact: test.other } };
  }

  /** What json-rules-engine cannot say in bounded size is one almanac fact: the truth of the condition. */
  #compute(condition: Condition, isNegated: boolean): ConditionProperties {
    const id = `condition ${this.#computed++}`;
    const paths = [...factsOf(condition)];
    for (const path of paths) this.#declareFact(path);
    const evaluateFacts = async (_params: unknown, almanac: Almanac): Promise<Truth> => {
      const facts = await Promise.all(paths.map(async (path) => [path, await almanac.factValue<Fact>(path)] as const));
      return evaluate(condition, new Map(facts), this.#day);
    };
    this.#engine.addFact(id, evaluateFacts, UNCACHED);
    return { fact: id, operator: isNegated ? 'fails' : 'holds', value: null };
  }

  #declareFact(path: string): void {
    if (this.#facts.has(path)) return;
    this.#facts.add(path);
    let fact: Fact | Promise<Fact> | undefined;
    const readOnce = () => {
      fact ??= this.#read(path);
      return fact;
    };
    this.#engine.addFact(path, readOnce, UNCACHED);
  }
}

/** Whether a condition could be unknown: a fact in it is missing, or a test of it failed. */
function isOpen(condition: Condition, facts: Facts, day: string): boolean {
  for (const path of factsOf(condition)) if (isMissing(factAt(facts, path))) return true;
  return evaluate(condition, facts, day) === UNKNOWN;
}
