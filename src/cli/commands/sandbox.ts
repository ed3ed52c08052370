/** `verdict sandbox`: runs a simulated verification service until a signal ends it. */

import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import { instantOfDay } from '../../facts/day.ts';
import { FAULT_NAMES, isFault, type SandboxFault } from '../../sandbox/faults.ts';
import type { Persona } from '../../sandbox/index.ts';
import { toJson } from '../../text.ts';
import { CouldNotRunError, EXIT, type Io, stylerFor, write } from '../io.ts';
import { addJson, type OptionsOf, readDay, readPort } from '../options/arguments.ts';

export function addSandbox(program: Command, io: Io): void {
  withOptions(program.command('sandbox')).action(async (options) => {
    await io.interruptible((signal) => runSandbox(options, io, signal));
    io.finish(EXIT.interrupted);
  });
}

type Options = OptionsOf<typeof withOptions>;

function withOptions(sandbox: Command) {
  const command = sandbox
    .description('run a simulated verification service, with people to try')
    .option('--port <port>', 'the port on 127.0.0.1; 0 for any free port', readPort, 8787)
    .option('--at <day>', 'the current day of the service (default: today)', readDay)
    .option('--fault <fault>', `what goes wrong with each verify call: ${FAULT_NAMES}`, readFault);
  return addJson(command);
}

function readFault(name: string): SandboxFault {
  if (isFault(name)) return name;
  throw new InvalidArgumentError(`Expected ${FAULT_NAMES}.`);
}

async function runSandbox({ port, at, fault, format }: Options, io: Io, signal: AbortSignal): Promise<void> {
  const { PERSONAS, SANDBOX_USERS, startSandbox } = await import('../../sandbox/index.ts');
  const clock = at === undefined ? {} : { now: () => instantOfDay(at) };
  const sandbox = await startSandbox({ port, fault, ...clock }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EADDRINUSE' ? 'the port is taken' : 'the port cannot be opened';
    throw new CouldNotRunError(`${why}; choose another with --port`);
  });
  const users = SANDBOX_USERS;
  const text = format === 'json' ? `${toJson({ url: sandbox.url, users, personas: PERSONAS })}\n` : describe();
  await write(io.stdout, text);
  if (!signal.aborted) await once(signal, 'abort');
  await sandbox.close();

  function describe(): string {
    const style = stylerFor(io.stdout, io.env);
    const [user] = users;
    const people = PERSONAS.map((persona) => {
      const title = `  ${style('bold', persona.name)}: ${persona.description} (${persona.outcome})`;
      return `${title}\n    verdict decide ${identityOptions(persona)}`;
    });
    return `${style('bold', 'Simulated verification service')}: ${sandbox.url}   (end it with Ctrl-C)

In another terminal:
  export VERDICT_BASE_URL=${sandbox.url} VERDICT_ENVIRONMENT=sandbox
  export VERDICT_USERNAME=${user?.username} VERDICT_PASSWORD=${user?.password}

People to try, and the decisions of rules/onboarding.yaml:
${people.join('\n')}
`;
  }
}

/** The options of `verdict decide` for a persona. */
function identityOptions(persona: Persona): string {
  const services = (persona.services ?? []).map((service) => `--service "${service}"`);
  const variables = Object.entries(persona.variables ?? {}).map(([name, value]) => `--variable ${name}=${value}`);
  const identity = [`--phone +${persona.phoneNo}`, `--email ${persona.email}`, `--ip ${persona.ip}`];
  return [...identity, ...services, ...variables].join(' ');
}
