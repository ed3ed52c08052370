/** The pages of the command line, held against its commands: each has its help on its page, and each page is found. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandUnknownOpts } from 'commander';
import { expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { createProgram } from '../../src/cli/program.ts';

const PAGES = resolve(import.meta.dirname, '../../docs/cli');

const read = (page: string) => readFileSync(join(PAGES, page), 'utf8');

/** The command and those below it, by their whole names. */
function namesIn(command: CommandUnknownOpts, before = ''): readonly string[] {
  const name = `${before}${command.name()}`;
  return [name, ...command.commands.flatMap((each) => namesIn(each, `${name} `))];
}

it.each(namesIn(createProgram(process as unknown as Io, () => {})))('%s shows its help', (name) => {
  const [, command] = name.split(' ');
  const page = command === undefined ? 'README.md' : `${command}.md`;
  expect(read(page)).toContain(`\n$ npx ${name} --help\n`);
});

it('has an index with every page', () => {
  const pages = readdirSync(PAGES).filter((page) => page !== 'README.md');
  const linked = [...read('README.md').matchAll(/\]\(([a-z]+\.md)/g)].map(([, page]) => page);
  expect([...new Set(linked)].sort()).toEqual(pages.sort());
});
