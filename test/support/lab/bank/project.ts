/** The invented bank -> its policies and files in a folder, what `verdict backtest` says of them, and what is right. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { runCli } from '../../cli/cli.ts';
import { sampled } from '../../sampled.ts';
import { SEED } from '../../seed.ts';
import { ANSWERS, type Invented, invent } from './applicants.ts';
import { countBefore, type Seen } from './counts.ts';
import { type Edit, edited, policyTexts, TO_THEN } from './editions.ts';
import { type Decided, decideAll } from './evaluate.ts';
import { csvOf, labelsCsv } from './files.ts';
import { pastOf } from './history.ts';
import { type Counts, type Edition, NOW } from './rules.ts';

export const applicants = invent(SEED, sampled(1700, 5000));
export const past = pastOf(applicants, SEED);

/** Those that were counted, by what is seen of the past and by name. */
const counted = new Map<ReadonlyMap<string, Seen>, Map<string, ReadonlyMap<string, Counts>>>();

interface Counting {
  /** Whether labels are read. */
  readonly hasLabels?: boolean;
  /** What a file has of the past, if not all. */
  readonly seen?: ReadonlyMap<string, Seen>;
}

/** What each applicant has before. */
export function countsOf({ phoneDays }: Pick<Edition, 'phoneDays'>, { hasLabels = false, seen = past }: Counting = {}) {
  const ofSeen = counted.get(seen) ?? new Map<string, ReadonlyMap<string, Counts>>();
  counted.set(seen, ofSeen);
  const name = `${phoneDays} ${hasLabels}`;
  const counts = ofSeen.get(name) ?? countBefore(applicants, seen, { phoneDays }, hasLabels);
  ofSeen.set(name, counts);
  return counts;
}

/** What an edition decides. */
export function decidedBy(edition: Partial<Edition> = {}, counting: Counting = {}): readonly Decided[] {
  const whole = { ...NOW, ...edition };
  return decideAll(applicants, countsOf(whole, counting), whole);
}

/** All applicants without what a source answers. */
export function withoutSource(source: keyof typeof ANSWERS): readonly Invented[] {
  return applicants.map((each) => {
    const facts = Object.entries(each.facts).filter(([path]) => !ANSWERS[source].test(path));
    return { ...each, facts: Object.fromEntries(facts) };
  });
}

/** Has the files while the tests of a file run; arguments that name a file are placed in the folder. */
export function bankProject() {
  let folder = '';
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  /** Writes the files of an edition; gives the policy. */
  const writePolicy = (name: string, edits: Edit['edits']) => {
    for (const [file, text] of Object.entries(edited(policyTexts(), edits))) write(join(name, file), text);
    return join(folder, name, 'tidewater.yaml');
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'verdict-bank-'));
    writePolicy('now', []);
    writePolicy('then', TO_THEN);
    write('past.csv', csvOf(applicants, past));
    write('labels.csv', labelsCsv(past));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  /** What the command says, as data: of the policy now and the applicants of past.csv, unless others are named. */
  const backtest = async (...args: readonly string[]) => {
    const files = args.includes('--facts') ? [] : ['--facts', 'past.csv'];
    const policy = args.includes('--policy') ? [] : ['--policy', 'now/tidewater.yaml'];
    const isFile = (arg: string) => /\.(?:yaml|csv|ndjson|parquet)$/.test(arg);
    const placed = [...policy, ...files, ...args].map((arg) => (isFile(arg) ? resolve(folder, arg) : arg));
    const { stdout, stderr, exitCode } = await runCli(['backtest', ...placed, '--json']);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  return { write, writePolicy, backtest, folder: () => folder };
}
