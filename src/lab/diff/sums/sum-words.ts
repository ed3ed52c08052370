/** Sums of the rules that two policies share -> words. */

import { OUTCOMES, strictness } from '../../../policy/language.ts';
import type { Attribute, Range } from './sums.ts';

/** A box of sums. `other` is `other ` where the policies have rules of their own, and else empty. */
export function describeSums(attributes: readonly Attribute[], box: readonly Range[], other: string): string {
  const limited = attributes
    .map((attribute, i) => ({ attribute, range: box[i] as Range }))
    .filter(({ attribute: { values }, range: [least, most] }) => least > 0 || most < values.length - 1);
  const isNone = (name: Attribute['name']) =>
    limited.some(({ attribute, range: [, most] }) => attribute.name === name && (attribute.values[most] as number) < 0);
  // Rules that fire and undetermined ones are said together where none of either asks.
  const isQuiet = isNone('certain') && isNone('uncertain');
  const words = limited.flatMap(({ attribute, range }) => {
    if (isQuiet && attribute.name === 'uncertain') return [];
    return isQuiet && attribute.name === 'certain'
      ? `no ${other}rule asks for an outcome`
      : describeRange(attribute, range, other);
  });
  return words.length > 2 ? `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}` : words.join(', and ');
}

function describeRange({ name, values, hasNegative }: Attribute, range: Range, other: string): string {
  const ends = range.map((at) => values[at] as number) as [number, number];
  switch (name) {
    case 'finalFired':
      return describeAsked(other, 'final rule', 'fires', ...ends);
    case 'finalUndetermined':
      return describeAsked(other, 'final rule', 'is undetermined', ...ends);
    case 'certain':
      if (ends[1] < 0) return `no ${other}rule that fires asks for an outcome`;
      return describeAsked(other, 'rule', 'fires', ...ends);
    case 'uncertain':
      if (ends[0] < 0) return `no ${other}undetermined rule asks for review`;
      return `${oneOf(other)} rule asks for review because it is undetermined`;
    case 'least':
      if (hasNegative) return `the lowest score of the ${other}rules is ${describePoints(values, range)}`;
      return `the ${other}rules that fire give ${describePoints(values, range)} points`;
    case 'most':
      if (hasNegative) return `the highest score of the ${other}rules is ${describePoints(values, range)}`;
      return `the ${other}rules give ${describePoints(values, range)} points, undetermined ones included`;
  }
}

/** The strictest outcomes that some rules may have; -1 is none. */
function describeAsked(other: string, kind: string, verb: string, least: number, most: number): string {
  const rules = `${other}${kind}`;
  if (most < 0) return `no ${rules} ${verb}`;
  if (least < 0 && most === strictness('accept')) return `no ${rules} that ${verb} asks for review or reject`;
  if (least < 0 && most === strictness('review')) return `no ${rules} that ${verb} asks for reject`;
  const asked = [undefined, ...OUTCOMES].slice(least + 1, most + 2).map((each) => each ?? 'nothing');
  if (least === 0 && kind === 'final rule' && most === strictness('reject')) return `${oneOf(other)} ${kind} ${verb}`;
  if (least >= 0 && most === strictness('reject')) {
    return `${oneOf(other)} ${kind} that ${verb} asks for ${least === 0 ? 'an outcome' : asked.join(' or ')}`;
  }
  return `the strictest ${rules} that ${verb} asks for ${asked.join(' or ')}`;
}

function oneOf(other: string): string {
  return other === '' ? 'a' : 'another';
}

function describePoints(values: readonly number[], [least, most]: Range): string {
  const from = least === 0 ? undefined : values[least];
  const to = most === values.length - 1 ? undefined : (values[most + 1] as number) - 1;
  if (from === undefined) return `at most ${to}`;
  if (to === undefined) return `at least ${from}`;
  return from === to ? String(from) : `${from} to ${to}`;
}
