/** What was found out about the answers -> the lines of a mapping: for each fact its place, how it is read, how sure that is. */

import { PROFILES } from '../names/profiles.ts';
import { readSubject } from '../names/subject.ts';
import { readName } from '../names/tokenise.ts';
import { collectSpots, type Spot } from '../structure/collect-fields.ts';
import { coordinateLines } from '../structure/coordinate-signals.ts';
import { findFailures } from '../structure/failures.ts';
import { addHistories } from '../structure/history-signals.ts';
import { covers, findStatuses, type Status } from '../structure/statuses.ts';
import { findDayOrder } from '../values/days.ts';
import { settleScores } from '../values/settle-scores.ts';
import { scaleOfPlace } from '../values/stated-scale.ts';
import { type Context, findCandidates, type Told } from './candidates.ts';
import { choose, completeOperators, lineOf } from './choose.ts';
import { isBetter, type ProposedSignal } from './proposed-signal.ts';

/** All that a mapping is made of. */
export interface Proposal {
  /** By path, in the order of the catalog. */
  readonly lines: ReadonlyMap<string, ProposedSignal>;
  readonly statuses: readonly Status[];
  readonly places: readonly Told[];
}

/** Looks through the answers. */
export function propose(answers: readonly unknown[]): Proposal {
  const places = collectSpots(answers).map((spot) => ({ spot, subject: readSubject(spot.names) }));
  const statuses = findStatuses(places, answers.length);
  const failures = findFailures(places, statuses, answers);
  const order = findDayOrder(textsOf(places));
  const siblings = Map.groupBy(places, ({ spot }) => spot.parent);
  const wrapped = new Set(
    [...siblings].flatMap(([parent, all]) => (all.some(({ spot }) => isValue(spot)) ? [parent] : [])),
  );
  const context: Context = {
    isBesideValue: (spot) =>
      (wrapped.has(spot.parent) && !isFacet(spot)) || isSeverityOfRule(spot, siblings.get(spot.parent) ?? []),
    evidenceOf: (told) => ({ order, scale: scaleOfPlace(told, siblings.get(told.spot.parent) ?? []) }),
    samplesOf: (spot, path) => {
      const failed = [
        ...statuses.filter(({ signals }) => covers(signals, path)).map((status) => status.failed),
        ...failures.filter(({ signals }) => covers(signals, path)).map(({ answers: failing }) => failing),
      ];
      return spot.samples.filter(({ answer }) => !failed.some((answers) => answers.has(answer)));
    },
  };
  const used = new Set(statuses.map(({ told }) => told.spot.place));
  const candidates = findCandidates(places, context).filter(({ spot }) => !used.has(spot.place));
  const chosen = completeOperators(choose(candidates, order));
  const settled = settleScores(new Map([...chosen].map(([path, { best }]) => [path, best])));
  const lines = new Map<string, ProposedSignal>();
  for (const [path, candidate] of settled) lines.set(path, lineOf(candidate, chosen.get(path)?.rivals ?? []));
  for (const line of coordinateLines(places)) if (isBetter(line, lines.get(line.path))) lines.set(line.path, line);
  addHistories(lines, chosen, places, order, context);
  for (const [path, line] of lines) {
    if (failures.some(({ signals }) => covers(signals, path))) lines.set(path, withoutStatus(line));
  }
  const paths = PROFILES.map(({ path }) => path);
  return { lines: new Map(paths.flatMap((path) => pair(path, lines.get(path)))), statuses, places };
}

function pair(path: string, line: ProposedSignal | undefined): readonly [string, ProposedSignal][] {
  return line ? [[path, line]] : [];
}

/** The value itself, in a map that tells more of it. */
function isValue({ names, parent, kind }: Spot): boolean {
  const isLabelled = parent.endsWith(']') && parent.includes('[?');
  if (kind === 'value' && isLabelled && /^(?:answer|response|result)$/i.test(names.at(-1) ?? '')) return true;
  return kind === 'value' && parent !== '$' && /^[^\p{L}]*(?:value|val|v|text)$/iu.test(names.at(-1) ?? '');
}

/** How bad it would be, beside whether it is so: `{ severity: high, triggered: false }`. */
function isSeverityOfRule({ names }: Spot, siblings: readonly Told[]): boolean {
  const name = names.at(-1) ?? '';
  const flags = siblings.filter(({ spot }) => spot.samples.some(({ value }) => typeof value === 'boolean'));
  if (/^(?:severity|sev|priority|impact)$/i.test(name)) return flags.length > 0;
  return flags.some(({ spot }) => FIRED.test(spot.names.at(-1) ?? '')) && /^(?:level|lvl|score|points)$/i.test(name);
}

const FIRED = /^(?:is[\W_]?)?(?:triggered|raised|fired|tripped|matched|flagged|alerted)$/i;

function isFacet({ names }: Spot): boolean {
  const { tokens } = readName(names.at(-1) ?? '');
  return tokens.length > 0 && tokens.every(({ role }) => role === 'facet' || role === 'filler' || role === 'unit');
}

/** What stands beside an error must not be believed, and no status says so in a way that a mapping can read. */
function withoutStatus(line: ProposedSignal): ProposedSignal {
  const why = [
    ...line.why,
    'an error stands beside it in some answer, and there is no status that `sources` could tell it by',
  ];
  return { ...line, sureness: 'guess', why, ask: [...line.ask, 'what says that a source did not answer?'] };
}

function* textsOf(places: readonly Told[]): Iterable<string> {
  for (const { spot } of places) for (const { value } of spot.samples) if (typeof value === 'string') yield value;
}
