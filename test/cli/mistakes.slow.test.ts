/** Mistaken command lines: for every option and argument of every command, no message repeats what was typed. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandUnknownOpts, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { runCli } from '../support/cli/cli.ts';
import { HEAD } from '../support/policy/policy.ts';
import { sampled } from '../support/sampled.ts';

/** What is typed in a wrong place, with the part that no message may contain; quotes and lines as in a message. */
const TYPED = [
  '+12025550199',
  '=2025550199',
  '--2025550199',
  "2025550199' is invalid.\n(Did you mean 2025550199?)\n",
  '0=2025550199',
].slice(0, sampled(1, 5));
const CANARY = '2025550199';

const POLICY = `${HEAD}facts: { context.tier: { type: enum, values: [a, b] } }
rules: [{ id: risky, when: { phone.score: { above: 50 } }, then: review }]\n`;

/** Has what right command lines name. */
const folder = mkdtempSync(join(tmpdir(), 'verdict-'));

const before = process.cwd();

beforeAll(async () => {
  // Some of these command lines make folders with the names that are typed.
  process.chdir(mkdtempSync(join(folder, 'cwd-')));
  writeFileSync(join(folder, 'policy.yaml'), POLICY);
  writeFileSync(join(folder, 'facts.ndjson'), '{"facts":{"phone.score":12}}\n');
  writeFileSync(join(folder, 'answer.json'), '{}');
  writeFileSync(join(folder, 'facts.csv'), 'phone_score\n12\n');
  expect((await runCli(['audit', 'init', join(folder, 'log')])).exitCode).toBe(0);
});

afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

/** A program whose tree is read, and which is not run. */
function readTree(): CommandUnknownOpts {
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {} };
  return createProgram({ ...io, interruptible: (work) => work(new AbortController().signal) }, () => {});
}

interface Place {
  readonly command: CommandUnknownOpts;
  readonly path: readonly string[];
}

/** Every command below a command, with its path. */
function commandsBelow(command: CommandUnknownOpts, path: readonly string[] = []): Place[] {
  return [{ command, path }, ...command.commands.flatMap((each) => commandsBelow(each, [...path, each.name()]))];
}

/** Whether the options of a command can be parsed, none of which the program has parsed before. */
function isParsed(program: CommandUnknownOpts, path: readonly string[], options: string[]): boolean {
  const command = path.reduce((each, name) => each.commands.find((one) => one.name() === name) ?? each, program);
  try {
    command.configureOutput({ outputError: () => {} }).parseOptions(options);
    return true;
  } catch {
    return false;
  }
}

/** The right values of what a command requires, by the name of the option or argument. */
function rightValue(name: string): string {
  const file = (base: string) => join(folder, base);
  const byName: Readonly<Record<string, string>> = {
    policy: file('policy.yaml'),
    facts: file('facts.ndjson'),
    log: file('log'),
    answer: file('answer.json'),
    answers: file('answer.json'),
    paths: file('policy.yaml'),
    from: file('facts.csv'),
    to: file('copy.csv'),
    before: '2026-01-01',
    id: '01890000-0000-7000-8000-000000000000',
    phone: '+12025550101',
  };
  return byName[name] ?? 'x';
}

function optionValue(option: Option): string[] {
  return [`--${option.name()}`, option.argChoices?.[0] ?? rightValue(option.name())];
}

/** A command line that is right, but without one option: its required options, arguments and a service. */
function rightArgs({ command, path }: Place, without?: Option): string[] {
  const useful = (option: Option) => option.mandatory || option.name() === 'phone';
  return [
    ...path,
    ...command.registeredArguments.flatMap((each) => (each.required ? [rightValue(each.name())] : [])),
    ...command.options.flatMap((each) => (useful(each) && each !== without ? optionValue(each) : [])),
    ...(command.options.some(({ long }) => long === '--sandbox') ? ['--sandbox'] : []),
  ];
}

/** Placeholders of options, and names of arguments, whose values are paths: these may be shown. */
const isPath = (name: string) => /^(file|dir|policy|old|new|paths|answers?)$/.test(name);

