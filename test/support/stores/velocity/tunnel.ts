/** A network between a client and a server, which can stop to carry anything. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port that leads to another one. */
export class Tunnel {
  readonly #sockets = new Set<Socket>();
  readonly #server;
  #isHanging = false;
  #target: number;

  private constructor(port: number) {
    this.#target = port;
    this.#server = createServer((client) => {
      const server = connect(this.#target, '127.0.0.1');
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy()).on('close', () => this.#sockets.delete(from));
        if (this.#isHanging) from.pause();
      }
    });
  }

  static async to(port: number): Promise<Tunnel> {
    const tunnel = new Tunnel(port);
    tunnel.#server.listen(0, '127.0.0.1');
    await once(tunnel.#server, 'listening');
    return tunnel;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections open, and nothing arrives, or only by those of now; `resume` lets through what was sent meanwhile. */
  hang(what: 'all' | 'connections' = 'all'): void {
    this.#isHanging = what === 'all';
    for (const socket of this.#sockets) socket.pause();
  }

  resume(): void {
    this.#isHanging = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Connections that open from now on lead to another port. */
  leadTo(port: number): void {
    this.#target = port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
