/** A receiver of webhooks on this machine -> what it was sent, each checked by the library of Standard Webhooks. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';

/** 32 bytes. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** An event as it arrived. */
export interface Arrived {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  readonly text: string;
}

/** Starts one that ends with the test. It answers 204, unless `answer` does something else. */
export async function startReceiver(answer: (arrived: Arrived, response: ServerResponse) => void = accept, port = 0) {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    const headers = request.headers as Record<string, string>;
    const body = new Webhook(SECRET).verify(text, headers) as Arrived['body'];
    const event = { id: headers['webhook-id'] ?? '', headers, body, text };
    arrived.push(event);
    answer(event, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`, arrived, close };
}

export function accept(_arrived: Arrived, response: ServerResponse): void {
  response.writeHead(204).end();
}
