/** Pages of documentation -> the same pages with the current output of their commands and programs. */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Aliases } from './aliases.ts';
import { parseCall, runCall } from './command-line.ts';
import { decideExample, type Example, fileOf, textOf } from './example.ts';
import { runProgram } from './program.ts';

/** Marks a page whose ids, hashes and times differ in every run. */
const ALIASED = '<!-- ids, hashes and times are examples -->';

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, '../../..');

/** The pages with examples to run, relative to the root. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    // package.release.test.ts runs the README of a project that `verdict init` makes, checks-pages.slow.test.ts the
    // pages on checks.
    .filter((name) => name.endsWith('.md') && !/^(?:examples|checks)\//.test(name))
    .sort()
    .map((name) => `docs/${name}`),
];

/** Pages of a whole journey, whose proofs take seconds each: test:release runs them, beside tests of each command. */
export const JOURNEYS: readonly string[] = ['docs/change-a-rule.md', 'docs/releases.md'];

/** A fenced block: its language, its text, and the position of the text in the page. */
interface Block {
  readonly language: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Separates the outputs of a page's programs, which run as one. */
const SEPARATOR = '\u0000';

/**
 * Returns a page with the current outputs of its examples.
 *
 * - `console` blocks: the lines after `$ command` are the output of the command. The commands of a page run one after
 *   the other in a temporary folder with the shipped rules, as a user has them, and the files that the page shows as
 *   `yaml` blocks with `# name.yaml` in their first line.
 * - `ts` blocks: together, they are one program. A `text` block after one of them is its output.
 * - `facts` blocks: each line has facts and the decision on them by the policy in the `yaml` blocks above.
 *
 * If a page says that its ids are examples, `Aliases` keeps them the same in every run, also in its commands.
 */
export async function runPage(markdown: string, env: Readonly<Record<string, string>>): Promise<string> {
  const blocks = blocksOf(markdown);
  const outputs = new Map([...(await runPrograms(blocks, env)), ...(await decideExamples(blocks))]);
  const folder = consoleFolder();
  const aliases = markdown.includes(ALIASED) ? new Aliases() : undefined;
  let page = '';
  let done = 0;
  try {
    for (const block of blocks) {
      const file = block.language === 'yaml' ? fileOf(block.text) : undefined;
      if (file !== undefined && !file.includes('/')) writeFileSync(join(folder, file), block.text);
      const text =
        block.language === 'console' ? await runCommands(block.text, folder, env, aliases) : outputs.get(block);
      if (text === undefined) continue;
      page += markdown.slice(done, block.start) + text;
      done = block.end;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return page + markdown.slice(done);
}

/** The folder of the `npx` stand-in, below the folder in which the commands run. */
const COMMANDS = 'node_modules/.bin';

/** Replaces npx, which takes four times as long to start as the command line itself. */
const NPX = `#!/bin/sh
[ "$1" = verdict ] || { echo "only \`npx verdict\` is run here" >&2; exit 1; }
shift
exec node '${join(ROOT, 'dist/cli/main.js')}' "$@"
`;

/** Creates a folder in which `npx verdict` runs the built command line. */
function consoleFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-docs-'));
  mkdirSync(join(folder, COMMANDS), { recursive: true });
  writeFileSync(join(folder, COMMANDS, 'npx'), NPX, { mode: 0o755 });
  cpSync(join(ROOT, 'rules'), join(folder, 'rules'), { recursive: true });
  return folder;
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: text = '' }) => {
    const start = index + 3 + language.length + 1;
    return { language, text, start, end: start + text.length };
  });
}

async function runCommands(
  text: string,
  folder: string,
  env: Readonly<Record<string, string>>,
  aliases: Aliases | undefined,
): Promise<string> {
  const shown: string[] = [];
  for (const command of text.split('\n').filter((line) => line.startsWith('$ '))) {
    const real = command.slice(2);
    const printed = await runCommand(aliases?.reveal(real) ?? real, folder, env);
    const output = aliases?.hide(printed) ?? printed;
    // Without a final line break, an output would swallow the end of the block and the page after it.
    shown.push(`${command}\n${output}${output === '' || output.endsWith('\n') ? '' : '\n'}`);
  }
  return shown.join('');
}

