/** Mistakes of YAML's syntax: what is said of each, and the text that was meant. */

import { describe, expect, it } from 'vitest';
import { type Mistake, testMistakes } from '../../support/policy/mistakes.ts';
import { HEAD } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';

type Row = [mistake: string, written: string, corrected: string, message: RegExp, more?: Partial<Mistake>];

/** Mistakes with one right answer, in one line of a policy whose other lines are right. */
function mistakesIn(around: (line: string) => string, rows: readonly Row[]): readonly Mistake[] {
  return rows.map(([mistake, written, corrected, message, more]) => ({
    mistake,
    written: around(written),
    code: 'yaml-syntax',
    message,
    hint: `write \`${corrected.split('\n')[0]?.trim()}\``,
    corrected: around(corrected),
    isFixed: true,
    ...more,
  }));
}

const RULE = (line: string) =>
  `${HEAD}rules:\n  - id: one\n    when: { phone.valid: false }\n    then: review\n${line}\n    tags: [a]\n`;
const RULES = (lines: string) => `${HEAD}rules:\n${lines}\n`;
const WHEN = (condition: string) => ruleWhen(condition);
const AS_WHEN = (corrected: string) => ({ hint: `write \`when: ${corrected}\`` });

const GUESS = { isFixed: false };

/** With conditions and a parameter to name. */
const NAMED = (condition: string) =>
  ruleWhen(
    condition,
    'parameters:\n  least: 5\nconditions:\n  a: { phone.valid: false }\n  b: { phone.score: { above: $least } }\n',
  );

const IN_NAMES: readonly Row[] = [
  [
    'a list without brackets',
    '{ all: ‹a, b }',
    '{ all: [a, b] }',
    /a list is written in square brackets/,
    AS_WHEN('{ all: [a, b] }'),
  ],
  [
    'a parameter in braces',
    `{ any: [a, b], phone.score: { above: ‹$${'{'}least} } }`,
    '{ any: [a, b], phone.score: { above: $least } }',
    /outside of a message it is written \$name/,
    { ...AS_WHEN('{ any: [a, b], phone.score: { above: $least } }'), ...GUESS },
  ],
];

