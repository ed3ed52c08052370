/** `verdict serve`: a configuration -> the HTTP service, until a signal ends it. */

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Command, Option } from 'commander';
import { DiagnosticsError } from '../../../diagnostics.ts';
import { VerdictError } from '../../../errors.ts';
import type { Persona } from '../../../sandbox/index.ts';
import type { Person } from '../../../service/auth/sessions.ts';
import type { ServeConfig } from '../../../service/config.ts';
import type { Report } from '../../../service/service.ts';
import { printable, toJson } from '../../../text.ts';
import { EXIT, type Io, orCannotRun, say, write } from '../../io.ts';
import { type OptionsOf, readPort, requireWith, today } from '../../options/arguments.ts';
import { CONFIG_FILE, findService, startService } from '../../options/service.ts';
import type { inviteAll, TrialRules } from './trial.ts';

export function addServe(program: Command, io: Io): void {
  withOptions(program.command('serve')).action(async (options) => io.finish(await serve(options, io)));
}

type Options = OptionsOf<typeof withOptions>;

function withOptions(command: Command) {
  return command
    .description('answer decisions over HTTP')
    .option('--config <file>', 'the configuration', 'serve.yaml')
    .option('--env <file>', 'read VERDICT_BASE_URL and the other variables from this file too')
    .option('--check-config', 'check the configuration and the files that it names, and exit')
    .addOption(
      new Option('--try', 'try it without a configuration: a simulated service, the shipped rules, a key').conflicts([
        'config',
        'checkConfig',
        'env',
      ]),
    )
    .option('--rules <path>', 'with --try: your rules, a folder or the file of a policy (default: the shipped ones)')
    .option('--facts <file>', 'with --try: your applicants of the past, as of `verdict evaluate` (default: invented)')
    .option('--port <port>', 'with --try: the port; 0 for any free one (default: 8080)', readPort);
}

async function serve(options: Options, io: Io): Promise<number> {
  requireWith(options, ['port', 'rules', 'facts'], 'try');
  const { readServeConfig } = await import('../../../service/config.ts');
  if (options.try) return serveTrial(options, io);
  const config = await orCannotRun(async () => readServeConfig(options.config));
  if (options.checkConfig) return checkConfig(config, options, io);
  return run(config, await findConfigured(config, options, io), io);
}

/** Where a user says which verification service to ask. */
const HERE = { simulated: '--try', profile: '`profile` in serve.yaml' };

type Configured = Omit<Awaited<ReturnType<typeof findService>>, 'close'>;

/** The verification service that the configuration names. */
async function findConfigured(config: ServeConfig, { env }: Options, io: Io): Promise<Configured> {
  const { profile, file } = config;
  const named = profile === undefined ? {} : { profile, config: join(dirname(file), CONFIG_FILE) };
  return findService({ ...named, ...(env === undefined ? {} : { env }) }, io, HERE);
}

/** What a trial adds: what to print after the address, and who may come in once. */
interface Trial {
  readonly describe?: (url: string) => string;
  readonly invited?: ReadonlyMap<string, Person>;
}

/** Serves until a signal ends it. */
async function run(
  config: ServeConfig,
  { settings, env }: Configured,
  io: Io,
  { describe = () => '', invited = new Map() }: Trial = {},
): Promise<number> {
  const { createVerifyClient } = await import('../../../signals/client.ts');
  const { openService } = await import('../../../service/service.ts');
  const { timeoutOf } = await import('../../../service/config.ts');
  const { loadFastify, startServers } = await import('../../../service/server.ts');
  const { loadOpenIdClient } = await import('../../../service/auth/sign-in.ts');
  const { watchKeys } = await import('../../../service/auth/keys.ts');
  const { log, flush } = lineWriter(io.stderr);
  return io.interruptible(async (signal) => {
    const running = await orCannotRun(async () => {
      // Before the guarantees, which take longer, and may need another package.
      await loadFastify();
      if (config.people && 'issuer' in config.people) await loadOpenIdClient();
      const keys = watchKeys(config.keysFile, {
        onChange: (count) => log({ event: 'keys.changed', keys: count }),
        onError: (problem) => log({ event: 'keys.broken', problem }),
      });
      try {
        const client = createVerifyClient({ ...settings, timeoutMs: timeoutOf(config, settings.timeoutMs) });
        const service = await openService(config, client, log, env, invited);
        return await startServers(service, keys, log).catch(async (error: unknown) => {
          await service.close();
          throw error;
        });
      } catch (error) {
        keys.close();
        throw error;
      }
    });
    const watch = await watchConfig(config, log);
    await write(io.stdout, `listening on ${running.url}\n${describe(running.url)}`);
    if (!signal.aborted) await once(signal, 'abort');
    watch.close();
    log({ event: 'draining' });
    await running.drain();
    await flush();
    return EXIT.interrupted;
  });
}

