/** An attacker with the log, with all that its commands print, and with the right guess: nothing confirms it. */

import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PolicyKeys } from '../../../src/audit/keys/policy-keys.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { redact } from '../../../src/decision/redact.ts';
import { canonicalJson } from '../../../src/platform/digest.ts';
import { isObject } from '../../../src/platform/json.ts';
import { type LogFolder, localVerifier, logFolder } from '../../support/audit/decisions.ts';
import { pageOf, runCli } from '../../support/cli/cli.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const WRITTEN = '+44 7400 123456';
const OWEN = { phoneNo: '+44 7700 900456', email: 'owen@saltbush-books.example', ip: '203.0.113.12' };

const POLICIES = {
  'an entry of a list': `lists: { one: ["${WRITTEN}"] }
rules: [{ id: r, when: { applicant.phoneNo: { inList: one } }, then: reject }]
`,
  'one entry of several': `lists: { some: ["+44 7400 123999", "${WRITTEN}"] }
rules: [{ id: r, when: { applicant.phoneNo: { inList: some } }, then: reject }]
`,
  'a literal': `rules: [{ id: r, when: { applicant.phoneNo: "${WRITTEN}" }, then: reject }]\n`,
  'a cell': `tables: [{ id: t, columns: [applicant.phoneNo, then], rows: [["${WRITTEN}", reject]] }]\n`,
  'a parameter': `parameters: { number: "${WRITTEN}" }
rules: [{ id: r, when: { applicant.phoneNo: $number }, then: reject }]
`,
};

/** Every file of a folder, and their names. */
function filesIn(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => entry.name + (entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'latin1') : ''))
    .join('\n');
}

/** Everything that the commands print about the decisions. */
async function printed({ dir, keys }: LogFolder, ids: readonly string[]): Promise<string> {
  const lines = [
    ...ids.flatMap((id) => [
      ['show', dir, id],
      ['show', dir, id, '--json'],
    ]),
    ...[
      ['verify', dir],
      ['search', dir],
      ['search', dir, '--json'],
      ['replay', dir],
      ['replay', dir, '--json'],
    ],
  ].map((args) => ['audit', ...args, '--keys', keys]);
  const outputs: string[] = [];
  for (const args of lines) {
    const { exitCode, stdout, stderr } = await runCli(args);
    expect([args, exitCode]).toEqual([args, 0]);
    outputs.push(stdout, stderr);
  }
  for (const id of ids) outputs.push(await pageOf(['audit', 'show', dir, id, '--keys', keys]));
  return outputs.join('\n');
}

/** Whether a digest in a text is that of an archived policy with the guess in place of one encrypted text. */
function confirms(text: string, { dir }: LogFolder, guess: string): boolean {
  const folder = join(dir, 'policies');
  return readdirSync(folder).some((name) => {
    const { policy } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const holes: unknown[] = [];
    fill(policy, (hole) => holes.push(hole));
    // The other texts may be known, such as from a copy.
    const known = (hole: unknown) => (hole === holes.at(-1) ? guess : '+44 7400 123999');
    return text.includes(hash('sha256', canonicalJson(fill(policy, known)), 'hex'));
  });
}

function fill(data: unknown, replace: (hole: unknown) => unknown): unknown {
  if (Array.isArray(data)) return data.map((item) => fill(item, replace));
  if (!isObject(data)) return data;
  if (data['$sealed'] !== undefined) return replace(data);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, fill(value, replace)]));
}

it.each(Object.entries(POLICIES))('%s cannot be computed once it is erased', async (_, rules) => {
  const folder = await logFolder();
  const audit = await folder.open();
  const decider = createDecider({ policy: policyOf(HEAD + rules), verify: localVerifier, audit });
  const decisions = [await decider.decide(OWEN), await decider.decide({ ...OWEN, phoneNo: '+44 7700 900789' })];
  await audit.close();
  const ids = decisions.map(({ id }) => id);
  expect(confirms(filesIn(folder.dir), folder, WRITTEN)).toBe(false);
  expect(confirms(await printed(folder, ids), folder, WRITTEN)).toBe(true);

  const { dir, keys } = folder;
  const erased = await runCli(['audit', 'erase', dir, '--keys', keys, '--subject', '+447400123456', '--yes']);
  expect(erased.stdout + erased.stderr).toContain('1 text of archived policies erased');
  const left = [
    filesIn(dir),
    await printed(folder, ids),
    erased.stdout,
    erased.stderr,
    JSON.stringify(decisions.map(redact)),
  ];
  expect(confirms(left.join('\n'), folder, WRITTEN)).toBe(false);

  const policyKeys = new PolicyKeys(folderAt(keys));
  const tables = await Promise.all((await policyKeys.names()).map((name) => policyKeys.read(name)));
  expect(tables.map((file) => file?.table.keyOf(0))).toEqual([undefined]);
});
