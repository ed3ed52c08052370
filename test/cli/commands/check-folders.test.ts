/** `verdict check` on a terminal, in a checkout and without arguments. Its findings are tested with `checkFiles`. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

describe('verdict check exits with 3 and prints nothing on stdout', () => {
  it.each([
    ['for a missing path', 'none.yaml', 'none.yaml: error[file-unreadable]: no such file or folder'],
    ['for a folder without files to check', 'nothing', 'error[unknown-file]: no policy, rule set or mapping'],
  ])('%s', async (_, path, message) => {
    const folder = temporaryFolder({ 'nothing/notes.txt': 'a' });
    const { exitCode, stdout, stderr } = await runCli(['check', join(folder, path)]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('verdict check reports', () => {
  it('as SARIF with relative references, which are the same in every checkout', async () => {
    const folder = temporaryFolder({ 'a b#%/policy.yaml': `${HEAD}rules: 1\n` });
    const before = process.cwd();
    process.chdir(folder);
    const { stdout } = await runCli(['check', 'a b#%/', '--format', 'sarif']).finally(() => process.chdir(before));
    const log = JSON.parse(stdout);
    expect(log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe('a%20b%23%25/policy.yaml');
  });

  it('in colour on a terminal, unless NO_COLOR is set', async () => {
    const folder = temporaryFolder({ 'policy.yaml': `${HEAD}rules: 1\n` });
    const onTerminal = async (env: Record<string, string>) =>
      (await runCli(['check', folder], { env, columns: 100 })).stdout;
    expect(await onTerminal({})).toContain('\u001b[31merror[wrong-type]:\u001b[39m');
    expect(await onTerminal({ NO_COLOR: '1' })).not.toContain('\u001b');
  });
});

describe('without paths', () => {
  it('it checks the folder rules/', async () => {
    const folder = temporaryFolder({ 'rules/policy.yaml': HEAD.replace('accept', 'review') });
    writeFileSync(join(folder, 'policy.yaml'), 'policy: 1\n');
    const before = process.cwd();
    process.chdir(folder);
    const { stdout } = await runCli(['check']).finally(() => process.chdir(before));
    expect(stdout).toBe('1 file checked: 0 errors, 0 warnings\n');
  });
});