/** Says when the configuration was edited: it takes effect at the next start, which a mistake would prevent. */
async function watchConfig({ file }: ServeConfig, log: Report): Promise<{ close(): void }> {
  const { FileWatch } = await import('../../../policy/watch/watch-files.ts');
  const { fingerprintOf } = await import('../../../platform/files/disk-file.ts');
  const { readServeConfig } = await import('../../../service/config.ts');
  const stamps = () => new Map([[file, fingerprintOf(file)]]);
  const read = () => {
    try {
      readServeConfig(file);
      log({ event: 'config.changed', inForce: 'at the next start' });
    } catch (error) {
      if (!VerdictError.is(error)) throw error;
      log({ event: 'config.broken', problem: error.message });
    }
    watch.watch(stamps());
  };
  const watch = new FileWatch(stamps(), read, { persistent: false });
  return watch;
}

/** Reads everything that the configuration names, and starts nothing. */
async function checkConfig(config: ServeConfig, options: Options, io: Io): Promise<number> {
  const { readKeys } = await import('../../../service/auth/keys.ts');
  const { findClientSecret, findLogPlace, findStatePlace, findVelocityPlace, missingStores } = await import(
    '../../../service/config/places.ts'
  );
  const { timeoutOf } = await import('../../../service/config.ts');
  const { loadOpenIdClient } = await import('../../../service/auth/sign-in.ts');
  const { refusePersonal, unknownEntries } = await import('../../../service/cases/queues.ts');
  const { loadFastify } = await import('../../../service/server.ts');
  const { findReceivers } = await import('../../../service/webhooks/receiver.ts');
  const { readTls } = await import('../../../service/tls.ts');
  const { openLog } = await import('../../../audit/query/replay/read-decisions.ts');
  const { loadPg } = await import('../../../platform/homes/connections.ts');
  const { loadPolicy } = await import('../../../policy/read/parse.ts');
  const { loadMapping } = await import('../../../facts/mapping/mapping.ts');
  const { checkGuarantees } = await import('../../../lab/prove/prove.ts');
  const { env, settings } = await findConfigured(config, options, io);
  await orCannotRun(async () => {
    await loadFastify();
    timeoutOf(config, settings.timeoutMs);
    if (config.people && 'issuer' in config.people) {
      await loadOpenIdClient();
      findClientSecret(config.people, env);
    }
    if ('postgres' in findStatePlace(config.state, env)) await loadPg();
    findVelocityPlace(config, env);
    findReceivers(config, env);
    readKeys(config.keysFile);
    if (config.tls) readTls(config.tls);
    const place = findLogPlace(config, env);
    if (place) await openLog(place);
    const mapping = loadMapping(config.mapping);
    const policies = [...config.policies.values()].map((file) => loadPolicy(file, { mapping }));
    const problems = [...missingStores(config, policies), ...unknownEntries(config.queues, policies)];
    if (problems.length > 0) throw new VerdictError('CONFIGURATION_INVALID', problems.join('\n'));
    refusePersonal(config.queues, policies);
    for (const policy of policies) {
      const problems = await checkGuarantees(policy, { at: today(policy.timeZone) });
      if (problems.length > 0) throw new DiagnosticsError('POLICY_INVALID', problems);
    }
  });
  await write(io.stdout, `${printable(options.config)} can be used\n`);
  return EXIT.done;
}

