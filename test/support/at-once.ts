/** Names of npm scripts -> run beside each other; each one's output when it ends, and a failure if any fails. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

async function run(script: string): Promise<number> {
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const running = spawn('npm', ['run', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...color },
  });
  const output: Buffer[] = [];
  for (const stream of [running.stdout, running.stderr]) stream.on('data', (part: Buffer) => output.push(part));
  const [code] = await once(running, 'close');
  process.stdout.write(Buffer.concat(output));
  return code ?? 1;
}

const codes = await Promise.all(process.argv.slice(2).map(run));
process.exitCode = codes.find((code) => code !== 0) ?? 0;
