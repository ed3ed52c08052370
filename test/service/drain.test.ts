/** The end of a service: every request that was sent is answered, and each answer ends its connection. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { APPLICANT, startTestService } from '../support/service/running.ts';

function open(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends a request for a decision, and returns what comes until the answer is whole or the connection ends. */
async function decide(socket: Socket, key: string, reference: string): Promise<string> {
  const body = JSON.stringify({ policy: 'onboarding', reference, applicant: APPLICANT });
  const head = ['POST /v1/decisions HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`];
  const type = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  socket.write(`${[...head, ...type].join('\r\n')}\r\n\r\n${body}`);
  let text = '';
  const answered = Promise.withResolvers<string>();
  const take = (chunk: string) => {
    text += chunk;
    if (text.endsWith('}')) answered.resolve(text);
  };
  socket.setEncoding('utf8').on('data', take);
  socket.once('close', () => answered.resolve(text));
  return answered.promise.finally(() => socket.off('data', take));
}

const ENDING = /^HTTP\/1.1 200 OK\r\n.*^connection: close\r\n/ims;

test('connections that are not accepted yet when it ends are accepted, and their requests are answered', async () => {
  const { url, key, drain } = await startTestService({ drain: '1 millisecond' });
  const own = await key(['decide']);
  const answers = Array.from({ length: 40 }, (_, i) => decide(open(url), own, `A-${i}`));
  await drain();
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(ENDING);
});

test('a caller that keeps its connection gets one more answer after the port is closed', async () => {
  const { url, key, drain } = await startTestService({ drain: '1 millisecond' });
  const socket = open(url);
  const own = await key(['decide']);
  expect(await decide(socket, own, 'A-1')).toMatch(/^HTTP\/1.1 200 OK\r\n.*^connection: keep-alive\r\n/ims);
  const ended = drain();
  const isRefused = async () => {
    const probe = open(url);
    const failed = await once(probe, 'connect').then(
      () => undefined,
      ({ code }) => code,
    );
    probe.destroy();
    return failed === 'ECONNREFUSED';
  };
  await expect.poll(isRefused).toBe(true);
  expect(await decide(socket, own, 'A-2')).toMatch(ENDING);
  await ended;
});

test('a request that is in flight when it ends is answered, and its connection ends', async () => {
  const { url, key, drain, sandbox, service } = await startTestService({ limits: 'deadline: 300 milliseconds' });
  const own = await key(['decide']);
  sandbox.setFault('hang');
  const answer = decide(open(url), own, 'A-1');
  await expect.poll(() => service.client.state().inFlight).toBe(1);
  await drain();
  expect(await answer).toMatch(ENDING);
});
