/** Facts of a few random applicants -> those of many, as they can have them: derived facts follow from their inputs. */

import type { FactTable } from '../../../src/facts/catalog.ts';
import { deriveFact, setComputed } from '../../../src/facts/compute.ts';
import { FIRST_DAY } from '../../../src/facts/day.ts';
import { type Fact, type Facts, isMissing } from '../../../src/facts/fact.ts';
import { factAsDeclared, markRead, newFacts, readFact } from '../../../src/facts/fact-reader.ts';
import { WORLD } from '../../../src/platform/formats/geo/world.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { pick, randomOf } from '../facts/mutate.ts';
import { readPlainFacts } from '../runners/case.ts';
import type { PlainFacts } from '../runners/plain.ts';

/** The combinations of the facts that applicants have: all of them, or as many random ones as these. */
function* combinationsOf(applicants: readonly Facts[], most: number): Generator<Facts> {
  const facts = [...(applicants[0]?.keys() ?? [])].map((path) => {
    const all = new Map(applicants.map((each) => [JSON.stringify(each.get(path)), each.get(path) as Fact]));
    return { path, all: [...all.values()] };
  });
  const size = facts.reduce((product, { all }) => product * all.length, 1);
  const random = randomOf(size);
  for (let n = 0; n < Math.min(size, most); n++) {
    let rest = n;
    const combination = new Map<string, Fact>();
    for (const { path, all } of facts) {
      combination.set(path, size > most ? pick(all, random) : (all[rest % all.length] as Fact));
      rest = Math.floor(rest / all.length);
    }
    yield combination;
  }
}

/** Many applicants with the facts of a few, as the policy reads them; each of the few comes first. */
export function* manyOf(
  applicants: readonly PlainFacts[],
  most: number,
  policy: Policy,
  day: string,
): Generator<Map<string, Fact>> {
  const few = applicants.map((plain) => readPlainFacts(plain, policy, day));
  for (const each of few) yield asDerived(each, policy.facts, day);
  for (const each of combinationsOf(few, most)) yield asDerived(each, policy.facts, day);
}

/** A derived fact keeps its value where one of its inputs is missing, as in a log without facts of the person. */
export function asDerived(facts: Facts, table: FactTable, day: string): Map<string, Fact> {
  const found = new Map(facts);
  const isKnown = (path: string) => !isMissing(found.get(path) ?? { missing: 'notGiven' });
  for (const [path, definition] of table) {
    const { origin, inputs = [], compute } = definition;
    if (origin !== 'derived' || compute || !inputs.every(isKnown)) continue;
    found.set(path, readFact(definition, deriveFact(path, definition, found, WORLD), day));
  }
  // An invalid number has no country, and none of another number.
  const valid = found.get('phone.valid');
  const isNowhere = isKnown('applicant.phoneNo') && !isKnown('phone.country');
  if (isNowhere || (valid && 'value' in valid && valid.value === false)) {
    for (const path of ['phone.country', 'ip.matchesPhoneCountry']) {
      if (found.has(path)) found.set(path, { missing: 'invalid' });
    }
  }
  setComputed(found, table);
  return found;
}

/** Facts as a policy reads them: what is no value of an enum there is invalid, and it computes what it computes. */
export function asReadBy({ facts: table }: Policy, facts: Facts): Facts {
  const read = newFacts(facts);
  for (const [path, fact] of facts) {
    const definition = table.get(path);
    if (definition?.values) read.set(path, factAsDeclared(definition, fact));
  }
  setComputed(read, table);
  return markRead(read, table, FIRST_DAY);
}
