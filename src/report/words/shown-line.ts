/** A line of facts for `evaluate` -> the same for people, without texts that may identify somebody. */

import type { ExampleLine } from '../../lab/question/find-applicant.ts';
import { hasPersonalTexts } from '../../policy/identities.ts';
import type { Policy } from '../../policy/language.ts';
import { toJson } from '../../text.ts';
import { NOT_SHOWN } from './reasons.ts';

/** The policies say which facts are personal. */
export function shownLine({ facts, ...causes }: ExampleLine, policies: readonly Policy[]): string {
  const isHidden = (path: string) => policies.some((policy) => hasPersonalTexts(path, policy.facts));
  const shown = Object.entries(facts).map(([path, value]) => [path, isHidden(path) ? NOT_SHOWN : value]);
  return toJson({ facts: Object.fromEntries(shown), ...causes });
}
