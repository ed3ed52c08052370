/** Captured answers -> the signals of a mapping: for each fact its field, how it is read, and how sure that is. */

import { isErrorName } from '../../../facts/mapping/status-words.ts';
import { PROFILES } from '../names/profiles.ts';
import { readSubject } from '../names/subject.ts';
import { readName } from '../names/tokenise.ts';
import { type AnswerField, collectFields } from '../structure/collect-fields.ts';
import { coordinateSignals } from '../structure/coordinate-signals.ts';
import { errorsIn, locatedErrors } from '../structure/error-candidates.ts';
import { addHistories } from '../structure/history-signals.ts';
import { isInside } from '../structure/status-candidate.ts';
import { covers, findStatuses, SIGNALS_OF, type Status } from '../structure/statuses.ts';
import { findDayOrder } from '../values/days.ts';
import { findScale, usualScale } from '../values/numbers.ts';
import type { Scale } from '../values/reading.ts';
import { settleScores } from '../values/settle-scores.ts';
import { type Context, findCandidates } from './candidate-signals.ts';
import { choose, completeOperators, signalOf } from './choose.ts';
import { isBetter, type ProposedSignal } from './proposed-signal.ts';

/** Proposes a signal for each fact that the answers seem to hold. */
export function proposeSignals(answers: readonly unknown[]) {
  const fields = collectFields(answers);
  const order = findDayOrder(textsOf(fields));
  const siblings = Map.groupBy(fields, ({ parent }) => parent);
  const siblingsOf = ({ parent }: AnswerField) => siblings.get(parent) ?? [];
  const wrappers = new Set([...siblings].flatMap(([parent, all]) => (all.some(isWrappedValue) ? [parent] : [])));
  const base: Context = {
    isAnnotation: (field) =>
      (wrappers.has(field.parent) && !isFacet(field)) || isSeverityOfRule(field, siblingsOf(field)),
    evidenceOf: (field) => ({ order, scale: statedScale(field, siblingsOf(field)) }),
    samplesOf: ({ samples }) => samples,
  };
  const statuses = findStatuses(fields, answers, dataPaths(fields, base));
  const failures = findFailures(fields, statuses, answers);
  const context: Context = {
    ...base,
    samplesOf: (field, path) => {
      const failed = [
        ...statuses.flatMap((status) => (isAbout(status, field, path) ? [status.failed] : [])),
        ...failures.flatMap((failure) => (covers(failure.signals, path) ? [failure.answers] : [])),
      ];
      return field.samples.filter(({ answer }) => !failed.some((those) => those.has(answer)));
    },
  };
  const used = new Set(statuses.map(({ field }) => field.jsonPath));
  const candidates = findCandidates(fields, context).filter(({ field }) => !used.has(field.jsonPath));
  const chosen = completeOperators(choose(candidates, order));
  const settled = settleScores(new Map([...chosen].map(([path, { best }]) => [path, best])));
  const signals = new Map(
    [...settled].map(([path, candidate]) => [path, signalOf(candidate, (chosen.get(path)?.rivals.length ?? 0) > 0)]),
  );
  for (const signal of coordinateSignals(fields)) {
    if (isBetter(signal, signals.get(signal.path))) signals.set(signal.path, signal);
  }
  addHistories(signals, chosen, fields, order, context);
  const ordered = PROFILES.flatMap(({ path }): [string, ProposedSignal][] => {
    const signal = signals.get(path);
    if (!signal) return [];
    return [[path, failures.some((failure) => covers(failure.signals, path)) ? withoutStatus(signal) : signal]];
  });
  return {
    /** By the path of the fact, in the order of the catalog. */
    signals: new Map(ordered),
    statuses,
    fields,
  };
}

/** The fields that may hold facts, failed sources included. */
function dataPaths(fields: readonly AnswerField[], context: Context): ReadonlySet<string> {
  const histories = fields.filter(({ kind, subject: { topic } }) => kind === 'list' && topic !== undefined);
  const points = coordinateSignals(fields).map(({ at }) => at);
  const values = findCandidates(fields, context).map(({ field }) => field.jsonPath);
  return new Set([...values, ...histories.map(({ jsonPath }) => jsonPath), ...points]);
}

/** Whether a field lies in the part of a status; of a status without a part, whether its names cover the fact. */
function isAbout({ part, isWhole, scope }: Status, { jsonPath }: AnswerField, path: string): boolean {
  if (isWhole) return true;
  return part === undefined ? covers(SIGNALS_OF[scope], path) : isInside(jsonPath, part);
}

/** The value itself, in a map that also describes it. */
function isWrappedValue({ names, parent, kind }: AnswerField): boolean {
  if (kind !== 'value') return false;
  const name = names.at(-1) ?? '';
  const isLabelled = parent.endsWith(']') && parent.includes('[?');
  if (isLabelled && /^(?:answer|response|result)$/i.test(name)) return true;
  return parent !== '$' && /^[^\p{L}]*(?:value|val|v|text)$/iu.test(name);
}

