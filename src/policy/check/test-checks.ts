/** Single tests and groups of them -> warnings. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { amountsMeant } from '../../platform/files/numeral.ts';
import type { Span } from '../../platform/files/source.ts';
import { type Format, readFormat } from '../../platform/formats/format.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { grouped } from '../../text.ts';
import { type Argument, isEmptyList, isNamedList } from '../arguments.ts';
import { EVERY_STATE, STATES } from '../cells/cells.ts';
import { isWithin } from '../cells/conjunctions.ts';
import { nestedCounts } from '../cells/nested-counts.ts';
import type { Condition, Test } from '../language.ts';
import { askedOf, describeTest, operatorRow, positiveOf, writeTest } from '../operators.ts';
import { factNamed } from '../read/conditions/condition.ts';
import { type Check, conditionsOf, partsIn, scalarsIn, testsIn } from './context.ts';

export function checkAlwaysTrue(check: Check): void {
  for (const group of testGroups(check)) {
    for (const test of group) {
      if (constantTruth(test, check) !== true) continue;
      const message = `every known value of ${test.fact} ${describeTest(test)}: the test is always true`;
      const hint = `to ask only whether it is known, write \`${test.fact}: { known: true }\``;
      reportTest(test, 'always-true', message, check, hint);
    }
    const open = group.filter((test) => constantTruth(test, check) === undefined);
    checkImplied(open, check);
  }
}

/** Reports the tests that the others of a group already imply, unless the group contradicts itself. */
function checkImplied(group: readonly Test[], check: Check): void {
  const { conjunctions } = check;
  if (group.length < 2 || !conjunctions.meet(group)) return;
  let needed = group;
  for (const test of group.toReversed()) {
    const others = needed.filter((each) => each !== test);
    // `known: true` together with a value decides what a missing fact means, so it is needed.
    if (test.operator === 'known' || others.length === 0) continue;
    const [region, own] = [conjunctions.meet(others), conjunctions.meet([test])];
    if (!region || !own || !isWithin(region, own)) continue;
    const message = `"${writeTest(test)}" changes nothing: the other tests of ${test.fact} beside it already imply it`;
    reportTest(test, 'always-true', message, check, 'remove it, or change its value');
    needed = others;
  }
}

/** A literal of a test, or an entry of a list. */
interface ComparedText {
  readonly text: string;
  readonly span: Span;
  /** What a value equals that equals the text; undefined for a part of a value, and without a format. */
  readonly format: Format | undefined;
  readonly isPattern: boolean;
}

/** The literals of the tests of texts, and the entries of all lists. */
export function* comparedTexts({ policy, nodes, lists }: Check): Generator<ComparedText> {
  for (const test of testsIn(policy)) {
    const node = nodes.get(test);
    if (test.type !== 'string' || !node) continue;
    const isWhole = askedOf(test.operator) === 'values';
    const format = isWhole ? policy.facts.get(test.fact)?.format : undefined;
    const isPattern = positiveOf(test.operator) === 'matches';
    for (const { value, span } of textsIn(node)) yield { text: value, span, format, isPattern };
  }
  for (const { entries, format } of lists)
    for (const { written, span } of entries) yield { text: written.value, span, format, isPattern: false };
}

function* textsIn(node: Yaml): Generator<{ readonly value: string; readonly span: Span }> {
  if (node.kind === 'list') for (const item of node.items) yield* textsIn(item);
  else if (node.kind === 'scalar' && typeof node.value === 'string') yield { value: node.value, span: node };
}

export function checkNeverTrue(check: Check): void {
  for (const group of testGroups(check)) {
    for (const test of group) {
      if (constantTruth(test, check) !== false) continue;
      const message = `no known value of ${test.fact} ${describeTest(test)}: the test is never true`;
      reportTest(test, 'never-true', message, check);
    }
    const open = group.filter((test) => constantTruth(test, check) === undefined);
    checkContradiction(open, check);
  }
}

