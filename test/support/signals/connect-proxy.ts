/** A forward proxy that opens tunnels (CONNECT) on this machine, and notes what it is asked. */

import { createServer } from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { connectionsOf, listen } from './scripted-service.ts';

/** What a proxy does with a request for a tunnel. */
export type ProxyAnswer = 'open' | 'hang' | 'drop' | number;

/** A running proxy. */
export interface ConnectProxy {
  readonly url: string;
  /** What it was asked: the target, and the header Proxy-Authorization. */
  readonly asked: { readonly target: string | undefined; readonly login: string | undefined }[];
  /** The serial number of the certificate of each client, as far as it has one. */
  readonly certificates: (string | undefined)[];
  /** All bytes that went to the target. */
  readonly bytes: Buffer[];
  readonly connections: Set<Socket>;
}

/** Starts a proxy, with `tls` one that is reached over https. `answer` is asked for each tunnel. */
export async function startProxy(
  answer: () => ProxyAnswer = () => 'open',
  tls?: https.ServerOptions,
): Promise<ConnectProxy> {
  const server = tls ? https.createServer(tls) : createServer();
  server.on('connect', ({ url, headers }, socket) => {
    proxy.asked.push({ target: url, login: headers['proxy-authorization'] });
    if (socket instanceof TLSSocket) proxy.certificates.push(socket.getPeerCertificate().serialNumber);
    const todo = answer();
    socket.on('error', () => {});
    if (todo === 'drop') socket.destroy();
    if (typeof todo === 'number') socket.end(`HTTP/1.1 ${todo} No\r\nContent-Length: 0\r\n\r\n`);
    // Read on, so that its end is noticed.
    if (todo !== 'open') return void socket.resume().on('end', () => socket.destroy());
    const [host, port] = url?.split(':') ?? [];
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.on('data', (data: Buffer) => proxy.bytes.push(data));
      socket.pipe(target).pipe(socket);
    });
    const end = () => [socket, target].map((each) => each.destroy());
    target.on('error', end).on('close', end);
    socket.on('close', end);
  });
  const proxy: ConnectProxy = {
    url: await listen(server, tls ? 'https' : 'http'),
    asked: [],
    certificates: [],
    bytes: [],
    connections: connectionsOf(server),
  };
  return proxy;
}
