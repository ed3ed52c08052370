/** The Dockerfile, the Job and the probes of the documentation -> what the entry point does, without Docker. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { ROOT } from '../docs/docs.ts';
import { freePort } from '../ports.ts';
import { environmentOf } from '../signals/service.ts';
import { HAS_POSTGRES, KEY, PostgresServer } from '../stores/state/postgres.ts';
import { run } from './installed.ts';

const EXAMPLES = join(ROOT, 'docs/examples');

/** An instruction of a Dockerfile. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

function instructions(): readonly Instruction[] {
  const lines = readFileSync(join(EXAMPLES, 'container/Dockerfile'), 'utf8').split('\n');
  return lines
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => ({ name: line.replace(/ .*/, ''), text: line.replace(/^\S+ /, '') }));
}

const textOf = (name: string) => instructions().find((each) => each.name === name)?.text ?? '';

const MANIFEST = readFileSync(join(EXAMPLES, 'kubernetes/verdict.yaml'), 'utf8');

/** What the Kubernetes example says a pod of a kind is. */
function podOf(kind: 'Deployment' | 'Job') {
  const found = parseAllDocuments(MANIFEST).map((each) => each.toJS());
  return found.find((each) => each.kind === kind).spec.template.spec;
}

/** Of the variables those that the Kubernetes example says a secret has, in the comment before it. */
function secretOf(name: string, variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const lines = MANIFEST.split('\n');
  const until = lines.slice(
    0,
    lines.findIndex((line) => line.includes(`name: ${name}`)),
  );
  const named = until.findLast((line) => line.trim().startsWith('#')) ?? '';
  return Object.fromEntries([...named.matchAll(/[A-Z]+(?:_[A-Z]+)+/g)].map(([each]) => [each, variables[each] ?? '']));
}

/** The probes of the Kubernetes example: a path, and the port behind its name. */
function probes(): readonly { readonly path: string; readonly port: number }[] {
  const [container] = podOf('Deployment').containers;
  return ['startupProbe', 'readinessProbe', 'livenessProbe'].map((name) => {
    const { path, port } = container[name].httpGet;
    const found = container.ports.find((each: { readonly name: string }) => each.name === port);
    return { path, port: found.containerPort };
  });
}

/**
 * Carries out the COPY steps in an empty folder. `npm ci` is not run: the packed file is installed already. Runs the
 * steps of the Job, and starts the entry point as another user, with everything read-only. Undefined where bubblewrap
 * or PostgreSQL cannot be used.
 */
