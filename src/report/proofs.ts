/** What is proved of a policy, and what is not -> text, Markdown, or data for JSON. */

import { valueWords } from '../decision/explain/sentence.ts';
import { matcherOf } from '../decision/matcher/matcher.ts';
import { placeWords } from '../diagnostics.ts';
import { type Facts, isMissing } from '../facts/fact.ts';
import { personalTextsOf } from '../lab/cases/personal-texts.ts';
import { describeProperty } from '../lab/prove/property.ts';
import {
  caseAsYaml,
  caseToKeep,
  type DecidedApplicant,
  type KeptCase,
  type Proof,
  whyUndecided,
} from '../lab/prove/prove.ts';
import { moreSteps, stepsText } from '../lab/steps.ts';
import { hasPersonalTexts } from '../policy/identities.ts';
import type { Policy } from '../policy/language.ts';
import { placeOf } from '../policy/source-map.ts';
import { printable } from '../text.ts';
import { markdownOf, tableOf } from './markdown.ts';
import { code, heading, OUTCOME_STYLES, type Styler } from './outline.ts';
import { sectionLines } from './plain-text.ts';
import { daysWords } from './words/days.ts';
import { NOT_SHOWN, shownLine } from './words/fact-states.ts';
import { reasonsThat } from './words/reasons.ts';

/** The proofs as data. */
export function proofsAsData(proofs: readonly Proof[], policy: Policy, at: string): object {
  return {
    policy: { name: policy.name, version: policy.version, digest: policy.digest },
    at,
    holds: proofs.every(({ result }) => result === 'proved'),
    properties: proofs.map((proof) => {
      const { property, result, tooFewSteps, stuckOn = [], applicants, firstDay, lastDay } = proof;
      const test = caseToKeep(proof, policy);
      return {
        property: property.name,
        says: saidOf(proof, policy),
        result,
        ...(tooFewSteps === undefined ? {} : { tooFewSteps }),
        ...(stuckOn.length === 0 ? {} : { stuckOn }),
        firstDay,
        ...(lastDay === undefined ? {} : { lastDay }),
        applicants: applicants.map(({ example, outcome }) => ({ example, outcome })),
        ...(proof.rules ? { rules: proof.rules } : {}),
        ...(test ? { test } : {}),
      };
    }),
  };
}

const RESULT_STYLES = { proved: 'green', refuted: 'red', undecided: 'yellow' } as const;

/** The refuted ones last, where a terminal shows them. */
export function printProofs(proofs: readonly Proof[], policy: Policy, style: Styler): string {
  const { refuted = [], others = [] } = Object.groupBy(proofs, ({ result }) =>
    result === 'refuted' ? 'refuted' : 'others',
  );
  const lines = [...others, ...refuted].flatMap((proof) => {
    const { property, result } = proof;
    const head = style(RESULT_STYLES[result], result.padEnd('undecided'.length));
    const blocks = result === 'refuted' ? ['', ...refutation(proof, policy, style), ''] : [];
    return [`${head} ${style('bold', property.name)}: ${saidOf(proof, policy)}`, ...blocks];
  });
  const [first] = proofs;
  if (!first) return 'The policy has no guarantees: nothing was to be proved.\n';
  return `${[...lines, ...closing(proofs, policy)].join('\n')}\n`;
}

/** What a property says; and what a proved guarantee does not say. */
function saidOf(proof: Proof, policy: Policy): string {
  const says = describeProperty(proof.property, policy);
  return isProvedGuarantee(proof) ? `${says}; ${NOTHING_SAID}` : says;
}

function isProvedGuarantee({ property, result }: Proof): boolean {
  return property.kind === 'guarantee' && result === 'proved';
}

const NOTHING_SAID = 'where it is unknown, nothing is said';
const HOW_TO_SAY =
  'To say it where a condition is unknown too: `any: [the condition, { FACT: { known: false } }]` for its facts.';

function closing(proofs: readonly Proof[], policy: Policy): readonly string[] {
  const counts = (['proved', 'refuted', 'undecided'] as const).flatMap((result) => {
    const number = proofs.filter((proof) => proof.result === result).length;
    return number === 0 ? [] : { result, words: `${number} ${result}` };
  });
  const has = (wanted: Proof['result']) => counts.some(({ result }) => result === wanted);
  const proved = proofs.find(({ result }) => result === 'proved');
  const meaning = proved ? ` A proof holds for every applicant, ${daysWords(proved.firstDay, proved)}.` : '';
  return [
    `${counts.map(({ words }) => words).join(', ')}.${meaning}`,
    ...(proofs.some(isProvedGuarantee) ? [HOW_TO_SAY] : []),
    ...(has('undecided') ? [whyOpen(proofs, policy)] : []),
  ];
}

