/** Option values that several commands read; a wrong value is a usage error that says what was expected. */

import { type Command, type CommandUnknownOpts, InvalidArgumentError, Option, type OptionValues } from 'commander';
import { dayOfInstant, isDay } from '../../facts/day.ts';
import { INSTANT_EXPECTED, startOf } from '../../facts/instant.ts';
import { DEFAULT_STEPS } from '../../lab/limits.ts';
import { stepsText } from '../../lab/steps.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { MOST_RULES } from '../../report/outline.ts';
import { didYouMean } from '../../text.ts';
import { UsageError } from '../io.ts';

export function readDay(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('Expected a calendar day: yyyy-MM-dd.');
  return text;
}

/** A day or an instant, as it was written: `Date.parse` takes a day for its midnight in UTC. */
export function readTime(text: string): string {
  if (startOf(text) === undefined) throw new InvalidArgumentError(`Expected ${INSTANT_EXPECTED}.`);
  return text;
}

/** A reader of numbers that are written in this form and are valid; `expected` says which. */
export function numberReader(
  form: RegExp,
  isValid: (n: number) => boolean,
  expected: string,
): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (form.test(text) && isValid(n)) return n;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}

/** A port; 0 means any free one. */
export const readPort = numberReader(/^\d{1,5}$/, (port) => port <= 65_535, 'a port from 0 to 65535');

/** A share in percent. */
export const readPercent = numberReader(/^\d{1,3}(\.\d+)?$/, (n) => n <= 100, 'a number from 0 to 100');

/** Today, in a zone. */
export function today(zone?: string): string {
  return dayOfInstant(Date.now(), zone);
}

const repeatableReaders = new WeakSet<object>();

/** Marks a reader that joins a value to the earlier ones: its option may be given several times. */
export function repeatable<Reader extends object>(read: Reader): Reader {
  repeatableReaders.add(read);
  return read;
}

/** Whether an option may be given several times. */
export function isRepeatable({ parseArg }: Option): boolean {
  return parseArg !== undefined && repeatableReaders.has(parseArg);
}

/** Reads one of some words, after the earlier ones. */
export function readSomeOf<Word extends string>(words: readonly Word[]) {
  return repeatable((text: string, earlier: readonly Word[] = []): readonly Word[] => {
    const word = words.find((each) => each === text);
    if (word === undefined) {
      const { hint } = didYouMean(text, words);
      const end = hint === undefined ? '.' : `; ${hint}`;
      throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}${end}`);
    }
    return [...earlier, word];
  });
}

/** Reads `name=value`; a second value of a name is a mistake. */
export const readPair = repeatable((text: string, earlier: Readonly<Record<string, string>> = {}) => {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected name=value.');
  const name = text.slice(0, at);
  if (Object.hasOwn(earlier, name)) throw new InvalidArgumentError('Expected each name once.');
  return { ...earlier, [name]: text.slice(at + 1) };
});

export const readMany = repeatable((text: string, earlier: readonly string[] = []) => [...earlier, text]);

/** Of a command to which a function adds all of its options: `OptionsOf<typeof addKeys<[], NoOptions>>`. */
export type NoOptions = Record<never, never>;

/** The options of the commands that a function makes. */
export type OptionsOf<Make extends (command: never) => { opts(): unknown }> = ReturnType<ReturnType<Make>['opts']>;

export function addExplained<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  refuseOld(command, '--to <outcome>', 'the outcome is given with --target');
  return command
    .optionsGroup(OUTPUT_GROUP)
    .addOption(
      new Option('--target <outcome>', 'the outcome that the changes must lead to').choices(OUTCOMES).default('accept'),
    )
    .option('--all', `show all rules that did not fire, not only the nearest ${MOST_RULES}`)
    .optionsGroup('Options:');
}

/** Refuses an option of an earlier version, and says what takes its place. The help does not list it. */
export function refuseOld(command: CommandUnknownOpts, flags: string, instead: string): void {
  const old = new Option(flags).hideHelp();
  command.on(`option:${old.name()}`, () => command.error(`error: no option '${old.long}': ${instead}`));
  command.addOption(old);
}

/** The fields that are not undefined. */
export function present<Fields extends object>(fields: Fields) {
  const found = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(found) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

/** Throws a usage error for an option that is given without any of those that it goes with. */
export function requireWith<Options extends object>(
  options: Options,
  names: readonly (keyof Options & string)[],
  ...needed: readonly (keyof Options & string)[]
): void {
  if (needed.some((name) => options[name] !== undefined)) return;
  const misplaced = names.find((name) => options[name] !== undefined);
  if (misplaced === undefined) return;
  const flagOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError(`${flagOf(misplaced)} goes with ${needed.map(flagOf).join(' or ')}`);
}

/** Adds `--format` of a command that prints text or JSON. */
export function addJson<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return addFormat(command, ['text', 'json']);
}

/** Adds `--format`, whose default is the first format, and `--json` for `--format json`. */
export function addFormat<Args extends unknown[], Opts extends OptionValues, Format extends string>(
  command: Command<Args, Opts>,
  formats: readonly [Format, ...Format[]],
) {
  const read = (text: string) => readFormat(text, formats);
  return command
    .addOption(
      new Option('--format <format>', 'the output format')
        .choices(formats)
        .default(formats[0])
        .argParser(read)
        .helpGroup(OUTPUT_GROUP),
    )
    .addOption(new Option('--json', 'short for --format json').implies({ format: 'json' }).helpGroup(OUTPUT_GROUP));
}

/** The heads of the groups of options in the help that several commands have, after what a command reads. */
export const OUTPUT_GROUP = 'Output:';
export const EXIT_GROUP = 'Exit code:';
export const LIMITS_GROUP = 'Limits:';

function readFormat<Format extends string>(text: string, formats: readonly Format[]): Format {
  const format = formats.find((each) => each === text);
  if (format !== undefined) return format;
  const page = text === 'html' ? ' A page is written by --html FILE, of the commands that have one.' : '';
  throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}.${page}`);
}

/** `--steps` of a command that proves something. */
export function stepsOption() {
  return new Option('--steps <count>', 'say what is undecided after so many steps of the solver')
    .argParser(readSteps)
    .default(DEFAULT_STEPS, stepsText(DEFAULT_STEPS))
    .helpGroup(LIMITS_GROUP);
}

/** Reads `30M`, `500k` or `1000`. */
function readSteps(text: string): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([kM]?)$/.exec(text) ?? [];
  const steps = Number(number) * (unit === 'M' ? 1_000_000 : unit === 'k' ? 1_000 : 1);
  if (Number.isInteger(steps) && steps > 0) return steps;
  throw new InvalidArgumentError('Expected a number of steps, such as 30M or 500k.');
}
