/** A decision with its policy, facts and explanation -> one self-contained page that shows why. */

import { recordedOutcome } from '../../audit/entry/searchable.ts';
import type { Score } from '../../decision/meaning/outcome.ts';
import { firedReasons } from '../../decision/meaning/verdict.ts';
import {
  aloneBlocks,
  factBlocks,
  type ShownDecision,
  scoreBlocks,
  toldBlocks,
  UNKNOWN_TITLE,
  unknownBlocks,
} from '../decision.ts';
import { changeBlocks, changesTitle, SETTLED_TITLE, settledBlocks } from '../explanation.ts';
import { pairs, time } from '../outline.ts';
import { nameRows, peopleBlocks, recordBlocks, signalBlocks } from '../provenance.ts';
import { PEOPLE_TITLE, RECORD_TITLE, SIGNALS_TITLE, warningBlocks } from '../record.ts';
import { pointWords } from '../words/fact-states.ts';
import { bandsOf, reasonsThat } from '../words/reasons.ts';
import { type RecordContent, writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { g, h1, line, type Markup, p, rect, svg, text, title } from './markup.ts';
import { outcomeMark } from './parts/phrases.ts';
import { foundRules, otherRules } from './parts/rule-cards.ts';
import { standings } from './parts/standing.ts';

/**
 * The page: first what a person asks who talks to the applicant, then what an analyst asks, at the end the rules that
 * did not fire. It needs no network, no script and no other file. It does not show the values of personal facts, but
 * those of all other facts: protect it like the record itself.
 */
export function decisionPage(data: ShownDecision): string {
  return writePage(decisionContent(data));
}

/** The content of that page. */
export function decisionContent(data: ShownDecision): RecordContent {
  const { decision, explanation, policy, facts, day, record } = data;
  const context = { table: policy.facts, facts, day };
  const all = standings(policy, decision, context, explanation);
  const { signals } = decision;
  const outcome = recordedOutcome(decision);
  const reasons = htmlOf([...warningBlocks(data), ...reasonsThat(true, data, 'page'), ...aloneBlocks(explanation)]);
  const ofDay = decision.decidedAt === undefined ? [['day', time(day)] as const] : [];
  const names = htmlOf([pairs(nameRows(decision, policy, record, ofDay))]);
  const settled = explanation ? settledBlocks(explanation, context) : [];
  const changes = explanation ? changeBlocks(explanation, context) : [];
  const score = scoreOf(data);
  return {
    title: ['Decision', decision.id ?? [], outcome, `${policy.name} ${policy.version}`].flat().join(' · '),
    head: [p({ class: 'kind' }, 'Decision'), h1(outcomeMark(outcome)), reasons, names],
    ...{ reasons, names, score: score && { drawn: score.drawn, points: score.points } },
    parts: [
      { id: 'notes', title: PEOPLE_TITLE, content: htmlOf(peopleBlocks(data)) },
      { id: 'unknown', title: UNKNOWN_TITLE, content: htmlOf(unknownBlocks(data, 'page')) },
      { id: 'score', title: 'Score', content: score && [score.words, score.drawn, score.points] },
      { id: 'changes', title: explanation ? changesTitle(explanation) : '', content: htmlOf(changes) },
      { id: 'told', title: 'What the applicant may be told', content: htmlOf(toldBlocks(data, 'page')) },
      { id: 'rules', title: 'Fired and undetermined rules', content: foundRules(all, context) },
      { id: 'settled', title: SETTLED_TITLE, content: htmlOf(settled) },
      { id: 'facts', title: 'Facts', content: htmlOf(factBlocks(data)) },
      { id: 'signals', title: SIGNALS_TITLE, content: signals && htmlOf(signalBlocks(signals)) },
      { id: 'record', title: RECORD_TITLE, content: htmlOf(recordBlocks(decision, policy, record)) },
      {
        id: 'others',
        title: 'Rules that did not fire',
        content: otherRules(all, context, explanation !== undefined),
      },
    ],
    foot: "It does not show the applicant's phone number, email and IP address, nor other personal facts.",
  };
}

/** The score in words, drawn, and where its points come from. */
function scoreOf({ decision, policy }: ShownDecision) {
  const [words, ...points] = scoreBlocks(decision, policy);
  if (words === undefined) return undefined;
  const bands = bandsOf(policy.score);
  const parts = firedReasons(decision).flatMap(({ rule, points }) => (points ? [[rule, points] as const] : []));
  const drawn = bands.length === 0 ? undefined : drawScale(decision.score, bands, parts);
  return { words: htmlOf([words]), drawn, points: htmlOf(points) };
}

/** The scale with its bands, the range of the score on it, and the rules that gave points. */
function drawScale(
  { least, most }: Score,
  begun: ReturnType<typeof bandsOf>,
  given: readonly (readonly [rule: string, points: number])[],
): Markup {
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
  // Points below zero would lie on others.
  const parts = given.every(([, points]) => points > 0) ? given : [];
  const partOf = ([rule, points]: (typeof given)[number], i: number) => {
    const from = parts.slice(0, i).reduce((sum, [, each]) => sum + each, 0);
    return g(title(`${rule}: ${pointWords(points)}`), bar('part', from, from + points, '26', '8'));
  };
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
    parts.map(partOf),
    bar('range', least, most, '25', '10'),
    begins.map((points) => [tick(points, 'border'), label(`${points}`, points, '55')]),
    tick(least, 'score'),
    least === most ? undefined : tick(most, 'score'),
    label(least === most ? `${least}` : `${least} to ${most}`, (least + most) / 2, '12'),
  );
}