/** How bad it would be, next to whether it is so: `{ severity: high, triggered: false }`. */
function isSeverityOfRule({ names }: AnswerField, siblings: readonly AnswerField[]): boolean {
  const name = names.at(-1) ?? '';
  const flags = siblings.filter(({ samples }) => samples.some(({ value }) => typeof value === 'boolean'));
  if (/^(?:severity|sev|priority|impact)$/i.test(name)) return flags.length > 0;
  return flags.some((flag) => FIRED.test(flag.names.at(-1) ?? '')) && /^(?:level|lvl|score|points)$/i.test(name);
}

const FIRED = /^(?:is[\W_]?)?(?:triggered|raised|fired|tripped|matched|flagged|alerted)$/i;

function isFacet({ names }: AnswerField): boolean {
  const { tokens } = readName(names.at(-1) ?? '');
  return tokens.length > 0 && tokens.every(({ role }) => role === 'facet' || role === 'filler' || role === 'unit');
}

/** The signal as a guess: values next to an error must not be believed, and no status shows it to a mapping. */
function withoutStatus(signal: ProposedSignal): ProposedSignal {
  const why = 'an answer has an error next to it and no status that `sources` could read';
  const ask = 'how does the answer show that a source failed?';
  return { ...signal, sureness: 'guess', why: [...signal.why, why], ask: [...signal.ask, ask] };
}

function* textsOf(fields: readonly AnswerField[]): Iterable<string> {
  for (const { samples } of fields) for (const { value } of samples) if (typeof value === 'string') yield value;
}

/** A source that failed in some answers, as an error says that `sources` cannot read. */
interface Failure {
  readonly signals: readonly string[];
  readonly answers: ReadonlySet<number>;
}

/** `error: { code: 504 }` of a section; of the whole answer only if nothing in it has a status. */
function findFailures(
  fields: readonly AnswerField[],
  statuses: readonly Status[],
  answers: readonly unknown[],
): readonly Failure[] {
  const located = locatedErrors(answers);
  return [
    ...located.flatMap((paths, answer) => (paths ?? []).map((path) => failureAt(path, answer))),
    ...failuresInFields(fields, statuses, located),
  ];
}

/** The failure of the part to which the path in an error leads. */
function failureAt(path: readonly string[], answer: number): Failure {
  const { topic, section } = readSubject(path);
  return { signals: SIGNALS_OF[topic ?? section ?? 'all'], answers: new Set([answer]) };
}

/** The failures that error fields show; `located` are the answers whose `errors` list names the failed parts. */
function failuresInFields(
  fields: readonly AnswerField[],
  statuses: readonly Status[],
  located: readonly unknown[],
): readonly Failure[] {
  return fields.flatMap((field) => {
    const { names, jsonPath } = field;
    const index = names.findIndex(isErrorName);
    if (index < 0) return [];
    const { topic, section, isEcho, isForeign } = readSubject(names.slice(0, index));
    if (isForeign || isEcho) return [];
    const scope = topic ?? section ?? 'all';
    // The status of the whole answer does not cover a section's error.
    const about = statuses.filter(({ part, ...status }) => {
      if (part !== undefined && !status.isWhole && isInside(jsonPath, part)) return true;
      return (part === undefined && status.scope === scope) || (scope === 'all' && status.isWhole);
    });
    const failed = errorsIn(field).filter((answer) => {
      const isLocated = names[0] === 'errors' && located[answer] !== undefined;
      return !isLocated && !about.some((status) => status.failed.has(answer));
    });
    return failed.length === 0 ? [] : [{ signals: SIGNALS_OF[scope], answers: new Set(failed) }];
  });
}

/** A scale in the name, in parentheses after it, or in a sibling: `max: 10`, `scoreMax: 10`. */
function statedScale(field: AnswerField, siblings: readonly AnswerField[]): Scale | undefined {
  const { subject } = field;
  const inName = findScale(subject.aside) ?? scaleOfNumbers(subject.numbers);
  if (inName) return inName;
  const isOnlyScore = siblings.filter(({ subject: { leaf } }) => leaf.has('score')).length === 1;
  const ownName = field.names.at(-1) ?? '';
  for (const sibling of siblings) {
    if (sibling.kind !== 'value' || sibling.jsonPath === field.jsonPath) continue;
    const name = (sibling.names.at(-1) ?? '').replace(/^[^\p{L}]+/u, '');
    const isScale = (subject.facets.size > 0 || isOnlyScore) && SCALE_NAME.test(name);
    const isNamedAfter =
      name.toLowerCase().startsWith(ownName.toLowerCase()) && SCALE_NAME.test(name.slice(ownName.length));
    if (!isScale && !isNamedAfter) continue;
    const scales = new Set(sibling.samples.map(({ value }) => String(value)));
    const [text = ''] = scales;
    const scale = scales.size === 1 ? (findScale(text) ?? usualScale(0, Number(text))) : undefined;
    if (scale) return scale;
  }
  return undefined;
}

const SCALE_NAME = new RegExp(
  '^[_\\s-]*(?:max|maximum|out[_\\s]?of|of|scale|range|max[_\\s]?(?:score|value|points)|upper[_\\s]?bound|' +
    'scale[_\\s]?max)$',
  'i',
);

function scaleOfNumbers(numbers: readonly number[]): Scale | undefined {
  const [a, b] = numbers;
  if (numbers.length === 1 && a !== undefined && a >= 10) return usualScale(0, a);
  return numbers.length === 2 && a !== undefined && b !== undefined ? usualScale(a, b) : undefined;
}
