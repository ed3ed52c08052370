/**
 * What an analyst sees in an editor: a YAML language server with the shipped schemas, over stdio and without a
 * network.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOG, FACT_TYPES, type FactDefinition, type FactType, LEVELS } from '../../../src/facts/catalog.ts';
import { schemaText } from '../../../src/facts/json-schema.ts';
import { DAY_FORMATS } from '../../../src/facts/mapping/value/day-format.ts';
import { policySchema } from '../../../src/policy/editor/schema.ts';
import { OPERATORS, operatorsOf } from '../../../src/policy/operators.ts';
import { ROOT } from '../../support/docs/docs.ts';
import { Editor, type Flagged, type Place } from '../../support/policy/lsp.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const FACTS: readonly (readonly [string, FactDefinition])[] = Object.entries(CATALOG);
const RULES = join(ROOT, 'rules');

/** Where every request to the network would arrive. */
const network = createServer((connection) => {
  outside += 1;
  connection.destroy();
});
let outside = 0;
let editor: Editor;
let drafts = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve));
  editor = new Editor(`http://127.0.0.1:${(network.address() as AddressInfo).port}`);
  await editor.start(ROOT);
});

afterAll(async () => {
  await editor.close();
  await new Promise((resolve) => network.close(resolve));
  // It worked from what is installed.
  expect(outside).toBe(0);
});

/** A text in the editor, never saved, with the cursor where `‸` stands. */
interface Draft {
  readonly flagged: Promise<readonly Flagged[]>;
  labels(): Promise<readonly string[]>;
  hover(): Promise<string>;
}

function edit(body: string, folder = RULES, schema = './policy.schema.json'): Draft {
  const marked = `# yaml-language-server: $schema=${schema}\n${body}`;
  const before = marked.slice(0, Math.max(0, marked.indexOf('‸'))).split('\n');
  const cursor: Place = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  drafts += 1;
  const uri = String(pathToFileURL(join(folder, `draft-${drafts}.yaml`)));
  const flagged = editor.open(uri, marked.replace('‸', ''));
  return {
    flagged,
    labels: async () => (await editor.complete(uri, cursor)).map(({ label }) => label),
    hover: () => editor.hover(uri, cursor),
  };
}

/** A rule whose condition is these lines. */
const when = (...lines: readonly string[]) =>
  `${HEAD}rules:\n  - id: one\n    then: review\n    when:\n${lines.map((line) => `      ${line}\n`).join('')}`;

function factOf(type: FactType): string {
  return FACTS.find(([, fact]) => fact.type === type && fact.format === undefined)?.[0] ?? '';
}

describe('the shipped files', () => {
  const files = readdirSync(RULES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));

  it('have nothing flagged in them', async () => {
    expect(files.length).toBeGreaterThan(10);
    const opened = files.map(async (file) => {
      const uri = String(pathToFileURL(join(RULES, file)));
      return [file, await editor.open(uri, readFileSync(join(RULES, file), 'utf8'))];
    });
    expect(await Promise.all(opened)).toEqual(files.map((file) => [file, []]));
  });
});

