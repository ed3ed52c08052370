/** The packed package, installed in an empty folder, works as it does for a new user. */

import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import ts from 'typescript-5.4';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import webpack from 'webpack';
import { runContainer } from './support/package/container.ts';
import { addNodeTypes, BIN, installPackage, run } from './support/package/installed.ts';
import { runReadme } from './support/package/readme.ts';
import { temporaryFolder } from './support/policy/policy.ts';
import { IS_SOAK, sampled } from './support/sampled.ts';

const ROOT = resolve(import.meta.dirname, '..');

const EMBEDDED = `
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createDecider, createVerifyClient, type Decision, loadPolicy } from 'verdict-engine';
import schema from 'verdict-engine/rules/policy.schema.json' with { type: 'json' };
import { PERSONAS, SANDBOX_USERS, startSandbox } from 'verdict-engine/sandbox';

const service = await startSandbox();
const [user] = SANDBOX_USERS;
if (!user) throw new Error('the sandbox has no user');
const verify = createVerifyClient({ baseUrl: service.url, environment: 'sandbox', ...user });
const policy = loadPolicy(fileURLToPath(import.meta.resolve('verdict-engine/rules/onboarding.yaml')));
const decider = createDecider({ policy, verify });
const outcomes: Decision['outcome'][] = [];
for (const { phoneNo, email, ip } of PERSONAS.slice(0, 3)) {
  outcomes.push((await decider.decide({ phoneNo, email, ip })).outcome);
}
await verify.close();
await service.close();
const list = readFileSync(new URL(import.meta.resolve('verdict-engine/rules/lists/disposable-domains.txt')), 'utf8');
let stack: string | undefined;
try {
  loadPolicy('absent.yaml');
} catch (error) {
  if (error instanceof Error) stack = error.stack;
}
process.stdout.write(JSON.stringify({ outcomes, schema: schema.title, hasList: list.length > 0, stack }));
`;

/** Counts the orders to other threads. */
const WATCHING = `
import { appendFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { watchPolicy } from 'verdict-engine';

let orders = 0;
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (this: Worker, ...args: Parameters<typeof post>) {
  orders++;
  post.apply(this, args);
};
const file = 'project/rules/onboarding.yaml';
const watcher = watchPolicy(file, {
  pollMs: 50,
  onError: ({ message }) => { throw new Error(message); },
  onChange: ({ policy }) => {
    process.stdout.write(JSON.stringify([policy.description, orders]));
    watcher.close();
  },
});
appendFileSync(file, 'description: edited\\n');
`;

/** A compiler and how it finds modules; the everyday tests run the first two, and the older compiler for CommonJS. */
const COMPILERS = [
  ['typescript', 'nodenext', 'nodenext'],
  ['typescript', 'esnext', 'bundler'],
  ['typescript-5.4', 'esnext', 'bundler'],
  ['typescript-5.4', 'nodenext', 'nodenext'],
] as const;

/** A program that names every entry point. The library's types are checked with it: `skipLibCheck` is off. */
const TYPED = `
import * as verdict from 'verdict-engine';
import * as core from 'verdict-engine/core';
import { type PolicyDiff, diffPolicies, runTests } from 'verdict-engine/lab';
import { RE2 } from 'verdict-engine/patterns';
import * as sandbox from 'verdict-engine/sandbox';
export const decide = async (options: verdict.DeciderOptions): Promise<verdict.Outcome> => {
  const { outcome } = await verdict.createDecider(options).decide({ phoneNo: '+12025550101' });
  return outcome;
};
export const failed: number = runTests([]).failed;
export const compare = (old: verdict.Policy, now: verdict.Policy): Promise<PolicyDiff> =>
  diffPolicies(old, now, { at: '2026-11-20' });
export const read: verdict.Policy = core.loadPolicyText('', { patterns: RE2 });
// @ts-expect-error Nothing here is of the type any.
export const wrong: number = sandbox.startSandbox;
`;