/** Reports the first test that contradicts those before it. */
function checkContradiction(group: readonly Test[], check: Check): void {
  const { conjunctions } = check;
  if (group.length < 2) return;
  for (const [i, test] of group.entries()) {
    if (conjunctions.meet(group.slice(0, i + 1))) continue;
    const other = group.slice(0, i).find((each) => !conjunctions.meet([each, test]));
    const [others, all] = other ? [`"${writeTest(other)}"`, 'both'] : ['the tests before it', 'all of them'];
    const result = `no value of ${test.fact} passes ${all}, so the condition is never true`;
    reportTest(test, 'never-true', `"${writeTest(test)}" contradicts ${others}: ${result}`, check);
    return;
  }
}

export function checkNumbers(check: Check): void {
  const { geodata } = check;
  if (!geodata) return;
  for (const { text, span, format } of comparedTexts(check)) {
    const read = format === 'phone' ? readFormat(format, text) : undefined;
    if (!read || !('value' in read) || geodata.numberingPlan(read.value) !== undefined) continue;
    const message = 'no numbering plan has this phone number, so no one can have it';
    check.warn(span, 'no-such-number', message, 'expected the country code and all digits, like +44 7400 123456');
  }
}

function numbersOf({ argument }: Pick<Test, 'argument'>): readonly number[] {
  return argument === undefined ? [] : numbersIn(argument);
}

function numbersIn(argument: Argument): readonly number[] {
  if (typeof argument === 'number') return [argument];
  if (!Array.isArray(argument)) return [];
  return argument.flatMap((part: unknown) => {
    if (typeof part === 'number') return [part];
    return isYearsTest(part) ? numbersIn(part.argument) : [];
  });
}

function isYearsTest(part: unknown): part is { readonly argument: Argument } {
  return typeof part === 'object' && part !== null && 'argument' in part;
}

/** The groups of all conditions; most have one test. */
function* testGroups(check: Check): Generator<readonly Test[]> {
  for (const condition of conditionsOf(check.policy)) yield* groupsIn(condition, check);
}

function* groupsIn(condition: Condition, check: Check): Generator<readonly Test[]> {
  if (condition.kind === 'named') return;
  const [tests, others] =
    condition.kind === 'test' || condition.kind === 'all' ? split([condition]) : [[], condition.of];
  yield* Map.groupBy(tests, (test) => check.cells.of(test).axis.subject).values();
  for (const other of others) yield* groupsIn(other, check);
}

/** The tests that all have to hold, and the other parts. */
function split(conditions: readonly Condition[]): readonly [Test[], Condition[]] {
  const tests: Test[] = [];
  const others: Condition[] = [];
  for (const condition of conditions) {
    if (condition.kind === 'test') tests.push(condition);
    else if (condition.kind !== 'all') others.push(condition);
    else {
      const [inner, rest] = split(condition.of);
      for (const test of inner) tests.push(test);
      others.push(...rest);
    }
  }
  return [tests, others];
}

/** The truth of a test that is the same for every known value; undefined where it depends on the value. */
function constantTruth(test: Test, { cells, policy }: Check): boolean | undefined {
  const { argument, operator } = test;
  // `known` is asked of missing facts too. An empty list was reported where it is declared.
  if (operator === 'known' || (isNamedList(argument) && isEmptyList(argument))) return undefined;
  const ofNested = truthOfNested(test, policy.facts);
  if (ofNested !== undefined) return ofNested;
  const { axis, isTrue } = cells.of(test);
  const knownCells = axis.within(EVERY_STATE - STATES.missing);
  if ((isTrue & knownCells) === 0n) return false;
  return (isTrue & knownCells) === knownCells ? true : undefined;
}

/** The truth of a comparison of two counts of which one is a part of the other. */
function truthOfNested({ fact, other, operator }: Test, facts: FactTable): boolean | undefined {
  if (other === undefined) return undefined;
  const found = nestedCounts(facts).find(({ part, whole }) =>
    [part, whole].every((each) => each === fact || each === other),
  );
  if (!found) return undefined;
  const [never, always] = found.part === fact ? ['above', 'atMost'] : ['below', 'atLeast'];
  return operator === never ? false : operator === always ? true : undefined;
}

/** Reports a test, so that what follows from it is not reported again. */
function reportTest(test: Test, code: DiagnosticCode, message: string, check: Check, hint?: string): void {
  check.reported.add(test);
  check.warn(check.nodes.get(test), code, message, hint);
}

