/** The arrows of the architecture, held: what each folder may import, and which package lives where. */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** Data goes from left to right; a stage imports only itself and what stands left of it. */
const STAGES = [
  'errors',
  'text',
  'diagnostics',
  'version',
  'platform',
  'signals',
  'facts',
  'policy',
  'decision',
  'audit',
  'suggest',
  'report',
  'cli',
];

/** The folder or file that each package belongs to; a package that is not here is not a dependency. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  '@duckdb/node-api': ['decision/sql/duckdb/'],
  '@opentelemetry/api': ['platform/telemetry.ts'],
  '@rapideditor/country-coder': ['facts/derive.ts'],
  axios: ['signals/'],
  'big.js': ['facts/', 'suggest/'],
  canonicalize: ['platform/digest.ts'],
  cockatiel: ['signals/'],
  commander: ['cli/'],
  'csv-parse': ['cli/'],
  'ipaddr.js': ['signals/request.ts'],
  'json-p3': ['facts/mapping/path.ts'],
  'json-rules-engine': ['decision/live/'],
  'libphonenumber-js': ['signals/phone-number.ts'],
  re2js: ['policy/read/argument.ts'],
  'string-width': ['cli/terminal/'],
  uuid: ['audit/', 'decision/decide.ts'],
  yaml: ['platform/yaml.ts'],
  zod: ['signals/', 'facts/', 'audit/', 'cli/'],
};

/** A folder with more files answers more than one question. */
const MOST_FILES = 16;

interface Import {
  readonly file: string;
  readonly specifier: string;
}

/** Imports and re-exports, side-effect imports, then dynamic imports and `require`. */
const STATIC = /^(?:import|export)\b[^;'=(]*\bfrom\s+'([^']+)'/gm;
const SIDE_EFFECT = /^import\s+'([^']+)'/gm;
const DYNAMIC = /\b(?:import|require)\(\s*'([^']+)'/g;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const imports: readonly Import[] = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = [STATIC, SIDE_EFFECT, DYNAMIC].flatMap((form) => [...text.matchAll(form)]);
  return found.map(([, specifier = '']) => ({ file, specifier }));
});

const inside = imports.filter(({ specifier }) => specifier.startsWith('.'));

function stageOf(file: string): string {
  return (file.split('/')[0] ?? '').replace(/\.ts$/, '');
}

function targetOf({ file, specifier }: Import): string {
  return relative(SRC, resolve(SRC, dirname(file), specifier));
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

describe('the layers', () => {
  it('are found at all', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports.some(({ specifier }) => specifier === 'axios')).toBe(true);
  });

  it('import only leftwards', () => {
    const wrong = inside.filter((found) => {
      if (stageOf(found.file) === 'index') return false;
      const [from, to] = [stageOf(found.file), stageOf(targetOf(found))];
      if (from === 'sandbox') return to !== 'sandbox';
      if (to === 'sandbox') return from !== 'cli';
      return !STAGES.includes(from) || !STAGES.includes(to) || STAGES.indexOf(to) > STAGES.indexOf(from);
    });
    expect(wrong).toEqual([]);
  });

  it('have no file that reaches itself through imports, types included', () => {
    const targets = new Map(files.map((file) => [file, inside.filter((each) => each.file === file).map(targetOf)]));
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, trail: readonly string[]): void => {
      const at = trail.indexOf(file);
      if (at >= 0) circles.push([...trail.slice(at), file].join(' -> '));
      if (at >= 0 || done.has(file)) return;
      for (const target of targets.get(file) ?? []) visit(target, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('give no two files of a stage one name', () => {
    const names = Map.groupBy(files, (file) => `${stageOf(file)}: ${basename(file)}`);
    expect([...names.values()].filter((same) => same.length > 1)).toEqual([]);
  });

  it('hold about a dozen files a folder', () => {
    const folders = Map.groupBy(files, (file) => dirname(file));
    const crowded = [...folders].filter(([, inFolder]) => inFolder.length > MOST_FILES).map(([folder]) => folder);
    expect(crowded).toEqual([]);
  });

  it('keep each package in its one home', () => {
    const outside = imports.filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'));
    const wrong = outside.filter(({ file, specifier }) => {
      const homes = HOMES[packageOf(specifier)] ?? [];
      return !homes.some((home) => file === home || (home.endsWith('/') && file.startsWith(home)));
    });
    expect(wrong).toEqual([]);
  });

  it('have a home for every dependency, and a dependency for every home', () => {
    const manifest = JSON.parse(readFileSync(resolve(SRC, '../package.json'), 'utf8'));
    expect(Object.keys(HOMES).sort()).toEqual(
      Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).sort(),
    );
  });
});
