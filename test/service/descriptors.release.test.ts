/** A service that has no file descriptors left refuses or waits, and goes on afterwards. */

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { ServeProcess, serveFolder } from '../support/service/process.ts';

test('without file descriptors it refuses or waits, and goes on afterwards', async () => {
  await using sandbox = await startSandbox();
  const service = new ServeProcess(await serveFolder({ audit: false }), sandbox, { descriptors: 60 });
  const { port, hostname } = new URL(await service.url);
  expect((await service.decide('A-1')).status).toBe(200);
  const idle = Array.from({ length: 100 }, () => connect(Number(port), hostname).on('error', () => {}));
  await pause(300);
  await Promise.race([service.decide('A-2'), pause(1000)]);
  for (const socket of idle) socket.destroy();
  await expect.poll(async () => (await service.decide('A-3')).status).toBe(200);
});