/** An `any` whose single entry has several tests: the hyphens of the others were forgotten. */
export function checkSingleEntries({ policy, nodes, warn }: Check): void {
  for (const part of partsIn(policy)) {
    const [entry, ...others] = part.kind === 'any' ? part.of : [];
    if (entry?.kind !== 'all' || others.length > 0) continue;
    const second = entry.of[1];
    const message = `\`any\` has a single entry with ${entry.of.length} tests, which all have to hold`;
    const hint = 'write a hyphen before each test, or `all:` if all of them are meant';
    if (second?.kind === 'test') warn(nodes.get(second), 'single-entry', message, hint);
  }
}

export function checkPatterns(check: Check): void {
  const { policy, nodes, warn } = check;
  checkWildcards(check);
  for (const test of testsIn(policy)) {
    checkDomains(test, check);
    const text = typeof test.expected === 'string' ? test.expected : undefined;
    if (text === undefined) continue;
    const [, bare] = /^\/(.+)\/[a-z]*$/s.exec(text) ?? [];
    if (test.operator === 'matches' && bare !== undefined) {
      const message = `the slashes are part of the pattern, so ${test.fact} has to contain them`;
      warn(nodes.get(test), 'near-pattern', message, `did you mean '${bare}'? Upper and lower case are the same`);
    }
    const isWhole = /^[^.@]+(\.[^.@]+)+$/.test(text);
    if (test.operator === 'endsWith' && isWhole && isOfDomain(test.fact, policy.facts)) {
      const message = `not${text} ends with ${text} too`;
      const isEmail = policy.facts.get(test.fact)?.format === 'email';
      const hint = isEmail
        ? `did you mean '@${text}'?`
        : `use a list and \`inDomainList\`, or '.${text}' for its subdomains`;
      warn(nodes.get(test), 'near-pattern', message, hint);
    }
  }
}

/** Texts that no domain of an address equals. */
function checkDomains(test: Test, { policy, nodes, warn }: Check): void {
  const isWhole = operatorRow(positiveOf(test.operator)).isNaming && !isNamedList(test.argument);
  const node = isWhole && policy.facts.get(test.fact)?.format === 'domain' ? nodes.get(test) : undefined;
  for (const { value, span } of node ? textsIn(node) : []) {
    if (value.includes('.')) continue;
    const message = `no address is at "${value}": its domain has a dot`;
    warn(span, 'near-pattern', message, 'write all of it, such as gmail.com');
  }
}

/** Texts that begin or end with a wildcard of other programs. */
function checkWildcards(check: Check): void {
  for (const { text, span, format, isPattern } of comparedTexts(check)) {
    const [, before, part, after] = /^([*%]?)([^*%]+)([*%]?)$/.exec(text) ?? [];
    const sign = before || after;
    // `100%` is a share.
    if (isPattern || format !== undefined || part === undefined || !sign || /\d%$/.test(text)) continue;
    const operator = before && after ? 'contains' : before ? 'endsWith' : 'startsWith';
    const message = `the ${sign} is a character of the text, not a wildcard`;
    check.warn(span, 'near-pattern', message, `write a test with \`${operator}: ${part}\``);
  }
}

function isOfDomain(fact: string, facts: FactTable): boolean {
  const format = facts.get(fact)?.format;
  return format === 'domain' || format === 'email';
}

export function checkFactPaths({ policy, nodes, warn }: Check): void {
  for (const test of testsIn(policy)) {
    const definition = policy.facts.get(test.fact);
    const node = nodes.get(test);
    if (definition?.type !== 'string' || !node || !operatorRow(positiveOf(test.operator)).isNaming) continue;
    const isSingle = node.kind !== 'list';
    for (const item of isSingle ? [node] : node.items) {
      const answer = factNamed(item, definition, policy.facts);
      if (!answer || item.kind !== 'scalar') continue;
      const message = `${test.fact} is compared with the text "${item.written}", not with the fact of this path`;
      warn(item, 'fact-as-text', message, isSingle ? answer.hint : `${answer.hint} as a test of its own`);
    }
  }
}

/** Names of facts that are days of birth. */
const BIRTH = /birth|born|\bdob\b/i;

