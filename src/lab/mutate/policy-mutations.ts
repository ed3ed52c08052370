/** A policy -> the edits of its lists, computed facts, bands, default and parameters. */

import { type Computation, LEVELS, type Operand } from '../../facts/catalog.ts';
import { computedIn, factsAmong } from '../../facts/compute.ts';
import { IpBlocks, isNamedList, type NamedList } from '../../policy/arguments.ts';
import { type Condition, OUTCOMES, type ParameterValue, type Policy, type Test } from '../../policy/language.ts';
import { DURATION } from '../../policy/read/form.ts';
import { placeOfEntry, spanOfKey } from '../../policy/source-map.ts';
import { count } from '../../text.ts';
import { MOST_ENTRIES_LEFT_OUT } from '../limits.ts';
import { changeBetween, conditionChange, type PolicyEdit } from './policy-change.ts';
import { movedNumber } from './test-mutations.ts';

/** How the policy is read with other values of its parameters; undefined if it has errors then. */
export type WithParameters = (values: Readonly<Record<string, ParameterValue>>, of: Policy) => Policy | undefined;

/** A policy, and what its tests can show of it. */
export interface Asked {
  readonly policy: Policy;
  /** The tests of the rules that are live and in effect on a day of the cases. */
  readonly tests: ReadonlySet<Test>;
  readonly read: WithParameters;
}

/** The lists that rules ask without one of their entries. */
export function listEdits({ policy, tests }: Asked): readonly PolicyEdit[] {
  return [...listsAsked(policy, tests)].flatMap(([name, [list, test]]) =>
    entriesToDrop(list).entries.map(({ entry, number }): PolicyEdit => {
      const key = JSON.stringify([name, number]);
      return {
        ...{ name: key, key, about: test, before: `entry ${number} of the list ${name}`, after: 'removed' },
        change: conditionChange(policy, (when) => withoutEntry(when, name, entry)),
      };
    }),
  );
}

/** How many entries of the lists that rules ask are not taken out. */
export function entriesLeft({ policy, tests }: Asked): number {
  return [...listsAsked(policy, tests).values()].reduce((sum, [list]) => sum + entriesToDrop(list).left, 0);
}

/** The texts and blocks of a list that are taken out, each with its number from 1; and how many are not. */
function entriesToDrop(list: NamedList): {
  readonly entries: readonly { readonly entry: string; readonly number: number }[];
  readonly left: number;
} {
  const all = [...list.entries.keys(), ...(list.blocks?.all ?? []).map(({ value }) => value)];
  if (all.length > MOST_ENTRIES_LEFT_OUT) return { entries: [], left: all.length };
  return { entries: inOrder(list, all).map((entry, i) => ({ entry, number: i + 1 })), left: 0 };
}

/** Entries in the order in which they are written. A list has its blocks behind its texts, wherever they are. */
function inOrder(list: NamedList, all: readonly string[]): readonly string[] {
  const placed = all.map((entry, i) => ({ entry, ...placeOfEntry(list, i)?.position }));
  placed.sort(({ line = 0, column = 0 }, other) => line - (other.line ?? 0) || column - (other.column ?? 0));
  return placed.map(({ entry }) => entry);
}

/** A condition whose tests ask a list without an entry; itself if none of them asks the list. */
function withoutEntry(condition: Condition, name: string, entry: string): Condition {
  if (condition.kind === 'test') return testWithout(condition, name, entry);
  const of = condition.of.map((part) => withoutEntry(part, name, entry));
  return of.every((each, i) => each === condition.of[i]) ? condition : ({ ...condition, of } as Condition);
}

function testWithout(test: Test, name: string, entry: string): Test {
  const { argument } = test;
  if (!isNamedList(argument) || argument.name !== name) return test;
  const { entries, blocks, ...list } = argument;
  const kept = new Map([...entries].filter(([text]) => text !== entry));
  const keptBlocks = blocks?.all.filter(({ value }) => value !== entry) ?? [];
  const withBlocks = keptBlocks.length > 0 ? { blocks: new IpBlocks(keptBlocks) } : {};
  return { ...test, argument: { ...list, entries: kept, ...withBlocks } };
}

/** The lists that tests ask, each with the first test that asks it. */
function listsAsked(policy: Policy, tests: Iterable<Test>): ReadonlyMap<string, readonly [NamedList, Test]> {
  const lists = new Map<string, readonly [NamedList, Test]>();
  for (const test of tests) {
    const { argument } = test;
    if (!isNamedList(argument) || lists.has(argument.name)) continue;
    lists.set(argument.name, [policy.lists.get(argument.name) ?? argument, test]);
  }
  return lists;
}

