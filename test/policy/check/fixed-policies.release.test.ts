/** Slips in random policies: what is fixed decides as the policy did that was meant, and hides no warning of it. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { sourceOf } from '../../../src/platform/files/source.ts';
import { WORLD } from '../../../src/platform/formats/geo/world.ts';
import { RE2 } from '../../../src/platform/formats/re2.ts';
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

/** A line with any mistake: `at` and `by` are any numbers. */
type Spoil = (line: string, at: number, by: number, words: readonly string[]) => string;

const spliced = (line: string, at: number, removed: number, inserted: string) =>
  line.slice(0, at % line.length) + inserted + line.slice((at % line.length) + removed);

const SPOILS: Readonly<Record<string, Spoil>> = {
  'a character less': (line, at) => spliced(line, at, 1, ''),
  'a character twice': (line, at) => spliced(line, at, 0, line[at % line.length] ?? ''),
  'another character': (line, at, by) => spliced(line, at, 1, ':,-_"\'[]{}#&*!|>%@` xX0'[by % 26] ?? ' '),
  'a character more': (line, at, by) => spliced(line, at, 0, ':,-_"\'[]{}#&*!|>%@` xX0'[by % 26] ?? ' '),
  'another word of the policy': (line, at, by, words) => {
    const own = [...line.matchAll(/[\w.-]+/g)];
    const word = own[at % own.length];
    return word ? spliced(line, word.index, word[0].length, words[by % words.length] ?? '') : line;
  },
  'a line less': () => '',
  'a line twice': (line) => `${line}\n${line}`,
  'indented further': (line, _, by) => ' '.repeat((by % 4) + 1) + line,
  'indented less': (line, _, by) => line.replace(new RegExp(`^ {1,${(by % 4) + 1}}`), ''),
};

/** The text of a policy, and how a similar text is checked, and then fixed. */
function checkerOf({ policy, day }: Case) {
  const files = filesOf(policy);
  const check = (text: string) => readChecked(textsOf(text, { files }), { at: day, geodata: WORLD, patterns: RE2 });
  /** What is checked, with every fix made. */
  const fix = (checked: ReturnType<typeof check>) => {
    for (let round = 0; round < 5; round++) {
      const fixes = checked.diagnostics.filter(({ file, fix }) => fix && file === 'policy.yaml');
      const source = fixes[0]?.fix && sourceOf(fixes[0].fix);
      if (!source) return checked;
      checked = check(applyFixes(source, fixes).text);
    }
    return checked;
  };
  return { text: files['policy.yaml'] ?? '', check, fix };
}

/** What a policy asks for, as a text: patterns are functions. */
const rulesOf = ({ rules }: Policy) => JSON.stringify(rules, undefined, 1);

const verdictsOf = (policy: Policy, { applicants, day }: Case) =>
  applicants.map((applicant) => matcherOf(policy).verdict(readPlainFacts(applicant, policy, day), day));

it('a slip that is fixed decides everybody as was meant, and leaves the same warnings', () => {
  const compared = new Set<RegExp>();
  fc.assert(
    fc.property(aCase({ applicants: 20 }), fc.nat(20), (given, nth) => {
      const { text, check, fix } = checkerOf(given);
      const meant = check(text);
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
        const slipped = check(written);
        if (slipped.policy) continue;
        const fixed = fix(slipped);
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

it('any other mistake beside a slip that is fixed is reported as it would be without the slip', () => {
  const seen = { reported: 0, silent: 0, kinds: new Set<string>() };
  const spoil = fc.tuple(fc.constantFrom(...Object.keys(SPOILS)), fc.nat(), fc.nat(), fc.nat());
  fc.assert(
    fc.property(
      aCase({ applicants: 1 }),
      fc.nat(),
      fc.array(spoil, { minLength: 4, maxLength: 4 }),
      (given, nth, spoils) => {
        const { text, check, fix } = checkerOf(given);
        const found = SLIPS.flatMap(([find, replacement]) =>
          [...text.matchAll(find)].map(({ index, 0: meant }) => ({ index, meant, find, replacement })),
        );
        const slip = found[nth % found.length];
        if (!slip) return;
        const before = text.slice(0, slip.index);
        const after = text.slice(slip.index + slip.meant.length);
        const line = slip.meant.replace(new RegExp(slip.find.source, 'm'), slip.replacement);
        const [meant, written] = [`${before}${slip.meant}${after}`, `${before}${line}${after}`];
        // What can be read as it is written may be meant.
        if (check(written).policy) return;
        const words = text.match(/[\w.-]+/g) ?? [];
        for (const [kind, where, at, by] of spoils) {
          // The same mistake in both texts, elsewhere.
          const starts = [...text.matchAll(/^.*\S.*$/gm)].filter(
            ({ index, 0: { length } }) => index + length < slip.index || index > slip.index + slip.meant.length,
          );
          const own = starts[where % starts.length];
          if (!own) continue;
          const spoiled = SPOILS[kind]?.(own[0], at, by, words) ?? own[0];
          const withIt = (whole: string) => {
            const start = own.index < slip.index ? own.index : own.index + whole.length - meant.length;
            return whole.slice(0, start) + spoiled + whole.slice(start + own[0].length);
          };
          const fixed = fix(check(withIt(written)));
          // An error is reported, of whichever of the two.
          if (!fixed.policy) {
            seen.reported++;
            continue;
          }
          const alone = fix(check(withIt(meant)));
          const codesOf = ({ diagnostics }: typeof alone) => diagnostics.map(({ code }) => code).sort();
          const told = { kind, slip: line, was: own[0], is: spoiled };
          expect({ ...told, codes: codesOf(fixed) }).toEqual({ ...told, codes: codesOf(alone) });
          expect({ ...told, rules: alone.policy && rulesOf(alone.policy) }).toEqual({
            ...told,
            rules: rulesOf(fixed.policy),
          });
          seen.silent++;
          seen.kinds.add(kind);
        }
      },
    ),
    { numRuns: sampled(7, 1_500), endOnFailure: true },
  );
  expect(seen.kinds.size).toBeGreaterThan(sampled(3, 8));
  expect(Math.min(seen.reported, seen.silent)).toBeGreaterThan(sampled(4, 500));
});
