/** Measurements -> Markdown: a table for each policy size, the targets, and the cost of compiling. */

import { cpus } from 'node:os';
import { resolve } from 'node:path';
import type { Speed } from './measure.ts';
import type { Compiled } from './weigh.ts';

/** All measurements. */
export interface Results {
  /** By number of rules, then by contestant. */
  readonly speeds: Map<number, ReadonlyMap<string, Speed>>;
  readonly compiled: readonly Compiled[];
  readonly versions: readonly string[];
  readonly seed: number;
  readonly people: number;
  readonly missing: number;
  /** The share of the time in which other programs had the processor. */
  readonly busy: number;
}

const BASE = 'json-logic-engine';
/** The page that holds the figures. */
export const PAGE = resolve(import.meta.dirname, '../../docs/performance.md');

/** Replaces one of the measured parts of the page. Throws if the page has no such part. */
export function pageWith(page: string, part: 'decisions' | 'rows', text: string): string {
  const begin = `<!-- measured ${part} -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(`<!-- /measured ${part} -->`)];
  if (from < 0 || to < from) throw new Error(`the page has no part "measured ${part}"`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/** The date, machine and versions of a measurement. */
export function headOf(versions: readonly string[]): string {
  const [cpu] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  const machine = [`Node ${process.version}`, cpu?.model.trim() ?? 'unknown processor', `${cpus().length} cores`];
  return `Measured on ${day}: ${[...machine, ...versions].join(', ')}.`;
}

/** The text of the measured part of the page. */
export function report({ speeds, compiled, versions, seed, people, missing, busy }: Results): string {
  const head = [
    headOf(versions),
    [
      `Seed ${seed}, ${people} applicants, ${missing * 100} % of their facts missing.`,
      'One process; one thread for each contestant, except zen-engine, which uses its own threads.',
      `Other programs used the processor for ${Math.round(busy * 100)} % of the time.`,
    ].join(' '),
  ].join('\n');
  const sections = [...speeds].map(([size, field]) => `### ${size.toLocaleString('en')} rules\n\n${speedTable(field)}`);
  return [
    head,
    ...sections,
    `### Targets\n\n${targetTable(speeds)}`,
    ...(compiled.length > 0 ? [`### Reading and compiling\n\n${compiledTable(compiled)}`] : []),
  ].join('\n\n');
}

function speedTable(field: ReadonlyMap<string, Speed>): string {
  const base = field.get(BASE)?.perSecond;
  const rows = [...field].map(([name, { perSecond, way }]) => [
    way === undefined ? name : `${name} (${way})`,
    rounded(perSecond),
    rounded(1e6 / perSecond),
    base === undefined ? '' : rounded(perSecond / base),
  ]);
  return table(['', 'decisions/s', 'µs per decision', `× ${BASE}`], rows);
}

/** A ratio of two speeds and its lower limit. */
interface Target {
  readonly what: string;
  readonly least: number;
  readonly ratio: (speeds: Results['speeds']) => number | undefined;
}

const of = (size: number, name: string, other: string) => (speeds: Results['speeds']) => {
  const [one, base] = [speeds.get(size)?.get(name), speeds.get(size)?.get(other)];
  return one && base && one.perSecond / base.perSecond;
};

/** Whether a contestant is another engine. */
const isRival = (name: string) => /^(json-logic|cel|@marcbachmann|zen|json-rules)/.test(name);

const ofBestRival = (size: number, name: string) => (speeds: Results['speeds']) => {
  const field = speeds.get(size);
  const one = field?.get(name);
  const best = Math.max(...[...(field ?? [])].filter(([rival]) => isRival(rival)).map(([, speed]) => speed.perSecond));
  return one && Number.isFinite(best) ? one.perSecond / best : undefined;
};

const growth = (from: number, to: number, name: string) => (speeds: Results['speeds']) => {
  const [one, other] = [speeds.get(from)?.get(name), speeds.get(to)?.get(name)];
  return one && other && other.perSecond / one.perSecond;
};

const HAND = 'hand-written code';
const RAW = 'json-rules-engine, one engine per run';

const TARGETS: readonly Target[] = [
  { what: `outcome ≥ 1.5 × ${BASE} at 30 rules`, least: 1.5, ratio: of(30, 'matcher.outcome', BASE) },
  { what: `outcome ≥ 6 × ${BASE} at 300`, least: 6, ratio: of(300, 'matcher.outcome', BASE) },
  { what: 'outcome ≥ 50 × the best rival at 3,000', least: 50, ratio: ofBestRival(3000, 'matcher.outcome') },
  ...[300, 3000, 10_000].map((size) => ({
    what: `outcome faster than hand-written code at ${size.toLocaleString('en')}`,
    least: 1,
    ratio: of(size, 'matcher.outcome', HAND),
  })),
  { what: `verdict ≥ 0.5 × ${BASE} at 30 rules`, least: 0.5, ratio: of(30, 'matcher.verdict', BASE) },
  { what: `verdict faster than ${BASE} at 300`, least: 1, ratio: of(300, 'matcher.verdict', BASE) },
  { what: 'outcome at 10,000 rules ≥ 1/60 × at 100', least: 1 / 60, ratio: growth(100, 10_000, 'matcher.outcome') },
  ...[30, 300].map((size) => ({
    what: `live ≥ 0.5 × json-rules-engine with one engine per run, at ${size}`,
    least: 0.5,
    ratio: of(size, 'live runner', RAW),
  })),
];

function targetTable(speeds: Results['speeds']): string {
  const rows = TARGETS.flatMap(({ what, least, ratio }) => {
    const seen = ratio(speeds);
    if (seen === undefined) return [];
    const share = Math.round((1 - seen / least) * 100);
    return [[what, rounded(seen), seen >= least ? 'reached' : `missed by ${share} %`]];
  });
  return table(['target', 'measured', ''], rows);
}

function compiledTable(compiled: readonly Compiled[]): string {
  const rows = compiled.map(({ name, firstMs, againMs, compileMs, bytes }) => [
    name,
    `${rounded(firstMs)} ms`,
    `${rounded(againMs)} ms`,
    `${rounded(compileMs)} ms`,
    `${rounded(bytes / 2 ** 20)} MiB`,
  ]);
  return table(['', 'read, first', 'read again', 'compiled', 'memory'], rows);
}

/** Three significant digits, with thousands separators. */
export function rounded(number: number): string {
  const digits = Number(number.toPrecision(3));
  return digits.toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** A Markdown table with right-aligned numbers. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = titles.map((_, i) => (i === 0 ? '---' : '---:'));
  return [titles, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