/** The output of a call, in place of the call: its standard output is the standard input of the shell. */
const REPLAY = 'npx() { cat; printf %s "$CALL_STDERR" >&2; return "$CALL_EXIT_CODE"; }\n';

/** A call of `verdict` runs without a process of its own; what a shell does with its output, in a shell. */
async function runCommand(command: string, folder: string, env: Readonly<Record<string, string>>): Promise<string> {
  const call = parseCall(command);
  if (!call) return run('bash', ['-c', command], folder, env);
  const { args, input, text, rest } = call;
  const stdin = input === '' ? '' : await run('bash', ['-c', input], folder, env);
  const { exitCode, stdout, stderr } = await runCall({ args, folder, env: { ...env, NO_COLOR: '1' }, stdin });
  if (rest !== '') {
    const result = { CALL_STDERR: stderr, CALL_EXIT_CODE: String(exitCode) };
    return run('bash', ['-c', REPLAY + text], folder, { ...env, ...result }, stdout);
  }
  if (exitCode !== 0) throw new Error(`${command}: exit code ${exitCode}: ${stderr}`);
  return stdout;
}

/** Each `facts` block with its decisions. The policy is in the last block above that has no file name. */
async function decideExamples(blocks: readonly Block[]): Promise<Map<Block, string>> {
  const outputs = new Map<Block, string>();
  let example: Example = { policy: '', files: new Map() };
  for (const block of blocks) {
    const file = fileOf(block.text);
    if (block.language === 'facts') outputs.set(block, await decideExample(example, block.text));
    else if (file !== undefined)
      example = { ...example, files: new Map([...example.files, [file, textOf(block.text)]]) };
    else if (block.language === 'yaml') example = { policy: block.text, files: new Map() };
  }
  return outputs;
}

/** The output of each `text` block that follows a `ts` block. */
async function runPrograms(
  blocks: readonly Block[],
  env: Readonly<Record<string, string>>,
): Promise<Map<Block, string>> {
  const programs = programsAmong(blocks);
  if (programs.length === 0) return new Map();
  const folder = programFolder();
  try {
    const print = `\nprocess.stdout.write(${JSON.stringify(SEPARATOR)});\n`;
    const file = join(folder, 'page.ts');
    writeFileSync(file, programs.map(({ text }) => text).join(print));
    const text = await runProgram({ file, folder, env: { ...env, NO_COLOR: '1' } });
    const printed = text.split(SEPARATOR);
    const outputs = new Map<Block, string>();
    for (const [i, block] of blocks.entries()) {
      const before = blocks[i - 1];
      if (block.language === 'text' && before?.language === 'ts')
        outputs.set(block, printed[programs.indexOf(before)] ?? '');
    }
    return outputs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Compiles the programs of pages, all at once, against the types of the built package. Throws if one has an error. */
export async function checkPrograms(pages: readonly string[]): Promise<void> {
  const folder = programFolder();
  try {
    const files = pages.map((page, i) => {
      const file = `page-${i}.ts`;
      const texts = programsAmong(blocksOf(readFileSync(join(ROOT, page), 'utf8'))).map(({ text }) => text);
      writeFileSync(join(folder, file), `// ${page}\n${texts.join('')}export {};\n`);
      return file;
    });
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types'), '--skipLibCheck'];
    const compiler = [...types, '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', ...files];
    await run('tsc', compiler, folder, {});
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function programsAmong(blocks: readonly Block[]): readonly Block[] {
  return blocks.filter(({ language }) => language === 'ts');
}

/** Creates a folder in which programs find the built package and its rules. */
function programFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-docs-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/verdict-engine'));
  // The database that a page uses.
  symlinkSync(join(ROOT, 'node_modules/@electric-sql'), join(folder, 'node_modules/@electric-sql'));
  symlinkSync(join(ROOT, 'rules'), join(folder, 'rules'));
  return folder;
}

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  stdin = '',
): Promise<string> {
  const path = [join(cwd, COMMANDS), join(ROOT, COMMANDS), process.env['PATH']].join(':');
  const running = promisify(execFile)(command, args, {
    cwd,
    // The npm configuration of this machine must not affect any output.
    env: { ...process.env, ...env, PATH: path, NO_COLOR: '1', npm_config_loglevel: 'error' },
  });
  // A command may end before it has read everything.
  running.child.stdin?.on('error', () => {}).end(stdin);
  return (await running).stdout;
}
