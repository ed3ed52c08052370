/** The examples and edits of a difference, as people see them, and what is undecided. */

import { expect, it } from 'vitest';
import type { Outcome } from '../../src/policy/language.ts';
import { impactBlocks } from '../../src/report/applicants/impact.ts';
import { closingWords, diffMarkdown, diffText, exampleLines, isChangeUndecided } from '../../src/report/diff.ts';
import { markdownOf } from '../../src/report/markdown.ts';
import { textOf } from '../../src/report/plain-text.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';
import { backtestOfNobody } from '../support/report/example-pages.ts';

it('an example does not show what either policy declares personal', () => {
  const withFact = (more: string) => policyOf(`${HEAD}facts: { context.name: { type: string${more} } }\nrules: []\n`);
  const lines = { example: { facts: {} }, oldExample: { facts: { 'context.name': 'Jo Doe' } } };
  const shownBy = (policies: Parameters<typeof exampleLines>[1]['policies']) =>
    exampleLines(lines, {
      policies,
      at: '2026-11-20',
      diff: { days: [], edits: [], regions: [], elsewhere: 'same' },
    }).join();
  const [none, open, personal] = [policyOf(`${HEAD}rules: []\n`), withFact(''), withFact(', personal: true')];
  expect(shownBy([open, none])).toContain('Jo Doe');
  for (const other of [none, open]) {
    expect(shownBy([personal, other])).not.toContain('Jo Doe');
    expect(shownBy([other, personal])).not.toContain('Jo Doe');
  }
});

it('an example shows the facts that its conditions are about, by name on a page, and never a personal text', () => {
  const facts = `facts:
  context.due: { type: number, description: Due each month }
  context.income: { type: number }
  context.share: { type: number, compute: { ratio: [context.due, context.income] } }
  context.name: { type: string, personal: true, description: Name }
`;
  const policy = policyOf(`${HEAD}${facts}rules: []\n`);
  const region = {
    ...({ from: 'reject', to: 'accept', firstDay: '2026-11-20', rules: [], contains: () => true } as const),
    conditions: ['context.share is below 1', 'context.name is "context.due"'],
    example: { facts: { 'context.due': 10, 'context.name': 'Jo Doe', 'phone.score': 7 } },
    oldExample: { facts: { 'context.due': 12, 'context.name': 'Jo Doe', 'phone.score': 7 } },
  };
  const shown = {
    ...({ policies: [policy, policy], at: '2026-11-20' } as const),
    diff: { days: [], edits: [], regions: [region], elsewhere: 'same' },
  } as const;
  const text = textOf(diffText(shown), (_, each) => each);
  expect(text).toContain(`  such as
    context.due   10, for the old policy 12
    context.name  (not shown)
    and 1 other fact`);
  const markdown = markdownOf(diffMarkdown(shown));
  expect(markdown).toContain('| context.share is below 1<br>Name is "context.due" | Due each month: `10`');
  for (const form of [text, markdown]) expect(form).not.toContain('Jo Doe');
});

