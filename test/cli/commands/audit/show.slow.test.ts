/** `verdict audit show`: explanations of decisions on record, and defects of their records. */

import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAuditLog } from '../../../../src/audit/log.ts';
import { addEvent } from '../../../../src/audit/query/event.ts';
import { createDecider } from '../../../../src/decision/decide.ts';
import type { AuditEntry } from '../../../../src/decision/decision.ts';
import { localVerifier, logFolder, personOf } from '../../../support/audit/decisions.ts';
import type { TestLog } from '../../../support/audit/log.ts';
import { Victim } from '../../../support/audit/victim.ts';
import { ACTOR, pageOf, runCli } from '../../../support/cli/cli.ts';
import { HEAD, policyOf, temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risky, when: { phone.score: { atLeast: 0 } }, then: review, points: 5 }
  - { id: moved, when: { phone.porting.portCount: { above: 90 } }, then: reject }
`;

/** A log with a decision; `alter` changes what is recorded. */
async function recorded(alter: (entry: AuditEntry) => AuditEntry = (entry) => entry) {
  const folder = await logFolder();
  const log = await folder.open();
  const audit = { ...log, record: (entry: AuditEntry) => log.record(alter(entry)) };
  const now = () => Date.UTC(2026, 10, 20, 12);
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit, now });
  const { id } = await decider.decide(personOf(0));
  await log.close();
  const command = ['audit', 'show', folder.dir, id, '--keys', folder.keys];
  const show = (...args: readonly string[]) => runCli([...command, ...args]);
  return { ...folder, id, show, shownPage: () => pageOf(command) };
}

describe('verdict audit show', () => {
  it('prints the decision, its position, why, why not, and what would change it', async () => {
    const { id, show } = await recorded();
    const { exitCode, stdout, stderr } = await show();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(
        `^decision ${id}\n.*\n  decided    2026-11-20T12:00:00.000Z\n  outcome    review\n  policy     test 1\n`,
      ),
    );
    expect(stdout).toMatch(/\n {2}record {5}sound: entry 2 of chain .*; the segment is as it was written/);
    for (const part of [
      'REVIEW  policy test 1',
      'RISKY: phone.score is at least 0: ',
      'rule risky, review, +5 points',
      '  moved  reject',
      'Facts that settle the outcome',
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout).toContain('What would lead to accept');
    expect((await show('--target', 'reject')).stdout).toContain('What would lead to reject');
    expect(stdout).not.toContain('Decided again');
  });

  it('says first that the service was not asked, since the decision was certain before', async () => {
    const folder = await logFolder();
    const audit = await folder.open();
    const policy = policyOf(`${HEAD}stages:
  - [phoneNo]
facts: { context.age: { type: integer } }
rules:
  - { id: minor, when: { context.age: { below: 18 } }, then: reject }
  - { id: risky, when: { phone.score: { atLeast: 0 } }, then: review }
