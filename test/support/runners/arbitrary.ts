/** The tables of facts and operators -> random policies as plain data, facts near their limits, and days. */

import * as fc from 'fast-check';
import { CATALOG, FACT_TYPES, type FactType } from '../../../src/facts/catalog.ts';
import { CAUSES } from '../../../src/facts/fact.ts';
import { FORMATS, type Format } from '../../../src/platform/formats/format.ts';
import { type ArgumentKind, YEARS_OPERATORS } from '../../../src/policy/arguments.ts';
import type { Outcome } from '../../../src/policy/language.ts';
import { type OperatorName, operatorRow, operatorsOf } from '../../../src/policy/operators.ts';
import {
  aDayBeside,
  aDayNear,
  aDuration,
  aGivenText,
  aLimit,
  aMember,
  aPart,
  aPattern,
  aText,
  entriesNear,
  LITERALS,
  NEIGHBOURS,
  oneOf,
  rank,
} from './literals.ts';
import type {
  PlainCondition,
  PlainDecisionTable,
  PlainDefinition,
  PlainFact,
  PlainFacts,
  PlainFactTable,
  PlainNotice,
  PlainPolicy,
  PlainRule,
} from './plain.ts';
import { PLAIN_CATALOG, rulesOf } from './plain.ts';
import { escapeCondition, withParameters } from './plain-parameters.ts';

/** A policy, facts of several applicants, and the day of the decisions. */
export interface Case {
  readonly policy: PlainPolicy;
  readonly applicants: readonly PlainFacts[];
  readonly day: string;
}

export interface CaseOptions {
  /** Without `known`, `ignore` and `shadow`, which the promises about missing facts exclude. */
  readonly isPlain?: boolean;
  /** The number of applicants for each policy. */
  readonly applicants?: number;
  /** The facts that policies read, of the catalog or of the caller's own; any few of them if it is absent. */
  readonly paths?: fc.Arbitrary<readonly string[]>;
}

/** The list that facts of a format are looked up in. */
const LISTS_BY_FORMAT: Readonly<Record<Format, string>> = {
  phone: 'phones',
  email: 'emails',
  domain: 'domains',
  ip: 'addresses',
  country: 'countries',
};

/** The parts a condition is made of. */
interface Scope {
  readonly paths: readonly string[];
  readonly day: string;
  readonly lists: readonly string[];
  /** The named conditions that can be used. */
  readonly names: readonly string[];
  readonly isPlain: boolean;
  /** The tests of each fact. Kept, since making such an arbitrary takes far longer than drawing from it. */
  readonly asked: Map<string, fc.Arbitrary<unknown>>;
}

const ENUM_VALUES = ['web', 'Web', 'true', '1', 'never', 'high'];
const DAYS = ['2026-11-20', '2024-02-29', '2025-02-28', '2025-03-01', '2026-12-31', '2000-01-01', '1970-01-01'];

/** Context facts: two of every type, to be compared with each other, and a date in the past. */
const OWN_FACTS: Readonly<Record<string, PlainDefinition>> = Object.fromEntries([
  ...FACT_TYPES.map((type) => [`context.${type}`, ownFact(type, ENUM_VALUES)]),
  ...FACT_TYPES.map((type) => [`context.other.${type}`, ownFact(type, ENUM_VALUES.toReversed())]),
  ['identity.past', { type: 'date', past: true }],
  ['context.other.number', { type: 'number', min: -3, max: 1000 }],
  ['context.other.integer', { type: 'integer', min: 0 }],
  ...FORMATS.map((format) => [`context.${format}`, { type: 'string', format }]),
]);

/** Facts that each policy computes in its own way. */
const COMPUTED_FACTS: Readonly<Record<string, PlainDefinition>> = {
  'context.total': { type: 'number' },
  'context.share': { type: 'number' },
  'context.whole': { type: 'integer' },
  'context.span': { type: 'integer' },
};