/** How TypeScript that becomes CommonJS finds modules: without the `exports` of a package. */
const COMMON_JS: ts.CompilerOptions = {
  ...{ module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10, esModuleInterop: true },
  ...{ target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts'], types: ['node'] },
  ...{ strict: true, exactOptionalPropertyTypes: true },
};

/** Compiles a file of a folder to CommonJS; returns what is wrong in it and in the types of the package. */
function compileCommonJs(folder: string, file: string): readonly string[] {
  const options = { ...COMMON_JS, outDir: join(folder, 'common'), typeRoots: [join(folder, 'node_modules/@types')] };
  const program = ts.createProgram([join(folder, file)], options);
  // To check the types of Node takes longer than all else; so does to emit, unless it is told of one file.
  const own = program.getSourceFiles().filter(({ fileName }) => !/typescript-5\.4|@types|undici-types/.test(fileName));
  const diagnostics = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((each) => [...program.getSyntacticDiagnostics(each), ...program.getSemanticDiagnostics(each)]),
    ...program.emit(program.getSourceFile(join(folder, file))).diagnostics,
  ];
  return diagnostics.map(
    ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}

/** A program for a bundler, which runs where no package is: with a log, a client, both runners and a watched policy. */
const BUNDLED = `
import { appendFileSync, writeFileSync } from 'node:fs';
import { createAuditLog, createDecider, createVerifyClient, initAuditLog, loadPolicyText } from 'verdict-engine';
import { watchPolicy } from 'verdict-engine';
import { SANDBOX_USERS, startSandbox } from 'verdict-engine/sandbox';
async function main() {
  const sandbox = await startSandbox();
  const verify = createVerifyClient({ baseUrl: sandbox.url, environment: 'sandbox', ...SANDBOX_USERS[0] });
  const rule = '{ id: abroad, when: { all: [{ phone.valid: true }, { ip.country: DE }] }, then: review }';
  const policy = loadPolicyText('policy: p\\nversion: "1"\\ndefault: accept\\nrules: [' + rule + ']\\n');
  await initAuditLog({ dir: 'log', keys: 'keys' });
  const audit = await createAuditLog({ dir: 'log', keys: 'keys' });
  for (const runner of ['matcher', 'live'] as const) {
    const decider = createDecider({ policy, verify, audit, runner });
    const person = { phoneNo: '+12025550101', email: 'nora.whitfield@juniper-lane.example', ip: '203.0.113.11' };
    console.log(runner, (await decider.decide(person)).outcome);
  }
  await audit.close();
  await verify.close();
  await sandbox.close();
  const text = 'policy: p\\nversion: "1"\\ndefault: review\\n';
  writeFileSync('p.yaml', text);
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const onChange = ({ policy }: { policy: { description: string | undefined } }) => resolve(policy.description);
  const watcher = watchPolicy('p.yaml', { pollMs: 50, onChange, onError: reject });
  appendFileSync('p.yaml', 'description: edited\\n');
  console.log(await promise);
  watcher.close();
}
main();
`;

/** The `require` by which CommonJS packages in a bundle of ES modules load Node's own modules. */
const BANNER =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);';

/** The bytes that a folder takes on disk, in blocks of 512, as du counts them. */
function sizeOnDisk(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.map((path) => lstatSync(join(folder, path))).reduce((sum, { blocks }) => sum + 512 * blocks, 0);
}

const installed = await installPackage();
if (!installed) test.skip('NOT TESTED: the package cannot be installed without a registry');

