/** Ports of this machine, on 127.0.0.1. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Nothing listens on it (the `discard` service), and it is none of those that port 0 gives to other tests. */
export const CLOSED_PORT = 9;

/** A port that is free now. Somebody else may take it: for servers that have to know their port beforehand. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
