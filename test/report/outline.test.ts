/** An outline in each of its forms: no form takes a text of it for markup. */

import { expect, it } from 'vitest';
import { htmlOf } from '../../src/report/html/html.ts';
import { html, Markup } from '../../src/report/html/markup.ts';
import { markdownOf } from '../../src/report/markdown.ts';
import {
  aside,
  type Block,
  code,
  heading,
  lines,
  link,
  list,
  name,
  names,
  outcome,
  pairs,
  paragraph,
  said,
  soft,
  strong,
  time,
  wrong,
} from '../../src/report/outline.ts';
import { sectionLines, textOf } from '../../src/report/plain-text.ts';

const HOSTILE = '@team <b>|`*_~[x](y)&\x1b[31m #12 GH-34 https://a.example www.b.example $$c$$';

const EVERY_BLOCK: readonly Block[] = [
  heading(HOSTILE),
  paragraph(HOSTILE, strong(HOSTILE), wrong(HOSTILE), outcome('review'), { mark: 'place', of: HOSTILE }),
  paragraph({ mark: 'fact', of: HOSTILE, name: HOSTILE }, { mark: 'fact', of: HOSTILE, name: undefined }),
  paragraph(name(HOSTILE), time(HOSTILE), said('en', HOSTILE), { mark: 'check', state: 'broken', of: HOSTILE }),
  aside('notice', [HOSTILE], HOSTILE),
  { is: 'reasons', of: [{ codes: [HOSTILE], words: HOSTILE, from: [HOSTILE], on: [HOSTILE] }] },
  paragraph(soft(HOSTILE), { mark: 'path', of: HOSTILE }, { mark: 'link', of: HOSTILE, to: 'b' }),
  list([HOSTILE]),
  lines(HOSTILE, [HOSTILE]),
  pairs([[HOSTILE, names([HOSTILE, HOSTILE])]]),
  { is: 'table', columns: [HOSTILE, 'n'], rows: [[HOSTILE, '1']], numbersFrom: 1, page: { id: 't', caption: HOSTILE } },
  {
    is: 'groups',
    groups: [
      { name: HOSTILE, conditions: [], counted: 1 },
      {
        ...{ name: HOSTILE, conditions: [HOSTILE], counted: 1200 },
        example: { facts: [[HOSTILE, HOSTILE]], more: 2, lines: [HOSTILE, HOSTILE] },
      },
    ],
  },
  { is: 'folded', title: HOSTILE, of: [paragraph(HOSTILE)] },
];

const plain = (blocks: readonly Block[]) => textOf(blocks, (_, text) => text);

