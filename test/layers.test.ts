/** The layers of the architecture: which stages each stage may import, and which folder may use which package. */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** Data flows in this order; a stage imports only itself and earlier ones. Two folders of the platform are stages. */
const STAGES = [
  'errors',
  'text',
  'platform/given',
  'diagnostics',
  'version',
  'platform',
  'platform/formats',
  'signals',
  'facts',
  'policy',
  'decision',
  'audit',
  'stores',
  'lab',
  'report',
  'release',
  'service',
  'cli',
];

/**
 * Three stages have an order of their own: policies are read before they are checked, a log is written, read and then
 * asked, and the lab has states, the solver, questions, and then what is asked. Keys are in the store, and seal it.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  policy: ['cells', 'read', 'check', 'editor', 'watch'],
  audit: ['entry', 'keys store', 'read', 'index', 'verify', 'checkpoint', 'retain', 'query'],
  lab: [
    'limits',
    'steps',
    'space',
    'solver',
    'question',
    'test',
    'diff',
    'cases',
    'mutate',
    'backtest',
    'impact',
    'prove',
    'suggest',
  ],
};

/** The folders or files that may import each package. Every dependency is listed here. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['autocomplete', 'commands', 'lang-yaml', 'language', 'lint', 'search', 'state', 'view'].map((name) => [
      `@codemirror/${name}`,
      ['service/workbench/browser/'],
    ]),
  ),
  '@duckdb/node-api': ['decision/rows/'],
  '@opentelemetry/api': ['platform/telemetry.ts'],
  '@rapideditor/country-coder': ['platform/formats/geo/world.ts'],
  axios: ['signals/http/http.ts'],
  '@lezer/highlight': ['service/workbench/browser/'],
  '@noble/hashes': ['platform/digest.ts'],
  '@redis/client': ['stores/velocity/velocity-redis.ts'],
  'big.js': ['facts/', 'lab/suggest/'],
  canonicalize: ['platform/digest.ts'],
  cockatiel: ['signals/'],
  commander: ['cli/'],
  'd3-scale': ['service/workbench/parts/chart.ts', 'service/workbench/parts/lanes.ts'],
  'd3-time-format': ['service/workbench/parts/chart.ts', 'service/workbench/parts/lanes.ts'],
  diff: ['service/workbench/data/releases/text-difference.ts'],
  'ipaddr.js': ['platform/formats/ip.ts'],
  fastify: ['service/server.ts', 'service/request.ts', 'service/workbench/page-server.ts'],
  'json-p3': ['facts/mapping/path.ts'],
  'json-rules-engine': ['decision/live/'],
  'libphonenumber-js': ['platform/formats/geo/world.ts'],
  'openid-client': ['service/auth/sign-in.ts'],
  pg: ['platform/homes/connections.ts'],
  'proxy-from-env': ['signals/http/connection.ts'],
  re2js: ['platform/formats/re2.ts'],
  'string-width': ['report/plain-text.ts'],
  uuid: ['audit/'],
  yaml: ['platform/yaml.ts', 'platform/syntax/'],
  'z3-solver': ['lab/solver/'],
  zod: ['facts/', 'audit/', 'release/', 'service/', 'cli/'],
};

/** What `verdict-engine/core` may import, in a browser too. */
const CORE_PACKAGES = ['@noble/hashes', 'canonicalize', 'ipaddr.js', 'yaml'];

/** What `verdict-engine` loads as it is imported; larger packages are loaded when they are first used. */
const LIBRARY_PACKAGES = [...CORE_PACKAGES, 'big.js', 'json-p3', 'proxy-from-env', 're2js', 'uuid'];

/** A folder with more files needs a subfolder. */
const MOST_FILES = 16;

interface Import {
  readonly file: string;
  readonly specifier: string;
  /** Whether it loads a module as soon as its file is loaded. */
  readonly isLoaded: boolean;
}

/** Imports and re-exports, side-effect imports, then dynamic imports and `require`. */
const STATIC = /^(?:import|export)\b[^;'=(]*\bfrom\s+'([^']+)'/gm;
const SIDE_EFFECT = /^import\s+'([^']+)'/gm;
const DYNAMIC = /\b(?:import|require)(?:<[^>]*>)?\(\s*'([^']+)'/g;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const imports: readonly Import[] = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [STATIC, SIDE_EFFECT, DYNAMIC].flatMap((form) =>
    [...text.matchAll(form)].map(([statement, specifier = '']) => {
      const isLoaded = form !== DYNAMIC && !/^\w+\s+type\b/.test(statement);
      return { file, specifier, isLoaded };
    }),
  );
});

const inside = imports.filter(({ specifier }) => specifier.startsWith('.'));

function roomOf(file: string): string {
  return (file.split('/')[0] ?? '').replace(/\.ts$/, '');
}

function stageOf(file: string): string {
  return STAGES.find((stage) => stage.includes('/') && file.startsWith(`${stage}/`)) ?? roomOf(file);
}

