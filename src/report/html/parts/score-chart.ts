/** A score and the bands of a policy -> a picture of where it lies, and a table of where its points come from. */

import type { Score } from '../../../decision/meaning/outcome.ts';
import type { Outcome, Policy, Rule } from '../../../policy/language.ts';
import { DEPENDING, possibleBand, scoreWords } from '../../words/score.ts';
import { type Child, element, type Markup } from '../markup.ts';
import { outcomeMark } from './marks.ts';
import { ruleLink } from './reason-list.ts';
import { pointWords } from './rule-card.ts';
import type { RuleStanding } from './standing.ts';
import { table } from './table.ts';

/** The picture and the table; undefined where a policy has neither bands nor points that counted. */
export function scorePart(score: Score, policy: Policy, all: readonly RuleStanding[]): Child {
  const counted = all.filter(counts);
  const { review, reject } = policy.score;
  if (review === undefined && reject === undefined && counted.length === 0) return undefined;
  const { least, most, band } = score;
  const possible = possibleBand(score, policy.score);
  return [
    element(
      'p',
      { class: 'score' },
      element('strong', {}, scoreWords(score)),
      band !== null
        ? [' reach the band of ', outcomeMark(band)]
        : possible === undefined
          ? ' reach no band'
          : undefined,
      possible === undefined
        ? undefined
        : [
            band === null ? ' may reach the band of ' : ', and may reach that of ',
            outcomeMark(possible),
            `, ${DEPENDING}`,
          ],
      `; ${bandWords(policy.score)}.`,
      least === most ? '' : ' It is a range, since rules with points could not be determined.',
    ),
    review === undefined && reject === undefined ? undefined : picture(score, policy.score),
    counted.length === 0 ? undefined : pointTable(counted, policy),
  ];
}

/** Rules whose points are in the score, or might be. */
function counts({ rule, standing }: RuleStanding): boolean {
  if (rule.shadow || rule.points === undefined) return false;
  return standing === 'fired' || (standing === 'undetermined' && rule.whenUnknown !== 'ignore');
}

function bandWords({ review, reject }: Policy['score']): string {
  const bands = [
    review === undefined ? [] : `review begins at ${review}`,
    reject === undefined ? [] : `reject begins at ${reject}`,
  ].flat();
  return bands.length === 0 ? 'the policy has no bands' : bands.join(', ');
}

function pointTable(counted: readonly RuleStanding[], policy: Policy): Markup {
  const cell = ({ points = 0 }: Rule, isIn: boolean) => (isIn ? pointWords(points) : '–');
  return table({
    id: 'points-of-rules',
    caption: 'Where the points come from',
    columns: ['Rule', 'Certain', 'Possible'],
    width: 'tight',
    rows: counted.map(({ rule, standing }) => [
      ruleLink(rule.id, policy),
      cell(rule, standing === 'fired'),
      cell(rule, standing === 'undetermined'),
    ]),
  });
}

/** A stretch of the scale, from one number of points to another. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The scale with its bands, and on it the range of the score. Said in words above, so that it is a picture alone. */
function picture({ least, most }: Score, { review, reject }: Policy['score']): Markup {
  const begins = [review ?? [], reject ?? []].flat();
  const low = Math.min(0, least, ...begins);
  const high = Math.max(most, ...begins, low + 1);
  // A tenth beyond the last border, so that the last band is seen to go on.
  const end = high + (high - low) / 10;
  const share = (points: number) => `${(100 * (points - low)) / (end - low)}%`;
  const bar = (kind: string, { from, to }: Stretch, y: string, height: string) =>
    element('rect', { class: kind, x: share(from), width: `${(100 * (to - from)) / (end - low)}%`, y, height });
  const bands: readonly (readonly [Outcome | 'none', number])[] = [
    ['none', low],
    ...(review === undefined ? [] : [['review', review] as const]),
    ...(reject === undefined ? [] : [['reject', reject] as const]),
  ];
  const tick = (points: number, kind: string) =>
    element('line', { class: kind, x1: share(points), x2: share(points), y1: '18', y2: '42' });
  const label = (text: string, points: number, y: string) => element('text', { x: share(points), y }, text);
  return element(
    'svg',
    {
      class: 'scale',
      role: 'img',
      height: '58',
      'aria-label': `The score on its scale, from ${low}: ${least} to ${most}`,
    },
    bands.map(([band, from], i) => bar(`band ${band}`, { from, to: bands[i + 1]?.[1] ?? end }, '22', '16')),
    bar('range', { from: least, to: most }, '25', '10'),
    begins.map((points) => [tick(points, 'border'), label(`${points}`, points, '55')]),
    tick(least, 'score'),
    least === most ? undefined : tick(most, 'score'),
    label(least === most ? `${least}` : `${least} to ${most}`, (least + most) / 2, '12'),
  );
}
