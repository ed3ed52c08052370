/** Names such as `outage:phone` -> the properties of a policy that they mean. */

import { VerdictError } from '../../errors.ts';
import { type Guarantee, OUTCOMES, type Policy } from '../../policy/language.ts';
import { didYouMean } from '../../text.ts';
import { SOURCES } from '../space/source-facts.ts';

/** The kinds of properties, each with what it can be about; null for the whole policy. */
const ABOUT = {
  guarantee: ({ guarantees }) => guarantees.map(({ id }) => id),
  'missing-never-helps': null,
  outage: () => Object.keys(SOURCES),
  monotone: ({ facts }) =>
    [...facts].flatMap(([path, { type, compute }]) => (ORDERED.includes(type) && !compute ? path : [])),
  reachable: () => OUTCOMES,
  'every-rule-matters': null,
} as const satisfies Record<string, ((policy: Policy) => readonly string[]) | null>;

const ORDERED: readonly string[] = ['number', 'integer', 'level'];

/** A kind of property. */
export type PropertyKind = keyof typeof ABOUT;

/** A property of a policy. */
export interface Property {
  /** As it is asked for: `outage:phone`. */
  readonly name: string;
  readonly kind: PropertyKind;
  /** What it is about: `phone`; empty for the whole policy. */
  readonly about: string;
}

/** What is proved unless something else is asked for. */
export const USUAL_PROPERTIES = ['guarantee', 'missing-never-helps', 'outage'] as const;

/** How properties are asked for. */
export const PROPERTY_WORDS =
  'guarantee or guarantee:ID, missing-never-helps, outage or outage:SOURCE (phone, email, ip, identity), ' +
  'monotone:FACT, reachable or reachable:OUTCOME, every-rule-matters';

/**
 * The properties of these names: a kind alone means all of its kind. Throws REQUEST_INVALID for a name that means none.
 */
export function readProperties(names: readonly string[], policy: Policy): readonly Property[] {
  const properties = names.flatMap((name) => readProperty(name, policy));
  return [...new Map(properties.map((property) => [property.name, property])).values()];
}

function readProperty(name: string, policy: Policy): readonly Property[] {
  const [word = '', ...rest] = name.split(':');
  if (!isKind(word)) {
    if (ABOUT.guarantee(policy).includes(name)) throw unknownError('property', name, [`guarantee:${name}`]);
    throw unknownError('property', word, Object.keys(ABOUT));
  }
  const of = ABOUT[word];
  if (of === null) {
    if (rest.length > 0) throw new VerdictError('REQUEST_INVALID', `${word} is about the whole policy: leave out ":"`);
    return [{ name, kind: word, about: '' }];
  }
  const choices: readonly string[] = of(policy);
  if (rest.length === 0 && word !== 'monotone') {
    return choices.map((about) => ({ name: `${word}:${about}`, kind: word, about }));
  }
  const about = rest.join(':').trim();
  if (about === '')
    throw new VerdictError('REQUEST_INVALID', `no name after "${word}:"; expected ${expectedOf(word, choices)}`);
  if (!choices.includes(about)) throw unknownError(word, about, choices);
  return [{ name: `${word}:${about}`, kind: word, about }];
}

function isKind(word: string): word is PropertyKind {
  return Object.hasOwn(ABOUT, word);
}

/** What can be known of each kind of thing that a name is about. */
const EXPECTED: Readonly<Record<string, string>> = {
  property: PROPERTY_WORDS,
  guarantee: 'the id of a guarantee of the policy',
  monotone: 'a fact of the policy that is a number or a level and is not computed',
};

function expectedOf(kind: string, choices: readonly string[]): string {
  return EXPECTED[kind] ?? choices.join(', ');
}

function unknownError(kind: string, word: string, choices: readonly string[]): VerdictError {
  const [only] = choices.length === 1 ? choices : [];
  const { hint = `expected ${expectedOf(kind, choices)}` } = only?.endsWith(`:${word}`)
    ? { hint: `did you mean "${only}"?` }
    : didYouMean(word, choices);
  // What was typed may be about a person, so it is not repeated.
  const problem = kind === 'property' ? 'unknown property' : `unknown name after "${kind}:"`;
  return new VerdictError('REQUEST_INVALID', `${problem}; ${hint}`);
}

const CLAIM_WORDS: Readonly<Record<Guarantee['claim'], (outcome: string) => string>> = {
  never: (outcome) => `no applicant for whom the condition is true gets ${outcome}`,
  always: (outcome) => `every applicant for whom the condition is true gets ${outcome}`,
  atLeast: (outcome) =>
    `every applicant for whom the condition is true gets ${outcome === 'reject' ? '' : 'at least '}${outcome}`,
};

/** What a property says, without a full stop. */
export function describeProperty({ kind, about }: Property, { guarantees }: Policy): string {
  switch (kind) {
    case 'guarantee': {
      const { claim = 'never', outcome = '' } = guarantees.find(({ id }) => id === about) ?? {};
      return CLAIM_WORDS[claim](outcome);
    }
    case 'missing-never-helps':
      return 'no applicant is accepted because facts are missing';
    case 'outage':
      return `no applicant is accepted because the ${about} source is down`;
    case 'monotone':
      return `no applicant gets a milder outcome because ${about} is higher`;
    case 'every-rule-matters':
      return 'each rule fires for some applicant, and changes or explains an outcome';
    case 'reachable':
      return `some applicant gets ${about}`;
  }
}