export async function runContainer({ project, modules }: { readonly project: string; readonly modules: string }) {
  const works = await run('bwrap', ['--ro-bind', '/', '/', '--unshare-user', '--uid', '10001', 'true'], project).then(
    () => true,
    () => false,
  );
  if (!(works && HAS_POSTGRES)) return undefined;
  const root = mkdtempSync(join(tmpdir(), 'container-'));
  const app = join(root, 'app');
  mkdirSync(app);
  const context = mkdtempSync(join(tmpdir(), 'context-'));
  cpSync(join(project, 'rules'), join(context, 'rules'), { recursive: true });
  cpSync(join(project, 'package.json'), join(context, 'package.json'));
  writeFileSync(join(context, 'package-lock.json'), '{}');
  const [api, admin] = await Promise.all([freePort(), freePort()]);
  const config = readFileSync(join(EXAMPLES, 'container/serve.yaml'), 'utf8');
  writeFileSync(join(context, 'serve.yaml'), config.replace('8080', `${api}`).replace('9090', `${admin}`));
  for (const { name, text } of instructions()) {
    const [target = '', ...sources] = text.split(' ').reverse();
    if (name !== 'COPY') continue;
    const isFolder = target.endsWith('/');
    for (const each of sources)
      cpSync(join(context, each), join(app, target, isFolder ? each : ''), { recursive: true });
  }
  if (!textOf('RUN').startsWith('npm ci')) throw new Error('a RUN step that is not carried out');
  // The optional packages, which `npm ci` of the project would add.
  const own = join(root, 'node_modules');
  // With links to the files: copies take longer than all else. Only Linux has bubblewrap.
  await run('cp', ['-al', modules, own], root);
  for (const name of ['fastify', 'pg', 'z3-solver']) symlinkSync(join(ROOT, 'node_modules', name), join(own, name));
  mkdirSync(join(root, 'keys'));
  const verdict = [join(own, 'verdict-engine/dist/cli/main.js')];
  const server = await PostgresServer.start();
  onTestFinished(() => server.stop());
  const [log, keysOfLog, masterKey] = [await server.newSchema(), await server.newSchema(), 'cd'.repeat(32)];
  const ofOwner = {
    OWNER_LOG_URL: log,
    OWNER_KEYS_URL: keysOfLog,
    VERDICT_VELOCITY: log,
    VERDICT_MASTER_KEY: masterKey,
  };
  const owner = { ...process.env, ...secretOf('verdict-owner', ofOwner) };
  const { initContainers, containers } = podOf('Job');
  const migrated: string[] = [];
  const runStep = async ({
    command: [, ...command],
    args,
  }: {
    readonly command: string[];
    readonly args: string[];
  }) => {
    migrated.push((await run(process.execPath, [...command, ...args], root, owner)).replace(/ store .*/s, '').trim());
  };
  for (const step of initContainers) await runStep(step);
  const init = ['audit', 'init', 'postgres:OWNER_LOG_URL', '--keys', 'postgres:OWNER_KEYS_URL'];
  await run(process.execPath, [...verdict, ...init], root, owner);
  for (const step of containers) await runStep(step);
  const keys = `keysFile: ${join(root, 'keys/keys.json')}\npolicies: { a: a.yaml }\n`;
  writeFileSync(join(root, 'keys.yaml'), keys);
  const added = ['key', 'add', 'app', '--role', 'decide', '--config', join(root, 'keys.yaml')];
  const [key = ''] = (await run(process.execPath, [...verdict, ...added], root)).split('\n');
  await run('chmod', ['-R', 'a+rwX', root], root);

  const [uid = ''] = textOf('USER').split(':');
  const readable = ['/usr', '/bin', '/lib', '/lib64', '/etc', '/proc', ROOT, dirname(dirname(process.execPath))];
  const binds = readable.flatMap((path) => ['--ro-bind-try', path, path]);
  const fixed = ['--ro-bind', app, '/app', '--ro-bind', own, '/node_modules', '--ro-bind', join(root, 'keys'), '/keys'];
  const sandboxed = [...binds, '--dev', '/dev', ...fixed, '--remount-ro', '/', '--unshare-user', '--uid', uid];
  symlinkSync('/node_modules', join(app, 'node_modules'));
  const [, ...entry]: readonly string[] = [...JSON.parse(textOf('ENTRYPOINT')), ...JSON.parse(textOf('CMD'))];
  await using sandbox = await startSandbox();
  const ofPods = { DATABASE_URL: log, KEYS_URL: keysOfLog, VERDICT_STATE_KEY: KEY, VERDICT_MASTER_KEY: masterKey };
  const secrets = { ...secretOf('verdict-vendor', environmentOf(sandbox)), ...secretOf('verdict-database', ofPods) };
  const env = { PATH: process.env['PATH'], ...secrets };
  const start = ['--chdir', textOf('WORKDIR'), '--die-with-parent'];
  const writes = ['/app', '/keys', '/etc'].map((each) => `touch ${each}/x 2>/dev/null || echo ${each}`).join(';');
  const cannotWrite = (await run('bwrap', [...sandboxed, ...start, 'sh', '-c', writes], root)).trim().split('\n');
  const child = spawn('bwrap', [...sandboxed, ...start, process.execPath, ...entry], { env });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const ended = once(child, 'exit');
  try {
    const failed = ended.then(() => Promise.reject(new Error(`the container ended: ${errors}`)));
    await Promise.race([once(createInterface({ input: child.stdout }), 'line'), failed]);
    const applicant = { phoneNo: '+12025550102', email: 'd.marsh@copper-kettle.example', ip: '203.0.113.12' };
    const answer = await fetch(`http://127.0.0.1:${api}/v1/decisions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ policy: 'onboarding', reference: 'A-1', applicant }),
    });
    const statuses: Record<string, number> = {};
    for (const { path, port } of probes()) {
      if (port !== 9090) throw new Error('a probe of another port than the Dockerfile exposes');
      statuses[path] = (await fetch(`http://127.0.0.1:${admin}${path}`)).status;
    }
    return { answer: { status: answer.status, body: await answer.json() }, probes: statuses, cannotWrite, migrated };
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
