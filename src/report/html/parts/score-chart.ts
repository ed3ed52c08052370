/** A score and the bands of a policy -> the score on its scale, and a table of the rules that gave points. */

import type { Score } from '../../../decision/meaning/outcome.ts';
import type { Policy } from '../../../policy/language.ts';
import { openPoints } from '../../../policy/weight.ts';
import { count } from '../../../text.ts';
import { bandsOf, DEPENDING, possibleBand, scoreWords } from '../../words/reasons.ts';
import { type Child, line, type Markup, p, rect, strong, svg, text } from '../markup.ts';
import type { RuleStanding } from '../rules/standing.ts';
import { optional, outcomeMark, pointWords, ruleLink } from './phrases.ts';
import { NONE, table } from './table.ts';

/** The chart and the table; undefined if the policy has no bands and no rule gave points. */
export function scorePart(score: Score, policy: Policy, all: readonly RuleStanding[]): Child {
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
