/** A proposal -> the YAML text of a mapping, each line of it with its sureness and why; mere guesses commented out. */

import type { Scalar } from '../../facts/mapping/value/spelling-key.ts';
import { shownPlace } from '../names/json-path.ts';
import { SERVICE_PATHS, type Status } from '../structure/statuses.ts';
import { COMMON_PLACEHOLDERS } from '../values/placeholder.ts';
import type { SignalKeys } from '../values/reading.ts';
import { cleanName, type Told } from './candidates.ts';
import type { ProposedSignal } from './proposed-signal.ts';

/** Where the answer repeats the caller's reference. */
export interface Reference {
  readonly told: Told;
  readonly isSure: boolean;
}

/** All that is written. */
export interface Draft {
  readonly answers: number;
  readonly status: Status | undefined;
  readonly reference: Reference | undefined;
  readonly sources: readonly (Status & { readonly name: string })[];
  readonly lines: ReadonlyMap<string, ProposedSignal>;
}

/** Longer places are no longer legible, and are left out. */
const MAX_PLACE_LENGTH = 1000;

/** The text of the file. */
export function writeMapping(draft: Draft): string {
  const lines = [...draft.lines.values()].filter(({ at }) => at.length <= MAX_PLACE_LENGTH);
  return `${[
    ...headOf(draft.answers),
    `placeholders: ${flow(COMMON_PLACEHOLDERS)}`,
    ...answerBlock(draft),
    ...sourcesBlock(draft.sources),
    ...signalsBlock(lines),
    ...missingBlock(new Set(lines.map(({ path }) => path))),
  ].join('\n')}\n`;
}

function headOf(answers: number): readonly string[] {
  return [
    `# A mapping proposed from ${answers === 1 ? 'one answer' : `${answers} answers`}. Each line says how sure it is (sure, likely, guess) and why.`,
    '# A guess is commented out: its fact is missing (unmapped) until somebody has looked at it.',
    '',
    '# likely: texts that services write where there is no value',
  ];
}

function answerBlock({ status, reference }: Draft): readonly string[] {
  if (!status && !reference) return [];
  const referenceLine = reference ? `  reference: ${scalar(shownPlace(reference.told.spot.place))}` : '';
  const isOpen = status !== undefined || reference?.isSure === true;
  const block = ['', isOpen ? 'answer:' : '# answer:'];
  if (status) {
    block.push(
      `  # likely: "${cleanName(status.told.subject.shown)}" has a word for success. Ask: which other statuses mean an answer?`,
      `  at: ${scalar(shownPlace(status.told.spot.place))}`,
      `  answered: ${flow(status.answered)}`,
    );
  }
  if (reference?.isSure) block.push(`  # likely: named "${cleanName(reference.told.subject.shown)}"`, referenceLine);
  else if (reference) {
    block.push(
      `  # guess: "${cleanName(reference.told.subject.shown)}" may be the caller's reference. Ask: is it yours or mine?`,
      `# ${referenceLine}`,
    );
  }
  return block;
}

function sourcesBlock(sources: Draft['sources']): readonly string[] {
  if (sources.length === 0) return [];
  const names = new Set<string>();
  const block = ['', 'sources:'];
  for (const { name, told, answered, signals } of sources) {
    const free = [name, ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${name}${number}`)].find((one) => !names.has(one));
    if (free === undefined) continue;
    names.add(free);
    block.push(
      `  # likely: "${cleanName(told.subject.shown)}" has a word for success or failure. Ask: which statuses mean an answer?`,
      `  ${free}:`,
      `    at: ${scalar(shownPlace(told.spot.place))}`,
      `    answered: ${flow(answered)}`,
      `    signals: [${signals.join(', ')}]`,
    );
  }
  return block;
}

function signalsBlock(lines: readonly ProposedSignal[]): readonly string[] {
  const isEmpty = lines.every(({ sureness }) => sureness === 'guess');
  return ['', isEmpty ? 'signals: {}' : 'signals:', ...lines.flatMap(signalBlock)];
}

function signalBlock({ path, at, keys, sureness, why, ask }: ProposedSignal): readonly string[] {
  const comment = `# ${sureness}: ${why.join('; ')}.${ask.length > 0 ? ` Ask the vendor: ${ask.join(' ')}` : ''}`;
  const entries = Object.entries(keys);
  const place = scalar(shownPlace(at));
  const block =
    entries.length === 0
      ? [`${path}: ${place}`]
      : [
          `${path}:`,
          `  at: ${place}`,
          ...entries.map(([key, value]) => `  ${key}: ${key === 'never' ? never(value) : flow(value)}`),
        ];
  const mark = sureness === 'guess' ? '  # ' : '  ';
  return ['', `  ${comment}`, ...block.map((line) => mark + line)];
}

/** Facts for which there is no line at all. */
function missingBlock(found: ReadonlySet<string>): readonly string[] {
  const missing = SERVICE_PATHS.filter((path) => !found.has(path));
  if (missing.length === 0) return [];
  return [
    '',
    '  # No place was found for these; their facts are missing (unmapped):',
    ...missing.map((path) => `  # ${path}`),
  ];
}

function never(value: unknown): string {
  const { at, is } = value as { readonly at: string; readonly is: unknown };
  return `{ at: ${JSON.stringify(shownPlace(at))}, is: ${JSON.stringify(is)} }`;
}

/** A list, a map or a scalar on one line. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as SignalKeys).map(([key, one]) => `${scalar(key)}: ${flow(one)}`);
    return `{ ${entries.join(', ')} }`;
  }
  return scalar(value as Scalar);
}

/** Words that YAML reads as something else than a text. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|~|[-+.]?\d.*|0x.*|0o.*|\.nan|\.inf)$/i;

/** Plain where YAML reads it as the same text, wherever it stands; else in double quotes, as JSON has them. */
function scalar(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  const isPlain =
    /^[\p{L}$][\p{L}\d_.$/ -]*$/u.test(value) && !value.endsWith(' ') && !/ -|- /.test(value) && !NO_TEXT.test(value);
  if (isPlain) return value;
  // A place stands alone on its line, where brackets and quotes inside are text.
  const isPlace = /^[A-Za-z$][\w.$[\]"'*?@=& ()>-]*$/.test(value) && !/: | #|\s$/.test(value) && /[.[]/.test(value);
  return isPlace ? value : quoted(value);
}

/** JSON is YAML, but for characters that neither editors nor YAML 1.2 like to see as they are. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
