/**
 * `node test/soak/mutants.ts [--of signals] [--sample 100] [--seed 1] [--jobs 2] [--minutes 60]`: small changes of the
 * source, one at a time -> which of them no test notices, with the share of those that one does.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { dice, shuffle } from '../bench/dice.ts';
import { formatTable } from '../support/table.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Each folder of the source, and the tests that cover it: quick ones, which fail within seconds. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  'decision/meaning': [
    'decision/meaning/',
    ...['decide', 'fetch/staged-facts', 'live/', 'explain/explain', 'computed'].map((name) => `decision/${name}`),
    ...['conformance/runners', 'policy/fold'],
  ],
  'policy/read': [
    ...['policy/read/', 'docs/checks-pages', 'policy/check', 'policy/editor', 'policy/watch', 'conformance/runners'],
  ],
  'facts/mapping': ['facts/', 'platform/data-tree', 'docs/mapping-schema'],
  signals: [
    ...[
      'circuit-breaker',
      'client',
      'credentials',
      'daily-limit',
      'failure',
      'limits',
      'options',
      'request',
      'resend',
      'session',
    ].map((name) => `signals/${name}.`),
    'signals/http',
    'platform/telemetry',
  ],
};

/** The shortest time after which a run hangs, which is noticed; and how often the time of an unchanged run. */
const LEAST_TIMEOUT_MS = 180_000;
const TIMEOUT_FACTOR = 5;

/** Test files are run in steps: those that take less than a second, less than five, and the rest. */
const STEPS_MS = [1000, 5000, Number.POSITIVE_INFINITY];

interface Mutant {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Test files that run together. */
interface Step {
  readonly tests: readonly string[];
  readonly timeoutMs: number;
}

/** What is read of Vitest's JSON report. */
interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly duration?: number }[];
  }[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};
const OTHER_METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  filter: 'slice',
};

/** What a node could be instead. */
function changesOf(node: Node, source: string): readonly Omit<Mutant, 'file'>[] {
  const { type, start, end } = node;
  const whole = (text: string) => ({ start, end, text });
  switch (type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const [left, right] = [node['left'] as Node, node['right'] as Node];
      const opposite = OPPOSITES[node['operator'] as string];
      if (opposite === undefined) return [];
      const between = source.slice(left.end, right.start);
      return [{ start: left.end, end: right.start, text: between.replace(node['operator'] as string, opposite) }];
    }
    case 'UnaryExpression':
      return node['operator'] === '!' ? [whole(source.slice((node['argument'] as Node).start, end))] : [];
    case 'Literal':
      if (typeof node['value'] === 'number') return [whole(String(node['value'] + 1))];
      if (typeof node['value'] === 'boolean') return [whole(String(!node['value']))];
      return [];
    case 'IfStatement':
    case 'ConditionalExpression': {
      const test = node['test'] as Node;
      return ['true', 'false'].map((text) => ({ start: test.start, end: test.end, text }));
    }
    case 'ExpressionStatement':
      return [whole(';')];
    case 'ReturnStatement': {
      const argument = node['argument'] as Node | null;
      const isConstant = !argument || argument.type === 'Literal' || argument['name'] === 'undefined';
      return isConstant ? [] : [whole('return undefined as never;')];
    }
    case 'CallExpression': {
      const property = (node['callee'] as Node)['property'] as Node | undefined;
      const other = OTHER_METHODS[String(property?.['name'])];
      return property && other !== undefined ? [{ start: property.start, end: property.end, text: other }] : [];
    }
    default:
      return [];
  }
}

/** Every change of a file. Types are left alone: no run sees them. */
function mutantsOf(file: string): Mutant[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const mutants: Mutant[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (typeof value !== 'object' || value === null || !('type' in value)) return;
    const node = value as Node;
    if (node.type.startsWith('TS') && !/^TS(As|NonNull|Satisfies)/.test(node.type)) return;
    mutants.push(...changesOf(node, source).map((change) => ({ file, ...change })));
    for (const [key, part] of Object.entries(node)) if (key !== 'typeAnnotation') visit(part);
  };
  visit(parseSync(file, source).program.body);
  return mutants;
}

