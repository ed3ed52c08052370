/** JSON data as the tree of a YAML text; and mappings read again from their data. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Diagnostic, DiagnosticsError, formatDiagnostic } from '../../src/diagnostics.ts';
import { loadMapping, type Mapping, mappingData, mappingFromData } from '../../src/facts/mapping/mapping.ts';
import { treeOfData } from '../../src/platform/data-tree.ts';
import { digest } from '../../src/platform/digest.ts';
import { toData, type Yaml } from '../../src/platform/yaml.ts';
import { mappingOf } from '../support/facts/mapping-file.ts';
import { change, GONE, pathsIn } from '../support/facts/mutate.ts';
import { ASKED, factsOf, readSample } from '../support/facts/shape-1.ts';

const WIRE = join(import.meta.dirname, '../fixtures/wire');

/** Every node of a tree with the text that it stands for. */
function* textsOf(node: Yaml): Generator<readonly [data: unknown, text: string]> {
  yield [toData(node), node.source.text.slice(node.start, node.end)];
  if (node.kind === 'list') for (const item of node.items) yield* textsOf(item);
  if (node.kind !== 'map') return;
  for (const { key, value } of node.entries.values()) {
    yield* textsOf(key);
    yield* textsOf(value);
  }
}

describe('the tree of data', () => {
  it('has the data, and each node has its span in their text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'grapheme' }), (value) => {
        // -0 is 0 in JSON.
        const data = JSON.parse(JSON.stringify(value));
        const diagnostics: Diagnostic[] = [];
        const tree = treeOfData(data, 'data', diagnostics);
        expect(diagnostics).toEqual([]);
        if (!tree) throw new Error('no tree');
        for (const [part, text] of textsOf(tree)) expect(JSON.parse(text)).toEqual(part);
        expect(toData(tree)).toEqual(data);
      }),
      { numRuns: 500 },
    );
  });

  it('has the keys that a prototype has, too', () => {
    const data = JSON.parse('{"__proto__":{"constructor":1},"toString":[]}');
    const tree = treeOfData(data, 'data', []);
    expect(tree && JSON.stringify(toData(tree))).toBe(JSON.stringify(data));
  });
});

const again = (mapping: Mapping, options = {}) =>
  mappingFromData(JSON.parse(JSON.stringify(mappingData(mapping))), options);

/** All that a mapping says, without functions, its maps and sets by key. */
const saidBy = (mapping: Mapping) =>
  JSON.parse(
    JSON.stringify(
      { ...mapping, sources: mapping.sources.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
      (_, value) => {
        if (value instanceof Map) return [...value].sort(([a], [b]) => (a < b ? -1 : 1));
        return value instanceof Set ? [...value].sort() : value;
      },
    ),
  );

function expectSame(mapping: Mapping, other: Mapping, answers: readonly unknown[]): void {
  expect(other.digest).toBe(mapping.digest);
  expect(digest(mappingData(mapping))).toBe(mapping.digest);
  expect(saidBy(other)).toEqual(saidBy(mapping));
  for (const body of answers) {
    for (const composite of [false, true]) {
      const asked = { ...ASKED, composite };
      expect(factsOf(body, other, asked)).toEqual(factsOf(body, mapping, asked));
    }
  }
}

/** An answer, and others that come of it by changes. */
function changed(body: unknown): readonly unknown[] {
  const changes = fc.record({
    path: fc.constantFrom(...pathsIn(body)),
    value: fc.oneof(fc.constant(GONE), fc.jsonValue()),
  });
  return [body, ...fc.sample(changes, 60).map(({ path, value }) => change(body, path, value))];
}

describe('a mapping from its data', () => {
  it.each(['shape-1', 'shape-3', 'shape-4', 'shape-7'])('is the mapping of %s', (name) => {
    const mapping = loadMapping(join(WIRE, `${name}.yaml`));
    expectSame(mapping, again(mapping), changed(readSample(name)));
  });

  it('is the shipped mapping', () => {
    const mapping = loadMapping();
    expectSame(mapping, again(mapping), changed(readSample('shape-1')));
  });

  it('says the same where YAML was written in ways that JSON has not', () => {
    const mapping = mappingOf(`placeholders: [~, N/A, 0x10, -0, true]
answer: { at: status, answered: [1.0, ok] }
sources:
  z: { at: z.status, answered: [1], signals: [phone.*] }
  "10": { at: ten, answered: [true], signals: [ip.isp] }
signals:
  phone.riskLevel: { at: [a, b], values: { 007: low, 1.50: high, null: medium, true: veryLow } }
  phone.porting.portedDate: { at: [d], never: { at: n, is: [-0, { b: [1, ~], a: x }] }, formats: [yyyy-MM-dd] }
  phone.score: { at: s, range: [-0, 1e1], invert: true }
facts: { identity.document: { type: enum, values: ["1", "\\0"] } }
`);
    const values = [
      0,
      1,
      7,
      '007',
      '1.50',
      1.5,
      'null',
      true,
      'ok',
      10,
      16,
      'N/A',
      null,
      { a: 'x', b: [1, null] },
      '2020-01-02',
    ];
    const bodies = values.map((value) => ({
      status: 1,
      z: { status: 1 },
      ten: value,
      a: value,
      d: value,
      n: value,
      s: value,
    }));
    expectSame(mapping, again(mapping), [...bodies, { status: 2 }, { status: 1, z: { status: 0 } }]);
  });

  it('gives a new copy of its data at each call', () => {
    const mapping = loadMapping();
    const data = mappingData(mapping) as { signals?: unknown };
    delete data.signals;
    expect(digest(mappingData(mapping))).toBe(mapping.digest);
    expect(digest(mappingData(again(mapping)))).toBe(mapping.digest);
  });

  it('reports every problem of data that are not a mapping, with positions, and throws nothing else', () => {
    const problemsOf = (data: unknown) => {
      try {
        mappingFromData(data);
      } catch (error) {
        if (error instanceof DiagnosticsError) return error.diagnostics.map(formatDiagnostic).join('\n');
        throw error;
      }
      return '';
    };
    expect(problemsOf({ signals: { 'phone.scor': 'x', 'ip.isp': 3 } })).toMatch(
      /^mapping:3:5: error\[unknown-fact\](.|\n)*mapping:4:15: error\[wrong-type\]/,
    );
    for (const data of [undefined, null, 3, [], {}, () => 1, { signals: Number.NaN }, { signals: '\ud800' }])
      expect(problemsOf(data)).toMatch(/^mapping:.* error\[/);
    const read = () => mappingFromData({}, { shown: 'mappings/ab.json' });
    expect(read).toThrow(expect.objectContaining({ code: 'MAPPING_INVALID' }));
    expect(read).toThrow('mappings/ab.json:1:1');
  });

  it('cannot be had of a mapping that no reader gave', () => {
    const mapping = loadMapping();
    expect(() => mappingData({ ...mapping })).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });

  it('needs no file', () => {
    const text = readFileSync(join(WIRE, 'shape-1.yaml'), 'utf8');
    expect(again(mappingOf(text)).digest).toBe(loadMapping(join(WIRE, 'shape-1.yaml')).digest);
  });
});
