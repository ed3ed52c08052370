/** Policies, lists, mappings and tests in YAML, mutated -> whether they are read, or refused with diagnostics. */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import type { Diagnostic } from '../../../src/diagnostics.ts';
import { readMapping } from '../../../src/facts/mapping/mapping.ts';
import { normalise } from '../../../src/facts/mapping/normalise.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { TestReader } from '../../../src/lab/test/read-tests.ts';
import { differencesOf } from '../../../src/lab/test/test-case.ts';
import { readPolicy } from '../../../src/policy/load.ts';
import { ASKED, SHAPES, TODAY } from '../facts/answers.ts';
import { pick, type Random } from '../facts/mutate.ts';
import { isSound } from '../facts/sound.ts';
import type { FuzzTarget, OpenTarget } from './case.ts';
import { hostileCsv } from './csv.ts';
import { changeLines, mutateData, yamlOf } from './spell.ts';
import { hostileText, times } from './texts.ts';

const ROOT = join(import.meta.dirname, '../../..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Reading stops after so many problems, and says so. */
const MOST_DIAGNOSTICS = 1001;

const HEAD = 'policy: p\nversion: "1"\ndefault: accept\n';

const many = (count: number, part: (i: number) => string, between = '') =>
  Array.from({ length: count }, (_, i) => part(i)).join(between);

/** Policies whose work may grow faster than their text, in a random size. */
const SHAPES_OF_POLICIES: readonly ((n: number, random: Random) => string)[] = [
  (n) =>
    `rules:\n${many(n, (i) => `  - { id: r${i}, when: { ip.isp: { matches: "(a|b|c${i}){${n}}" } }, then: review }\n`)}`,
  (n) =>
    `conditions:\n  big: { any: [${many(n, (i) => `{ phone.score: { above: ${i / 100} } }`, ', ')}] }\nrules:\n${many(n, (i) => `  - { id: r${i}, when: { all: [big, { phone.score: { below: ${i} } }] }, then: review }\n`)}`,
  (n) =>
    `conditions:\n${many(n, (i) => `  ${'c'.repeat(60)}${i}: { phone.valid: true }\n`)}rules:\n${many(n, (i) => `  - { id: r${i}, when: ${'d'.repeat(60)}${i}, then: review }\n`)}`,
  (n, random) =>
    `rules: [{ id: a, when: { phone.valid: false }, then: review, message: "${pick(['{{', '{phone.score} ', '{x}', '}'], random).repeat(n * 10)}" }]\n`,
  (n) => `tables: [{ id: t, columns: [phone.score, points], rows: [${many(n, (i) => `[${i / 10},1]`, ',')}] }]\n`,
  (n) =>
    `rules:\n${many(n, (i) => `  - { id: r${i}, when: { phone.score: { above: ${i} }, ip.isp: "a${i}" }, then: review }\n`)}`,
  (n) =>
    `facts:\n${many(n, (i) => `  context.f${i}: { type: number }\n`)}  context.z: { type: number }\nrules: [{ id: r, when: { atLeastOf: { count: ${Math.ceil((n + 1) / 2)}, of: [${many(n, (i) => `{ context.f${i}: { above: ${i} } }, `)}{ context.z: { above: 1 } }] } }, then: review }]\n`,
  (n, random) => `lists: { l: [${JSON.stringify(`e${hostileText(random).repeat(n)}`)}] }\nrules: []\n`,
  (n) =>
    `facts: { context.e: { type: enum, values: [x, ${many(n, (i) => `v${i}`, ', ')}] } }\nrules: [{ id: a, when: { context.e: x }, then: review }]\n`,
];

/** A policy in which each key of the language occurs. */
const RICH = `${HEAD}facts:
  context.channel: { type: enum, values: [web, app] }
  context.company: { type: string }
lists:
  isps: [Harbour Mobile, { value: Northlink, until: 2026-12-31, note: seen }]
  domains: { file: list.txt }
conditions:
  risky: { any: [{ phone.riskLevel: { atLeast: high } }, { not: { phone.valid: true } }] }
tables:
  - { id: t, columns: [phone.score, ip.isp, points], rows: [[{ above: 50 }, { inList: isps }, 10], [any, Other, 5]] }
rules:
  - { id: a, when: risky, then: review, message: "Score {phone.score}", tags: [x] }
  - { id: b, when: { applicant.emailDomain: { inDomainList: domains } }, then: reject, final: true }
  - { id: c, when: { ip.isp: { matches: "^har.*" }, context.channel: web }, then: reject, from: 2025-01-01 }
  - { id: d, when: { context.company: { contains: "& sons" } }, points: 5 }
score: { review: 10 }
`;

const POLICIES: readonly unknown[] = [
  RICH,
  ...['onboarding.yaml', 'phone-only.yaml'].map((name) => textOf(`rules/${name}`)),
].map((text) => parse(text) as unknown);
const MAPPINGS: readonly unknown[] = [
  textOf('rules/signals.yaml'),
  ...['shape-3', 'shape-4', 'shape-7'].map((name) => textOf(`test/fixtures/wire/${name}.yaml`)),
].map((text) => parse(text) as unknown);

/** A file of tests in which each key occurs. */
const RICH_TESTS = `policy: tested.yaml
at: 2026-11-20
with: { limit: 70 }
facts:
  clean: { phone.score: 5, phone.porting.portedDate: 7 days ago, phone.type: { missing: invalid } }
  line: { facts: { ip.isp: One }, missing: { "email.*": sourceFailed } }
tests:
  - { name: a, from: [clean, line], facts: { phone.score: 90 }, expect: { outcome: review, reasons: [A], score: 5 } }
  - { name: b, with: { limit: 60 }, missing: { "*": notGiven }, expect: { not: [A], notice: none, undetermined: [a] } }
  - name: c
    at: 2026-01-01
    expect: { notice: { en: Call us. } }
    table: { columns: [phone.score, name, rules, score], rows: [[5, low, [], 0], [90, high, [a], [0, 5]]] }
  - { name: d, answer: answer.json, skip: later, table: { file: cases.csv } }
`;

const TESTED = `${HEAD}parameters: { limit: 80 }
rules: [{ id: a, when: { phone.score: { above: $limit } }, then: review, points: 5, notice: { en: Call us. } }]
`;

const TESTS: readonly unknown[] = [parse(RICH_TESTS)];

function hostileYaml(documents: readonly unknown[], random: Random): { readonly how: string; readonly text: string } {
  const { how, data } = mutateData(pick(documents, random), random);
  const { how: lines, text } = changeLines(yamlOf(data, random), random);
  return { how: `${how}; ${lines}`, text };
}

/** Whether something was read exactly if there is no error; undefined if so. */
function wrongDiagnostics(read: unknown, diagnostics: readonly Diagnostic[]): string | undefined {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  if (read === undefined && errors === 0) return 'refused without an error';
  if (read !== undefined && errors > 0) return `read with ${errors} errors`;
  return diagnostics.length > MOST_DIAGNOSTICS ? `${diagnostics.length} diagnostics` : undefined;
}

/** Opens a target whose cases are files of a folder, beside the files that they name. */
function filesTarget(make: (random: Random, folder: string) => ReturnType<FuzzTarget['make']>): OpenTarget {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'verdict-fuzz-'));
    writeFileSync(join(folder, 'list.txt'), 'a.example\nb.example\n');
    for (const name of ['rule-sets', 'lists'])
      cpSync(join(ROOT, 'rules', name), join(folder, name), { recursive: true });
    return {
      make: (random) => make(random, folder),
      close: () => rmSync(folder, { recursive: true, force: true }),
    };
  };
}