describe('completion', () => {
  const beginning = (labels: readonly string[], typed: string) => labels.filter((label) => label.startsWith(typed));
  const phoneFacts = beginning(Object.keys(CATALOG), 'phone.');

  it('of phone. gives the phone facts', async () => {
    const { labels } = edit(when('phone.‸'));
    expect(beginning(await labels(), 'phone.')).toEqual(phoneFacts);
  });

  it('of phone. in a list of conditions, and in a rule set, gives them too', async () => {
    const inList = edit(when('all:', '  - phone.‸'));
    expect(beginning(await inList.labels(), 'phone.')).toEqual(phoneFacts);
    const rules = 'rules:\n  - id: one\n    when:\n      phone.‸\n';
    const inRuleSet = edit(rules, join(RULES, 'rule-sets'), '../rule-set.schema.json');
    expect(beginning(await inRuleSet.labels(), 'phone.')).toEqual(phoneFacts);
  });

  it('gives the combinators where a fact is allowed', async () => {
    const { labels } = edit(when('‸'));
    expect(await labels()).toEqual(expect.arrayContaining(['all', 'any', 'not', 'atLeastOf']));
  });

  it.each(FACT_TYPES)('gives the operators of a %s and no others', async (type) => {
    const { labels } = edit(when(`${factOf(type)}:`, '  ‸'));
    expect(await labels()).toEqual([...operatorsOf({ type }), 'fact']);
    expect(operatorsOf({ type }).includes('withinLast')).toBe(type === 'date');
  });

  it.each([
    ['the values of an enum', 'phone.serviceType: ‸', ['prepaid', 'postpaid', 'other']],
    ['the steps of a level', 'phone.riskLevel: ‸', LEVELS],
    ['true and false', 'phone.valid: ‸', ['true', 'false']],
    ['never for a date', 'phone.porting.portedDate: ‸', ['never']],
  ])('gives %s, alone, in a list and for an operator', async (_, line, expected) => {
    const alone = edit(when(line));
    expect(await alone.labels()).toEqual(expected);
    const inList = edit(when(line.replace('‸', '[‸]')));
    expect(await inList.labels()).toEqual(expected);
    const [fact] = line.split(':');
    const asked = edit(when(`${fact}:`, '  isNot: ‸'));
    expect(await asked.labels()).toEqual(expected);
  });

  it('gives durations', async () => {
    const { labels } = edit(when('phone.porting.portedDate:', '  withinLast: ‸'));
    expect(await labels()).toContain('30 days');
  });

  it('gives the facts that a fact can be compared with', async () => {
    const { labels } = edit(when('phone.score:', '  above:', '    fact: ‸'));
    const comparable = FACTS.filter(([, { type }]) => type === 'number' || type === 'integer');
    expect(await labels()).toEqual(comparable.map(([path]) => path));
  });

  it('gives the keys of a rule and its outcomes', async () => {
    const rule = edit(`${HEAD}rules:\n  - id: one\n    ‸\n`);
    expect(await rule.labels()).toEqual(expect.arrayContaining(['when', 'then', 'message', 'whenUnknown', 'owner']));
    const outcome = edit(`${HEAD}rules:\n  - id: one\n    then: ‸\n`);
    expect(await outcome.labels()).toEqual(['accept', 'review', 'reject']);
  });

  it("gives a policy's own names, where its schema was generated", async () => {
    const facts = new Map<string, FactDefinition>([
      ['context.channel', { type: 'enum', values: ['web', 'app'], origin: 'caller', description: 'Where it began' }],
    ]);
    const lists = new Map([['blocked', undefined]]);
    const conditions = new Map([['recentlyPorted', undefined]]);
    const parameters = new Map([['riskyScore', undefined]]);
    const schema = schemaText(policySchema({ facts, lists, conditions, parameters }));
    const folder = temporaryFolder({ 'own.schema.json': schema });
    const own = (...lines: readonly string[]) => edit(when(...lines), folder, './own.schema.json');
    const labels = (...lines: readonly string[]) => own(...lines).labels();
    expect(await labels('all: [‸]')).toContain('recentlyPorted');
    expect(await labels('‸')).toContain('context.channel');
    expect(await labels('context.channel: ‸')).toEqual(['web', 'app']);
    expect(await labels('ip.isp:', '  inList: ‸')).toEqual(['blocked']);
    expect(await own('phone.score: { above: $riskyScore }').flagged).toEqual([]);
    expect(await own('phone.score: { above: $riskySore }').flagged).toHaveLength(1);
    expect(await own('context.channel: phone').flagged).toHaveLength(1);
    expect(await own('context.ch‸annel: web').hover()).toContain('Where it began');
  });
});