export function checkBirthdays({ policy, nodes, warn }: Check): void {
  for (const test of testsIn(policy)) {
    const isFixed = (test.operator === 'before' || test.operator === 'after') && test.other === undefined;
    if (!isFixed || test.type !== 'date' || !BIRTH.test(test.fact)) continue;
    const message = `${test.fact} is compared with a fixed day, which means another age each day`;
    warn(
      nodes.get(test),
      'fixed-birthday',
      message,
      `for an age, write \`${test.fact}: { yearsSince: { below: 18 } }\``,
    );
  }
}

/** The greatest value of a scale: below, 0.8 may be a value; above, it is not a scale. */
const GREATEST = { least: 10, most: 10_000 } as const;

export function checkScales(check: Check): void {
  const { policy, roots, nodes, warn } = check;
  const tested = [...testsIn(policy)].map((test) => nodes.get(test)).filter((node) => node !== undefined);
  for (const node of new Set([...roots, ...tested].flatMap(scalarsIn))) {
    // A zero at the end that nobody needs: with a decimal comma, the point before it separates thousands.
    const isPlain = typeof node.value === 'number' && !node.origin && /\.\d\d0$/.test(node.written);
    const [one, other] = isPlain ? amountsMeant(node.written) : [];
    if (other === undefined) continue;
    warn(node, 'wrong-scale', `${node.written} is the number ${one}`, `write ${one}, or ${other}`);
  }
  for (const [fact, tests] of Map.groupBy(testsIn(policy), (test) => test.fact)) {
    const definition = policy.facts.get(fact);
    if (definition?.compute?.name === 'ratio') {
      const sign = signOfShare(definition, tests);
      for (const test of sign === undefined ? [] : tests) {
        const percent = numbersOf(test).find((number) => Number.isInteger(number) && number > 1 && number <= 100);
        if (percent === undefined) continue;
        const message = `${fact} is a ratio, ${sign}: ${percent} means ${grouped(percent * 100)} percent`;
        warn(nodes.get(test), 'wrong-scale', message, `did you mean ${percent / 100}?`);
      }
    }
    const greatest = scaleOf(definition);
    // A policy with a limit such as 14.5 tells tenths of a point apart.
    if (greatest === undefined || tests.flatMap(numbersOf).some(isFineLimit)) continue;
    for (const test of tests) {
      const fraction = fractionIn(test);
      if (fraction === undefined) continue;
      const message = `${fact} is a number from 0 to ${greatest}, and ${fraction} is less than 1`;
      // As written by hand: without the error of the product.
      const meant = Number((fraction * greatest).toPrecision(12));
      warn(nodes.get(test), 'wrong-scale', message, `did you mean ${meant}?`);
    }
  }
}

/** What a description calls a ratio of a part to a whole. */
const SHARE = /\b(?:share|fraction|proportion|portion|percentage|percent)\b|%/i;

/** From this limit on, a ratio that another test compares with a fraction is hardly meant. */
const LEAST_PERCENT = 10;

/**
 * What tells that a ratio is a share of 1: what its description calls it, or a fraction that another test of it has
 * beside a limit like 60. A ratio without such a sign may well be above 1, such as a loan of 36 incomes.
 */
function signOfShare({ description = '', unit = '' }: FactDefinition, tests: readonly Test[]): string | undefined {
  const [word] = SHARE.exec(`${description} ${unit}`) ?? [];
  if (word !== undefined) return `described as "${word.toLowerCase()}"`;
  const numbers = tests.flatMap(numbersOf);
  const fraction = numbers.find((number) => number > 0 && number < 1);
  const isPercent = numbers.every((number) => number <= 1 || number >= LEAST_PERCENT);
  return fraction === undefined || !isPercent ? undefined : `compared with ${fraction} too`;
}

/** The greatest value of a number that goes from 0 to 100, or the like. */
function scaleOf(definition: FactDefinition | undefined): number | undefined {
  const { type, range: [least, most] = [0, 0] } = definition ?? {};
  return type === 'number' && least === 0 && most >= GREATEST.least && most <= GREATEST.most ? most : undefined;
}

function isFineLimit(number: number): boolean {
  return number > 1 && !Number.isInteger(number);
}

/** A number between 0 and 1, if all numbers of a test are on this scale. */
function fractionIn(test: Test): number | undefined {
  const numbers = numbersOf(test);
  return numbers.every((number) => number >= 0 && number <= 1) ? numbers.find((number) => number % 1 > 0) : undefined;
}
