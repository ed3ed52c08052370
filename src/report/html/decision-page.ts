/** A decision with its policy, facts and explanation -> one self-contained page that shows why. */

import { recordedOutcome } from '../../audit/entry/searchable.ts';
import type { Score } from '../../decision/meaning/outcome.ts';
import { factAt } from '../../decision/meaning/truth.ts';
import type { Reason, Verdict } from '../../decision/meaning/verdict.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { type Notice, noticeTexts, type Policy } from '../../policy/language.ts';
import { openPoints } from '../../policy/weight.ts';
import { capitalised, count } from '../../text.ts';
import { changeBlocks, changesTitle, SETTLED_TITLE, settledBlocks } from '../explanation.ts';
import { isReproduced, sparedWords } from '../record.ts';
import { factCell, pointWords, type StateSetting } from '../words/fact-states.ts';
import { bandsOf, DEPENDING, possibleBand, scoreWords } from '../words/reasons.ts';
import { type RecordContent, writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { type Child, div, h1, h3, line, type Markup, p, rect, span, strong, svg, text } from './markup.ts';
import { factsPart, unknownPart } from './parts/facts.ts';
import { codeName, dayOf, optional, outcomeMark, ruleLink, soft, wordsOf } from './parts/phrases.ts';
import { type DecisionPage, headPairs, peoplePart, provenancePart, signalsPart } from './parts/provenance.ts';
import { foundRules, otherRules } from './parts/rule-cards.ts';
import { type RuleStanding, standings } from './parts/standing.ts';
import { bullets, folded, NONE, table } from './parts/table.ts';
import { decisiveReasons } from './parts/why.ts';

/**
 * The page: first what a person asks who talks to the applicant, then what an analyst asks, at the end the rules that
 * did not fire. It needs no network, no script and no other file. It does not show the values of personal facts, but
 * those of all other facts: protect it like the record itself.
 */
export function decisionPage(data: DecisionPage): string {
  return writePage(decisionContent(data));
}

/** The content of that page. */
export function decisionContent(data: DecisionPage): RecordContent {
  const { decision, explanation, policy, facts, day, record, notes = [], events = [], closed } = data;
  const context = { table: policy.facts, facts, day };
  const all = standings(policy, decision, context, explanation);
  const { signals } = decision;
  const outcome = recordedOutcome(decision);
  const reasons = reasonsOf(data, context);
  const names = headPairs(decision, policy, record, decision.decidedAt === undefined ? [['Day', dayOf(day)]] : []);
  return {
    title: ['Decision', decision.id ?? [], outcome, `${policy.name} ${policy.version}`].flat().join(' · '),
    head: [p({ class: 'kind' }, 'Decision'), h1(outcomeMark(outcome)), reasons, names],
    ...{ reasons, names },
    parts: [
      { id: 'notes', title: 'After the decision', content: peoplePart(notes, events, closed) },
      {
        id: 'unknown',
        title: 'What was not known',
        content: unknownPart(decision, explanation, facts, policy),
      },
      { id: 'score', title: 'Score', content: scorePart(decision.score, policy, all) },
      {
        id: 'changes',
        title: explanation ? changesTitle(explanation) : '',
        content: explanation && htmlOf(changeBlocks(explanation, context)),
      },
      {
        id: 'told',
        title: 'What the applicant may be told',
        content: outcome === 'aborted' ? undefined : toldPart(decision, facts, policy),
      },
      { id: 'rules', title: 'Fired and undetermined rules', content: foundRules(all, context) },
      { id: 'settled', title: SETTLED_TITLE, content: explanation && htmlOf(settledBlocks(explanation, context)) },
      { id: 'facts', title: 'Facts', content: factsPart(policy, context) },
      { id: 'signals', title: 'Signals asked for', content: signals && signalsPart(signals) },
      { id: 'record', title: 'Record', content: provenancePart(decision, policy, record) },
      {
        id: 'others',
        title: 'Rules that did not fire',
        content: otherRules(all, context, explanation !== undefined),
      },
    ],
    foot: "It does not show the applicant's phone number, email and IP address, nor other personal facts.",
  };
}

/** Why the decision has its outcome, with what a reader has to know of it first. */
function reasonsOf({ decision, explanation, policy }: DecisionPage, setting: StateSetting): Child {
  const outcome = recordedOutcome(decision);
  const isAlone = explanation?.decidedBy !== undefined;
  return [
    outcome === 'aborted' ? p({ class: 'warning' }, ABORTED, outcomeMark(decision.outcome), '.') : undefined,
    explanation && !isReproduced(decision, explanation) ? p({ class: 'warning' }, NOT_REPRODUCED) : undefined,
    sparedWords(decision.signals ?? { calls: [], spared: [] }).map((words) => p(`${capitalised(words)}.`)),
    decisiveReasons(decision, explanation, policy, setting),
    isAlone
      ? p({ class: 'soft' }, 'A final rule decides alone, whatever the other rules and the score ask for.')
      : undefined,
  ];
}

const ABORTED =
  'The caller ended this decision after the service was asked, and nobody was given it. The facts that were there ' +
  'lead to ';

/** The rules on the page do not explain such a decision. */
const NOT_REPRODUCED =
  'Decided again, this decision has another result: it was made with another policy, other facts or another engine.';

/** The chart and the table; undefined if the policy has no bands and no rule gave points. */
function scorePart(score: Score, policy: Policy, all: readonly RuleStanding[]): Child {
  const counted = all.filter(givesPoints);
  const bands = bandsOf(policy.score);
  if (bands.length === 0 && counted.length === 0) return undefined;
  const { least, most, band } = score;
  const possible = possibleBand(score, policy.score);
  return [
    p(
      { class: 'score' },
      strong(scoreWords(score)),
      band === null ? undefined : [' reach the band of ', outcomeMark(band)],
      optional(possible, (highest) => [
        band === null ? ' may reach the band of ' : ', and may reach that of ',
        outcomeMark(highest),
        `, ${DEPENDING}`,
      ]),
      band === null && possible === undefined ? ' reach no band' : undefined,
      `; ${bands.map(([band, begin]) => `${band} begins at ${begin}`).join(', ') || 'the policy has no bands'}.`,
      least === most ? '' : ' The score is a range, since rules with points could not be determined.',
    ),
    bands.length === 0 ? undefined : drawScale(score, bands),
    counted.length === 0 ? undefined : pointTable(counted, score, policy),
  ];
}

/** Whether the points of a rule are in the score, or may be. */
function givesPoints({ rule, standing }: RuleStanding): boolean {
  if (rule.shadow) return false;
  const points = standing === 'fired' ? rule.points : standing === 'undetermined' ? openPoints(rule) : undefined;
  return points !== undefined;
}

/** The rules with their points, and the sum. */
function pointTable(counted: readonly RuleStanding[], { least, most }: Score, policy: Policy): Markup {
  const certain = counted.filter(isCertain);
  const sum = certain.reduce((total, { rule: { points = 0 } }) => total + points, 0);
  const isRange = certain.length < counted.length;
  const cells = (standing: RuleStanding) => {
    const points = pointWords(standing.rule.points ?? 0);
    if (!isRange) return [points];
    return isCertain(standing) ? [points, NONE] : [NONE, points];
  };
  return table({
    id: 'points-of-rules',
    caption: 'Where the points come from',
    columns: ['Rule', ...(isRange ? ['Certain', 'Possible'] : ['Points'])],
    width: 'tight',
    rows: counted.map((standing) => [ruleLink(standing.rule.id, policy), ...cells(standing)]),
    total: ['Total', count(sum, 'point'), ...(isRange ? [scoreWords({ least, most })] : [])],
  });
}

function isCertain({ standing }: RuleStanding): boolean {
  return standing === 'fired';
}

/** The scale with its bands, and the range of the score on it. The words above it say the same. */
function drawScale({ least, most }: Score, begun: ReturnType<typeof bandsOf>): Markup {
  const begins = begun.map(([, begin]) => begin);
  const low = Math.min(0, least, ...begins);
  const high = Math.max(most, ...begins, low + 1);
  // A tenth beyond the last border shows that the last band is open.
  const end = high + (high - low) / 10;
  const percent = (points: number) => `${(100 * points) / (end - low)}%`;
  const share = (points: number) => percent(points - low);
  const bar = (kind: string, from: number, to: number, y: string, height: string) =>
    rect({ class: kind, x: share(from), width: percent(to - from), y, height });
  const bands = [['none', low] as const, ...begun];
  const tick = (points: number, kind: string) =>
    line({ class: kind, x1: share(points), x2: share(points), y1: '18', y2: '42' });
  const label = (words: string, points: number, y: string) => text({ x: share(points), y }, words);
  return svg(
    {
      class: 'scale',
      role: 'img',
      height: '58',
      'aria-label': `The score on its scale, from ${low}: ${least} to ${most}`,
    },
    bands.map(([band, from], i) => bar(`band ${band}`, from, bands[i + 1]?.[1] ?? end, '22', '16')),
    bar('range', least, most, '25', '10'),
    begins.map((points) => [tick(points, 'border'), label(`${points}`, points, '55')]),
    tick(least, 'score'),
    least === most ? undefined : tick(most, 'score'),
    label(least === most ? `${least}` : `${least} to ${most}`, (least + most) / 2, '12'),
  );
}

/** The part; undefined where an applicant was accepted and the policy has nothing to tell. */
function toldPart({ outcome, reasons, undetermined }: Verdict, facts: Facts, policy: Policy): Child {
  const notices = noticesOf(reasons, true);
  if (outcome === 'accept' && notices.size === 0) return undefined;
  const others = new Map([...noticesOf(reasons, false)].filter(([key]) => !notices.has(key)));
  const missing = undetermined.flatMap((rule) => rule.missing);
  const wanted = new Set(missing.flatMap(({ fact }) => givenBy(fact, facts, policy.facts)));
  return [
    notices.size === 0
      ? p('The policy has no text about this decision for the applicant: say the outcome, and no reason.')
      : blocks(notices, policy),
    wanted.size === 0
      ? undefined
      : [
          h3('What to ask for'),
          p('The applicant or your own systems can still give:'),
          bullets([...wanted].map((path) => wordsOf(factCell(path, policy.facts)))),
        ],
    h3('What not to say'),
    p(
      'Nothing else on this page is for the applicant: no score, rule, code or source, and not what would lead to ',
      'another outcome. It would tell a fraudster what to change.',
    ),
    others.size === 0
      ? undefined
      : folded(
          `${count(others.size, 'notice')} of rules that did not decide, not for this applicant`,
          blocks(others, policy),
        ),
  ];
}

/** The facts that would have to be given, in place of a missing fact that follows from them. */
function givenBy(path: string, facts: Facts, table: FactTable): readonly string[] {
  const { origin, inputs, variable } = table.get(path) ?? {};
  const fact = factAt(facts, path);
  if (!isMissing(fact)) return [];
  if (inputs) return inputs.flatMap((input) => givenBy(input, facts, table));
  if (origin === 'service') {
    // The service is asked about what was sent.
    const isAskable = fact.missing === 'notRequested' && variable !== undefined;
    return isAskable ? givenBy(`applicant.${variable}`, facts, table) : [];
  }
  return fact.missing === 'invalid' ? [] : [path];
}

type Noticed = Exclude<Reason, { readonly because: 'undetermined' }> & { readonly notice: Notice };

/** The reasons with a notice, by the notice: several rules often have the same. */
function noticesOf(reasons: readonly Reason[], decisive: boolean): ReadonlyMap<string, readonly Noticed[]> {
  const noticed = reasons.filter((reason): reason is Noticed => 'notice' in reason && reason.notice !== undefined);
  return Map.groupBy(
    noticed.filter((reason) => reason.decisive === decisive),
    ({ notice }) => JSON.stringify(notice),
  );
}

function blocks(notices: ReadonlyMap<string, readonly Noticed[]>, policy: Policy): Child {
  return [...notices.values()].map((reasons) =>
    div(
      { class: 'notice' },
      reasons.slice(0, 1).map(({ notice }) => noticeTexts(notice).map(textOf)),
      p(
        { class: 'from' },
        reasons.map((reason, i) => [i === 0 ? '' : ', ', originOf(reason, policy)]),
      ),
    ),
  );
}

function textOf({ language, text }: ReturnType<typeof noticeTexts>[number]): Markup {
  return language === undefined ? p(text) : p(soft(`${language}: `), span({ lang: language }, text));
}

function originOf(reason: Noticed, policy: Policy): Child {
  return reason.because === 'fired' ? ['rule ', ruleLink(reason.rule, policy)] : codeName(reason.code);
}