const NUMERIC = ['context.number', 'context.integer', 'context.other.number', 'context.other.integer'];
const aNumericFact = oneOf(NUMERIC);
const anOperand = fc.oneof(
  { weight: 3, arbitrary: aNumericFact },
  oneOf([0, 1, 2, 0.1, -3, 100, 1e308, -1e308, 1e-300, 5e-324]),
);
const someOperands = fc
  .tuple(fc.array(anOperand, { minLength: 1, maxLength: 2 }), aNumericFact, fc.nat(2))
  .map(([operands, fact, at]) => operands.toSpliced(at, 0, fact));
const twoOperands = fc
  .tuple(aNumericFact, anOperand, fc.boolean())
  .map(([fact, operand, isFirst]) => (isFirst ? [fact, operand] : [operand, fact]));
const ofSome = oneOf(['sum', 'product', 'minimum', 'maximum']).chain((name) =>
  someOperands.map((o) => ({ [name]: o })),
);
const ofTwo = oneOf(['difference', 'ratio']).chain((name) => twoOperands.map((operands) => ({ [name]: operands })));
const aDate = oneOf(['context.date', 'context.other.date', 'identity.past', 'phone.porting.portedDate']);

/** The computations of a policy, by path. */
const someComputations = fc.record({
  'context.total': ofSome,
  'context.share': ofTwo,
  'context.whole': fc.oneof(ofSome, ofTwo),
  'context.span': fc.tuple(aDate, aDate).map((dates) => ({ daysBetween: dates })),
});

type Computations = Readonly<Record<string, { readonly [name: string]: readonly (number | string)[] }>>;

const TABLE: PlainFactTable = { ...PLAIN_CATALOG, ...OWN_FACTS, ...COMPUTED_FACTS };

function ownFact(type: FactType, values: readonly string[]): PlainDefinition {
  return type === 'enum' ? { type, values } : { type };
}

function definitionOf(path: string): PlainDefinition {
  const definition = TABLE[path];
  if (!definition) throw new Error(`no fact ${path}`);
  return definition;
}

/** An argument of each kind, as plain data. */
const ARGUMENTS: Readonly<Record<ArgumentKind, (definition: PlainDefinition, scope: Scope) => fc.Arbitrary<unknown>>> =
  {
    value: (definition, { day }) => LITERALS[definition.type](definition, day),
    limit: aLimit,
    values: (definition, { day }) => {
      const { type, format } = definition;
      const one = type === 'string' ? aMember(format) : LITERALS[type](definition, day);
      return fc.array<unknown>(one, { minLength: 1, maxLength: 3 });
    },
    range: (definition) =>
      fc.tuple(aLimit(definition), aLimit(definition)).map((ends) => ends.sort((a, b) => rank(a) - rank(b))),
    duration: () => aDuration,
    years: () => someYears,
    day: (_, { day }) => aDayNear(day),
    truth: () => fc.boolean(),
    text: ({ format }) => aPart(format),
    pattern: () => aPattern,
    list: ({ format }, { lists }) => oneOf(format === undefined ? lists : [LISTS_BY_FORMAT[format]]),
  };

/** Tests of the completed years since a date; the days near the day of a decision are up to 400 days from it. */
const someYears = fc
  .record(
    Object.fromEntries(
      YEARS_OPERATORS.map((name) => {
        const one = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -2, max: 3 }) }, oneOf([18, 30, 400, 9998]));
        if (name === 'in' || name === 'notIn') return [name, fc.array(one, { minLength: 1, maxLength: 3 })];
        if (name === 'is' || name === 'isNot') return [name, one];
        const limit = fc.oneof({ weight: 3, arbitrary: one }, oneOf([0.5, 17.5, -1.5]));
        return [name, name === 'between' ? fc.tuple(limit, limit).map((ends) => ends.sort((a, b) => a - b)) : limit];
      }),
    ),
    { requiredKeys: [] },
  )
  .map((tests) => Object.entries(tests).slice(0, 2))
  .filter((tests) => tests.length > 0)
  .map((tests) => Object.fromEntries(tests));

