/** The table of the options that mean the same everywhere, in docs/cli.md, held against every command. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandUnknownOpts } from 'commander';
import { expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { createProgram } from '../../src/cli/program.ts';

/** The options by which commands answer: `--html` of all, `--at` of all. */
const SHARED = ['--json', '--html', '--at'];

/** How the help of an option begins by which a command writes to files. */
const WRITES = /^(write|append|record|fix) /;

function* commandsIn(
  command: CommandUnknownOpts,
  before = '',
): Generator<readonly [name: string, command: CommandUnknownOpts]> {
  const name = `${before}${command.name()}`;
  if (command.parent) yield [name, command];
  for (const each of command.commands) yield* commandsIn(each, `${name} `);
}

/** The row of a command; none for one that only has others. */
function rowOf([name, command]: readonly [string, CommandUnknownOpts]): string | readonly [] {
  if (command.commands.length > 0 && !command.options.some(({ long }) => SHARED.includes(String(long)))) return [];
  const optionOf = (long: string) => command.options.find((option) => option.long === long);
  const formats = (optionOf('--format')?.argChoices ?? []).filter((format) => format !== 'json').slice(1);
  const cells = SHARED.map((long) => (optionOf(long) ? `\`${long}\`` : ''));
  const written = command.options.filter(({ long, description }) => long !== '--html' && WRITES.test(description));
  const files = written.map(({ long }) => `\`${long}\``).join(', ');
  return `| \`${name.replace('verdict ', '')}\` | ${[...cells, formats.join(', '), files].join(' | ')} |`;
}

it('lists every command with the shared options that it takes', () => {
  const rows = [...commandsIn(createProgram(process as unknown as Io, () => {}))].flatMap(rowOf).sort();
  const head = ['| command | data | page | day | other formats | writes files by |', `${'| --- '.repeat(6)}|`];
  const table = [...head, ...rows].join('\n');
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/cli.md'), 'utf8');
  expect(/\n\n(\| command \| data .*?)\n\n/s.exec(page)?.[1]).toBe(table);
});