it('ten regions of most applicants are shown, the others counted, and who is in none', () => {
  const policy = policyOf(`${HEAD}rules: []\n`);
  const regionOf = (from: Outcome, applicants: number) => ({
    ...({ to: 'review', firstDay: '2026-11-20', rules: [], contains: () => true, example: undefined } as const),
    ...{ from, applicants, conditions: [`context.n is ${applicants}`] },
  });
  const counts = Array.from({ length: 12 }, (_, i) => i);
  const flowsTo = (rejected: number, accepted: number) => [
    { from: 'reject', to: 'review', applicants: rejected, share: 0.1 } as const,
    { from: 'accept', to: 'review', applicants: accepted, share: 0.1 } as const,
  ];
  const textWith = (flows: ReturnType<typeof flowsTo>) => {
    const backtest = { ...backtestOfNobody(), decided: 1000, changed: 900, flows };
    const impact = { backtest, titles: ['before', 'after'], placing: { outsideRegions: 0 } } as const;
    const regions = [...counts.map((n) => regionOf('reject', n)), regionOf('accept', 50), regionOf('accept', 0)];
    const diff = { days: [], edits: [], regions, elsewhere: 'notSought' } as const;
    const shown = { policies: [policy, policy], at: '2026-11-20', impact, diff } as const;
    return [textOf(diffText(shown), (_, each) => each), markdownOf(diffMarkdown(shown))] as const;
  };
  const [text, markdown] = textWith(flowsTo(66, 50));
  const shownOf = (part: string) => [...part.matchAll(/ {2}context\.n is (\d+)/g)].map(([, n]) => Number(n));
  const [rejected = '', accepted = ''] = text.split('accept to review: 2 regions');
  expect(shownOf(rejected)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3]);
  expect(rejected).toContain('and 2 more regions with 3 applicants: --json has them.\n');
  expect(rejected).toContain('1 region without real applicants: --json has them.\n');
  expect(shownOf(accepted)).toEqual([50]);
  expect(accepted).toContain('1 region without real applicants: --json has them.\n');
  expect(text).not.toContain('who change so');
  expect(markdown).toContain('and 2 more regions with 3 applicants');
  const [some] = textWith(flowsTo(70, 51));
  expect(some).toContain('4 of those who change so are in none of the regions.\n');
  expect(some).toContain('1 of those who change so is in none of the regions.\n');
  expect(some).toContain('1 more region: --json has them.\n');
  expect(some).not.toContain('without real applicants');
  const placing = { notPlaced: 1200, outsideRegions: 3 };
  const { details } = impactBlocks({ backtest: backtestOfNobody(), titles: ['before', 'after'], placing }, 'text');
  const page = textOf(details, (_, each) => each);
  expect(page).toContain('3 of those who change are in none of the regions.\n');
  expect(page).toContain('1,200 more were not looked for in the regions.\n');
});

it.each([
  ['an example of it', [true], 'undecided', [], false],
  ['a region without an example', [false], 'same', [], true],
  ['all others are the same', [], 'same', [], false],
  ['it is proved to happen to nobody', [], 'notSought', [{ from: 'reject', to: 'accept' }], false],
  ['another change is', [], 'notSought', [{ from: 'reject', to: 'review' }], true],
  ['nothing is proved', [], 'notProved', [], true],
] as const)('one change is undecided or not: %s', (_, examples, elsewhere, excluded, expected) => {
  const regions = examples.map((has) => ({
    ...({
      from: 'reject',
      to: 'accept',
      firstDay: '2026-11-20',
      conditions: [],
      rules: [],
      contains: () => true,
    } as const),
    example: has ? { facts: {} } : undefined,
  }));
  expect(
    isChangeUndecided({ days: [], edits: [], regions, elsewhere, excluded }, { from: 'reject', to: 'accept' }),
  ).toBe(expected);
});

it('more steps are advised only where they were too few', () => {
  const policy = policyOf(`${HEAD}rules: []\n`);
  const wordsOf = (tooFewSteps?: number) =>
    closingWords({
      ...({ policies: [policy, policy], at: '2026-11-20' } as const),
      diff: { days: [], edits: [], regions: [], elsewhere: 'undecided', ...(tooFewSteps ? { tooFewSteps } : {}) },
    });
  expect(wordsOf(1_500_000)).toContain('is undecided after 1.5M steps: give it more, such as --steps 15M.');
  expect(wordsOf()).toContain('is undecided: z3 broke down, and more steps do not help');
});

it('a comment on a pull request lists the first edits, and says how many there are besides', () => {
  const policy = policyOf(`${HEAD}rules: []\n`);
  const edits = Array.from(
    { length: 43 },
    (_, i) => ({ kind: 'added', path: [], text: `entry e${i} is new` }) as const,
  );
  const shown = {
    policies: [policy, policy],
    at: '2026-11-20',
    diff: { days: [], edits, regions: [], elsewhere: 'same' },
  } as const;
  const end = 'entry e39 is new\n- and 3 more: --json lists them\n\n';
  expect(markdownOf(diffMarkdown(shown))).toContain(`${end}**`);
  expect(textOf(diffText(shown), (_, text) => text)).toContain(end);
});
