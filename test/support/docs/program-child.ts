/** `node program-child.ts`, with an IPC channel: programs of pages -> what they print. All run in this process. */

import { pathToFileURL } from 'node:url';
import type { Printed, Program } from './program.ts';

const SETTING = { ...process.env };

process.on('message', async ({ file, folder, env }: Program) => {
  process.chdir(folder);
  process.env = { ...SETTING, ...env };
  process.send?.(await run(file));
});

async function run(file: string): Promise<Printed> {
  let stdout = '';
  const { write } = process.stdout;
  process.stdout.write = (text: string | Uint8Array) => {
    stdout += text;
    return true;
  };
  try {
    await import(pathToFileURL(file).href);
    return { stdout };
  } catch (error) {
    return { stdout, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    process.stdout.write = write;
  }
}