/** A test of a fact, in one of its notations. */
function askedOf(path: string, scope: Scope): fc.Arbitrary<unknown> {
  const asked = scope.asked.get(path) ?? makeAsked(path, scope);
  scope.asked.set(path, asked);
  return asked;
}

function makeAsked(path: string, scope: Scope): fc.Arbitrary<unknown> {
  const definition = definitionOf(path);
  const argument = (operator: OperatorName): fc.Arbitrary<unknown> => {
    const row = operatorRow(operator);
    const literal = ARGUMENTS[row.argument](definition, scope);
    const others = row.againstFact ? scope.paths.filter((other) => areComparable(definition, definitionOf(other))) : [];
    return others.length === 0
      ? literal
      : fc.oneof(
          { weight: 2, arbitrary: literal },
          oneOf(others).map((fact) => ({ fact })),
        );
  };
  const names = operatorsOf(definition).filter((name) => !(scope.isPlain && name === 'known'));
  const tests = Object.fromEntries(names.map((name) => [name, argument(name)]));
  const one = fc.oneof(...names.map((name) => argument(name).map((expected) => ({ [name]: expected }))));
  const several = fc.record(tests, { requiredKeys: [] }).filter((asked) => Object.keys(asked).length > 0);
  return fc.oneof(
    { weight: 6, arbitrary: one },
    { weight: 1, arbitrary: several },
    { weight: 2, arbitrary: argument('is') },
    { weight: 1, arbitrary: argument('in') },
  );
}

/** Whether facts can be compared: the same type, or both numeric; enums with the same values. */
function areComparable(one: PlainDefinition, other: PlainDefinition): boolean {
  const kind = ({ type }: PlainDefinition) => (type === 'integer' ? 'number' : type);
  return kind(one) === kind(other) && `${one.values?.toSorted()}` === `${other.values?.toSorted()}`;
}

function aCondition(scope: Scope, depth: number): fc.Arbitrary<PlainCondition> {
  const tests = scope.paths.map((path) => askedOf(path, scope).map((asked) => ({ [path]: asked })));
  const leaf = fc.oneof(...tests);
  const leaves = scope.names.length === 0 ? leaf : fc.oneof({ weight: 4, arbitrary: leaf }, oneOf(scope.names));
  if (depth === 0) return leaves;
  const part = aCondition(scope, depth - 1);
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  const several = fc.array(part, { minLength: 1, maxLength: 4 });
  const combinators: fc.Arbitrary<PlainCondition>[] = [
    parts.map((all) => ({ all })),
    parts.map((any) => ({ any })),
    part.map((not) => ({ not })),
    fc.tuple(several, fc.nat()).map(([of, n]) => ({ atLeastOf: { count: 1 + (n % of.length), of } })),
  ];
  const maps = fc
    .array(fc.oneof(...combinators, leaf), { minLength: 2, maxLength: 3 })
    .map((entries) => Object.assign({}, ...entries));
  return fc.oneof({ weight: 3, arbitrary: leaves }, ...combinators, maps);
}

function aMessage(paths: readonly string[]): fc.Arbitrary<string> {
  const isIdentity = (path: string) => ['phone', 'email', 'ip'].includes(definitionOf(path).format ?? '');
  const shown = paths.filter((path) => !path.startsWith('applicant.') && !isIdentity(path));
  const dates = shown.filter((path) => definitionOf(path).type === 'date');
  const places = [...shown.map((path) => `{${path}}`), ...dates.map((path) => `{daysSince ${path}}`)];
  return fc.array(oneOf(['{{', '}}', ' is ', '$&', ...places]), { maxLength: 5 }).map((parts) => `m${parts.join('')}`);
}

const aNotice: fc.Arbitrary<PlainNotice> = oneOf([
  ...['We could not check your number.', '{no place} }}', ' é '],
  ...[{ de: 'Bitte rufen Sie an.', en: 'Please call.' }, { 'pt-BR': 'Ligue.' }],
]);

/** The effects of a rule. */
type Effect = Omit<PlainRule, 'id' | 'when'>;

