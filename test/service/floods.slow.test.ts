/** Too much of everything: bodies without end, idle and slow connections. */

import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { IS_SOAK, sampled } from '../support/sampled.ts';
import { startTestService } from '../support/service/running.ts';

function open(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** What is answered until the connection ends. */
async function answerOf(socket: Socket): Promise<string> {
  const ended = new Promise((resolve) => socket.once('close', resolve));
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await ended;
  return text;
}

const head = (key: string, more: string) =>
  `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;

test('a body of 1 GiB is refused by its length, or after 64 KiB', async () => {
  const { url, key } = await startTestService();
  const own = await key(['decide']);
  const announced = open(url);
  announced.write(head(own, `Content-Length: ${2 ** 30}`));
  expect(await answerOf(announced)).toMatch(/^HTTP\/1.1 413 .*TOO_LARGE/s);
  const chunked = open(url);
  chunked.write(head(own, 'Transfer-Encoding: chunked'));
  const chunk = `100000\r\n${'x'.repeat(2 ** 20)}\r\n`;
  let sent = 0;
  const sending = (async () => {
    while (!chunked.destroyed && sent < 1024) {
      sent += 1;
      if (!chunked.write(chunk))
        await Promise.race([new Promise((resolve) => chunked.once('drain', resolve)), pause(50)]);
    }
  })();
  expect(await answerOf(chunked)).toMatch(/^HTTP\/1.1 413 .*TOO_LARGE/s);
  await sending;
  expect(sent).toBeLessThan(100);
});

test('idle connections hold up nobody', async () => {
  const { url, decide } = await startTestService();
  const idle = Array.from({ length: sampled(500, 10_000) }, () => open(url));
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  expect((await decide('A-1')).status).toBe(200);
});

test.runIf(IS_SOAK)('headers and bodies that arrive byte by byte are given up', async () => {
  const { url, key, decide, adminUrl } = await startTestService();
  const own = await key(['decide']);
  const slow = Array.from({ length: 300 }, (_, i) => {
    const socket = open(url);
    socket.write(i % 2 === 0 ? 'POST /v1/decisions HTTP/1.1\r\n' : head(own, 'Content-Length: 1000'));
    const timer = setInterval(() => socket.write('x'), 500);
    socket.once('close', () => clearInterval(timer));
    return answerOf(socket);
  });
  expect((await decide('A-1')).status).toBe(200);
  await Promise.all(slow);
  expect((await decide('A-2')).status).toBe(200);
  expect(await (await fetch(`${adminUrl}/metrics`)).text()).toMatch(/^verdict_in_flight 0$/m);
});

test.runIf(IS_SOAK)('an answer that nobody reads is given up', async () => {
  const { url, adminUrl } = await startTestService({ limits: 'deadline: 1 second' });
  const socket = open(url).pause();
  const inFlight = async () =>
    /^verdict_in_flight .*$/m.exec(await (await fetch(`${adminUrl}/metrics`)).text())?.[0] ?? '';
  const asking = async () => {
    socket.write('GET /reference HTTP/1.1\r\nHost: a\r\n\r\n');
    await pause(50);
    return inFlight();
  };
  await expect.poll(asking, { interval: 1 }).toMatch(/ 1$/);
  await expect.poll(inFlight, { interval: 500 }).toBe('verdict_in_flight 0');
});