async function tryPolicy(file: string): Promise<string | undefined> {
  const { policy, diagnostics } = readPolicy(file);
  const wrong = wrongDiagnostics(policy, diagnostics);
  if (wrong !== undefined || !policy) return wrong;
  const matcher = compile(policy);
  for (const given of [new Map(), SHAPES[0]?.beside ?? new Map()]) {
    matcher.verdict(readFacts(given, policy.facts, TODAY), TODAY);
  }
  return undefined;
}

/** A target whose cases are hostile policies. */
function hostilePolicies(tryFile: (file: string, random: Random) => Promise<string | undefined>): OpenTarget {
  return filesTarget((random, folder) => {
    const isGrown = random() < 0.3;
    const { how, text } = isGrown
      ? { how: 'grown', text: `${HEAD}${pick(SHAPES_OF_POLICIES, random)(1 + times(random), random)}` }
      : hostileYaml(POLICIES, random);
    const [file, bytes] = [join(folder, 'policy.yaml'), Buffer.from(text)];
    return {
      how,
      bytes,
      run() {
        writeFileSync(file, bytes);
        return tryFile(file, random);
      },
    };
  });
}

export const policyTarget = hostilePolicies(tryPolicy);

/** One case: the documents that are mutated elsewhere are read without a diagnostic. */
export const documentsTarget = filesTarget((_, folder) => ({
  how: 'as they are',
  bytes: Buffer.of(),
  async run() {
    const file = join(folder, 'document.yaml');
    const readAll = (documents: readonly unknown[], read: (file: string) => { diagnostics: readonly Diagnostic[] }) =>
      documents.flatMap((data) => {
        writeFileSync(file, stringify(data));
        return read(file).diagnostics;
      });
    writeTested(folder);
    const tests = readAll(TESTS, readTestFile);
    const found = [...readAll(POLICIES, readPolicy), ...readAll(MAPPINGS, readMapping), ...tests];
    return found[0]?.message;
  },
}));