/** All effects of a rule or a row; no negative points if it is strict. */
function anEffect(paths: readonly string[]): fc.Arbitrary<Effect & { readonly then: Outcome }> {
  const effect = {
    outcome: oneOf(['accept', 'review', 'review', 'reject', 'reject'] as const),
    reason: oneOf(['A', 'SAME_CODE', 'X_1']),
    message: aMessage(paths),
    notice: aNotice,
    points: fc.integer({ min: -30, max: 30 }),
  };
  return fc.record(effect).map(({ outcome: then, points, ...rest }) => {
    return { ...rest, then, points: then === 'accept' ? points : Math.abs(points) };
  });
}

/** Some effects of a rule, `then` or `points` among them; mostly `then`. */
const someEffectKeys = fc
  .tuple(
    oneOf([['then'], ['then'], ['points'], ['then', 'points'], ['then', 'points']]),
    fc.subarray(['reason', 'message', 'notice']),
  )
  .map((keys) => keys.flat());

function picked(effect: Effect, keys: readonly string[]): Effect {
  return Object.fromEntries(Object.entries(effect).filter(([key]) => keys.includes(key)));
}

/** The settings of a rule or a table; most are active and no shadow. */
function someCircumstances({ day, isPlain }: Scope) {
  return fc
    .record({
      whenUnknown: fc.option(oneOf(isPlain ? (['review'] as const) : (['review', 'ignore'] as const)), {
        nil: undefined,
      }),
      mode: isPlain ? fc.constant(undefined) : oneOf([undefined, undefined, undefined, undefined, 'shadow'] as const),
      days: oneOf([[], [], ['from'], ['until'], ['from', 'until']]),
      ends: fc.tuple(aDayBeside(day), aDayBeside(day)).map((ends) => ends.sort()),
      owner: oneOf([undefined, 'risk team']),
    })
    .map(({ whenUnknown, mode, days, ends: [from, until], owner }) => ({
      ...(whenUnknown === undefined ? {} : { whenUnknown }),
      ...(mode === undefined ? {} : { mode }),
      ...(days.includes('from') && from !== undefined ? { from } : {}),
      ...(days.includes('until') && until !== undefined ? { until } : {}),
      ...(owner === undefined ? {} : { owner }),
    }));
}

function aRule(scope: Scope): fc.Arbitrary<Omit<PlainRule, 'id'>> {
  return fc
    .record({
      when: aCondition(scope, 2),
      effect: anEffect(scope.paths),
      keys: someEffectKeys,
      circumstances: someCircumstances(scope),
      final: oneOf([undefined, true, false, false]),
    })
    .map(({ when, effect, keys, circumstances, final }) => ({
      when,
      ...picked(effect, keys),
      ...circumstances,
      ...(final === undefined || !keys.includes('then') ? {} : { final }),
    }));
}

const NONE = { then: 'none' };

/** A table over one to three facts; the columns of effects are anywhere among theirs. */
function aDecisionTable(scope: Scope): fc.Arbitrary<Omit<PlainDecisionTable, 'id'>> {
  const somePaths = fc.shuffledSubarray([...scope.paths], { minLength: 1, maxLength: Math.min(3, scope.paths.length) });
  const parts = fc.tuple(
    somePaths,
    someEffectKeys,
    someCircumstances(scope),
    fc.nat(3),
    oneOf([undefined, true, false]),
  );
  return parts.chain(([paths, keys, about, at, asksFinal]) => {
    const final = asksFinal === undefined || !keys.includes('then') ? {} : { final: asksFinal };
    const canBeNone = final.final !== true && keys.includes('points');
    const columns = paths.toSpliced(at, 0, ...keys);
    const asked = paths.map((path) => [
      path,
      fc.oneof({ weight: 3, arbitrary: askedOf(path, scope) }, fc.constant('any')),
    ]);
    const row = fc
      .tuple(anEffect(scope.paths), fc.record(Object.fromEntries(asked)), oneOf([false, false, canBeNone]))
      .map(([effect, cells, isNone]) => {
        const given: Record<string, unknown> = { ...effect, ...cells, ...(isNone ? NONE : {}) };
        return columns.map((column) => given[column]);
      });
    return fc.array(row, { minLength: 1, maxLength: 4 }).map((rows) => ({ ...about, ...final, columns, rows }));
  });
}