describe('what is flagged', () => {
  it.each([
    ['a wrong value of an enum', 'phone.type: mobil', 'mobil', /"mobile", "landline", "voip"/],
    ['a wrong value of an enum, for an operator', 'phone.type: { isNot: mobil }', 'mobil', /"mobile"/],
    ['an operator that the type lacks', 'phone.score: { withinLast: 30 days }', 'withinLast', /not allowed/],
    ['a number in quotes', 'phone.score: { above: "10" }', '"10"', /number/],
    ['an unknown fact', 'phone.scores: 5', 'phone.scores', /not allowed/],
    ['half a range', 'phone.score: { between: [1] }', '[1]', /2 or more/],
    ['months', 'phone.porting.portedDate: { withinLast: 2 months }', '2 months', /count of days or weeks/],
    ['another type of fact', 'phone.score: { above: { fact: phone.type } }', 'phone.type', /"phone.score"/],
  ])('%s, once and where it stands', async (_, line, place, message) => {
    const { flagged } = edit(when(line));
    const start =
      when(line)
        .split('\n')
        .findIndex((each) => each.includes(line)) + 1;
    const found = await flagged;
    expect(found).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })]);
    expect(found[0]?.range.start).toEqual({ line: start, character: 6 + line.lastIndexOf(place) });
  });

  it('a rule without an effect, and one without its id', async () => {
    const { flagged } = edit(`${HEAD}rules:\n  - when: { phone.valid: true }\n`);
    expect((await flagged).map(({ message }) => message)).toEqual([
      'Missing property "id".',
      'A rule needs `then`, `points` or both.',
    ]);
  });
});

describe('hovering', () => {
  it('over a fact shows what the catalog says of it', async () => {
    for (const line of ['phone.por‸ting.portedDate: { withinLast: 30 days }', 'phone.por‸ting.portedDate: never']) {
      const shown = await edit(when(line)).hover();
      const { description, signal } = CATALOG['phone.porting.portedDate'];
      for (const text of ['phone.porting.portedDate', description, signal, 'date (a day in the past, or never)']) {
        expect(shown).toContain(text);
      }
    }
    const score = await edit(when('phone.sc‸ore: 5')).hover();
    expect(score).toContain('number (0 to 100)');
    expect(score).toContain('100 the riskiest');
  });

  it('over an operator shows what it asks', async () => {
    const shown = await edit(when('phone.porting.portedDate: { within‸Last: 30 days }')).hover();
    expect(shown).toContain(OPERATORS.withinLast.sentence);
    expect(shown).toContain('days or weeks');
  });

  it('over a key shows what it is for', async () => {
    const shown = await edit(`${HEAD}rules:\n  - { id: one, po‸ints: 5, when: { phone.valid: true } }\n`).hover();
    expect(shown).toContain('Added to the score');
  });
});

describe('a mapping', () => {
  const map = (...lines: readonly string[]) =>
    edit(`signals:\n${lines.map((line) => `  ${line}\n`).join('')}`, RULES, './signals.schema.json');

  it('is completed: facts of the service, keys, what to take, formats, targets of values', async () => {
    const paths = FACTS.filter(([, { origin }]) => origin === 'service').map(([path]) => path);
    expect(await map('‸').labels()).toEqual(paths);
    const date = 'phone.porting.portedDate:';
    expect(await map(date, '  at: a', '  take: ‸').labels()).toEqual(['first', 'latest', 'previous', 'earliest']);
    expect(await map(date, '  at: a', '  formats: [‸]').labels()).toEqual(DAY_FORMATS);
    expect(await map('phone.riskLevel:', '  at: a', '  values:', '    L: ‸').labels()).toEqual(LEVELS);
    const keys = ['take', 'split', 'part', 'values', 'placeholders'];
    expect(await map('phone.riskLevel:', '  at: a', '  ‸').labels()).toEqual(keys);
    expect(await map('ip.location.latitude:', '  at: a', '  form: ‸').labels()).toEqual(['hemisphere']);
    expect(await map('identity.nameScore:', '  at: a', '  form: ‸').labels()).toEqual(['percent']);
  });

  it('is checked, and explained', async () => {
    const { flagged } = map('phone.riskLevel: { at: a, values: { L: lo } }');
    expect((await flagged).map(({ message }) => message)).toEqual([expect.stringContaining('"veryLow"')]);
    expect(await map('phone.risk‸Level: a.b').hover()).toContain(CATALOG['phone.riskLevel'].description);
  });
});