/** Columns of lists and of tables, each with the cells of its rows. */
const LIST_COLUMNS = {
  value: (row: number) => `e${row}.example`,
  until: (row: number) => (row % 2 ? '' : '2026-12-31'),
  note: () => 'why',
  other: () => '1',
};
const TABLE_COLUMNS = {
  'phone.score': (row: number) => ['any', `${row}`, `"{ above: ${row} }"`][row % 3] ?? '',
  'ip.isp': (row: number) => `"[a${row}, ""b ${row}""]"`,
  then: (row: number) => (row % 3 ? 'review' : 'none'),
  points: (row: number) => `${row}`,
  message: () => '"Score {phone.score}, high"',
};

export const tableFileTarget = filesTarget((random, folder) => {
  const { how, bytes } = hostileCsv(TABLE_COLUMNS, [',', ',', ',', ';'], random);
  const unique = random() < 0.5;
  return {
    how: `${how}${unique ? ', unique' : ''}`,
    bytes,
    run() {
      writeFileSync(join(folder, 'hostile.csv'), bytes);
      const table = `{ id: t, unique: ${unique}, rows: { file: hostile.csv } }`;
      writeFileSync(join(folder, 'policy.yaml'), `${HEAD}tables: [${table}]\n`);
      return tryPolicy(join(folder, 'policy.yaml'));
    },
  };
});

export const listTarget = filesTarget((random, folder) => {
  const lines = Array.from({ length: 1 + times(random) }, () => hostileText(random));
  const isCsv = random() < 0.4;
  const bytes = isCsv
    ? hostileCsv(LIST_COLUMNS, [',', ',', ';'], random).bytes
    : Buffer.from(lines.join(pick(['\n', '\r\n', '\r', ' until '], random)), random() < 0.9 ? 'utf8' : 'latin1');
  const file = isCsv ? 'hostile.csv' : 'hostile.txt';
  const kind = pick(['inList', 'inDomainList'], random);
  const fact = pick(['ip.isp', 'applicant.emailDomain', 'applicant.phoneNo', 'phone.country'], random);
  const rule = `{ id: a, when: { ${fact}: { ${kind}: l } }, then: reject }`;
  return {
    how: `${kind} of ${fact}`,
    bytes,
    run() {
      writeFileSync(join(folder, file), bytes);
      writeFileSync(join(folder, 'policy.yaml'), `${HEAD}lists: { l: { file: ${file} } }\nrules: [${rule}]\n`);
      return tryPolicy(join(folder, 'policy.yaml'));
    },
  };
});

function readTestFile(file: string) {
  const { cases, diagnostics } = new TestReader({ allowOnly: true }).read(file);
  return { cases: diagnostics.length === 0 ? cases : undefined, diagnostics };
}

/** Writes what the files of tests name. */
function writeTested(folder: string): void {
  writeFileSync(join(folder, 'tested.yaml'), TESTED);
  writeFileSync(join(folder, 'answer.json'), '{"score": 5}');
  writeFileSync(join(folder, 'cases.csv'), 'phone.score,outcome,reasons\n90,review,A\n');
}

export const testsTarget = filesTarget((random, folder) => {
  const { how, text } = hostileYaml(TESTS, random);
  const [file, bytes] = [join(folder, 'a.test.yaml'), Buffer.from(text)];
  return {
    how,
    bytes,
    async run() {
      writeTested(folder);
      writeFileSync(file, bytes);
      const { cases, diagnostics } = readTestFile(file);
      for (const each of cases ?? []) differencesOf(each);
      return wrongDiagnostics(cases, diagnostics);
    },
  };
});

export const mappingTarget = filesTarget((random, folder) => {
  const { how, text } = hostileYaml(MAPPINGS, random);
  const [file, bytes, { clean }] = [join(folder, 'mapping.yaml'), Buffer.from(text), pick(SHAPES, random)];
  return {
    how,
    bytes,
    async run() {
      writeFileSync(file, bytes);
      const { mapping, diagnostics } = readMapping(file);
      const wrong = wrongDiagnostics(mapping, diagnostics);
      if (wrong !== undefined || !mapping) return wrong;
      const given = normalise({ body: clean }, mapping, ASKED, mapping.facts, TODAY);
      for (const [path, definition] of mapping.facts) {
        const fact = given.get(path);
        if (fact && !isSound(fact, definition, undefined)) return `${path} is unsound`;
      }
      return undefined;
    },
  };
});
