import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFile } from '../../../src/platform/files/disk-file.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const SOURCE = join(import.meta.dirname, '../../../src/platform/files/disk-file.ts');

/** Writes a text of 100,000 bytes where files may have 8 kB at most; gives the code of the error. */
function writeTooMuch(call: 'createFile' | 'replaceFile', path: string): string {
  const write = `files.${call}(${JSON.stringify(path)}, 'x'.repeat(100_000))`;
  const script = `import(${JSON.stringify(SOURCE)}).then((files) => ${write}).catch(({ code }) => console.log(code))`;
  return spawnSync('sh', ['-c', 'ulimit -f 8; exec "$0" -e "$1"', process.execPath, script]).stdout.toString();
}

it.skipIf(process.platform === 'win32')('a file that cannot be written to its end leaves nothing behind', () => {
  const folder = temporaryFolder({ old: 'kept' });
  expect(writeTooMuch('createFile', join(folder, 'new'))).toBe('EFBIG\n');
  expect(writeTooMuch('replaceFile', join(folder, 'old'))).toBe('EFBIG\n');
  expect(readdirSync(folder)).toEqual(['old']);
  expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('kept');
});

it('a new file never takes the place of another', () => {
  const folder = temporaryFolder({ old: 'kept' });
  expect(() => createFile(join(folder, 'old'), 'lost')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  createFile(join(folder, 'new'), 'made');
  expect(readdirSync(folder).sort()).toEqual(['new', 'old']);
  expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('kept');
});
