/** The settings of a client -> the agent that makes and keeps its connections. */

import http from 'node:http';
import https from 'node:https';
import { createSecureContext } from 'node:tls';
import type { ConnectionSettings } from './read-connection.ts';
import { TunnelAgent } from './tunnel.ts';

/** What an agent is made of. `proxy` is the one to be used. */
export interface AgentSettings extends Pick<ConnectionSettings, 'ca' | 'clientCertificate'> {
  readonly proxy?: URL | undefined;
  readonly signInPauseMs?: number;
}

/** Against settings of the process that would weaken TLS: NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0. */
export const STRICT_TLS = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

/** Creates an agent for http or, with `secure`, for https. */
export function createAgent(
  secure: boolean,
  maxSockets: number,
  { proxy, ca, clientCertificate, signInPauseMs = 0 }: AgentSettings = {},
): http.Agent {
  const options = {
    keepAlive: true,
    maxSockets,
    // Close an idle connection before the server does: Node's servers wait 5 s, others longer.
    timeout: 4_000,
  };
  if (!secure) return new http.Agent(options);
  const trusted = { ...STRICT_TLS, ...(ca ? { ca } : {}) };
  // As a context, because NODE_DEBUG prints the options of an agent, and would print key and passphrase.
  const context = clientCertificate && createSecureContext({ ...trusted, ...clientCertificate });
  const tls = { ...options, ...trusted, ...(context ? { secureContext: context } : {}) };
  return proxy ? new TunnelAgent(proxy, signInPauseMs, tls) : new https.Agent(tls);
}