function targetOf({ file, specifier }: Import): string {
  return relative(SRC, resolve(SRC, dirname(file), specifier));
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The packages that a file and all that it reaches by some imports import, sorted. */
function packagesOf(entry: string, among: readonly Import[]): readonly string[] {
  const importsOf = Map.groupBy(among, ({ file }) => file);
  const reached = new Set([entry]);
  const packages = new Set<string>();
  for (const file of reached) {
    for (const found of importsOf.get(file) ?? []) {
      if (found.specifier.startsWith('.')) reached.add(targetOf(found));
      else packages.add(packageOf(found.specifier));
    }
  }
  return [...packages].sort();
}

describe('the layers', () => {
  it('have imports to check', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports.some(({ specifier }) => specifier === 'axios')).toBe(true);
  });

  it('import only themselves and earlier stages', () => {
    const wrong = inside.filter((found) => {
      if (['index', 'bundle', 'core', 'patterns'].includes(stageOf(found.file))) return false;
      const [from, to] = [stageOf(found.file), stageOf(targetOf(found))];
      if (from === 'sandbox') return to !== 'sandbox';
      if (to === 'sandbox') return from !== 'cli';
      return !STAGES.includes(from) || !STAGES.includes(to) || STAGES.indexOf(to) > STAGES.indexOf(from);
    });
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(FOLDERS))('of the %s import only themselves and earlier ones', (stage, order) => {
    const folderOf = (file: string) => {
      const [own, folder = '', ...rest] = file.split('/');
      // Beside the folders of policies stands what they share, and what joins them.
      return own === stage && (rest.length > 0 || stage === 'lab') ? folder.replace('.ts', '') : undefined;
    };
    const wrong = inside.filter((found) => {
      const [from, to] = [folderOf(found.file), folderOf(targetOf(found))];
      if (from === undefined || to === undefined) return false;
      const [place, other] = [from, to].map((each) => order.findIndex((folders) => folders.split(' ').includes(each)));
      return place === undefined || place < 0 || other === undefined || other < 0 || other > place;
    });
    expect(wrong).toEqual([]);
  });

  it('have pages that know nothing of the service that sends them', () => {
    const isPage = (file: string) => /^service\/workbench\/(?:(?:pages|parts|words|browser)\/|stylesheet\.)/.test(file);
    const pages = inside.filter(({ file }) => isPage(file));
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.filter((found) => roomOf(targetOf(found)) === 'service' && !isPage(targetOf(found)))).toEqual([]);
  });

  it('have a core that needs no Node and none of the large packages, not even for its types', () => {
    expect(packagesOf('core.ts', imports)).toEqual(CORE_PACKAGES);
    expect(packagesOf('patterns.ts', imports)).toEqual(['re2js']);
  });

  it('load no large package before it is used', () => {
    const loaded = imports.filter(({ isLoaded, specifier }) => isLoaded && !specifier.startsWith('node:'));
    expect(packagesOf('index.ts', loaded)).toEqual(LIBRARY_PACKAGES.toSorted());
    expect(packagesOf('lab.ts', loaded)).not.toContain('z3-solver');
    // Every command starts with all of these, `--version` too.
    expect(packagesOf('cli/program.ts', loaded)).toEqual(['commander']);
  });

  it('have a bundle with every package that is loaded when it is first used', () => {
    const late = files.flatMap((file) => {
      const text = readFileSync(join(SRC, file), 'utf8');
      return [...text.matchAll(/\brequire<[^(]*>\('([^']+)'\)/g)].map(([, name = '']) => name);
    });
    const needed = new Set(late).difference(new Set(['@opentelemetry/api']));
    const bundled = imports.filter(({ file }) => file === 'bundle.ts').map(({ specifier }) => specifier);
    expect([...needed].filter((name) => !bundled.includes(name))).toEqual([]);
    expect(needed.size).toBeGreaterThan(5);
  });

  it('have no import cycles, including type imports', () => {
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

  it('have unique file names in each stage', () => {
    const names = Map.groupBy(files, (file) => `${roomOf(file)}: ${basename(file)}`);
    expect([...names.values()].filter((same) => same.length > 1)).toEqual([]);
  });

  it('have about a dozen files per folder', () => {
    const folders = Map.groupBy(files, (file) => dirname(file));
    const crowded = [...folders].filter(([, inFolder]) => inFolder.length > MOST_FILES).map(([folder]) => folder);
    expect(crowded).toEqual([]);
  });

  it('import each package only in its place', () => {
    const outside = imports.filter(({ file, specifier }) => file !== 'bundle.ts' && !/^(\.|node:)/.test(specifier));
    const wrong = outside.filter(({ file, specifier }) => {
      const homes = HOMES[packageOf(specifier)] ?? [];
      return !homes.some((home) => file === home || (home.endsWith('/') && file.startsWith(home)));
    });
    expect(wrong).toEqual([]);
  });

  it('have a place for every dependency, and a dependency for every place', () => {
    const manifest = JSON.parse(readFileSync(resolve(SRC, '../package.json'), 'utf8'));
    // What the editor of the pages is bundled from.
    const bundled = Object.keys(manifest.devDependencies).filter((name) => /^@(?:codemirror|lezer)\//.test(name));
    const installed = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
    expect(Object.keys(HOMES).sort()).toEqual([...Object.keys(installed), ...bundled].sort());
  });
});