/** The command lines with `typed` in every place of a command. */
function mistakesOf(place: Place, typed: string): string[][] {
  const { command, path } = place;
  const isGroup = command.commands.length > 0;
  const isVariadic = command.registeredArguments.some(({ variadic }) => variadic);
  const lines = command.options.flatMap((option) => {
    const right = rightArgs(place, option);
    const takesValue = option.required || option.optional;
    if (!takesValue) return [[...right, `${option.long}=${typed}`]];
    if (/<(file|dir)(\.\.\.)?>/.test(option.flags)) return [];
    const values = [typed, `${typed}=1`, `x=${typed}`].slice(0, sampled(option.parseArg ? 2 : 1, 3));
    return [
      ...values.map((value) => [...right, `${option.long}=${value}`]),
      // The value is forgotten.
      [...right, typed, `${option.long}`],
      ...(option.optional && !isVariadic ? [[...right, `${option.long}`, typed]] : []),
    ];
  });
  const args = command.registeredArguments.flatMap((argument, i) => {
    if (isPath(argument.name())) return [];
    const right = rightArgs(place);
    right[path.length + i] = typed;
    return [right];
  });
  const right = isGroup ? [...path] : rightArgs(place);
  const leftOut = command.registeredArguments
    .filter(({ required }) => !required)
    .map((each) => rightValue(each.name()));
  return [
    ...lines,
    ...args,
    ...(isVariadic ? [] : [[...right, ...leftOut, typed]]),
    [...right, `--phne=${typed}`],
    [...right, `--${typed}`],
    [...right, `-${typed}`],
  ];
}

/** Runs a command line, and ends it once it has printed something: the sandbox would run on. */
async function runMistake(args: readonly string[]) {
  const ending = new AbortController();
  return runCli(args, { stdin: 'x\n', signal: ending.signal, onOutput: () => ending.abort() });
}

describe('a mistaken command line', () => {
  it.each([
    ['an option', ['decide', '--phne=x'], "error: unknown option '--phne'\n(Did you mean --phone?)\n"],
    ['what is no option', ['decide', '--+12025550199'], 'error: unknown option\n'],
    ['a command', ['+12025550199'], 'error: unknown command; --help lists the commands\n'],
    ['a command of a group', ['audit', 'serch'], 'error: unknown command\n(Did you mean search?)\n'],
    [
      'a value',
      ['decide', '--explain', '+12025550199'],
      "error: option '--explain [outcome]' has an invalid value. Allowed choices are accept, review, reject.\n",
    ],
    [
      'a forgotten =',
      ['decide', '--context', 'x'],
      "error: option '--context <name=value>' has an invalid value. Expected name=value.\n",
    ],
    [
      'a second value',
      ['decide', '--phone', CANARY, '--phone', CANARY],
      "error: option '--phone <number>' was given twice, expected once\n",
    ],
    [
      'a fact',
      ['decide', '--phone', 'x', '--context', 'secret=1'],
      'verdict: --context: the policy declares no fact with that name\n',
    ],
    [
      'an argument too many',
      ['facts', '+12025550199'],
      "error: too many arguments for 'facts'. Expected 0 arguments but got 1.\nUsage: verdict facts [options] [command]\n",
    ],
    [
      'an argument too few',
      ['diff', CANARY],
      "error: missing required argument 'new'\nUsage: verdict diff [options] <old> <new>\n",
    ],
  ])('says what is wrong: %s', async (_, args, stderr) => {
    expect(await runCli(args)).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  const places = commandsBelow(readTree());

  it('gives one value to an option, unless its help says that it is repeatable', () => {
    const values = ['x', '1', 'a=1', 'b=1', '2026-01-01', 'accept', 'decide', 'fraud', 'x.html'];
    // Options do not depend on each other: one program takes a value of each.
    const programs: CommandUnknownOpts[] = [];
    const programOf = (i: number) => (programs[i] ??= readTree());
    const twice = places.flatMap(({ path, command: { options } }) =>
      options.flatMap((option) => {
        if (!option.required && !option.optional) return [];
        const { long, description } = option;
        const pairs = (option.argChoices ?? values).map((value) => [value, value === 'a=1' ? 'b=1' : value]);
        const isAccepted = pairs.some((pair, i) =>
          isParsed(
            programOf(i),
            path,
            pair.map((value) => `${long}=${value}`),
          ),
        );
        return [{ option: [...path, long].join(' '), isAccepted, isRepeatable: /; repeatable$/.test(description) }];
      }),
    );
    expect(twice.length).toBeGreaterThan(80);
    expect(twice.filter(({ isAccepted, isRepeatable }) => isAccepted !== isRepeatable)).toEqual([]);
  });

  it.each(places.map((place) => [['verdict', ...place.path].join(' '), place] as const))(
    'repeats nothing of what was typed: %s',
    async (_, place) => {
      for (const typed of TYPED) {
        const lines = mistakesOf(place, typed);
        for (const args of lines.filter((_, i) => i % sampled(6, 1) === 0)) {
          const { exitCode, stdout, stderr } = await runMistake(args);
          const shown = exitCode === 2 ? stdout + stderr : stderr;
          expect(shown, args.join(' ')).not.toContain(CANARY);
        }
      }
    },
  );
});
