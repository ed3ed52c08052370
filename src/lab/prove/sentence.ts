/** A property -> what it says, as a sentence. */

import type { Guarantee, Policy } from '../../policy/language.ts';
import type { Property } from './property.ts';

const CLAIM_WORDS: Readonly<Record<Guarantee['claim'], (outcome: string) => string>> = {
  never: (outcome) => `nobody for whom the condition is true gets ${outcome}`,
  always: (outcome) => `everybody for whom the condition is true gets ${outcome}`,
  atLeast: (outcome) =>
    `everybody for whom the condition is true gets ${outcome === 'reject' ? '' : 'at least '}${outcome}`,
};

/** What a property says, without a full stop. */
export function describeProperty({ kind, about }: Property, { guarantees }: Policy): string {
  switch (kind) {
    case 'guarantee': {
      const { claim = 'never', outcome = '' } = guarantees.find(({ id }) => id === about) ?? {};
      return CLAIM_WORDS[claim](outcome);
    }
    case 'missing-never-helps':
      return 'nobody is accepted because facts are missing';
    case 'outage':
      return `nobody is accepted because the ${about} source is down`;
    case 'monotone':
      return `nobody gets a milder outcome because ${about} is higher`;
    case 'every-rule-matters':
      return 'each rule fires for somebody, and changes or explains an outcome';
    case 'reachable':
      return `somebody gets ${about}`;
  }
}
