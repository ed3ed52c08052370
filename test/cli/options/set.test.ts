/** `--set`: every command that reads a policy has it, and a value takes the place of the one in the file. */

import { join } from 'node:path';
import type { CommandUnknownOpts } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}parameters: { limit: 50, who: "447400123456" }
rules:
  - { id: risky, when: { phone.score: { above: $limit } }, then: review, message: "Over {$limit}." }
  - { id: who, when: { applicant.phoneNo: $who }, then: reject }
`;
const FACTS = '{"facts":{"phone.score":60,"applicant.phoneNo":"447400123499"}}';

function folderWith(text = POLICY): { readonly policy: string; readonly facts: string } {
  const folder = temporaryFolder({ 'policy.yaml': text, 'facts.ndjson': `${FACTS}\n` });
  return { policy: join(folder, 'policy.yaml'), facts: join(folder, 'facts.ndjson') };
}

function commandsBelow(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(commandsBelow)];
}

describe('--set', () => {
  it('is an option of every command that reads a policy, described once', () => {
    const commands = commandsBelow(createProgram({} as never, () => {}));
    const reads = ({ options, registeredArguments }: CommandUnknownOpts) =>
      options.some(({ flags }) => flags === '--policy <file>') ||
      registeredArguments.some((argument) => ['policy', 'old'].includes(argument.name()));
    const names = (some: readonly CommandUnknownOpts[]) => some.map((command) => command.name()).sort();
    const having = commands.filter(({ options }) => options.some(({ long }) => long === '--set'));
    expect(names(having)).toEqual([...names(commands.filter(reads)), 'check'].sort());
    const words = having.flatMap(({ options }) =>
      options.flatMap((each) => (each.long === '--set' ? each.description : [])),
    );
    expect(new Set(words).size).toBe(1);
  });

  it.each<[name: string, args: (files: ReturnType<typeof folderWith>) => string[], shown: string]>([
    ['evaluate', ({ policy, facts }) => ['evaluate', '--policy', policy, '--facts', facts], '"outcome":"accept"'],
    ['explain', ({ policy, facts }) => ['explain', policy, '--facts', facts], 'is above 70'],
    ['export', ({ policy }) => ['export', '--policy', policy, '--dialect', 'duckdb', '--at', '2026-11-20'], '70'],
    ['generate types', ({ policy }) => ['generate', 'types', '--policy', policy], "'RISKY'"],
  ])('takes the place of the value for %s', async (_, args, shown) => {
    const { exitCode, stdout, stderr } = await runCli([...args(folderWith()), '--set', 'limit=70']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(shown);
  });

  it('of another kind is refused, with the kind; the message shows no value', async () => {
    const { policy } = folderWith();
    const { exitCode, stderr, stdout } = await runCli(['check', policy, '--set', 'limit=+447400123456']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('the value set for "limit" must be a number, like the value that it replaces');
    expect(stdout + stderr).not.toContain('+447400123456');
  });

  it('that does not fit its place is refused without its value', async () => {
    const { policy, facts } = folderWith();
    const args = ['evaluate', '--policy', policy, '--facts', facts, '--set', 'who=07400999888'];
    const { exitCode, stderr } = await runCli(args);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('$who, as set: no value of applicant.phoneNo equals this text');
    expect(stderr).not.toContain('07400999888');
  });

  it('of an unknown name is refused, with the name that was meant', async () => {
    const { stdout } = await runCli(['check', folderWith().policy, '--set', 'limmit=70', '--set', '+447400=1']);
    expect(stdout).toContain('a value is set for the parameter "limmit", which is not declared');
    expect(stdout).toContain('did you mean "limit"?');
    expect(stdout).not.toContain('447400=');
  });

  it.each([
    ['facts', 'fold', '--from', 'a.csv', '--out', 'b.csv'],
    ['audit', 'replay', 'log'],
  ])('goes with --policy: %s %s', async (...args) => {
    const { exitCode, stderr } = await runCli([...args, '--set', 'limit=70']);
    expect([exitCode, stderr]).toEqual([2, 'verdict: --set goes with --policy\n']);
  });
});
