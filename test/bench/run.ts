/**
 * `npm run bench [-- --quick] [--rules 30,300] [--only matcher,json-logic] [--seed 1] [--thread-time]`: the same
 * policies and applicants for this project's runners, hand-written code and other engines -> decisions per second
 * and their ratios, as Markdown. A run with all defaults writes them into docs/performance.md.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compile } from '../../src/decision/matcher/matcher.ts';
import { CATALOG_TABLE } from '../../src/facts/catalog.ts';
import type { Contest, Contestant } from './contestant.ts';
import { DAY, generateApplicants, generatePolicy } from './generate.ts';
import { logicOf, viewOf } from './logic.ts';
import { type Pace, race, waiting } from './measure.ts';
import { handWritten, live, matcherBatch, matcherJson, matcherOutcome, matcherVerdict } from './ours.ts';
import { PAGE, pageWith, type Results, report } from './report.ts';
import { cel, INSTALL, jsonLogic, loadRivals, otherCel, rivalVersions, rulesEngine, zen } from './rivals.ts';
import { type Compiled, explosivePolicies, type Read, timeReading, weigh } from './weigh.ts';

const SIZES = [30, 300, 3000, 10_000];
/** The policy size from which the growth of costs is measured. */
const SMALL = 100;
const QUICK_SIZES = [30];
const PEOPLE = 1000;
const MISSING = 0.05;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rules: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    // For a machine that is busy with other work; such figures do not go into the page.
    'thread-time': { type: 'boolean', default: false },
  },
});
const isThreadTime = options['thread-time'];
const isWhole = !isThreadTime && !options.quick && options.rules === undefined && options.only === undefined;
const sizes = options.rules?.split(',').map(Number) ?? (options.quick ? QUICK_SIZES : SIZES);
const wanted = options.only?.split(',');
const seed = Number(options.seed);
if (!Number.isSafeInteger(seed) || sizes.some((size) => !Number.isSafeInteger(size) || size < 1)) {
  throw new Error('--rules must be a list of positive whole numbers, and --seed an integer');
}
const pace: Pace = options.quick ? { turnMs: 20, turns: 3, isThreadTime } : { turnMs: 200, turns: 7, isThreadTime };
/** Checking a contestant against the verdicts stops after this time, but not before this number of applicants. */
const CHECK_MS = options.quick ? 100 : 500;
const CHECKED_LEAST = 3;

const rivals = await loadRivals();
if (!rivals) {
  process.stderr.write(`The other engines are not installed. To install them:\n  ${INSTALL}\n`);
  process.exit(3);
}

/** The contestants by name, each in all variants of its rules. */
const FIELD: Readonly<Record<string, readonly ((contest: Contest) => Contestant)[]>> = {
  'matcher.outcome': [matcherOutcome('row')],
  'matcher.outcome of a Map': [matcherOutcome('map')],
  'matcher.verdict': [matcherVerdict('row')],
  'matcher.verdict of a Map': [matcherVerdict('map')],
  'matcher.verdict as JSON': [matcherJson],
  'matcher.batch': [matcherBatch],
  'hand-written code': [handWritten(100), handWritten(500)],
  'json-logic-engine': [jsonLogic(rivals, 1), jsonLogic(rivals, 30), jsonLogic(rivals, Number.POSITIVE_INFINITY)],
  'cel-js': [cel(rivals, 1), cel(rivals, 30)],
  '@marcbachmann/cel-js': [otherCel(rivals, 1), otherCel(rivals, 30)],
  'zen-engine': [zen(rivals, 1)],
  'zen-engine, 100 in flight': [zen(rivals, 100)],
  'json-rules-engine, one engine per run': [rulesEngine(false)],
  'json-rules-engine, one engine': [rulesEngine(true)],
  'live runner': [live],
};
const names = Object.keys(FIELD).filter((name) => wanted?.some((part) => name.includes(part)) ?? true);

const progress = (text: string) => process.stderr.write(`${text}\n`);

const read = new Map<number, Read>();

/** The policy with `size` rules, read only once: reading a large one takes long. */
function policyOf(size: number): Read {
  const known = read.get(size) ?? timeReading(generatePolicy(size, seed));
  read.set(size, known);
  return known;
}

function contestOf(size: number): Contest {
  const { policy } = policyOf(size);
  const facts = [...generateApplicants(PEOPLE, MISSING, seed + 1), ...generateApplicants(PEOPLE, 0, seed + 1)];
  return {
    policy,
    matcher: compile(policy),
    rules: policy.rules.map(({ id, when }) => ({ id, logic: logicOf(when) })),
    applicants: facts.map((each) => ({ facts: each, view: viewOf(each, CATALOG_TABLE, DAY) })),
    measured: PEOPLE,
  };
}

/** Throws if a contestant disagrees with the verdict on an applicant without missing facts. */
async function check(
  name: string,
  { agrees, way = '' }: Contestant,
  { matcher, applicants, measured }: Contest,
): Promise<void> {
  const end = performance.now() + CHECK_MS;
  for (let i = measured; i < applicants.length; i++) {
    if (i >= measured + CHECKED_LEAST && performance.now() > end) return;
    const verdict = matcher.verdict(applicants[i]?.facts ?? new Map(), DAY);
    if (!(await agrees(i, verdict))) throw new Error(`${name} ${way} fires other rules for applicant ${i - measured}`);
  }
}

async function raceAt(size: number, taking: readonly string[]) {
  progress(`${size} rules: deciding`);
  const contest = contestOf(size);
  const entries = new Map<string, Contestant[]>();
  for (const name of taking) {
    const ways = (FIELD[name] ?? []).map((enter) => enter(contest));
    for (const way of ways) await check(name, way, contest);
    entries.set(name, ways);
  }
  const measured = await race(entries, pace);
  const checksums = [...measured].map(([name, { checksum }]) => `${name} ${checksum}`);
  progress(`checksums: ${checksums.join(', ')}`);
  return measured;
}

/** Weighs the policies of all sizes, and those that would explode in disjunctive normal form. */
function weighAll(): Compiled[] {
  const compiled = sizes.map((size) => {
    progress(`${size} rules: reading and compiling`);
    return weigh(`${size.toLocaleString('en')} rules`, policyOf(size));
  });
  for (const [name, plain] of explosivePolicies(seed)) compiled.push(weigh(name, timeReading(plain)));
  return compiled;
}

const speeds: Results['speeds'] = new Map();
const growing = names.filter((name) => name.startsWith('matcher'));
// From small to large: after large policies, the same code is slower on small ones.
for (const size of isWhole ? [SMALL, ...sizes].sort((a, b) => a - b) : sizes) {
  speeds.set(size, await raceAt(size, size === SMALL && isWhole ? growing : names));
}
const compiled = wanted === undefined ? weighAll() : [];

const text = report({
  speeds,
  compiled,
  versions: rivalVersions(),
  seed,
  people: PEOPLE,
  missing: MISSING,
  busy: 1 - waiting.threadMs / waiting.clockMs,
});
process.stdout.write(`${text}\n`);
if (isWhole) writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8'), 'decisions', text));