describe.skipIf(!installed)('the packed package', () => {
  const { folder, tarball, files } = installed ?? { folder: '', tarball: '', files: [] };
  const modules = join(folder, 'node_modules');
  const size = installed ? sizeOnDisk(modules) : 0;
  const verdict = join(modules, '.bin/verdict');
  const project = join(folder, 'project');
  let made = '';

  beforeAll(async () => {
    addNodeTypes(folder);
    made = await run(verdict, ['init', 'project'], folder);
    // Instead of a second installation.
    symlinkSync(modules, join(project, 'node_modules'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains only the files that users need', () => {
    const tops = new Set(files.map((path) => path.split('/')[0]));
    const pages = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md'];
    expect([...tops].sort()).toEqual([...pages, 'dist', 'docs', 'package.json', 'rules', 'src']);
    const licences = 'dist/service/workbench/THIRD-PARTY.txt';
    const built = /^dist\/(?:.*(?<!\.d)\.(?:js|d\.ts)|(?:index|core|patterns|chunks\/.*)\.js\.map)$/;
    expect(files.filter((path) => path.startsWith('dist/') && !built.test(path))).toEqual([licences]);
    const others = files.filter((path) => /^docs\/(?!examples\/)/.test(path) && !path.endsWith('.md'));
    expect(others).toEqual(['docs/openapi.json']);
  });

  it('has pages whose links lead to files that it contains', () => {
    const broken = files.flatMap((page) => {
      if (!page.endsWith('.md') || page.startsWith('docs/examples/')) return [];
      const targets = readFileSync(join(modules, 'verdict-engine', page), 'utf8').matchAll(/\]\(([^)#:]+)[)#]/g);
      const paths = [...targets].map(([, target = '']) => join(dirname(page), target));
      return paths.filter((path) => !existsSync(join(modules, 'verdict-engine', path)));
    });
    // Pictures of pages, too large for what they show.
    const pictures = [
      ...['backtest-page', 'decision-page', 'release-edit', 'release-in-force', 'release-judge'],
      ...['workbench-case', 'workbench-decision', 'workbench-home'],
    ];
    expect([...new Set(broken)].sort()).toEqual(pictures.map((name) => `docs/${name}.png`));
  });

  it('has a manifest that fits its files', async () => {
    expect(await run(join(BIN, 'publint'), ['run', '--strict', tarball], folder)).toContain('All good!');
  });

  it('runs no script when it is installed', () => {
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
    expect(packages['node_modules/verdict-engine']).toBeDefined();
    const scripted = Object.keys(packages).filter((name) => packages[name].hasInstallScript);
    expect(scripted).toEqual([]);
  });

  it('takes less than 47 MB on disk with its dependencies, and leaves optional packages to the application', () => {
    expect(size).toBeLessThan(47 * 2 ** 20);
    expect(['@duckdb', '@opentelemetry'].filter((name) => existsSync(join(modules, name)))).toEqual([]);
  });

  // Every day, that programs compile below shows what can go wrong most easily.
  it.runIf(IS_SOAK)('resolves its types wherever it resolves its modules', async () => {
    // CommonJS cannot import an ES module, and node10 does not read `exports`.
    expect(await run(join(BIN, 'attw'), [tarball, '--profile', 'esm-only'], folder)).toContain('node16 (from ESM): 🟢');
  });

  it.each(COMPILERS.slice(0, sampled(2, COMPILERS.length)))(
    'has types that compile under strict, with those of no other package (%s, module %s, resolution %s)',
    async (compiler, module, moduleResolution) => {
      writeFileSync(join(folder, 'typed.ts'), TYPED);
      const files = ['typed.ts', 'project/service.js', 'project/policy.test.js'];
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--allowJs', '--types', 'node'];
      const target = ['--target', 'es2022', '--lib', 'es2022,esnext.disposable'];
      const resolution = ['--module', module, '--moduleResolution', moduleResolution];
      const tsc = join(ROOT, 'node_modules', compiler, 'bin/tsc');
      const options = [...strict, ...target, ...resolution, '--listFiles'];
      const read = (await run(process.execPath, [tsc, ...options, ...files], folder)).split('\n');
      // The types of Node are linked from elsewhere.
      const packages = read.flatMap((file) => new RegExp(`^${modules}/(@[^/]+/[^/]+|[^/]+)`).exec(file)?.[1] ?? []);
      expect([...new Set(packages)]).toEqual(['verdict-engine']);
    },
  );

  it('has types for CommonJS, which loads it with require', async () => {
    writeFileSync(join(folder, 'common.ts'), TYPED);
    expect(compileCommonJs(folder, 'common.ts')).toEqual([]);
    writeFileSync(join(folder, 'common/package.json'), '{ "type": "commonjs" }');
    const use = "const { failed, read } = require('./common.js'); console.log(failed)";
    const error = await run(process.execPath, ['-e', use], join(folder, 'common')).catch(({ message }) => message);
    // It reads an empty policy, and says so: the error is that of the package.
    expect(error).toContain('POLICY_INVALID');
  });

  it.each([
    ['esm', 'mjs', [`--banner:js=${BANNER}`]],
    ['cjs', 'cjs', []],
  ])('can be bundled (%s), and the bundle runs where no package is', async (format, ending, more) => {
    writeFileSync(join(folder, 'bundled.ts'), BUNDLED);
    const alone = temporaryFolder();
    const outfile = `--outfile=${join(alone, `main.${ending}`)}`;
    const options = ['--bundle', '--platform=node', `--format=${format}`, outfile, '--log-level=warning', ...more];
    const said = await run(join(BIN, 'esbuild'), ['bundled.ts', ...options], folder);
    const printed = await run(process.execPath, [`main.${ending}`], alone);
    expect([said, printed]).toEqual(['', 'matcher accept\nlive accept\nedited\n']);
  });

  it('can be bundled (webpack), without an error or a warning, and the bundle runs where no package is', async () => {
    writeFileSync(join(folder, 'bundled.mjs'), stripTypeScriptTypes(BUNDLED));
    const alone = temporaryFolder();
    const output = { path: alone, filename: 'main.cjs' };
    const compiler = webpack({ mode: 'production', target: 'node22', context: folder, entry: './bundled.mjs', output });
    const stats = await new Promise<string>((done, fail) =>
      compiler.run((error, found) =>
        error ? fail(error) : done(found?.toString({ all: false, errors: true, warnings: true }) ?? 'no statistics'),
      ),
    );
    expect(stats).toBe('');
    expect(await run(process.execPath, ['main.cjs'], alone)).toBe('matcher accept\nlive accept\nedited\n');
  });

  it('has a core whose types need none of Node', async () => {
    const exported = ["{ loadPolicyText } from 'verdict-engine/core'", "{ RE2 } from 'verdict-engine/patterns'"];
    writeFileSync(join(folder, 'browser.ts'), exported.map((each) => `export ${each};\n`).join(''));
    const browser = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom', '--module', 'nodenext'];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(await run(process.execPath, [tsc, ...browser, 'browser.ts'], folder)).toBe('');
  });

  it('decides in a program, with its own rules, and stacks that name its TypeScript source', async () => {
    writeFileSync(join(folder, 'main.ts'), EMBEDDED);
    const found = JSON.parse(await run(process.execPath, ['--enable-source-maps', 'main.ts'], folder));
    expect(found).toMatchObject({ outcomes: ['accept', 'review', 'reject'], schema: 'Policy', hasList: true });
    const [, file = '', line] = /verdict-engine\/(src\/\S+?\.ts):(\d+)/.exec(found.stack) ?? [];
    const source = readFileSync(join(ROOT, file), 'utf8').split('\n');
    expect(source[Number(line) - 1]).toContain('new DiagnosticsError(');
    expect(found.stack).toMatch(/^DiagnosticsError: /);
  });

  it('reads an edited policy in a thread of its own', async () => {
    const rules = join(project, 'rules/onboarding.yaml');
    const before = readFileSync(rules, 'utf8');
    writeFileSync(rules, before.replace(/^description: .*\n(?: .*\n)*/m, ''));
    writeFileSync(join(folder, 'watching.ts'), WATCHING);
    expect(JSON.parse(await run(process.execPath, ['watching.ts'], folder))).toEqual(['edited', 1]);
    writeFileSync(rules, before);
  });

  it('runs as a command', async () => {
    const args = ['decide', '--sandbox', '--phone', '+12025550101', '--json'];
    expect(JSON.parse(await run(verdict, args, folder))).toMatchObject({
      outcome: 'review',
      engine: expect.any(String),
    });
    expect(await run(verdict, ['facts'], folder)).toContain('phone.riskLevel');
  });

  it('says how to install what the HTTP service needs', async () => {
    const message = /verdict serve needs fastify, which cannot be loaded; .*: npm install fastify@5/;
    await expect(run(verdict, ['serve', '--try', '--port', '0'], folder)).rejects.toThrow(message);
  });

  it('runs in the container of the documentation', async ({ skip }) => {
    const ran = await runContainer({ project, modules });
    if (!ran) return skip('NOT TESTED: bubblewrap or postgresql is not installed, or may not be used here');
    expect(ran.answer).toMatchObject({ status: 200, body: { outcome: 'review' } });
    expect(ran.probes).toEqual({ '/readyz': 200, '/livez': 200 });
    expect(ran.cannotWrite).toEqual(['/app', '/keys', '/etc']);
    expect(ran.migrated).toEqual([
      expect.stringMatching(/^the tables of the state are up to date; run now: 0001-tables, /),
      'the tables of the log are up to date; run now: 0001-tables',
      'the tables of the keys are up to date; run now: 0001-tables',
      expect.stringMatching(/velocity/i),
    ]);
  });

  describe('verdict init', () => {
    it('makes the shipped rules, a test and a service, and never writes into a folder with files', async () => {
      expect(made).toContain('Made 27 files in project');
      expect(readdirSync(project).sort()).toEqual([
        '.env.example',
        '.gitignore',
        '.vscode',
        'README.md',
        'node_modules',
        'package.json',
        'policy.test.js',
        'rules',
        'serve.yaml',
        'service.js',
      ]);
      await expect(run(verdict, ['init', 'project'], folder)).rejects.toThrow(
        'project is not empty (.env.example and 9 more)',
      );
    });

    it('asks for the packed file that it came from, or else for the version that made it', async () => {
      const read = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      const [fastify, z3] = ['fastify', 'z3-solver'].map((name) => read(ROOT).peerDependencies[name]);
      const others = { fastify, 'z3-solver': z3 };
      expect(read(project).dependencies).toEqual({ ...others, 'verdict-engine': `file:../${basename(tarball)}` });
      const made = temporaryFolder();
      await run(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'init', 'another'], made);
      const own = { 'verdict-engine': `^${read(ROOT).version}` };
      expect(read(join(made, 'another')).dependencies).toEqual({ ...others, ...own });
    });

    it('leads editors to the schemas of the package', () => {
      const settings = JSON.parse(readFileSync(join(project, '.vscode/settings.json'), 'utf8'));
      const schemas = Object.keys(settings['yaml.schemas']).map((path) => resolve(project, path));
      const files = readdirSync(join(project, 'rules'), { recursive: true, encoding: 'utf8' });
      const yaml = files.filter((file) => file.endsWith('.yaml')).map((file) => join(project, 'rules', file));
      for (const file of yaml) {
        const [, path = ''] = /^# yaml-language-server: \$schema=(.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
        expect(schemas).toContain(resolve(dirname(file), path));
      }
      expect(yaml.length).toBeGreaterThan(10);
      expect(schemas.filter((path) => !existsSync(path))).toEqual([]);
    });

    it('makes a README whose commands all work', async () => {
      // `npm install` of the project would add them.
      for (const name of ['fastify', 'z3-solver']) {
        symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
      }
      const printed = await runReadme(project);
      const outputOf = (part: string) => [...printed].find(([command]) => command.includes(part))?.[1];
      expect(outputOf('check')).toContain('0 errors, 0 warnings');
      expect(outputOf('verdict test')).toMatch(/^(\d+) tests: \1 passed$/m);
      expect(outputOf('npm test')).toContain('pass 3');
      expect(outputOf('decide')).toContain('REVIEW');
      expect(outputOf('curl')).toContain('"outcome":"reject"');
      expect(printed.size).toBe(11);
    });
  });
});
