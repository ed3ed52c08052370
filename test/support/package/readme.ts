/** A project that `verdict init` made -> the output of every command in its README, each in its turn. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { run } from './installed.ts';

/** The ports that the README, `.env.example` and `serve.yaml` name: of the sandbox, the service and its metrics. */
const PORTS = ['8787', '8080', '9090'] as const;

/** Commands that run until they are ended. */
const SERVERS = ['npx verdict sandbox', 'npm start'];

/** The commands of a README, by block, and what each of them printed. `npm install` is left out. */
export async function runReadme(folder: string): Promise<ReadonlyMap<string, string>> {
  const ports = await Promise.all(PORTS.map(freePort));
  const ownPorts = (text: string) => PORTS.reduce((own, port, i) => own.replace(port, String(ports[i])), text);
  for (const name of ['.env.example', 'serve.yaml']) {
    const file = join(folder, name);
    writeFileSync(file, ownPorts(readFileSync(file, 'utf8')));
  }
  const blocks = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
  const commands = [...blocks].flatMap(([, text = '']) => text.replaceAll('\\\n', '').trimEnd().split('\n'));
  const printed = new Map<string, string>();
  const servers: ChildProcess[] = [];
  // After one command: npx takes longer than what it runs.
  const withoutNpx = (command: string) =>
    printed.size === 0 ? command : command.replace(/^npx (?=verdict )/, 'node_modules/.bin/');
  try {
    for (const command of commands) {
      if (command === 'npm install') continue;
      if (SERVERS.includes(command)) {
        const more = command.endsWith('sandbox') ? ` --port ${ports[0]}` : '';
        const server = spawn('sh', ['-c', withoutNpx(command) + more], {
          cwd: folder,
          env: userEnvironment(),
          detached: true,
        });
        servers.push(server);
        printed.set(command, await untilListening(server));
      } else if (command.startsWith('curl ')) {
        const [key = ''] = [...printed].find(([each]) => each.includes('key add'))?.[1].split('\n') ?? [];
        printed.set(command, await request(ownPorts(command).replace('$KEY', key)));
      } else printed.set(command, await run('sh', ['-c', withoutNpx(command)], folder, userEnvironment()));
    }
  } finally {
    await Promise.all(servers.map(end));
  }
  return printed;
}

/** The environment of a user who has set no variable: an empty one would override that of an .env file. */
function userEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VERDICT_'));
  return { ...Object.fromEntries(own), PATH: `${process.execPath.replace(/\/[^/]*$/, '')}:${process.env['PATH']}` };
}

/** The output of a server up to the first address in it. */
async function untilListening({ stdout, stderr }: ChildProcess): Promise<string> {
  let text = '';
  stderr?.on('data', (chunk) => {
    text += chunk;
  });
  for await (const chunk of stdout ?? []) {
    text += chunk;
    if (text.includes('http://127.0.0.1:')) return text;
  }
  throw new Error(`the server ended: ${text}`);
}

/** Ends a server and what it started, and waits for it. */
async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.pid === undefined) return;
  const closed = once(server, 'exit');
  process.kill(-server.pid, 'SIGTERM');
  await closed;
}

/** What curl would print; not every machine has it. */
async function request(command: string): Promise<string> {
  const [, url = '', , body = ''] = /^curl (\S+)( .*)? -d '(.*)'$/.exec(command) ?? [];
  const headers = [...command.matchAll(/-H ['"]([\w-]+): ([^'"]*)['"]/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  return await (await fetch(url, { method: 'POST', body, headers: Object.fromEntries(headers) })).text();
}
