/** A policy and lines of facts -> the lines with the decisions on them. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { runLive } from '../../../src/decision/live/live.ts';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import { formatDiagnostic } from '../../../src/diagnostics.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { checkFiles } from '../../../src/policy/check/check-files.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';

/** The day of the decision in every example. */
const DAY = '2026-11-20';

/** The keys that every policy needs, for examples that leave them out. */
export const HEAD = 'policy: example\nversion: "1"\ndefault: accept\n';

/** A policy and further files by path. */
export interface Example {
  readonly policy: string;
  readonly files: ReadonlyMap<string, string>;
}

/** The path of the file that a block shows, if its first line is a comment with only a path. */
export function fileOf(text: string): string | undefined {
  return /^# ([\w./-]+\.(?:yaml|txt|csv))\n/.exec(text)?.[1];
}

/** The text of the file that a block shows. CSV has no comments, so the line with the path is not part of it. */
export function textOf(text: string): string {
  return fileOf(text)?.endsWith('.csv') ? text.slice(text.indexOf('\n') + 1) : text;
}

/**
 * Decides on each line `{ facts } => …` and writes the decision after the arrow. Throws if the policy has any
 * problem, including warnings.
 */
export async function decideExample(example: Example, text: string): Promise<string> {
  const policy = read(example);
  // The facts of one decision may go over several lines, up to their closing brace.
  const given = text.match(/^\{[\s\S]*?\}(?= *(?:=>|$))/gm) ?? [];
  const width = Math.max(0, ...given.map((facts) => (facts.includes('\n') ? 0 : facts.length)));
  const lines = [];
  for (const facts of given) lines.push(`${facts.padEnd(width)}  =>  ${describe(await decide(policy, facts))}\n`);
  return lines.join('');
}

function read({ policy: text, files }: Example): Policy {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-example-'));
  try {
    const whole = text.startsWith('policy:') ? text : HEAD + text;
    for (const [name, content] of [['policy.yaml', whole] as const, ...files]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const file = join(folder, 'policy.yaml');
    const { diagnostics } = checkFiles([file], { at: DAY });
    if (diagnostics.length > 0) throw new Error(diagnostics.map(formatDiagnostic).join('\n'));
    return loadPolicy(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function decide(policy: Policy, text: string): Promise<Verdict> {
  const given = new Map(Object.entries(parse(text) as object).map(([path, value]) => [path, { value }]));
  const unknown = [...given.keys()].filter((path) => !policy.facts.has(path));
  if (unknown.length > 0) throw new Error(`no such fact: ${unknown.join(', ')}`);
  const facts = readFacts(given, policy.facts, DAY);
  const { verdict } = await runLive(policy, (path) => facts.get(path) ?? { missing: 'notGiven' }, DAY);
  return verdict;
}

/** `review: CODE "message", OTHER (unknown); score 40; shadow: rule fires`. */
function describe({ outcome, reasons, score, shadow }: Verdict): string {
  const because = reasons.flatMap((reason) => {
    if (!reason.decisive) return [];
    if (reason.because === 'undetermined') return `${reason.code} (unknown)`;
    const message = reason.because === 'fired' ? reason.message : undefined;
    return message === undefined ? reason.code : `${reason.code} "${message}"`;
  });
  const range = score.least === score.most ? `${score.least}` : `${score.least} to ${score.most}`;
  return [
    `${outcome}: ${because.join(', ')}`,
    ...(range === '0' ? [] : [`score ${range}`]),
    ...shadow.map(({ rule, result }) => `shadow: ${rule} ${result === 'fires' ? 'fires' : 'unknown'}`),
  ].join('; ');
}
