/** `--sweep`, and a policy -> the policy with each of the values. */

import { InvalidArgumentError } from 'commander';
import { isObject } from '../../../../platform/json.ts';
import { factsOf, type Policy, type Rule } from '../../../../policy/language.ts';
import { filesIn, policyData } from '../../../../policy/source-map.ts';
import { count, didYouMean } from '../../../../text.ts';
import { UsageError } from '../../../io.ts';

/** A parameter, a band of the score or the threshold of a test, and its values. */
export interface Values {
  readonly of: string;
  readonly values: readonly string[];
}

/** More values than these take long, and nobody compares them. */
const MOST_VALUES = 200;

const [NUMBER, STEP] = [/-?\d+(?:\.\d+)?/.source, /\d+(?:\.\d+)?/.source];
const SWEEP = new RegExp(`^([^=]+)=(${NUMBER})\\.\\.(${NUMBER})/(${STEP})$`);

export function readSweep(text: string): Values {
  const [, of = '', from, to, step] = SWEEP.exec(text) ?? [];
  const [least, most, by] = [Number(from), Number(to), Number(step)];
  const count = Math.floor((most - least) / by + 1e-9) + 1;
  const expected = 'Expected a parameter and its values, such as riskyScore=60..95/5: from 60 to 95 in steps of 5.';
  if (!(by > 0 && count >= 1)) throw new InvalidArgumentError(expected);
  if (count > MOST_VALUES)
    throw new InvalidArgumentError(`Those are ${count} values; at most ${MOST_VALUES} are tried.`);
  const digits = Math.max(...[from, step].map((each) => each?.split('.')[1]?.length ?? 0));
  return { of, values: Array.from({ length: count }, (_, i) => (least + i * by).toFixed(digits)) };
}

/** Data of a policy, or a part of them. */
type Data = Record<string, unknown>;

/** A place in the data of a policy with a number. */
interface Threshold {
  readonly in: Data;
  readonly key: string;
  /** Of a test. */
  readonly operator?: string;
}

/**
 * The policy with each of the values. Throws a usage error for what is not there, or not one number.
 *
 * @param set loads the policy with another value of a parameter
 */
export async function sweepPolicies(
  policy: Policy,
  { of, values }: Values,
  mapping: string | undefined,
  set: (own: Readonly<Record<string, string>>) => Promise<Policy>,
): Promise<readonly Policy[]> {
  const isParameter = /^[^.:]+$/.test(of);
  const load = isParameter ? (value: string) => set({ [of]: value }) : await thresholdSetter(policy, of, mapping);
  return Promise.all(values.map(load));
}

/** Gives the policy with another number in place of a threshold. */
async function thresholdSetter(policy: Policy, of: string, mappingFile: string | undefined) {
  const { policyFromData } = await import('../../../../policy/read/parse.ts');
  const { loadMapping } = await import('../../../../facts/mapping/mapping.ts');
  const mapping = loadMapping(mappingFile);
  return async (value: string): Promise<Policy> => {
    const data = policyData(policy) as Data;
    const { in: place, key } = thresholdIn(data, policy, of);
    const written = place[key];
    if (typeof written === 'string' && written.startsWith('$'))
      throw new UsageError(`--sweep: ${of} is the parameter ${written.slice(1)}; expected its name in place of ${of}`);
    if (typeof written !== 'number') throw new UsageError(`--sweep: ${of} is not compared with a number`);
    place[key] = Number(value);
    return policyFromData(data, { mapping, shown: `--sweep ${of}=${value}` });
  };
}

function thresholdIn(data: Data, policy: Policy, of: string): Threshold {
  const [, band] = /^score\.(review|reject)$/.exec(of) ?? [];
  if (band !== undefined) return bandIn(data, band);
  const [, rule, test = ''] = /^([^:]+):(.+)$/.exec(of) ?? [];
  if (rule !== undefined) return testIn(data, policy, rule, test);
  throw new UsageError(`--sweep: expected a parameter, score.review, score.reject or rule:fact in place of ${of}`);
}

function bandIn({ score }: Data, band: string): Threshold {
  const bands = (score ?? {}) as Data;
  const begins = bands[band];
  if (begins === undefined) throw new UsageError(`--sweep: the policy has no score.${band}`);
  return isObject(begins) ? { in: begins, key: 'atLeast' } : { in: bands, key: band };
}

function testIn(data: Data, policy: Policy, rule: string, test: string): Threshold {
  const facts = factsOf(ruleOf(policy, rule, '--sweep: ').when);
  const operator = facts.has(test) ? undefined : test.slice(test.lastIndexOf('.') + 1);
  const fact = operator === undefined ? test : test.slice(0, -operator.length - 1);
  if (!facts.has(fact)) {
    const { hint = `it tests ${[...facts].join(', ')}` } = didYouMean(test, facts);
    throw new UsageError(`--sweep: ${rule} has no test of ${test}; ${hint}`);
  }
  // A row of a table has no condition that is written as one.
  const rules = filesIn(data).flatMap((file) => (file['rules'] ?? []) as readonly Data[]);
  const tests = [...testsOf(rules.find(({ id }) => id === rule)?.['when'], fact)];
  const found = tests.filter((each) => operator === undefined || each.operator === operator);
  const [one] = found;
  if (one && found.length === 1) return one;
  const names = new Set(tests.map((each) => `${rule}:${fact}.${each.operator}`));
  const has = tests.length === 0 ? `tests ${fact} elsewhere` : `has ${count(tests.length, 'test')} of ${fact}`;
  const isNamed = names.size > 1 || (found.length === 0 && names.size > 0);
  const hint = isNamed ? `write ${[...names].join(' or ')}` : 'make the number a parameter of the policy';
  throw new UsageError(`--sweep: ${rule} ${has}; ${hint}`);
}

/** A rule by its id. Throws a usage error, which begins with the option, for one that the policy does not have. */
export function ruleOf({ rules }: Policy, id: string, option = ''): Rule {
  const found = rules.find((rule) => rule.id === id);
  if (found) return found;
  const { hint } = didYouMean(
    id,
    rules.map((rule) => rule.id),
  );
  throw new UsageError(`${option}the policy has no rule ${id}${hint === undefined ? '' : `; ${hint}`}`);
}

/** The tests of a fact that are written in a condition. */
function* testsOf(condition: unknown, fact: string): Generator<Threshold> {
  if (Array.isArray(condition)) for (const each of condition) yield* testsOf(each, fact);
  if (!isObject(condition)) return;
  for (const [key, value] of Object.entries(condition)) {
    if (key !== fact) yield* testsOf(value, fact);
    else if (!isObject(value)) yield { in: condition, key, operator: 'is' };
    else for (const operator of Object.keys(value)) yield { in: value, key: operator, operator };
  }
}