/** Why something is undecided, and whether more steps may decide it. */
function whyOpen(proofs: readonly Proof[], policy: Policy): string {
  const steps = proofs.find(({ tooFewSteps }) => tooFewSteps !== undefined)?.tooFewSteps;
  if (steps !== undefined) return `Undecided after ${stepsText(steps)} steps: ${moreSteps(steps)}.`;
  const facts = [...new Set(proofs.flatMap(({ stuckOn = [] }) => stuckOn))];
  return `Undecided, and more steps do not help: ${whyUndecided(facts, policy)}.`;
}

/** Who breaks a property, why they get their outcome, and a test to keep. */
function refutation(proof: Proof, policy: Policy, style: Styler): readonly string[] {
  const { days, firstDay } = proof;
  const guarantee = policy.guarantees.find(({ id }) => `guarantee:${id}` === proof.property.name);
  const place = guarantee && placeOf(guarantee);
  const test = caseToKeep(proof, policy);
  const applicants = proof.applicants.flatMap((each, i) => {
    const first = proof.applicants[0] as DecidedApplicant;
    const who = i === 0 ? shownLine(each.example, [policy]) : difference(first, each, policy);
    const outcome = style(OUTCOME_STYLES[each.outcome], style('bold', each.outcome.toUpperCase()));
    return [`  ${outcome}  ${printable(who)}`, ...because(each, policy, firstDay, style).map((line) => `  ${line}`)];
  });
  return [
    ...(place ? [style('dim', `  ${placeWords(place)}`)] : []),
    ...(firstDay === days[0] ? [] : [`  from ${firstDay} on`]),
    ...(applicants.length > 0 ? applicants : [`  ${proof.rules?.join(', ') ?? 'nobody does'}`]),
    ...(test ? ['', ...testToKeep(test, proof, policy, style)] : []),
  ];
}

function testToKeep(test: KeptCase, { applicants }: Proof, policy: Policy, style: Styler): readonly string[] {
  const isOfPolicy = personalTextsOf([policy]);
  const isPersonal = applicants.some(({ facts }) => [...facts].some(([path, fact]) => isOfPolicy(path, fact)));
  if (isPersonal) return ['  a test to keep needs a value of a personal fact that the policy names (not shown)'];
  return [style('dim', '  a test to keep:'), ...yamlLines(test)];
}

function yamlLines(test: KeptCase): readonly string[] {
  return caseAsYaml(test)
    .trimEnd()
    .split('\n')
    .map((line) => `    ${printable(line)}`);
}

/** Why an applicant gets their outcome: the reasons that decide. */
function because({ facts }: DecidedApplicant, policy: Policy, at: string, style: Styler): readonly string[] {
  const verdict = matcherOf(policy).verdict(facts, at);
  const reasons = reasonsThat(true, { decision: verdict, policy, day: at }, 'text');
  return reasons.length > 0 ? sectionLines(reasons, style) : ['  nothing asks for another outcome'];
}

/** What the second of two applicants has less than the first, or otherwise. */
function difference(first: DecidedApplicant, second: DecidedApplicant, { facts: table }: Policy): string {
  const paths = [...new Set([...first.facts.keys(), ...second.facts.keys()])];
  const shown = (facts: Facts, path: string) => {
    const fact = facts.get(path);
    return fact && !isMissing(fact) ? valueWords(fact.value) : undefined;
  };
  const given = paths.filter((path) => path in first.example.facts);
  const lost = given.filter((path) => shown(second.facts, path) === undefined);
  const changed = given.flatMap((path) => {
    const value = shown(second.facts, path);
    return value === undefined || value === shown(first.facts, path)
      ? []
      : [`${path} ${hasPersonalTexts(path, table) ? NOT_SHOWN : value}`];
  });
  return [
    ...(lost.length > 0 ? [`the same without ${lost.join(', ')}`] : []),
    ...(changed.length > 0 ? [`the same with ${changed.join(', ')}`] : []),
  ].join(', ');
}

/** The proofs as Markdown, such as a comment on a pull request. */
export function proofsAsMarkdown(proofs: readonly Proof[], policy: Policy, at: string): string {
  const [first] = proofs;
  const table = tableOf({
    columns: ['property', `says, ${first ? daysWords(at, first) : `on ${at}`}`, 'result'],
    rows: proofs.map((proof) => {
      const { property, result, days, firstDay } = proof;
      const when = firstDay === days[0] ? '' : ` from ${firstDay}`;
      return [code(property.name), saidOf(proof, policy), `${result}${when}`];
    }),
  });
  const sections = proofs
    .filter(({ result }) => result === 'refuted')
    .flatMap((proof) => {
      const lines = refutation(proof, policy, (_, text) => text);
      return [markdownOf([heading(proof.property.name)]), '```text', ...lines, '```', ''];
    });
  return `${[table, '', ...sections].join('\n')}\n`;
}