/** The facts of the policy computed in another way. */
export function computationEdits(policy: Policy): readonly PolicyEdit[] {
  return [...computedIn(policy.facts)].flatMap(([path, { compute, ...definition }]) =>
    otherComputations(compute).map(
      (edit): PolicyEdit => ({
        at: spanOfKey(policy, ['facts', path, 'compute']),
        ...{ name: `${path} ${edit.name}`, before: writtenComputation(compute) },
        after: writtenComputation(edit.compute),
        change: changeBetween(policy, {
          ...policy,
          facts: new Map(policy.facts).set(path, { ...definition, compute: edit.compute }),
        }),
      }),
    ),
  );
}

/** Names that are easily taken for each other. */
const SWAPS: { readonly [Name in Computation['name']]?: Computation['name'] } = {
  ...{ minimum: 'maximum', maximum: 'minimum', sum: 'product', product: 'sum' },
};

/** The operands of these have an order. */
const ORDERED: readonly Computation['name'][] = ['difference', 'ratio', 'daysBetween'];

/** The edits of a computation: a number moved, another name, operands in the other order, one of several left out. */
function otherComputations({ name, operands }: Computation) {
  const swap = SWAPS[name];
  const edit = (by: string, changed: readonly Operand[]) => ({
    /** Unique among the edits of one computation, and equal for the same edit of other values of parameters. */
    name: by,
    compute: { name, operands: changed },
  });
  const movedEdits = operands.flatMap((operand, at) =>
    typeof operand !== 'number'
      ? []
      : [1, -1].map((by) => edit(`${at} by ${by}`, operands.with(at, movedNumber(operand, by)))),
  );
  const fewer = operands.length > 2 ? operands.map((_, at) => edit(`without ${at}`, operands.toSpliced(at, 1))) : [];
  return [
    ...movedEdits,
    ...(swap ? [{ name: swap, compute: { name: swap, operands } }] : []),
    ...(ORDERED.includes(name) ? [edit('swapped', operands.toReversed())] : []),
    ...fewer.filter(({ compute }) => factsAmong(compute.operands).length > 0),
  ];
}

/** As people write it: `compute: { ratio: [context.creditLimit, context.income] }`. */
function writtenComputation({ name, operands }: Computation): string {
  const texts = operands.map((operand) => (typeof operand === 'number' ? String(operand) : operand.fact));
  return `compute: { ${name}: [${texts.join(', ')}] }`;
}

/** Each band of the score moved by one, and removed. */
export function bandEdits(policy: Policy): readonly PolicyEdit[] {
  return (['review', 'reject'] as const).flatMap((band) => {
    const from = policy.score[band];
    if (from === undefined) return [];
    return [from + 1, from - 1, undefined].map((value, i) => ({
      ...{ name: `${band} ${i}`, about: policy.score, before: `score: { ${band}: ${from} }` },
      after: value === undefined ? 'removed' : `score: { ${band}: ${value} }`,
      change: { rules: new Map(), default: policy.default, score: { ...policy.score, [band]: value } },
    }));
  });
}

/** The other outcomes as the default. */
export function defaultEdits(policy: Policy): readonly PolicyEdit[] {
  return OUTCOMES.filter((outcome) => outcome !== policy.default).map((outcome) => ({
    ...{ name: outcome, about: policy, before: `default: ${policy.default}`, after: `default: ${outcome}` },
    change: { rules: new Map(), default: outcome, score: policy.score },
  }));
}

/** Each parameter moved by one step, or flipped. */
export function parameterEdits({ policy, read }: Asked): readonly PolicyEdit[] {
  return [...policy.parameters].flatMap(([name, { value }]) =>
    otherValues(value).map((other): PolicyEdit => {
      const [before, after] = [`${name}: ${value}`, `${name}: ${other}`];
      const changed = read({ [name]: other }, policy);
      // A case that sets the parameter itself does not see its value.
      const about = { name: `${before} ${after}`, at: spanOfKey(policy, ['parameters', name]) };
      return { ...about, before, after, change: changed && changeBetween(policy, changed) };
    }),
  );
}

function otherValues(value: ParameterValue): readonly ParameterValue[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [1, -1].map((by) => movedNumber(value, by));
  const level = (LEVELS as readonly string[]).indexOf(value);
  if (level >= 0) return [LEVELS[level + 1] ?? [], LEVELS[level - 1] ?? []].flat();
  const [, amount, unit] = DURATION.pattern.exec(value) ?? [];
  if (amount === undefined || unit === undefined) return [];
  return [1, -1].flatMap((by) => (Number(amount) + by < 0 ? [] : count(Number(amount) + by, unit.replace(/s$/, ''))));
}
