/** Readers of option values that several commands share; what does not fit is a usage error that says what was expected. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { dayOfInstant, isDay } from '../../facts/day.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';

/** Reads a calendar day. */
export function readDay(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('A calendar day written yyyy-MM-dd was expected.');
  return text;
}

/** Today, UTC. */
export function today(): string {
  return dayOfInstant(Date.now());
}

/** Reads `name=value`, for options that may be given several times. */
export function readPair(text: string, earlier: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('name=value was expected.');
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Gathers the values of an option that may be given several times. */
export function readMany(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

/** What is asked of an explanation. */
export interface ExplainedOptions {
  readonly to: Outcome;
  readonly all?: boolean;
}

/** So many of the rules that did not fire are shown as text, unless all are asked for. */
export const MOST_RULES = 20;

/** Adds `--to` and `--all`. */
export function addExplained(command: Command): Command {
  return command
    .addOption(new Option('--to <outcome>', 'the outcome to find a way to').choices(OUTCOMES).default('accept'))
    .option('--all', `all rules that did not fire, not only the nearest ${MOST_RULES}`);
}

/** Adds `--format` with these formats, the first of them the default, and `--json` for `--format json`. */
export function addFormat<Format extends string>(command: Command, formats: readonly [Format, ...Format[]]): Command {
  return command
    .addOption(new Option('--format <format>', 'how to print').choices(formats).default(formats[0]))
    .addOption(new Option('--json', 'short for --format json').implies({ format: 'json' }));
}
