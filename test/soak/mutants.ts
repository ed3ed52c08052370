/**
 * `node test/soak/mutants.ts [--of signals] [--sample 100] [--seed 1] [--jobs 2]`: small changes of the source, one at a
 * time -> which of them no test notices, with the share of those that one does.
 */

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { dice, shuffle } from '../bench/dice.ts';
import { formatTable } from '../support/table.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Each folder of the source, and the tests that hold it. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  'decision/meaning': ['decision/meaning', 'decision/operators', 'conformance'],
  'policy/read': ['policy/read', 'docs/diagnostics-page', 'policy/check', 'conformance/cases'],
  'facts/mapping': ['facts/', 'platform/data-tree', 'docs/mapping-schema'],
  signals: ['signals/'],
};

/** A run that takes longer hangs, which is noticed. */
const TIMEOUT_MS = 180_000;

interface Mutant {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
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
      return argument && argument.type !== 'Literal' ? [whole('return undefined as never;')] : [];
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

  /** Whether a test fails with the mutant, or hangs: the quick tests are asked first. */
  async isNoticed({ file, start, end, text }: Mutant, tests: readonly string[]): Promise<boolean> {
    const source = readFileSync(join(ROOT, file), 'utf8');
    writeFileSync(join(this.folder, file), source.slice(0, start) + text + source.slice(end));
    try {
      return (await this.run(tests, 'quick')) !== 0 || (await this.run(tests)) !== 0;
    } finally {
      writeFileSync(join(this.folder, file), source);
    }
  }

  /** The exit code of the tests; null for a run that hangs. */
  run(tests: readonly string[], kind?: 'quick'): Promise<number | null> {
    const args = ['run', '--config', 'test/vitest.config.ts', '--bail', '1', '--maxWorkers', '1', ...tests];
    const env = { ...process.env, VERDICT_TEST: kind };
    const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), args, {
      cwd: this.folder,
      env,
      stdio: 'ignore',
      detached: true,
    });
    // The workers of a mutant that loops end with their process group.
    const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), TIMEOUT_MS);
    return new Promise((done) => child.on('exit', (code) => done(code))).finally(() => clearTimeout(timer)) as Promise<
      number | null
    >;
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
  if ((await benches[0]?.run(tests)) !== 0) throw new Error(`the tests of ${area} fail as they are`);
  const files = execFileSync('git', ['ls-files', `src/${area}`], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  const all = files.flatMap(mutantsOf);
  const sample = shuffle(all, dice(Number(options.seed))).slice(0, Number(options.sample));
  let noticed = 0;
  const queue = [...sample];
  const work = async (bench: Bench) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      if (await bench.isNoticed(mutant, tests)) noticed += 1;
      else process.stdout.write(`${describeMutant(mutant)}\n`);
    }
  };
  await Promise.all(benches.map(work));
  const score = `${Math.round((100 * noticed) / sample.length)} %`;
  rows.push([area, String(all.length), String(sample.length), String(noticed), score]);
}
