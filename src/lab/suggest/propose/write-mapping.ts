/** A proposal -> the YAML text of a mapping, with sureness and reasons as comments. */

import { flowYaml } from '../../../platform/files/source.ts';
import { toJson } from '../../../text.ts';
import { withoutRoot } from '../names/json-path.ts';
import { quoteName } from '../names/subject.ts';
import type { AnswerField } from '../structure/collect-fields.ts';
import type { Source } from '../structure/section-sources.ts';
import { SERVICE_PATHS, type Status } from '../structure/statuses.ts';
import { COMMON_PLACEHOLDERS } from '../values/placeholder.ts';
import type { ProposedSignal } from './proposed-signal.ts';

/** The field that repeats the caller's reference. */
export interface Reference {
  readonly field: AnswerField;
  readonly isSure: boolean;
}

/** The content of the file. */
export interface Draft {
  /** The number of answers. */
  readonly answers: number;
  /** The status of the whole answer. */
  readonly status: Status | undefined;
  readonly reference: Reference | undefined;
  readonly sources: readonly Source[];
  readonly signals: readonly ProposedSignal[];
}

/** Longer JSONPaths are unreadable for people; their signals are left out. */
const MAX_PATH_LENGTH = 1000;

/** The text of the file. */
export function writeMapping({ answers, status, reference, sources, signals }: Draft): string {
  const shown = signals.filter(({ at }) => at.length <= MAX_PATH_LENGTH);
  const lines = [
    `# A mapping proposed from ${answers === 1 ? 'one answer' : `${answers} answers`}.`,
    '# Comments say how sure each line is (sure, likely, guess) and why.',
    '# Guesses are commented out: their facts stay unmapped until you have checked them.',
    '',
    '# likely: texts that services write in place of a value',
    `placeholders: ${flow(COMMON_PLACEHOLDERS)}`,
    ...answerBlock(status, reference),
    ...sourcesBlock(sources),
    '',
    shown.every(({ sureness }) => sureness === 'guess') ? 'signals: {}' : 'signals:',
    ...shown.flatMap(signalBlock),
    ...missingBlock(new Set(shown.map(({ path }) => path))),
  ];
  return `${lines.join('\n')}\n`;
}

function answerBlock(status: Status | undefined, reference: Reference | undefined): readonly string[] {
  if (!status && !reference) return [];
  const block = ['', status || reference?.isSure ? 'answer:' : '# answer:'];
  if (status) {
    block.push(...statusLines(status).map((line) => `  ${line}`));
  }
  if (!reference) return block;
  const name = quoteName(reference.field.subject);
  const line = `  reference: ${pathOf(reference.field)}`;
  return reference.isSure
    ? [...block, `  # likely: named ${name}`, line]
    : [
        ...block,
        `  # guess: ${name} may be your reference. Ask the vendor: does it repeat the reference of the request?`,
        `# ${line}`,
      ];
}

function sourcesBlock(sources: readonly Source[]): readonly string[] {
  if (sources.length === 0) return [];
  const block = ['', 'sources:'];
  for (const { name, status, signals } of sources) {
    const [comment, ...lines] = statusLines(status);
    block.push(
      `  ${comment}`,
      `  ${writeText(name)}:`,
      ...lines.map((line) => `    ${line}`),
      `    signals: [${signals.join(', ')}]`,
    );
  }
  return block;
}

/** A comment, then the keys of a status. */
function statusLines({ field, answered, kind, failed }: Status): readonly string[] {
  const shown = quoteName(field.subject);
  const path = pathOf(field);
  if (answered) return [`# likely: ${shown} ${STATUS_COMMENTS[kind]}`, `at: ${path}`, `answered: ${flow(answered)}`];
  const why =
    failed.size > 0
      ? `likely: ${shown} was found where a source failed.`
      : `likely: a part beside it has an error in this place; ${shown} was not found.`;
  return [`# ${why} Ask the vendor: does every failure have it?`, `error: ${path}`];
}

const STATUS_COMMENTS = {
  words: 'has a value for success or failure. Ask the vendor: which values mean an answer?',
  flag: 'is a flag for success or failure. Ask the vendor: is it in every answer?',
  error: 'is empty if there is no error. Ask the vendor: is it in every answer, and filled at every failure?',
} as const;

function signalBlock({ path, at, keys, sureness, why, ask }: ProposedSignal): readonly string[] {
  const comment = `# ${sureness}: ${why.join('; ')}.${ask.length > 0 ? ` Ask the vendor: ${ask.join(' ')}` : ''}`;
  const entries = Object.entries(keys);
  const jsonPath = writeText(withoutRoot(at));
  const block =
    entries.length === 0
      ? [`${path}: ${jsonPath}`]
      : [
          `${path}:`,
          `  at: ${jsonPath}`,
          ...entries.map(([key, value]) => `  ${key}: ${key === 'never' ? never(value) : flow(value)}`),
        ];
  const indent = sureness === 'guess' ? '  # ' : '  ';
  return ['', `  ${comment}`, ...block.map((line) => indent + line)];
}

/** The facts without a signal. */
function missingBlock(mapped: ReadonlySet<string>): readonly string[] {
  const missing = SERVICE_PATHS.filter((path) => !mapped.has(path));
  if (missing.length === 0) return [];
  return ['', '  # No field was found for these facts; they stay unmapped:', ...missing.map((path) => `  # ${path}`)];
}

function pathOf({ jsonPath }: AnswerField): string {
  return writeText(withoutRoot(jsonPath));
}

function never(value: unknown): string {
  const { at, is } = value as { readonly at: string; readonly is: unknown };
  return `{ at: ${JSON.stringify(withoutRoot(at))}, is: ${JSON.stringify(is)} }`;
}

function flow(value: unknown): string {
  return flowYaml(value, writeText);
}

/** Texts that YAML reads as another type. */
const OTHER_TYPE = /^(?:true|false|null|yes|no|on|off|~|[-+.]?\d.*|0x.*|0o.*|\.nan|\.inf)$/i;

/** Plain if YAML reads it as the same text in any position; otherwise in double quotes, as in JSON. */
function writeText(text: string): string {
  const isPlain = /^[\p{L}$][\p{L}\d_.$/ -]*$/u.test(text) && !text.endsWith(' ') && !/ -|- /.test(text);
  if (isPlain && !OTHER_TYPE.test(text)) return text;
  // A JSONPath is alone on its line: brackets and quotes inside it are text.
  const isPath = /^[A-Za-z$][\w.$[\]"'*?@=& ()>-]*$/.test(text) && !/: | #|\s$/.test(text) && /[.[]/.test(text);
  return isPath ? text : toJson(text);
}