const aScore = fc.oneof(
  fc.constant(undefined),
  fc.integer({ min: -20, max: 40 }).map((review) => ({ review })),
  fc.integer({ min: -20, max: 60 }).map((reject) => ({ reject })),
  fc.tuple(fc.integer({ min: -20, max: 30 }), fc.integer({ min: 1, max: 30 })).map(([review, more]) => ({
    review,
    reject: review + more,
  })),
);

function aPolicy(
  paths: readonly string[],
  day: string,
  isPlain: boolean,
  computations: Computations,
): fc.Arbitrary<PlainPolicy> {
  const computed = Object.entries(COMPUTED_FACTS).map(([path, { type }]) => [
    path,
    { type, compute: computations[path] as Computations[string] },
  ]);
  const lists = ['first', 'second', 'third'];
  const scope: Scope = { paths, day, lists, names: [], isPlain, asked: new Map() };
  const names = ['one', 'twoAndMore', 'three-3'];
  // Each can use those before it.
  const conditions = names.map((name, i) => [name, aCondition({ ...scope, names: names.slice(0, i) }, 1)] as const);
  return fc
    .record({
      default: oneOf(['accept', 'accept', 'review', 'reject'] as const),
      whenUnknown: oneOf(isPlain ? ([undefined, 'review'] as const) : ([undefined, 'review', 'ignore'] as const)),
      lists: fc.record(
        Object.fromEntries([
          ...lists.map((name) => [name, entriesNear(day)]),
          ...FORMATS.map((format) => [LISTS_BY_FORMAT[format], entriesNear(day, format)]),
        ]),
      ),
      conditions: fc.record(Object.fromEntries(conditions)),
      rules: fc.array(aRule({ ...scope, names }), { minLength: 1, maxLength: 6 }),
      tables: fc.array(aDecisionTable(scope), { maxLength: 2 }),
      score: aScore,
      scoreNotices: fc.record({ review: aNotice, reject: aNotice }, { requiredKeys: [] }),
      defaultNotice: fc.option(aNotice, { nil: undefined }),
    })
    .map(({ whenUnknown, score, scoreNotices, defaultNotice, rules, tables, ...policy }) => ({
      ...policy,
      ...(whenUnknown === undefined ? {} : { whenUnknown }),
      ...(score === undefined ? {} : { score: withNotices(score, scoreNotices) }),
      ...(defaultNotice === undefined ? {} : { defaultNotice }),
      facts: { ...Object.fromEntries(computed), ...OWN_FACTS },
      rules: rules.map((rule, i) => ({ id: `rule-${i}`, ...rule })),
      ...(tables.length === 0 ? {} : { tables: tables.map((table, i) => ({ id: `table-${i}`, ...table })) }),
    }));
}

/** A fact at, next to or far from the policy's own literals; or missing. */
function aFact(path: string, literals: readonly unknown[], day: string): fc.Arbitrary<PlainFact> {
  const definition = definitionOf(path);
  const { type, format } = definition;
  const near = NEIGHBOURS[type](literals, definition, day);
  const plain = type === 'string' ? fc.oneof({ weight: 3, arbitrary: oneOf(near) }, aText) : oneOf(near);
  const values = format === undefined ? plain : aGivenText(format);
  return fc.oneof(
    { weight: 4, arbitrary: values.map((value) => ({ value })) },
    { weight: 1, arbitrary: oneOf(CAUSES).map((missing) => ({ missing })) },
  );
}

/** The facts among the operands of a computed fact; undefined for any other fact. */
function operandsOf(path: string, computations: Computations): readonly string[] | undefined {
  const compute = Object.hasOwn(COMPUTED_FACTS, path) ? computations[path] : undefined;
  return compute && Object.values(compute).flatMap((operands) => operands.filter((each) => typeof each === 'string'));
}

