/** Runner 1: a policy and a source of facts -> the verdict by json-rules-engine. */

import type * as RulesEngine from 'json-rules-engine';
import type { Almanac, ConditionProperties, Engine, TopLevelCondition } from 'json-rules-engine';
import { computeFact, factsAmong } from '../../facts/compute.ts';
import { readDay } from '../../facts/day.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { factAsRead } from '../../facts/fact-reader.ts';
import { FUNCTION, readArgument } from '../../platform/given/options.ts';
import { lazy, require } from '../../platform/lazy.ts';
import {
  type Condition,
  factsOf,
  isActive,
  messageFacts,
  type Policy,
  type Rule,
  type Test,
} from '../../policy/language.ts';
import { POLICY } from '../../policy/source-map.ts';
import type { RuleTruth } from '../meaning/outcome.ts';
import { evaluate, evaluateTest, FALSE, factAt, negate, TRUE, type Truth, UNKNOWN } from '../meaning/truth.ts';
import { giveVerdict, type Verdict } from '../meaning/verdict.ts';

const rulesEngine = lazy(() => require<typeof RulesEngine>('json-rules-engine'));

/** Loads the package. Throws CONFIGURATION_INVALID if it cannot be loaded. */
export function loadRulesEngine(): void {
  rulesEngine();
}

/** Fetches a fact when it is first needed. A run calls it once for each fact that a rule reads. */
export type FactSource = (path: string) => Fact | Promise<Fact>;

/** The verdict, and the facts that the run read. */
export interface LiveRun {
  readonly verdict: Verdict;
  readonly facts: Facts;
}

/**
 * Decides on facts that are fetched when they are first needed, on a day, yyyy-MM-dd. If the source throws or
 * rejects, the fact is missing with the cause `sourceFailed`: no rule is skipped. Rejects with REQUEST_INVALID for a
 * day that does not exist, a policy that was not read and a source that is not a function.
 */
export async function runLive(policy: Policy, source: FactSource, day: string): Promise<LiveRun> {
  readArgument('the policy', POLICY, policy);
  readArgument('the source of facts', FUNCTION, source);
  readDay(day);
  return runOnRead(policy, async (path) => factAsRead(policy.facts.get(path), await source(path), day), day);
}

/** As `runLive`, on a source whose facts a reader has made. */
export async function runOnRead(policy: Policy, source: FactSource, day: string): Promise<LiveRun> {
  const rules = policy.rules.filter((rule) => isActive(rule, day));
  const facts = new Map<string, Fact>();
  const reading = new Map<string, Promise<Fact>>();
  const read = (path: string): Promise<Fact> => {
    const fact = reading.get(path) ?? readOnce(path);
    reading.set(path, fact);
    return fact;
  };
  const readOnce = async (path: string): Promise<Fact> => {
    const definition = policy.facts.get(path);
    // A source is asked for the operands of a computed fact, never for the fact itself.
    if (definition?.compute) await Promise.all(factsAmong(definition.compute.operands).map(read));
    const fact = definition?.compute
      ? computeFact(definition, definition.compute, facts)
      : await fetchFact(source, path);
    facts.set(path, fact);
    return fact;
  };
  const certain = await runEngine(rules, 'certainly', read, day);
  const isOpen = (rule: Rule) => !certain.has(rule) && mayBeUnknown(rule.when, facts, day);
  // The second run fetches nothing: all facts that it reads are here.
  const possible = await runEngine(rules.filter(isOpen), 'possibly', (path) => factAt(facts, path), day);
  const truths = rules.flatMap((rule): RuleTruth[] => {
    if (certain.has(rule)) return [{ rule, truth: TRUE }];
    return possible.has(rule) ? [{ rule, truth: UNKNOWN }] : [];
  });
  for (const path of messageFacts(rules.filter((rule) => certain.has(rule) && !rule.shadow)))
    if (!facts.has(path)) await read(path);
  return { verdict: giveVerdict(policy, truths, facts, day), facts };
}

/** Fetches a fact; missing if its source fails. */
async function fetchFact(source: FactSource, path: string): Promise<Fact> {
  try {
    return await source(path);
  } catch {
    return { missing: 'sourceFailed' };
  }
}

/**
 * An unknown test counts as false in a run of `certainly`, as true in a run of `possibly`. With every `not`
 * pushed down to the tests, these two Boolean runs give Kleene's logic.
 */
type Mode = 'certainly' | 'possibly';

/** One run of the engine. */
interface Run {
  readonly mode: Mode;
  readonly read: FactSource;
  readonly day: string;
  /** Whether each rule becomes a single condition. */
  readonly isLarge: boolean;
}

/** Runs the engine and returns the rules that hold in a mode. */
async function runEngine(rules: readonly Rule[], mode: Mode, read: FactSource, day: string): Promise<Set<Rule>> {
  if (rules.length === 0) return new Set();
  // One Engine for each run: in a shared one, the first run to end would make all others skip their rules.
  const engine = new (rulesEngine().Engine)();
  // A condition of json-rules-engine takes 2 KB and 10 µs at every decision. A policy with very many tests gets only
  // one for each rule.
  const isLarge = rules.reduce((sum, { when }) => sum + countConditions(when), 0) > MOST_CONDITIONS;
  const translate = translator(engine, { mode, read, day, isLarge });
  for (const [i, rule] of rules.entries()) {
    engine.addRule({ name: String(i), conditions: translate(rule.when), event: { type: 'holds' } });
  }
  const { results } = await engine.run();
  return new Set(results.flatMap((result) => rules[Number(result.name)] ?? []));
}