/** A copy of the checkout, in which mutants are run one after the other. */
class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'verdict-mutants-'));

  constructor() {
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
    for (const file of files.trim().split('\n')) cpSync(join(ROOT, file), join(this.folder, file));
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Runs the tests unchanged -> the test files in steps, the quickest first, so that most mutants end early. */
  async measure(tests: readonly string[]): Promise<readonly Step[]> {
    const report = join(this.folder, 'mutants.json');
    const code = await this.run(tests, undefined, ['--reporter=json', `--outputFile=${report}`]);
    if (code !== 0) throw new Error(`the tests ${tests.join(', ')} fail as they are`);
    const { testResults }: TestReport = JSON.parse(readFileSync(report, 'utf8'));
    const timed = testResults.map(({ name, assertionResults }) => ({
      file: relative(join(this.folder, 'test'), name),
      ms: assertionResults.reduce((sum, { duration = 0 }) => sum + duration, 0),
    }));
    return STEPS_MS.map((limit, i) => {
      const files = timed.filter(({ ms }) => ms < limit && ms >= (STEPS_MS[i - 1] ?? 0));
      const timeoutMs = Math.max(LEAST_TIMEOUT_MS, TIMEOUT_FACTOR * files.reduce((sum, { ms }) => sum + ms, 0));
      return { tests: files.map(({ file }) => file), timeoutMs };
    }).filter(({ tests: files }) => files.length > 0);
  }

  /** Whether a test fails with the mutant, or hangs. */
  async isNoticed({ file, start, end, text }: Mutant, steps: readonly Step[]): Promise<boolean> {
    const path = join(this.folder, file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, source.slice(0, start) + text + source.slice(end));
    try {
      for (const { tests, timeoutMs } of steps) if ((await this.run(tests, timeoutMs)) !== 0) return true;
      return false;
    } finally {
      writeFileSync(path, source);
    }
  }

  /** The exit code of the tests; null for a run that hangs. */
  async run(tests: readonly string[], timeoutMs?: number, more: readonly string[] = []): Promise<number | null> {
    const args = ['run', '--config', 'test/vitest.config.ts', '--bail', '1', '--maxWorkers', '1', ...more, ...tests];
    const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), args, {
      cwd: this.folder,
      stdio: 'ignore',
      detached: true,
    });
    // The workers of a mutant that loops end with their process group.
    const timer = timeoutMs && setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), timeoutMs);
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(timer);
    return code;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** `src/a.ts:3: x < 1 -> x <= 1` */
function describeMutant({ file, start, end, text }: Mutant): string {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const line = source.slice(0, start).split('\n').length;
  const lineStart = source.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = source.indexOf('\n', end);
  const before = source.slice(lineStart, lineEnd).replaceAll(/\s+/g, ' ').trim();
  const after = (source.slice(lineStart, start) + text + source.slice(end, lineEnd)).replaceAll(/\s+/g, ' ').trim();
  return `${file}:${line}: ${before}  ->  ${after}`;
}

const { values: options } = parseArgs({
  options: {
    of: { type: 'string', default: Object.keys(AREAS).join() },
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    /** For each area; the score is that of the changes tried by then. */
    minutes: { type: 'string', default: '60' },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});
const rows: string[][] = [['source', 'changes', 'tried', 'noticed', 'score']];
const benches = Array.from({ length: Number(options.jobs) }, () => new Bench());
try {
  for (const area of options.of.split(',')) await tryArea(area);
} finally {
  for (const bench of benches) bench.close();
}
process.stdout.write(`\n${formatTable(rows)}`);

/** A sample of the changes of one area. */
async function tryArea(area: string): Promise<void> {
  const tests = AREAS[area];
  if (!tests) throw new Error(`--of takes ${Object.keys(AREAS).join(', ')}`);
  const named = execFileSync('git', ['ls-files', 'test'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  const gone = tests.filter((name) => !named.some((file) => file.startsWith(`test/${name}`)));
  if (gone.length > 0) throw new Error(`no test is called ${gone.join(', ')}`);
  const steps = (await benches[0]?.measure(tests)) ?? [];
  const files = execFileSync('git', ['ls-files', `src/${area}`], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  const all = files.flatMap(mutantsOf);
  const sample = shuffle(all, dice(Number(options.seed))).slice(0, Number(options.sample));
  const end = Date.now() + Number(options.minutes) * 60_000;
  const queue = [...sample];
  let noticed = 0;
  let tried = 0;
  const work = async (bench: Bench) => {
    for (let mutant = queue.shift(); mutant && Date.now() < end; mutant = queue.shift()) {
      if (await bench.isNoticed(mutant, steps)) noticed += 1;
      else process.stdout.write(`${describeMutant(mutant)}\n`);
      tried += 1;
      process.stderr.write(`${area}: ${noticed} of ${tried} noticed, ${sample.length - tried} to go\n`);
    }
  };
  await Promise.all(benches.map(work));
  const score = `${Math.round((100 * noticed) / tried)} %`;
  rows.push([area, String(all.length), String(tried), String(noticed), score]);
}