/** Every text and number in a piece of plain data. */
function scalarsOf(data: unknown): unknown[] {
  if (typeof data !== 'object' || data === null) return [data];
  return Object.values(data).flatMap(scalarsOf);
}

/** Mostly none: parameters are read once, and are values from then on. */
const someDice = fc.array(oneOf([0, 0, 0, 0, 0, 0, 1, 3, 5]), { minLength: 1, maxLength: 9 });

/** Whether a fact identifies a person. */
function identifies(path: string): boolean {
  return ['phone', 'email', 'ip'].includes(TABLE[path]?.format ?? '');
}

/** A random policy over a few facts, and applicants near its limits. */
export function aCase({ isPlain = false, applicants = 1, paths: chosen }: CaseOptions = {}): fc.Arbitrary<Case> {
  // Few facts, so that tests share them; many context facts, so that facts are compared with facts.
  const anyPaths = fc
    .tuple(
      fc.subarray(Object.keys(CATALOG), { minLength: 1, maxLength: 4 }),
      fc.subarray(Object.keys(OWN_FACTS), { minLength: 1, maxLength: 6 }),
      fc.subarray(Object.keys(COMPUTED_FACTS), { maxLength: 2 }),
    )
    .map((paths) => paths.flat());
  return fc.tuple(chosen ?? anyPaths, oneOf(DAYS), someComputations).chain(([paths, day, computations]) =>
    aPolicy(paths, day, isPlain, computations).chain((policy) => {
      const literals = scalarsOf([policy.lists, policy.conditions, rulesOf(policy).map(({ when }) => when)]);
      const given = new Set(paths.flatMap((path) => operandsOf(path, computations) ?? path));
      const facts = fc.record(Object.fromEntries([...given].map((path) => [path, aFact(path, literals, day)])));
      return fc.record({
        policy: someDice.map((dice) => withParameters(policy, dice, identifies)),
        applicants: fc.array(facts, { minLength: applicants, maxLength: applicants }),
        day: fc.constant(day),
      });
    }),
  );
}

/** A rule that asks for review or reject and is not final. */
export function aStrictRule({ policy, applicants, day }: Case): fc.Arbitrary<PlainRule> {
  const paths = Object.keys(applicants[0] ?? {});
  const lists = Object.keys(policy.lists ?? {}).filter((name) => !Object.values(LISTS_BY_FORMAT).includes(name));
  const scope: Scope = { paths, day, lists, names: [], isPlain: true, asked: new Map() };
  return fc
    .tuple(aCondition(scope, 1), oneOf(['review', 'reject'] as const), fc.option(fc.nat(30), { nil: undefined }))
    .map(([when, then, points]) => ({
      ...{ id: 'one-more', when: escapeCondition(when), then },
      ...(points === undefined ? {} : { points }),
    }));
}

/** A final rule that asks for reject. */
export function aFinalReject(given: Case): fc.Arbitrary<PlainRule> {
  const then = 'reject' as const;
  return aStrictRule(given).map((rule): PlainRule => ({ ...rule, then, final: true }));
}

type Score = NonNullable<PlainPolicy['score']>;

/** With a notice of each band: beside a single one, or in the band. */
export function withNotices(
  score: Score,
  notices: { readonly review?: PlainNotice; readonly reject?: PlainNotice },
): Score {
  const [only, other] = (['review', 'reject'] as const).filter((band) => score[band] !== undefined);
  if (only && !other) return notices[only] === undefined ? score : { ...score, notice: notices[only] };
  const banded = (band: 'review' | 'reject') => {
    const [limit, notice] = [score[band], notices[band]];
    if (limit === undefined || notice === undefined) return {};
    return { [band]: { atLeast: typeof limit === 'number' ? limit : limit.atLeast, notice } };
  };
  return { ...score, ...banded('review'), ...banded('reject') };
}