/** Writes lines of JSON, gathered for a moment: a write for each request would hold up the others. */
function lineWriter(stderr: Io['stderr']): { readonly log: Report; flush(): Promise<void> } {
  let lines = '';
  const flush = async () => {
    const text = lines;
    lines = '';
    await say(stderr, text);
  };
  const log: Report = (line) => {
    if (lines === '') setTimeout(flush, FLUSH_MS);
    lines += `${toJson({ at: new Date().toISOString(), ...line })}\n`;
  };
  return { log, flush };
}

const FLUSH_MS = 50;

/** Serves from a temporary folder, which goes with the process; the verification service is the simulated one. */
async function serveTrial({ port = 8080, rules: given, facts }: Options, io: Io): Promise<number> {
  const { initAuditLog } = await import('../../../audit/init.ts');
  const { PERSONAS } = await import('../../../sandbox/index.ts');
  const { readServeConfig } = await import('../../../service/config.ts');
  const { checkPort, loadFastify } = await import('../../../service/server.ts');
  const { addKey } = await import('../../../service/auth/keys.ts');
  const { fillLog, findRules, inviteAll, releaseRules } = await import('./trial.ts');
  const rules = await orCannotRun(async () => findRules(given));
  const folder = mkdtempSync(join(tmpdir(), 'verdict-'));
  const vendor = await startService(undefined);
  try {
    const file = join(folder, 'serve.yaml');
    writeFileSync(file, trialConfig(port, rulesOfFolder(rules)));
    const { listen } = readServeConfig(file);
    const dir = join(folder, 'audit');
    await initAuditLog({ dir, origin: 'trial' });
    // Before the month, which takes a while.
    await orCannotRun(loadFastify);
    await checkPort(listen);
    const past = { folder, dir, velocity: join(folder, 'velocity.sqlite'), rules, facts };
    await orCannotRun(() => fillLog(past, io));
    const released = await releaseRules(past, io);
    if (released !== undefined) writeFileSync(file, trialConfig(port, released));
    const config = readServeConfig(file);
    const invited = inviteAll();
    const key = await addKey(config.keysFile, { name: 'trial', roles: ['decide', 'read', 'edit'] });
    const [policy = ''] = rules.policies.keys();
    const whose = given === undefined ? 'the shipped rules' : 'your rules';
    const describe = (url: string) => describeTrial(url, { key, policy, whose, personas: PERSONAS, invited });
    return await run(config, vendor, io, { describe, invited });
  } finally {
    await vendor.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** JSON is YAML, and a path needs no other quotes. */
function rulesOfFolder({ folder, mapping, policies }: TrialRules): string {
  return `policies: ${toJson(Object.fromEntries(policies))}
rules: { folder: ${toJson(folder)}, mapping: ${toJson(mapping)} }`;
}

function trialConfig(port: number, rules: string): string {
  return `listen: { port: ${port} }
admin: { port: 0 }
${rules}
audit: { dir: audit }
state: { dir: state }
velocity: { sqlite: velocity.sqlite }
keysFile: keys.json
limits: { drain: 0 seconds }
`;
}

function describeTrial(
  url: string,
  {
    key,
    policy,
    whose,
    personas,
    invited,
  }: {
    readonly key: string;
    readonly policy: string;
    /** Whose rules these are. */
    readonly whose: string;
    readonly personas: readonly Persona[];
    readonly invited: ReturnType<typeof inviteAll>;
  },
): string {
  const { phoneNo, email, ip } = personas[1] ?? { phoneNo: '', email: '', ip: '' };
  const links = [...invited].map(([secret, { display, work, roles }]) => {
    return `  ${url}/invited/${secret}  ${display}, ${work}: ${roles.join(', ')}`;
  });
  const body = toJson({ policy, reference: 'A-1', applicant: { phoneNo: `+${phoneNo}`, email, ip } });
  return `
A trial, with a simulated verification service and ${whose}. What it keeps goes with it: end it with Ctrl-C.
In another terminal:
  export KEY=${key}
  curl ${url}/v1/decisions -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
    -d '${body}'
In a browser, as one of five invented people, with their roles; the links work until the trial ends:
${links.join('\n')}
`;
}
