/** Slips in random policies: what is fixed decides as the policy did that was meant, and hides no warning of it. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { WORLD } from '../../../src/formats/geo/world.ts';
import { RE2 } from '../../../src/formats/re2.ts';
import { sourceOf } from '../../../src/platform/files/source.ts';
import { readChecked } from '../../../src/policy/check/check.ts';
import { applyFixes } from '../../../src/policy/check/fix-files.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { textsOf } from '../../../src/policy/read/files/texts.ts';
import { aCase, type Case } from '../../support/runners/arbitrary.ts';
import { filesOf, readPlainFacts } from '../../support/runners/case.ts';
import { sampled } from '../../support/sampled.ts';

/** What people write, in place of lines of a policy that mean the same. */
const SLIPS: readonly (readonly [meant: RegExp, written: string])[] = [
  [/^( +)atLeast: (.+)$/gm, '$1">=": $2'],
  [/^( +)above: (.+)$/gm, '$1gt: $2'],
  [/^( +)below: (.+)$/gm, '$1less_than: $2'],
  [/^( +)atMost: (.+)$/gm, '$1max: $2'],
  [/^( +)isNot: (.+)$/gm, '$1ne: $2'],
  [/^( +)is: (.+)$/gm, '$1equals: $2'],
  [/^( +)notIn:$/gm, '$1not_one_of:'],
  [/^( +)notInList: (.+)$/gm, '$1NotInList: $2'],
  [/^( +)known: true$/gm, '$1exists: yes'],
  [/^( +[\w.-]+):\n +known: false$/gm, '$1: missing'],
  [/^( +[\w.-]+):\n +known: true$/gm, '$1: known'],
  [/^( +\w+):\n +fact: (.+)$/gm, '$1: $2'],
  [/^( +)between:\n +- (\d+)\n +- (\d+)$/gm, '$1between: $2-$3'],
  [/^( +[\w.-]+):\n +atLeast: (\d+)$/gm, '$1: $2+'],
  [/^( +[\w.-]+):\n +isNot: ([a-z]\w*)$/gm, '$1: not $2'],
  [/^( +\w+): (\d+)$/gm, '$1: "$2"'],
  [/^( +points): (\d+)$/gm, '$1: + $2'],
  [/^( +\w+): (\d+) days$/gm, '$1: $2d'],
  [/^( +(?:after|before)): (\d{4})-(\d\d)-(\d\d)$/gm, '$1: $4.$3.$2'],
  [/^( +[\w.-]+): true$/gm, '$1: yes'],
  [/^( +[\w.-]+): false$/gm, '$1: no'],
  [/: veryHigh$/gm, ': very high'],
  [/: high$/gm, ': High'],
  [/^( +(?:- )?)all:$/gm, '$1and:'],
  [/^( +(?:- )?)any:$/gm, '$1or:'],
  [/^( +(?:- )?)any:\n( +)- (\w+)\n\2- (\w+)$(?!\n\2)/gm, '$1any: $3, $4'],
  [/^( +(?:- )?)riskLevel:/gm, '$1risk_level:'],
  [/\.riskLevel:/gm, '.risk_level:'],
  [/^( +then): reject$/gm, '$1: decline'],
  [/^( +then): review$/gm, '$1: Review'],
  [/^( +then): (\w+)$/gm, '$1:$2'],
  [/^( +then): (\w+)$/gm, '$1: $2,'],
  [/^( +)when:/gm, '$1if:'],
  [/^( +reason: [A-Z]+)_([A-Z])/gm, '$1-$2'],
];

/** A policy in a text, as checked. */
function check(text: string, { policy, day }: Case) {
  return readChecked(textsOf(text, { files: filesOf(policy) }), { at: day, geodata: WORLD, patterns: RE2 });
}

/** The text with every fix made. */
function fixedText(written: string, given: Case): string {
  let text = written;
  for (let round = 0; round < 5; round++) {
    const { diagnostics } = check(text, given);
    const fixes = diagnostics.filter(({ file, fix }) => fix && file === 'policy.yaml');
    const source = fixes[0]?.fix && sourceOf(fixes[0].fix);
    if (!source) return text;
    text = applyFixes(source, fixes).text;
  }
  return text;
}

/** What a policy asks for, as a text: patterns are functions. */
const rulesOf = ({ rules }: Policy) => JSON.stringify(rules, undefined, 1);

const verdictsOf = (policy: Policy, { applicants, day }: Case) =>
  applicants.map((applicant) => matcherOf(policy).verdict(readPlainFacts(applicant, policy, day), day));

it('a slip that is fixed decides everybody as was meant, and leaves the same warnings', () => {
  const compared = new Set<RegExp>();
  fc.assert(
    fc.property(aCase({ applicants: 20 }), fc.nat(20), (given, nth) => {
      const text = filesOf(given.policy)['policy.yaml'] ?? '';
      const meant = check(text, given);
      if (!meant.policy) throw new Error('a random policy has no errors');
      const [rules, verdicts] = [rulesOf(meant.policy), verdictsOf(meant.policy, given)];
      const warnings = meant.diagnostics.map(({ code }) => code).sort();
      for (const [find, replacement] of SLIPS) {
        const places = [...text.matchAll(find)];
        const place = places[nth % places.length];
        if (!place) continue;
        const end = place.index + place[0].length;
        const line = place[0].replace(new RegExp(find.source, 'm'), replacement);
        const written = text.slice(0, place.index) + line + text.slice(end);
        // What can be read as it is written may be meant.
        if (check(written, given).policy) continue;
        const fixed = check(fixedText(written, given), given);
        if (!fixed.policy) continue;
        expect({ line, rules: rulesOf(fixed.policy) }).toEqual({ line, rules });
        expect({ line, verdicts: verdictsOf(fixed.policy, given) }).toEqual({ line, verdicts });
        expect({ line, warnings: fixed.diagnostics.map(({ code }) => code).sort() }).toEqual({ line, warnings });
        compared.add(find);
      }
    }),
    { numRuns: sampled(4, 300), endOnFailure: true },
  );
  expect(compared.size).toBeGreaterThan(sampled(10, SLIPS.length / 2));
});
