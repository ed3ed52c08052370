/** `verdict-engine/core`: it runs in a browser, decides there as in Node, and stays small. */

import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { RE2JS } from 're2js';
import { describe, expect, it, test } from 'vitest';
import * as core from '../src/core.ts';
import { readFacts } from '../src/facts/read.ts';
import * as api from '../src/index.ts';
import { RE2 } from '../src/patterns.ts';
import { canonicalJson } from '../src/platform/digest.ts';
import { WORLD } from '../src/platform/formats/geo/world.ts';
import { chromiumPath, launchChromium } from './support/report/chromium.ts';
import { caseFiles, factsOfCase, readCaseFile } from './support/runners/case-file.ts';
import { sampled } from './support/sampled.ts';

const SRC = resolve(import.meta.dirname, '../src');
const RULES = resolve(import.meta.dirname, '../rules');
const DAY = '2026-11-20';

/** In bytes, compressed: what a page may have to load. */
const MOST_BYTES = 167_000;

/** An entry point as a script for a browser, which sets the global of its name. */
async function bundle(name: string) {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${SRC}/${name}.ts`],
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: name,
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const script = outputFiles[0]?.text ?? '';
  return { script, inputs: Object.keys(metafile.inputs) };
}

const bundled = bundle('core');

/** A policy with its texts, and what is known of an applicant. */
interface Job {
  readonly policy: unknown;
  readonly given: readonly (readonly [string, core.GivenFact])[];
  readonly day: string;
}

type Core = typeof core;

/** What the core says of a job, as canonical as JSON is. It runs in the page too, so it names nothing from outside. */
async function decideAll(
  { policyFromData, readPolicyText, compile, readFacts, explain, noticesOf }: Core,
  patterns: core.PatternEngine,
  jobs: readonly Job[],
  texts: { readonly text: string; readonly files: Readonly<Record<string, string>>; readonly isps: string },
) {
  const verdicts = [];
  for (const { policy: data, given, day } of jobs) {
    const policy = policyFromData(data, { patterns });
    const facts = readFacts(new Map(given), policy.facts, day);
    const verdict = compile(policy).verdict(facts, day);
    verdicts.push({ digest: policy.digest, verdict, notices: noticesOf(verdict, 'de-AT'), facts: [...facts] });
  }
  const { policy, diagnostics } = readPolicyText(texts.text, { files: texts.files });
  const broken = readPolicyText(`${texts.text}\nrules:\n  - { id: x, whn: a }\n`, { files: texts.files });
  const isps = readPolicyText(texts.isps, { patterns }).policy;
  if (!policy || !isps) return { verdicts, diagnostics };
  const day = jobs[0]?.day ?? '';
  const facts = readFacts(new Map([['phone.porting.portCount', { value: 9 }]]), policy.facts, day);
  const explanation = await explain(policy, facts, day);
  const ofIsp = (isp: string) =>
    compile(isps).outcome(readFacts(new Map([['ip.isp', { value: isp }]]), isps.facts, day), day);
  const matched = [ofIsp('My Data Centre').outcome, ofIsp('My Home').outcome];
  const unmatched = readPolicyText(texts.isps).diagnostics;
  return { verdicts, diagnostics, digest: policy.digest, explanation, broken: broken.diagnostics, matched, unmatched };
}

/** The cases of the language; everyday, a fifth of them. */
const jobs: readonly Job[] = caseFiles()
  .flatMap((path) => readCaseFile(path).cases)
  .filter((_, i) => i % sampled(5, 1) === 0)
  .map((each) => ({
    policy: { policy: 'case', version: '1', ...each.policy },
    given: Object.entries(factsOfCase(each)),
    day: each.day,
  }));

const names = ['lists/disposable-domains.txt', 'lists/fatf-call-for-action.txt'];
const sets = 'account-takeover dark-web email identity-required identity ip phone porting synthetic-identity'.split(
  ' ',
);
const texts = {
  text: readFileSync(`${RULES}/onboarding.yaml`, 'utf8'),
  files: Object.fromEntries(
    [...names, ...sets.map((name) => `rule-sets/${name}.yaml`)].map((name) => [
      name,
      readFileSync(`${RULES}/${name}`, 'utf8'),
    ]),
  ),
  isps: `policy: isps
version: "1"
default: accept
rules:
  - { id: data-centre, when: { ip.isp: { matches: "data ?cent(er|re)" } }, then: review }
  - { id: numbered, when: { ip.isp: { matches: "^[0-9]" } }, then: review }
`,
};

describe('the core', () => {
  it('is bundled for a browser, small, and without the heavy parts', async () => {
    const { script, inputs } = await bundled;
    const parts = inputs.map((path) => relative(resolve('.'), resolve(path)));
    expect(parts.length).toBeGreaterThan(100);
    expect(
      parts.filter((path) => /zod|libphonenumber|country-coder|re2js|axios|cockatiel|json-rules-engine/.test(path)),
    ).toEqual([]);
    expect(gzipSync(script).length).toBeLessThan(MOST_BYTES);
  });

  it('derives with the geodata it is given as the whole package does', () => {
    const given = new Map<string, core.GivenFact>([
      ['applicant.phoneNo', { value: '+44 (0)7400 123456' }],
      ['ip.location.latitude', { value: 51.5 }],
      ['ip.location.longitude', { value: -0.1 }],
    ]);
    expect(core.readFacts(given, core.CATALOG_TABLE, DAY, { geodata: WORLD })).toEqual(
      readFacts(given, core.CATALOG_TABLE, DAY),
    );
  });

  it('reads patterns with the engine that it is given as the whole package does', () => {
    const options = { patterns: RE2 };
    const { policy, diagnostics } = core.readPolicyText(texts.isps, options);
    const whole = api.loadPolicyText(texts.isps);
    expect(diagnostics).toEqual([]);
    expect(policy?.digest).toBe(whole.digest);
    expect(core.loadPolicyText(texts.isps, options).digest).toBe(whole.digest);
    expect(core.policyFromData(api.policyData(whole), options).digest).toBe(whole.digest);
    expect(api.policyFromData(api.policyData(whole)).digest).toBe(whole.digest);
  });

  it('refuses each pattern at its place without an engine, and says which to give', () => {
    const { policy, diagnostics } = core.readPolicyText(texts.isps);
    expect(policy).toBeUndefined();
    expect(diagnostics.map(({ code, position }) => [code, position?.line, position?.column])).toEqual([
      ['not-supported', 5, 51],
      ['not-supported', 6, 48],
    ]);
    expect(diagnostics[0]?.hint).toContain('RE2 of verdict-engine/patterns');
    const refused = expect.objectContaining({ code: 'POLICY_INVALID' });
    expect(() => core.loadPolicyText(texts.isps)).toThrow(refused);
    expect(() => core.policyFromData(api.policyData(api.loadPolicyText(texts.isps)))).toThrow(refused);
  });

  it.each([
    ['null', null],
    ['a text', 're2'],
    ['an empty object', {}],
    ['the library itself', RE2JS],
  ])('refuses %s as an engine of patterns', (_, patterns) => {
    const options = { patterns } as unknown as core.PatternOptions;
    const refused = expect.objectContaining({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('patterns has to be RE2 of verdict-engine/patterns'),
    });
    expect(() => core.readPolicyText(texts.isps, options)).toThrow(refused);
    expect(() => core.loadPolicyText(texts.isps, options)).toThrow(refused);
    expect(() => core.policyFromData({}, options)).toThrow(refused);
  });

  it('leaves unmapped what it cannot derive without geodata, and derives the rest', () => {
    const given = new Map<string, core.GivenFact>([
      ['applicant.phoneNo', { value: '447400123456' }],
      ['applicant.email', { value: 'ann@mail.example' }],
      ['phone.valid', { value: true }],
    ]);
    const facts = core.readFacts(given, core.CATALOG_TABLE, DAY);
    expect(facts.get('phone.valid')).toEqual({ value: true });
    expect(facts.get('phone.country')).toEqual({ missing: 'unmapped' });
    expect(facts.get('applicant.emailDomain')).toEqual({ value: 'mail.example' });
    expect(facts.get('ip.country')).toEqual({ missing: 'notGiven' });
    expect(facts.get('ip.matchesPhoneCountry')).toEqual({ missing: 'notGiven' });
  });
});

const path = chromiumPath();

if (path === undefined) test.skip('NOT TESTED: no Chromium found; set CHROMIUM to its path');
else {
  test('a page decides and explains as Node does', async () => {
    const { script } = await bundled;
    const engine = await bundle('patterns');
    const browser = await launchChromium(path);
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: script });
      await page.addScriptTag({ content: engine.script });
      const call = `(${decideAll})(core, patterns.RE2, ${JSON.stringify(jobs)}, ${JSON.stringify(texts)})`;
      const inPage = await page.evaluate(call);
      const inNode = await decideAll(core, RE2, jobs, texts);
      expect(inNode.explanation).toBeDefined();
      expect(inNode.matched).toEqual(['review', 'accept']);
      expect(inNode.unmatched).toHaveLength(2);
      expect(inNode.verdicts.length).toBeGreaterThan(sampled(60, 300));
      expect(inNode.verdicts.flatMap(({ notices }) => notices)).not.toEqual([]);
      // As JSON, since a page hands over no undefined values.
      expect(JSON.parse(canonicalJson(inPage))).toEqual(JSON.parse(canonicalJson(inNode)));
    } finally {
      await browser.close();
    }
  });
}
