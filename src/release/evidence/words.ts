/** The evidence of a release -> lines for people: first what a checker should doubt, then whose decisions change. */

import { count, toJson } from '../../text.ts';
import type { Impact } from './impact.ts';
import { doubtsOf } from './judge-proof.ts';
import type { Proof } from './proof.ts';

const placeOf = ({ file, line }: { readonly file?: string | undefined; readonly line?: number | undefined }) =>
  file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;

/** What a checker should doubt, the weightiest first; empty if there is nothing. */
export function doubtLines(proof: Proof): readonly string[] {
  const doubts = doubtsOf(proof);
  const added = new Set(proof.policies.flatMap(({ name, from }) => (from === null ? [name] : [])));
  const sure = (isFound: boolean) => (isFound ? '' : ', perhaps nobody');
  // Policies that share a rule set get milder in the same way.
  const alike = Map.groupBy(doubts.milder, ({ policy: _, ...rest }) => toJson(rest));
  const milder = [...alike.values()].flatMap((same) => {
    const names = same.map(({ policy }) => policy).join(', ');
    return same.slice(0, 1).map(({ from, to, conditions, isFound }) => {
      return `${names} ${from} to ${to}${sure(isFound)}: ${conditions.join('; ') || 'everybody'}`;
    });
  });
  const lines = [
    ...proof.check.errors.map((each) => `error ${each.code}${placeOf(each)}`),
    ...doubts.failedTests.map((each) => `test fails: ${each.name}${placeOf(each)}`),
    ...doubts.brokenGuarantees.map(({ policy, id, result }) => `guarantee ${id} of ${policy}: ${result}`),
    ...doubts.removedPolicies.map((name) => `policy ${name} is removed`),
    ...(doubts.isMappingChanged ? ['the mapping of answers to facts is another one'] : []),
    ...milder.map((line) => `milder: ${line}`),
    ...doubts.undecided.map(({ policy, what, about }) =>
      what === 'notCompared' && added.has(policy)
        ? `policy ${policy} is new`
        : ['not decided:', policy, UNDECIDED[what] ?? what, ...about].join(' '),
    ),
    ...doubts.changedTests.map((each) => `test changed: ${each.name}${placeOf(each)}`),
    ...doubts.testsNotRun.map((each) => `test not run: ${each.name}${placeOf(each)}`),
    ...doubts.shrunkLists.map(
      ({ list, removed }) => `list ${list} lost ${removed === 1 ? 'an entry' : `${removed} entries`}`,
    ),
    ...doubts.silenced.map((each) => `warning silenced: ${each.code}${placeOf(each)}`),
  ];
  const untested = new Set(doubts.untested.map(({ what, ...each }) => `not tested: ${what}${placeOf(each)}`));
  const more = untested.size - MOST_UNTESTED;
  // Policies share rule sets.
  return [
    ...new Set(lines),
    ...[...untested].slice(0, MOST_UNTESTED),
    ...(more > 0 ? [`not tested: ${more} more, which \`verdict test --coverage\` lists`] : []),
  ];
}

/** More than these nobody reads one by one. */
const MOST_UNTESTED = 50;

const UNDECIDED: Readonly<Record<string, string>> = {
  edit: 'what an edit does alone:',
  editsLeftOut: 'what edits do alone, so many of them:',
  guarantee: 'the guarantee',
  laterDays: 'later days',
  milder: 'whether any outcome gets milder',
  notCompared: 'the two versions, which cannot be compared',
};

/** Whose decisions change: by proof, and of the decisions on record. */
export function changeLines(proof: Proof, impact: Impact | undefined): readonly string[] {
  const ofPolicy = ({ edits, regions, elsewhere }: Proof['policies'][number]) => [
    ...edits,
    ...regions.map(({ from, to, conditions }) => `${from} to ${to}: ${conditions.join('; ') || 'everybody'}`),
    ...(elsewhere === 'same' ? ['all others are decided the same: proved'] : []),
  ];
  // Policies that share a rule set change in the same way.
  const alike = Map.groupBy(proof.policies, (policy) => ofPolicy(policy).join('\n'));
  const proved = [...alike.values()].flatMap((policies) => {
    const names = policies.map(({ name }) => name).join(', ');
    return policies
      .slice(0, 1)
      .flatMap(ofPolicy)
      .map((line) => `${names}: ${line}`);
  });
  return [...proved, ...(impact ? countLines(impact) : [])];
}

/** What was counted of the decisions on record. */
export function countLines({ policies }: Impact): readonly string[] {
  return policies.flatMap(({ name, counted: found }) => {
    if (!found) return [`${name}: nothing is counted: the versions cannot be compared`];
    const { changed, decided, flows, reviewsADay, labels } = found;
    const by = flows
      .filter(({ from, to }) => from !== to)
      .map((each) => `${each.from} to ${each.to} ${each.applicants}`);
    const reviews = `reviews a day ${reviewsADay.before.toFixed(1)} to ${reviewsADay.after.toFixed(1)}`;
    const ofLabels = labels
      ? [
          `frauds caught ${labels.before.caught} to ${labels.after.caught} of ${labels.fraud}`,
          `good rejected ${labels.before.goodRejected} to ${labels.after.goodRejected} of ${labels.good}`,
        ]
      : [];
    const all = [`${changed} of ${count(decided, 'decision')} on record change`, ...by, reviews, ...ofLabels];
    return [`${name}: ${all.join('; ')}`];
  });
}
