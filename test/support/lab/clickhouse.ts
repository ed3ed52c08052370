/** The HTTP interface of ClickHouse on a free port of this machine, as a function answers. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request, as far as it is looked at. */
export interface ClickHouseRequest {
  readonly method: string | undefined;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly query: string;
}

/** Writes the answer to a request. */
export type Answering = (response: ServerResponse, request: ClickHouseRequest) => void;

export interface ClickHouseStub {
  readonly url: string;
  readonly requests: readonly ClickHouseRequest[];
  close(): Promise<void>;
}

/** Starts the stub; over TLS with a certificate. */
export async function startClickHouse(answer: Answering, tls?: ServerOptions): Promise<ClickHouseStub> {
  const requests: ClickHouseRequest[] = [];
  const listen = async (message: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const { method, headers } = message;
    const url = new URL(message.url ?? '', 'http://127.0.0.1');
    const request = { method, url, headers, query: Buffer.concat(chunks).toString() };
    requests.push(request);
    answer(response, request);
  };
  const server = tls ? createSecureServer(tls, listen) : createServer(listen);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers with the rows of a query. */
export function answerRows(response: ServerResponse, data: readonly unknown[]): void {
  response.setHeader('Content-Type', 'application/json; charset=UTF-8');
  response.end(JSON.stringify({ meta: [], data, rows: data.length }));
}