`);
    const decider = createDecider({ policy, verify: localVerifier, audit });
    const { phoneNo } = personOf(0);
    const { id } = await decider.decide({ phoneNo }, { context: { age: 17 } });
    await audit.close();
    const args = ['audit', 'show', folder.dir, id, '--keys', folder.keys];
    const words = 'The service was not asked (stage 1, phoneNo): the decision was already certain.';
    const { stdout } = await runCli(args);
    expect(stdout.split('\n')[6]).toBe(`  ${words}`);
    const page = await pageOf(args);
    expect(page.indexOf(words)).toBeGreaterThan(0);
    expect(page.indexOf(words)).toBeLessThan(page.indexOf('Fired and undetermined rules'));
    expect((await recorded().then(({ show }) => show())).stdout).not.toContain('was not asked');
  });

  it('finds the decision of a reference, and lists several', async () => {
    const folder = await logFolder();
    const audit = await folder.open();
    const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit, rememberMs: 0 });
    const decide = (clientReference: string, n: number) => decider.decide(personOf(n), { clientReference });
    const [one, two, three] = [await decide('ONB-1', 0), await decide('ONB-2', 0), await decide('ONB-2', 1)];
    await audit.close();
    const show = (args: readonly string[], stdin?: string) =>
      runCli(['audit', 'show', folder.dir, '--keys', folder.keys, ...args], stdin === undefined ? {} : { stdin });
    const decisionBy = async (args: readonly string[], stdin?: string) =>
      JSON.parse((await show([...args, '--json'], stdin)).stdout).decision;
    const shown = await decisionBy([one.id]);
    expect(shown).toMatchObject({ clientReference: 'ONB-1' });
    expect(await decisionBy(['--reference', 'ONB-1'])).toEqual(shown);
    expect(await decisionBy(['--reference', '-'], 'ONB-1\n')).toEqual(shown);
    const several = await show(['--reference', 'ONB-2']);
    const line = ({ decidedAt, id, outcome }: typeof one) => `  ${decidedAt}  ${id}  ${outcome}`;
    expect([several.exitCode, several.stdout]).toEqual([2, '']);
    const [head, ...lines] = several.stderr.trimEnd().split('\n');
    expect(head).toBe('verdict: 2 decisions have that reference; show one of them by its id, the newest first:');
    expect(lines).toEqual([line(three), line(two)]);
    expect(await show(['--reference', 'ONB-3'])).toMatchObject({
      ...{ exitCode: 2, stderr: 'verdict: the log has no decision with that reference\n' },
    });
    for (const args of [[], [one.id, '--reference', 'ONB-1']]) {
      expect(await show(args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('name one decision') });
    }
  });

  it('prints data with --json, and a page with --html', async () => {
    const { id, show, shownPage } = await recorded();
    expect(JSON.parse((await show('--json')).stdout)).toMatchObject({
      record: { id },
      surroundings: { state: 'whole' },
      decision: { id, outcome: 'review' },
      explanation: { outcome: 'review' },
    });
    const page = await shownPage();
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('sound');
    expect(page).not.toContain('class="warning"');
  });

  it('prints what people did besides notes, as text, data and a page', async () => {
    const { place, dir, id, show, shownPage } = await recorded();
    const log = await createAuditLog(place);
    const event = { log, object: id, by: 'A. Okafor', now: () => 0 } as const;
    const opened = await addEvent({ ...event, type: 'case.opened', detail: 'recheck' });
    const details = { field: 'email', to: '\u001b[2J' };
    await addEvent({ ...event, type: 'data.revealed', why: 'The applicant calls.', details });
    await log.close();
    const { exitCode, stdout } = await show();
    expect(exitCode).toBe(0);
    const at = '1970-01-01T00:00:00.000Z';
    expect(stdout).toContain(`  ${at}  case.opened recheck  A. Okafor\n`);
    const words = 'A. Okafor  The applicant calls.  field: email; to: \\u{001b}[2J';
    expect(stdout).toContain(`  ${at}  data.revealed        ${words}\n`);
    expect(JSON.parse((await show('--json')).stdout).events).toEqual([
      { id: opened, at, type: 'case.opened', detail: 'recheck', by: 'A. Okafor', why: '', details: {} },
      { id: expect.any(String), at, type: 'data.revealed', by: 'A. Okafor', why: 'The applicant calls.', details },
      // Who had it shown as text.
      expect.objectContaining({ type: 'data.revealed', ...ACTOR }),
    ]);
    expect(await shownPage()).toContain('The applicant calls.');
    const victim = new Victim({ dir, chains: readdirSync(join(dir, 'chains')) } as unknown as TestLog);
    const line = victim.lines(0, 1).findIndex((text) => text.includes('"detail":"recheck"'));
    victim.forge(0, 1, line + 1, (text) => text.replace('"detail":"recheck"', '"detail":"challenge"'));
    const tampered = await show();
    expect(tampered.exitCode).toBe(1);
    expect(tampered.stdout).toContain('BUT the body of an event does not open with its key, or is malformed');
    expect(tampered.stdout).toMatch(/case\.opened challenge( +cannot be read){3}\n/);
  });

  it('accepts an id in capitals; for the id of a note, names its decision', async () => {
    const { dir, keys, id } = await recorded();
    const words = ['--disposition', 'approve', '--by', 'A. Okafor', '--why', 'Came to the branch.', '--keys', keys];
    const { stdout } = await runCli(['audit', 'note', dir, id.toUpperCase(), ...words]);
    const note = /note (\S+) recorded/.exec(stdout)?.[1] ?? '';
    const inCapitals = await runCli(['audit', 'show', dir, id.toUpperCase(), '--keys', keys, '--json']);
    expect(JSON.parse(inCapitals.stdout).decision.id).toBe(id);
    expect(await runCli(['audit', 'show', dir, note, '--keys', keys])).toMatchObject({
      exitCode: 2,
      stderr: `verdict: found a note with that id, on the decision ${id}; expected the id of a decision\n`,
    });
  });

  it('prints the time of writing, and the warnings of the decision', async () => {
    const { stdout } = await (
      await recorded((entry) => {
        const { signals } = entry.decision;
        const warnings = [{ code: 'NO_ANSWER', text: 'no email \u001b[2J' }] as const;
        return { ...entry, decision: { ...entry.decision, signals: { ...signals, warnings } } };
      })
    ).show();
    expect(stdout).toMatch(/\n {2}record +number 2, written \d{4}-\S+Z\n/);
    expect(stdout).toContain('\n  Warnings\n  - no email \\u{001b}[2J\n');
  });

  it('names a changed line, or all lines with one id, and exits with 1; so does replay', async () => {
    const { dir, keys, show } = await recorded();
    const victim = new Victim({ dir, chains: readdirSync(join(dir, 'chains')) } as unknown as TestLog);
    const replay = () => runCli(['audit', 'replay', dir, '--keys', keys]);
    const lines = victim.lines(0, 1);
    victim.rewrite(0, ([segment]) => void segment?.splice(2, 0, { ...segment[1] }));
    const [second, third] = [2, 3].map((line) => `line ${line} of segment 1 of chain \\S+`);
    const both = new RegExp(`^verdict: found 2 records with one id, expected a unique id: ${second}; ${third}\n$`);
    for (const ran of [await show(), await replay()]) {
      expect(ran).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(both) });
    }
    victim.write(
      0,
      1,
      lines.map((line) => line.replace('"outcome":"review"', '"outcome":"accept"')),
    );
    for (const ran of [await show(), await replay()]) {
      expect(ran).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('line 2 of segment 1') });
    }
  });

  it('escapes control characters that someone wrote into a log', async () => {
    const { dir, keys, id, show } = await recorded();
    const victim = new Victim({ dir, chains: readdirSync(join(dir, 'chains')) } as unknown as TestLog);
    const { decision, facts } = JSON.parse((await show('--json')).stdout);
    const evil = '\u001b]0;x\u0007\u202e';
    const { clientReference: _, signals, policy, outcome, undetermined, score, shadow, reasons } = decision;
    const verdict = { outcome, reasons: [{ ...reasons[0], rule: evil, message: evil }], undetermined, score, shadow };
    victim.rewrite(0, ([segment]) => {
      const { sealed, key, ...clear } = segment?.[1] ?? {};
      const values = Object.fromEntries(
        Object.entries(facts).map(([path, fact]) => [path, { ...(fact as object), raw: evil }]),
      );
      const plain = {
        facts: { ...values, [evil]: evil },
        verdict,
        context: { clientReference: evil, language: policy.language, signals },
      };
      segment?.splice(1, 1, {
        ...clear,
        rules: [evil],
        policy: { ...(clear['policy'] as object), name: evil, version: evil },
        plain,
      });
    });
    const verify = runCli(['audit', 'verify', dir, '--keys', keys]);
    for (const ran of [
      await show(),
      await show('--all'),
      await runCli(['audit', 'replay', dir, '--keys', keys]),
      await verify,
    ]) {
      for (const mark of ['\u001b', '\u0007', '\u202e']) expect(ran.stdout + ran.stderr).not.toContain(mark);
    }
    expect((await show()).stdout).toContain('  The body is not encrypted');
    expect((await verify).stdout).toContain('0 erased, 1 not encrypted');
    expect(id).not.toBe('');
  });

  it('overwrites an earlier page, and no other file', async () => {
    const { show } = await recorded();
    const folder = temporaryFolder({ 'notes.txt': 'mine', 'page.html': '<!doctype html><p>mine' });
    const page = join(folder, 'new.html');
    for (const format of [[], ['--json']]) {
      expect((await show('--html', page, ...format)).stdout.slice(0, 60)).toBe(
        (await show(...format)).stdout.slice(0, 60),
      );
      expect(statSync(page).mode & 0o777).toBe(0o600);
      chmodSync(page, 0o644);
    }
    for (const name of ['notes.txt', 'page.html', '.']) {
      const { exitCode, stderr } = await show('--html', join(folder, name));
      expect({ name, exitCode }).toEqual({ name, exitCode: 2 });
      expect(stderr).toContain('exists and is not a page of verdict: expected a new file');
    }
    const link = join(temporaryFolder({}), 'link.html');
    symlinkSync(page, link);
    expect((await show('--html', link)).stderr).toBe('');
    expect([lstatSync(link).isSymbolicLink(), readdirSync(join(link, '..'))]).toEqual([true, ['link.html']]);
    const nowhere = join(folder, 'none', 'page.html');
    expect((await show('--html', nowhere)).stderr).toBe(
      `verdict: ${nowhere} cannot be written: its folder does not exist\n`,
    );
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
    expect(readdirSync(folder).sort()).toEqual(['new.html', 'notes.txt', 'page.html']);
    expect(await show('--html', '-')).toMatchObject({
      ...{ exitCode: 2, stdout: '', stderr: expect.stringContaining('standard output has the text or the JSON') },
    });
  });

  it('says if deciding again gives another result', async () => {
    const alter = (entry: AuditEntry): AuditEntry => ({ ...entry, decision: { ...entry.decision, outcome: 'accept' } });
    const { show, shownPage } = await recorded(alter);
    const { exitCode, stdout } = await show();
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/outcome {4}accept\n.*\n.*\n {2}Decided again, this decision has another result/);
    expect(await shownPage()).toContain('<div class="warning"><p>Decided again');
  });
});
