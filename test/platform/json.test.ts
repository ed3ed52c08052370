/** The one reader of JSON: what it accepts, what it refuses, and where alone other code may parse JSON. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseJson } from '../../src/platform/json.ts';
import { sampled } from '../support/sampled.ts';

const DUPLICATE = 'has a duplicate name in an object';

describe('the reader of JSON', () => {
  const bounds = { maxNames: 2, maxItems: 3 };

  it.each([
    '{"a":1,"b":2}',
    '{"a":{"a":1,"b":2},"b":[{"a":1,"b":2},{"a":1,"b":2},{"a":1,"b":2}]}',
    '{"a":":,:,:,","b":[",,,,","\\",,,,",1]}',
    '[[1,2,3],[1,2,3],{"a":[1,2,3],"b":1}]',
    '[]',
  ])('takes %s within its bounds', (json) => {
    expect(parseJson(json, bounds)).toEqual({ problem: undefined, value: JSON.parse(json) });
  });

  it.each([
    ['{"a":1,"b":2,"c":3}', 'has more than 2 names in an object'],
    ['[{"a":[1],"b":{"a":1,"b":2,"c":', 'has more than 2 names in an object'],
    ['{"a":[1,2],"b":[{},{}],"c":1}', 'has more than 2 names in an object'],
    ['[1,2,3,4]', 'has more than 3 items in a list'],
    ['{"a":[[1,2,3],[],{"a":1},', 'has more than 3 items in a list'],
  ])('refuses %s before it is made', (json, problem) => {
    expect(parseJson(json, bounds)).toEqual({ problem });
  });

  it.each<[string, string | Uint8Array, string, number?]>([
    ['a duplicate name', '{"a":1,"a":2}', DUPLICATE, 1],
    ['the same value twice', '{"a":1,"a":1}', DUPLICATE, 1],
    ['another spelling of a name', '{"riskLevel":"veryHigh",\n"riskL\\u0065vel":"low"}', DUPLICATE, 2],
    ['a duplicate name far inside', '[{"a":[{"b":{"c":{},\n"d":[{}],"c":0}}]}]', DUPLICATE, 2],
    ['a duplicate section', '{"a":{"x":1},"b":0,"a":{"x":2}}', DUPLICATE, 1],
    ['a duplicate empty name', '{"":1,"":2}', DUPLICATE, 1],
    ['a name of the prototype twice', '{"__proto__":{"a":1},"__proto__":{"a":2}}', DUPLICATE, 1],
    ['names with quotes and backslashes', '{"\\\\":0,"\\"":1,"\\\\\\"":2,"\\u005c\\u0022":3}', DUPLICATE, 1],
    ['a name after texts like JSON', '{"a":"}{\\"a\\":1","b":[":{"],\n\n"a":1}', DUPLICATE, 3],
    ['half an object', '{"a":1', 'is not JSON'],
    ['an open string', '{"a":1,"a":"', 'is not JSON'],
    ['nothing', ' \n', 'is empty; JSON was expected'],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'is not UTF-8 text'],
    ['101 levels', `${'['.repeat(101)}${']'.repeat(101)}`, 'nests deeper than 100 levels'],
    ['levels without an end', '{"a":'.repeat(200_000), 'nests deeper than 100 levels'],
    ['a byte order mark in a text', '\ufeff{}', 'is not JSON'],
  ])('refuses %s', (_what, json, problem, line) => {
    expect(parseJson(json)).toEqual(line === undefined ? { problem } : { problem, line });
  });

  it.each([
    ['one name in several objects', '{"a":{"a":[{"a":1},{"a":1}]}}'],
    ['names that only resemble each other', '{"a":1,"A":2,"a ":3,"\\u00e9":4,"e\\u0301":5}'],
    ['a name of the prototype', '{"__proto__":1,"constructor":2}'],
    ['texts like JSON', '{"a":"\\"a\\":1,","b":":::{{{[[["}'],
    ['many objects and lists side by side', JSON.stringify(Array.from({ length: 200 }, () => ({ a: [] })))],
    ['100 levels', `${'['.repeat(100)}${']'.repeat(100)}`],
  ])('accepts %s', (_what, json) => {
    expect(parseJson(json)).toEqual({ problem: undefined, value: JSON.parse(json) });
  });

  it('accepts bytes with a byte order mark', () => {
    expect(parseJson(Buffer.from('\ufeff{"a":1}'))).toEqual({ problem: undefined, value: { a: 1 } });
  });

  it('may be told another limit of depth', () => {
    const json = `${'['.repeat(200)}${']'.repeat(200)}`;
    expect(parseJson(json, { maxDepth: 200 })).toMatchObject({ problem: undefined });
    expect(parseJson(json, { maxDepth: 199 })).toEqual({ problem: 'nests deeper than 199 levels' });
  });

  it('refuses any value in which any one name is repeated, however it is escaped, and no other', () => {
    const runs = { numRuns: sampled(100, 5000) };
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.boolean(), (json, at, isEscaped) => {
        expect(parseJson(json)).toEqual({ problem: undefined, value: JSON.parse(json) });
        const names = [...json.matchAll(/(?<=[{,]\s*)("(?:[^"\\]|\\.)*")\s*:/g)];
        const found = names[at % names.length];
        if (!found?.[1]) return;
        const name: string = JSON.parse(found[1]);
        const escaped = [...Array(name.length).keys()].map((i) => `\\u${hex(name.charCodeAt(i))}`).join('');
        const copy = `${isEscaped ? `"${escaped}"` : found[1]}:null,`;
        const doubled = `${json.slice(0, found.index)}${copy}${json.slice(found.index)}`;
        expect(parseJson(doubled)).toEqual({ problem: DUPLICATE, line: 1 });
      }),
      runs,
    );
  });
});

const hex = (unit: number) => unit.toString(16).padStart(4, '0');

/** Where else JSON is parsed, how often, and why it needs no check for duplicate names. */
const ELSEWHERE: Readonly<Record<string, readonly [places: number, why: string]>> = {
  'audit/entry/body.ts': [2, 'verifyLog compares the texts with what JSON.stringify writes; replay is fast'],
  'audit/entry/schema.ts': [1, 'the bytes are compared with what JSON.stringify writes'],
  'audit/entry/entry.ts': [2, 'compared with what was written; the fast reader leaves that to verifyLog'],
  'audit/read/count-by.ts': [2, 'our own text'],
  'audit/read/search-entry.ts': [1, 'a search checks no lines; verifyLog does'],
  'audit/store/sealed-policy.ts': [1, 'our own text, which the cipher authenticates'],
  'audit/verify/check-records.ts': [1, 'our own text'],
  'decision/references.ts': [2, 'our own text'],
  'facts/mapping/mapping.ts': [1, 'our own text'],
  'platform/json.ts': [2, 'the reader'],
  'policy/source-map.ts': [1, 'our own text'],
  'sandbox/server.ts': [1, 'the simulated service imports none of the other stages'],
  'service/auth/invitations.ts': [2, 'our own text'],
  'service/auth/sessions.ts': [2, 'our own text'],
  'service/auth/sign-in.ts': [1, 'our own text, of a cookie that is encrypted'],
  'service/handlers/kept.ts': [1, 'our own text'],
  'service/openapi.ts': [1, 'our own text'],
  'service/webhooks/webhook.ts': [2, 'our own text'],
  'signals/http/http.ts': [1, 'our own text'],
  'stores/state/cases.ts': [2, 'our own text'],
  'stores/state/state-thread.ts': [1, 'our own text'],
  'stores/velocity/velocity-thread.ts': [5, 'our own text'],
  'service/workbench/browser/browser.ts': [1, 'an answer of the service, in its own page'],
  'service/workbench/browser/editor.ts': [2, 'answers of the service, in its own page'],
};

test('JSON is parsed only by the reader, and where its text is our own or checked otherwise', () => {
  const src = resolve(import.meta.dirname, '../../src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const found = files.flatMap((file): [string, number][] => {
    const code = readFileSync(join(src, file), 'utf8').replaceAll(/^\s*(?:\/\*|\*|\/\/).*/gm, '');
    const places = code.match(/\bJSON\s*(?:\?\.|\.|\[)\s*['"]?parse\b|\.json\(\)/g);
    return places ? [[file, places.length]] : [];
  });
  expect(files.length).toBeGreaterThan(100);
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(ELSEWHERE).map(([file, [places]]) => [file, places])),
  );
});