const IN_A_RULE: readonly Row[] = [
  ['a forgotten colon', '    ‹owner risk', '    owner: risk', /no colon after the key/],
  ['no space after a colon', '    ‹owner:risk', '    owner: risk', /no space after the colon of "owner"/],
  ['an equals sign', '    owner ‹= risk', '    owner: risk', /found "="/],
  ['a full-width colon', '    owner‹： risk', '    owner: risk', /found a full-width "："/],
  ['a no-break space', '    owner:‹\u00a0risk', '    owner: risk', /a no-break space/, { hint: /a plain space/ }],
  [
    'an ideographic space',
    '    owner:‹\u3000risk',
    '    owner: risk',
    /a space that is not the plain one/,
    { hint: /plain/ },
  ],
  ['a key in typographic quotes', '    ‹“owner”: risk', '    "owner": risk', /found typographic quotes/],
  ['a value below its key', '    owner:\n    ‹risk', '    owner: risk', /found a value below its key/],
  ['a comma at the end', '    owner: risk‹,', '    owner: risk', /found a comma at the end of the line/],
  ['a comma after braces', '    notice: { de: Nein, en: No }‹,', '    notice: { de: Nein, en: No }', /found a comma/],
  ['a comment with slashes', '    ‹// owner: risk', '    # owner: risk', /a comment begins with "#"/],
  ['a comment without a space', '    notice: { en: No }‹#risk', '    notice: { en: No } #risk', /begins with " #"/],

  ['a text that is not closed', '    message: ‹"No', '    message: "No"', /without its closing quote on this line/],
  ['a text that is not closed, with single quotes', "    message: ‹'No", "    message: 'No'", /closing quote/, GUESS],
  ['a typographic closing quote', '    message: ‹"No”', '    message: "No"', /without its closing quote/],
  ['a closing quote alone', '    owner: ‹risk"', '    owner: "risk"', /found a closing quote without the opening one/],
  [
    'a closing quote alone in braces',
    '    notice: { en: ‹No" }',
    '    notice: { en: "No" }',
    /a closing quote without/,
  ],
  ['a closing quote after words', '    owner: ‹the risk"', '    owner: "the risk"', /closing quote without/, GUESS],
  ...['message: Number', 'description: Number', 'notice:\n      en: Number'].map(
    (text): Row => [
      `a number sign that cuts off a ${text.split(':')[0]}`,
      `    ${text} ‹#1 is new`,
      `    ${text.replace('Number', '"Number #1 is new"')}`,
      /" #" begins a comment/,
      { hint: /^write `"Number #1 is new"` if it belongs to the text, and a space after the #/, isFixed: false },
    ],
  ),
  ['an apostrophe between quotes', "    message: 'It wasn'‹t'", '    message: "It wasn\'t"', /after the closing quote/],
  ['quotes between quotes', '    message: "a "‹b" c"', '    message: \'a "b" c\'', /after the closing quote/],
  ['a text after quotes', '    message: "a" ‹b', '    message: \'"a" b\'', /after the closing quote/, GUESS],
  ['a colon inside a text', '    message: ‹Risk: high', '    message: "Risk: high"', /found a colon inside a text/],
  ['a colon at the end of a text', '    message: ‹Risks:', '    message: "Risks:"', /found a colon inside a text/],
  ['a text with a colon, then a comment', '    owner: ‹a: b # c', '    owner: "a: b" # c', /found a colon inside/],
  [
    'a text that begins with a brace',
    '    message: ‹{phone.type} it is',
    '    message: "{phone.type} it is"',
    /bracket/,
  ],
  ['a text that begins with a bracket', '    message: ‹[a] b', '    message: "[a] b"', /begins with a bracket/],
  ...['%b', '@b', '`b', '*b c', '& b', '|b', '> 5', '? b', ', b'].map(
    (text): Row => [
      `a text ${text}`,
      `    message: ‹${text}`,
      `    message: "${text}"`,
      /begins with a special character/,
    ],
  ),
  ['a text - b', '    message: ‹- b', '    message: "- b"', /begins with a hyphen and a space/],
  [
    'a text that goes on without being indented',
    '    message: the number is\n    ‹not valid',
    '    message: the number is\n      not valid',
    /found a line without a key/,
    { hint: /^indent the line further/, isFixed: false },
  ],

  ['a tab', '‹\towner: risk', '    owner: risk', /found a tab/, { hint: 'indent the line by 4 spaces' }],
  ['a tab after spaces', '  ‹\towner: risk', '    owner: risk', /found a tab/, { hint: /by 4 spaces$/ }],
  [
    'a space too little',
    '   ‹owner: risk',
    '    owner: risk',
    /indented by 3/,
    { hint: 'indent it by 4 spaces, as line 5' },
  ],
  ['a space too much', '     ‹owner: risk', '    owner: risk', /indented by 5/, { hint: /^indent it by 4 spaces/ }],
];

const OTHER_RULE = '  - { id: two, when: { phone.type: voip }, then: review }\n';

const IN_RULES: readonly Row[] = [
  ...['–', '—', '−', '•', '*'].map(
    (sign): Row => [
      `the sign ${sign} for a hyphen`,
      `  ‹${sign} id: one\n    when: { phone.valid: false }\n    then: review`,
      '  - id: one\n    when: { phone.valid: false }\n    then: review',
      /begins with a hyphen, "- "$/,
    ],
  ),
  [
    'no space after a hyphen',
    '  ‹-id: one\n    when: { phone.valid: false }\n    then: review',
    '  - id: one\n    when: { phone.valid: false }\n    then: review',
    /found a hyphen without a space/,
  ],
  [
    'a list that is indented by tabs',
    '‹\t- id: one\n\t  when: { phone.valid: false }\n\t  then: review',
    '  - id: one\n    when: { phone.valid: false }\n    then: review',
    /found a tab in the indentation, here and in 2 more lines/,
    { hint: 'replace the tabs by spaces' },
  ],
  ...(
    [
      ['a comma that is missing', '{ id: one, when: { phone.valid: false } ‹then: review }', /without a comma between/],
      ['a comma that is missing before a map', '{ id: one ‹when: { phone.valid: false }, then: review }', /comma/],
      ['no space after a colon in braces', '{ ‹id:one, when: { phone.valid: false }, then: review }', /of "id"/],
    ] as const
  ).map(
    ([mistake, written, message]): Row => [
      mistake,
      `  - ${written}`,
      '  - { id: one, when: { phone.valid: false }, then: review }',
      message,
    ],
  ),
  [
    'a comma inside a text in braces',
    '  - { id: one, when: { phone.valid: false }, then: review, message: ‹Well, no }',
    '  - { id: one, when: { phone.valid: false }, then: review, message: "Well, no" }',
    /found a comma in a text/,
  ],
  ...(
    [
      ['two words after a comma', 'owner: ‹Fraud, team 2', 'owner: "Fraud, team 2"'],
      ['two words after a comma, of which one is a key elsewhere', 'owner: ‹Fraud, rules 2', 'owner: "Fraud, rules 2"'],
      ['two words after a comma, of which one is a key of the map', 'owner: ‹Fraud, id 2', 'owner: "Fraud, id 2"'],
    ] as const
  ).map(
    ([mistake, written, corrected]): Row => [
      mistake,
      `${OTHER_RULE}  - { id: one, when: { phone.valid: false }, then: review, ${written} }`,
      `${OTHER_RULE}  - { id: one, when: { phone.valid: false }, then: review, ${corrected} }`,
      /found a comma in a text/,
      { hint: /^write `"Fraud, (team|rules|id) 2"`, or `(team|rules|id): 2` if it is a key$/, isFixed: false },
    ],
  ),
  [
    'a key without its colon after a text',
    '  - { id: ‹two, then review, when: { phone.type: voip } }',
    '  - { id: two, then: review, when: { phone.type: voip } }',
    /found a comma in a text/,
    { hint: 'write `"two, then review"`, or `then: review` if it is a key', isFixed: false },
  ],
  [
    'a key without its colon after a map',
    '  - { id: one, when: { phone.valid: false }, ‹then review }',
    '  - { id: one, when: { phone.valid: false }, then: review }',
    /found no colon/,
  ],
  [
    'a placeholder in a text in braces',
    '  - { id: one, when: { phone.valid: false }, then: review, message: ‹It is {phone.type} }',
    '  - { id: one, when: { phone.valid: false }, then: review, message: "It is {phone.type}" }',
    /found braces inside a text/,
  ],
  [
    'a colon inside a text in braces',
    '  - { id: one, when: { phone.valid: false }, then: review, message: ‹Risk: high }',
    '  - { id: one, when: { phone.valid: false }, then: review, message: "Risk: high" }',
    /found a colon inside a text/,
    GUESS,
  ],
  [
    'a text in braces that is not closed',
    '  - { id: one, message: ‹"No, when: { phone.valid: false }, then: review }',
    '  - { id: one, message: "No", when: { phone.valid: false }, then: review }',
    /without its closing quote/,
    GUESS,
  ],
];

const CONDITIONS: readonly Row[] = (
  [
    ['no space after the colon of a fact', '{ ‹phone.type:voip }', '{ phone.type: voip }', /no space after the colon/],
    ['a fact without its colon', '{ ‹phone.type voip }', '{ phone.type: voip }', /no colon after the key/],
    [
      'a fact without its colon before braces',
      '{ ‹phone.score { above: 5 } }',
      '{ phone.score: { above: 5 } }',
      /no colon/,
    ],
    [
      'an operator without its space',
      '{ phone.score: { ‹above:5 } }',
      '{ phone.score: { above: 5 } }',
      /colon of "above"/,
    ],
    [
      'a full-width comma',
      '{ phone.type: voip‹， phone.valid: true }',
      '{ phone.type: voip, phone.valid: true }',
      /"，"/,
    ],
    [
      'full-width commas in a list',
      '{ ip.isp: { in: [acme‹，solent、other] } }',
      '{ ip.isp: { in: [acme, solent, other] } }',
      /"，"/,
    ],
    [
      'full-width brackets',
      '{ phone.type: { in: ‹［voip, pager］ } }',
      '{ phone.type: { in: [voip, pager] } }',
      /"［"/,
    ],
    [
      'round brackets',
      '{ phone.type: { in: ‹(voip, pager) } }',
      '{ phone.type: { in: [voip, pager] } }',
      /in round brackets/,
    ],
    ['a text with a comma in typographic quotes', '{ ip.isp: ‹“a, b” }', '{ ip.isp: "a, b" }', /typographic quotes/],
    [
      'a pattern in double quotes',
      '{ ip.isp: { matches: "‹\\d+" } }',
      "{ ip.isp: { matches: '\\d+' } }",
      /found a backslash/,
    ],
    ['a sign between fact and number', '{ ‹phone.score > 5 }', '{ phone.score: { above: 5 } }', /operators are words/],
    ['a sign before a number', '{ phone.score: { ‹>= 5 } }', '{ phone.score: { atLeast: 5 } }', /operators are words/],
    ['a sign after a colon', '{ ‹phone.score: > 5 }', '{ phone.score: { above: 5 } }', /operators are words/],
    [
      '`and` between tests',
      '{ phone.type: voip ‹and phone.valid: true }',
      '{ phone.type: voip, phone.valid: true }',
      /"and"/,
    ],
  ] as const
).map(([mistake, written, corrected, message]): Row => [mistake, written, corrected, message, AS_WHEN(corrected)]);

const COMMAS: readonly Row[] = (
  [
    ['a decimal comma', '0,5', '0.5', 'write 0.5', true],
    ['a decimal comma before one digit', '12,5', '12.5', 'write 12.5', true],
    ['commas between thousands', '1,000,000', '1000000', 'write 1000000', true],
    ['a comma that may be either', '1,000', '1000', 'write 1000, or 1 if the comma is a decimal one', false],
  ] as const
).map(
  ([mistake, written, corrected, hint, isFixed]): Row => [
    mistake,
    `{ email.domain.score: { below: ‹${written} } }`.replace('email.domain.score', 'context.income'),
    `{ context.income: { below: ${corrected} } }`,
    /found a comma in a number/,
    { hint, isFixed },
  ],
);

const ROWS = (rows: string) =>
  `${HEAD}tables:\n  - id: t\n    columns: [phone.type, phone.valid, then]\n    rows:${rows}\n`;

/** A list where a map belongs, and the other way round. */
const SHAPES: readonly Mistake[] = [
  ...mistakesIn(WHEN, [
    [
      '`any` of a map',
      '{ any: ‹{ phone.type: voip, phone.valid: false } }',
      '{ any: [{ phone.type: voip }, { phone.valid: false }] }',
      /found a map; `any` must be a list/,
      { hint: 'write `[{ phone.type: voip }, { phone.valid: false }]`' },
    ],
    [
      '`any` of a block',
      '\n      any:\n        ‹phone.type: voip',
      '\n      any:\n        - phone.type: voip',
      /found a map/,
      { hint: 'begin each entry with a hyphen: `- phone.type: voip`', isFixed: false },
    ],
    [
      'a test without its space',
      '‹phone.type:voip',
      '{ phone.type: voip }',
      /./,
      { code: 'unknown-condition', hint: /./ },
    ],
    [
      'a test of a misspelt fact without its space',
      '‹phone.typ:voip',
      '{ phone.type: voip }',
      /./,
      { code: 'unknown-condition', hint: 'did you mean "phone.type"?', isFixed: false },
    ],
    [
      'a test of a misspelt fact with a sign',
      '‹phone.scor > 80',
      '{ phone.score: { above: 80 } }',
      /./,
      { code: 'unknown-condition', hint: 'did you mean "phone.score"?', isFixed: false },
    ],
    [
      'digits of full width',
      '{ phone.score: { above: ‹５０ } }',
      '{ phone.score: { above: 50 } }',
      /a text/,
      { hint: 'write 50' },
    ],
  ]),
  ...mistakesIn(RULE, [
    [
      'a placeholder alone',
      '    message: ‹{phone.type}',
      '    message: "{phone.type}"',
      /map/,
      { hint: 'write `"{phone.type}"`' },
    ],
    [
      'a text that begins with #',
      '    ‹message: #5',
      '    message: "#5"',
      /no value/,
      { code: 'null-value', hint: /comment/, isFixed: false },
    ],
  ]),
  ...mistakesIn(
    (lines) => `${HEAD}rules:\n  - id: one\n    ${lines}\n    then: review\n`,
    [
      ['tests', 'phone.valid: false\n    phone.type:\n      in: [voip]'],
      ['a combinator', 'any:\n      - phone.valid: false'],
    ].map(
      ([what, below = '']): Row => [
        `${what} not indented below \`when\``,
        `‹when:\n    ${below}`,
        `when:\n      ${below.replaceAll('\n', '\n  ')}`,
        /"when" has no value/,
        { code: 'null-value', hint: 'indent what belongs to it further than the key' },
      ],
    ),
  ),
  ...mistakesIn(
    (line) => `${HEAD}tables:\n  - id: t\n    ${line}\n    rows: [[voip, review]]\n`,
    [
      [
        'a text for a list',
        'columns: ‹phone.type, then',
        'columns: [phone.type, then]',
        /found a text/,
        { hint: /\[phone/ },
      ],
    ],
  ),
  ...mistakesIn(
    (condition) => ruleWhen(condition, 'facts:\n  context.income: { type: number }\n'),
    [
      [
        'a minus of typography',
        '{ context.income: { below: ‹−5 } }',
        '{ context.income: { below: -5 } }',
        /found a text/,
        { hint: 'write -5' },
      ],
    ],
  ),
  ...mistakesIn(ROWS, [
    [
      'one row that is no list of rows',
      ' ‹[voip, true, review]',
      ' [[voip, true, review]]',
      /a list of lists/,
      { hint: /\[\[/ },
    ],
    [
      'a row without brackets',
      '\n      - ‹voip, true, review',
      '\n      - [voip, true, review]',
      /a text/,
      { hint: /\[voip/ },
    ],
    [
      'a row without commas',
      '\n      - ‹[voip true review]',
      '\n      - [voip, true, review]',
      /1 cell/,
      { code: 'row-length', hint: /\[voip/ },
    ],
    [
      'a row that is a map',
      '\n      - ‹{ phone.type: voip, phone.valid: true, then: review }',
      '\n      - [voip, true, review]',
      /found a map/,
      { hint: /in the order of the columns/, isFixed: false },
    ],
  ]),
  ...mistakesIn(
    (line) => `${HEAD}${line}\nrules:\n  - { id: a, when: { email.address.riskLevel: veryHigh }, then: review }\n`,
    [
      [
        'one stage that is no list of stages',
        'stages: ‹[phoneNo, email]',
        'stages: [[phoneNo, email]]',
        /a list of lists/,
        { hint: /\[\[/ },
      ],
    ],
  ),
].map((mistake) => ({ ...mistake, code: mistake.code === 'yaml-syntax' ? 'wrong-type' : mistake.code }));

const MISTAKES: readonly Mistake[] = [
  ...mistakesIn(RULE, IN_A_RULE),
  ...mistakesIn(RULES, IN_RULES),
  ...SHAPES,
  ...mistakesIn(WHEN, CONDITIONS),
  ...mistakesIn(NAMED, IN_NAMES),
  ...mistakesIn((condition) => ruleWhen(condition, 'facts:\n  context.income: { type: number }\n'), COMMAS),
  {
    mistake: 'a key of the policy without its colon',
    written: `${HEAD}‹rules\n  - { id: one, when: { phone.valid: false }, then: review }\n`,
    code: 'yaml-syntax',
    hint: 'write `rules:`',
    corrected: `${HEAD}rules:\n  - { id: one, when: { phone.valid: false }, then: review }\n`,
    isFixed: true,
  },
  {
    mistake: 'a key of the policy that is indented',
    written: `${HEAD} ‹rules:\n  - { id: one, when: { phone.valid: false }, then: review }\n`,
    code: 'yaml-syntax',
    hint: 'do not indent it, as line 3',
    corrected: `${HEAD}rules:\n  - { id: one, when: { phone.valid: false }, then: review }\n`,
    isFixed: true,
  },
];

describe('a mistake of syntax is answered in words, and what was meant loads:', () => testMistakes(MISTAKES));

const BRACKET = 'an entry that ends without its';

/** Mistakes for which nothing is proposed: what is meant takes more than the line of the parser. */
describe('the place where the parser cannot go on is reported, without a fix, for', () => {
  it.each([
    ['a bracket too many', RULE('    notice: { en: No } ‹}'), 'something that cannot be here'],
    [
      'a brace that is missing',
      RULES(`  - { id: one, when: risky, then: review\n  ‹${OTHER_RULE.trim()}`),
      `${BRACKET} "}"`,
    ],
    ['a bracket that is missing', WHEN('{ phone.type: { in: [voip, pager ‹} }'), `${BRACKET} "]"`],
    ['the wrong bracket', WHEN('{ phone.type: { in: [voip, pager‹} } }'), `${BRACKET} "]"`],
    [
      'a rule without its hyphen',
      RULES('  - { id: one, when: { phone.valid: false }, then: review }\n‹  id: two\n    then: review'),
      'a line that does not line up with those above it',
    ],
    [
      'a rule that is indented further than the one before',
      RULES('  - id: one\n    then: review\n‹    - id: two\n      then: review'),
      'a list or a map where none can begin',
    ],
  ])('%s', (_, text, found) => {
    const { diagnostics, places, marks } = problemsOf(text);
    expect(places).toEqual(marks);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'yaml-syntax',
        message: `found ${found}; the rest of the file was not checked`,
        hint: expect.stringMatching(/^(check|close) /),
      }),
    ]);
    expect(diagnostics).toEqual([expect.not.objectContaining({ fix: expect.anything() })]);
  });
});

describe('no mistake is found in', () => {
  it.each([
    ['a comment after a text', '    message: Number # 1 is new'],
    ['a comment without a space after a word', '    owner: risk #new'],
    ['a full-width comma inside a text of its script', '    notice: "東京，大阪"'],
    ['a comment below a text', '    message: Number\n    #1 is new'],
    ['a text that ends in inches', '    message: a screen of 17"'],
    ['a text that ends in a quotation', '    message: named "Solent"'],
  ])('%s', (_, line) => expect(problemsOf(RULE(line)).diagnostics).toEqual([]));
});