it('a text of an outline cannot be markup, a cell, a mention or an escape sequence', () => {
  const markdown = markdownOf(EVERY_BLOCK);
  // What stands between backquotes is code, where nothing but a backquote or the end of a cell is markup.
  const words = markdown.replace(/(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)/g, 'code');
  expect(words).not.toMatch(/<b>|@team|(?<!\\)_|(?<!\\)\[x|#1|GH-3|https:\/|www\.|\$\$/);
  expect(markdown).toContain(`\`\`${HOSTILE.replace('\x1b', '\\u{001b}').replace('|', '\\|')}\`\``);
  for (const row of words.split('\n').filter((line) => line.startsWith('|'))) {
    expect(row.replaceAll('\\|', ' ').split('|').length, row).toBeLessThanOrEqual(6);
  }
  const page = Markup.page(html(htmlOf(EVERY_BLOCK)));
  expect(page).not.toContain('<b>');
  for (const form of [markdown, plain(EVERY_BLOCK), page]) expect(form).not.toContain('\x1b');
});

it('a longer list is cut in a text and in Markdown, and whole on a page', () => {
  const blocks = [list(['one', 'two', 'three'], 2)];
  for (const text of [plain(blocks), markdownOf(blocks)]) {
    expect(text).toBe('- one\n- two\n- and 1 more: --json lists them\n');
  }
  expect(Markup.page(html(htmlOf(blocks)))).toContain('<li>three</li>');
});

it('the same blocks have a form of their own each: titles, numbers, codes, folded parts', () => {
  const blocks: readonly Block[] = [
    heading('Flows'),
    { is: 'table', columns: ['to', 'n'], rows: [['b', '12']], numbersFrom: 1, page: { id: 't', caption: 'Flows' } },
    paragraph('by ', code('a.yaml')),
    pairs([
      ['rules', names(['a-b', 'c'])],
      ['facts', names([])],
    ]),
    { is: 'folded', title: 'More', of: [paragraph('hidden')] },
  ];
  expect(plain(blocks)).toBe(
    'Flows\n\n  to  n\n  b   12\n\nby a.yaml\n\n  rules  a-b, c\n  facts  none\n\nMore\n\nhidden\n',
  );
  expect(markdownOf(blocks)).toBe(
    '### Flows\n\n| to | n |\n| --- | ---: |\n| b | 12 |\n\nby `a.yaml`\n\n- **rules**: `a-b`, `c`\n- **facts**: none\n\n' +
      '<details>\n<summary>More</summary>\n\nhidden\n\n</details>\n',
  );
  const page = Markup.page(html(htmlOf(blocks)));
  expect(page).toContain('<details class="more"><summary>More</summary><p>hidden</p>');
  expect(page).toContain('<dt>Facts</dt><dd>none</dd>');
  expect(page).toContain('<th scope="col">To</th>');
});

it('a fact is its path in a text, and its name with the path on a page', () => {
  const blocks = [paragraph({ mark: 'fact', of: 'a.b', name: 'The b' }, { mark: 'path', of: 'a.b' }, ' is 1')];
  expect(plain(blocks)).toBe('a.b is 1\n');
  expect(markdownOf(blocks)).toBe('`a.b` is 1\n');
  const page = Markup.page(html(htmlOf(blocks)));
  expect(page).toContain('<span class="label">The b</span> <code class="path">a.<wbr>b</code> is 1');
});

it('a reason begins with its code in a text, and with its words on a page', () => {
  const words = ['The score is ', link('score', '20 points'), '.'];
  const blocks: readonly Block[] = [
    { is: 'reasons', of: [{ codes: ['SCORE'], words, from: ['rule a', '+20 points'], on: ['20 = 15 a + 5 b'] }] },
  ];
  expect(plain(blocks)).toBe('SCORE: The score is 20 points.\n  rule a, +20 points\n  - 20 = 15 a + 5 b\n');
  const page = Markup.page(html(htmlOf(blocks)));
  expect(page).toContain('<p class="words">The score is <a href="#score">20 points</a>.</p>');
  expect(page).toContain('<p class="from"><code class="name">SCORE</code> · rule a · +20 points</p>');
});

it('a section is indented, and has no empty lines', () => {
  const blocks = [paragraph('one'), list(['two']), pairs([['three', 'four']]), aside('notice', ['five'], 'six')];
  const lines = sectionLines(blocks, (_, text) => text);
  expect(lines).toEqual(['  one', '  - two', '  three  four', '  five', '    six']);
});

it('rows of a group share its name, which stands beside them on a page', () => {
  const rows = [
    ['one', 'a'],
    ['', 'b'],
    ['two', ''],
  ];
  const page = { id: 't', caption: 'Groups' };
  const blocks: readonly Block[] = [{ is: 'table', isGrouped: true, columns: ['group', 'of'], rows, page }];
  expect(plain(blocks)).toBe('  group  of\n  one    a\n         b\n  two\n');
  const shown = Markup.page(html(htmlOf(blocks)));
  expect(shown).toContain('<tr><th scope="rowgroup" rowspan="2">one</th><th scope="row">a</th></tr>');
  expect(shown).toContain('<th scope="rowgroup" rowspan="1">two</th><th scope="row">–</th>');
});

it('a problem is red in a terminal, and stands out in the other forms', () => {
  const blocks = [paragraph(wrong('bad'))];
  expect(textOf(blocks, (style, text) => `<${style}>${text}`)).toBe('<red>bad\n');
  expect(markdownOf(blocks)).toBe('**bad**\n');
  expect(Markup.page(html(htmlOf(blocks)))).toContain('<strong>bad</strong>');
});