/** The most conditions that one run passes to json-rules-engine, besides one for each rule. */
const MOST_CONDITIONS = 20_000;

/** The conditions that a condition becomes; a named one is shared by all rules that name it. */
function countConditions(condition: Condition): number {
  if (condition.kind === 'test' || condition.kind === 'named' || condition.kind === 'atLeastOf') return 1;
  return condition.of.reduce((sum, part) => sum + countConditions(part), 0);
}

/** Facts are cached here, because two paths can have the same hash in the cache of json-rules-engine. */
const UNCACHED = { cache: false };

/**
 * Creates the translator of rules' conditions to json-rules-engine's, with an operator of our own for each test
 * and no built-in ones.
 */
function translator(engine: Engine, { mode, read, day, isLarge }: Run): (when: Condition) => TopLevelCondition {
  const operators = new Map<string, string>();
  const declared = new Set<string>();
  const computed = new Map<Condition, string>();
  const counts = (truth: Truth, isNegated: boolean): boolean => {
    const wanted = isNegated ? negate(truth) : truth;
    return mode === 'certainly' ? wanted === TRUE : wanted !== FALSE;
  };
  engine.addOperator('holds', (truth: Truth) => counts(truth, false));
  engine.addOperator('fails', (truth: Truth) => counts(truth, true));

  function translate(condition: Condition, isNegated: boolean): ConditionProperties | TopLevelCondition {
    switch (condition.kind) {
      case 'test':
        return translateTest(condition, isNegated);
      case 'not':
        return translate(condition.of[0], !isNegated);
      case 'named':
        // One fact for all rules that name it: written out in each, 100 KB of YAML could take gigabytes.
        return compute(condition.of[0], isNegated);
      case 'atLeastOf':
        return compute(condition, isNegated);
      case 'all':
      case 'any': {
        // INVARIANT: only `all` can be empty (a table row that tests nothing and always fires), and it is never
        // negated.
        const parts = condition.of.map((part) => translate(part, isNegated)) as TopLevelCondition[];
        return (condition.kind === 'all') === isNegated ? { any: parts } : { all: parts };
      }
    }
  }

  function translateTest(test: Test, isNegated: boolean): ConditionProperties {
    declareFact(test.fact);
    if (test.other !== undefined) declareFact(test.other);
    const key = `${isNegated ? 'fails' : 'holds'} ${test.key}`;
    let operator = operators.get(key);
    if (operator === undefined) {
      // A name without a colon: json-rules-engine reads the text before a colon as a decorator.
      operator = `test ${operators.size}`;
      operators.set(key, operator);
      engine.addOperator(operator, (fact: Fact, other: Fact | null) =>
        counts(evaluateTest(test, fact, other ?? undefined, day), isNegated),
      );
    }
    return { fact: test.fact, operator, value: test.other === undefined ? null : { fact: test.other } };
  }

  /** Makes the truth of a condition one almanac fact: json-rules-engine can neither count nor share conditions. */
  function compute(condition: Condition, isNegated: boolean): ConditionProperties {
    const operator = isNegated ? 'fails' : 'holds';
    const cached = computed.get(condition);
    if (cached !== undefined) return { fact: cached, operator, value: null };
    const id = `condition ${computed.size}`;
    computed.set(condition, id);
    const paths = [...factsOf(condition)];
    paths.forEach(declareFact);
    const evaluateFacts = async (almanac: Almanac): Promise<Truth> => {
      const facts = await Promise.all(paths.map(async (path) => [path, await almanac.factValue<Fact>(path)] as const));
      return evaluate(condition, new Map(facts), day);
    };
    let truth: Promise<Truth> | undefined;
    const evaluateOnce = (_params: unknown, almanac: Almanac) => {
      truth ??= evaluateFacts(almanac);
      return truth;
    };
    engine.addFact(id, evaluateOnce, UNCACHED);
    return { fact: id, operator, value: null };
  }

  function declareFact(path: string): void {
    if (declared.has(path)) return;
    declared.add(path);
    let fact: Fact | Promise<Fact> | undefined;
    const readOnce = () => {
      fact ??= read(path);
      return fact;
    };
    engine.addFact(path, readOnce, UNCACHED);
  }

  // json-rules-engine requires `all` or `any` at the root.
  return (when) => ({ all: [isLarge ? compute(when, false) : translate(when, false)] });
}

/** Whether a condition may be unknown: one of its facts is missing, or the evaluation of one of its tests failed. */
function mayBeUnknown(condition: Condition, facts: Facts, day: string): boolean {
  for (const path of factsOf(condition)) if (isMissing(factAt(facts, path))) return true;
  return evaluate(condition, facts, day) === UNKNOWN;
}
