/** The name of a fault -> what the sandbox does with a request in place of answering it as it should. */

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/**
 * A fault of the service.
 *
 * - `reset`: the connection is reset, and the call is not carried out;
 * - `hang`: no answer comes, and the call is not carried out;
 * - `cut`: the call is carried out, and the connection is closed after half of the answer;
 * - `drip`: the call is carried out, and the answer comes byte by byte, fifty a second;
 * - `html`: the call is carried out, and the answer is a page in HTML with the status 200;
 * - `busy`: the answer is 429 with `Retry-After: 1`, and the call is not carried out;
 * - `status-500` and the like, from 400 to 599: that is the answer, and the call is not carried out.
 */
export type SandboxFault = 'reset' | 'hang' | 'cut' | 'drip' | 'html' | 'busy' | `status-${number}`;

/** A request that reached an endpoint, as a fault is chosen for it. */
export interface SandboxRequest {
  readonly endpoint: 'sign-in' | 'verify';
  /** The JSON of its body. */
  readonly body: unknown;
}

/** One fault for all verify calls; or a function that chooses one for a request, sign-ins too, or none. */
export type SandboxFaults = SandboxFault | ((request: SandboxRequest) => SandboxFault | undefined) | undefined;

/** An answer of the sandbox. */
export interface Reply {
  readonly status: number;
  readonly body: object;
  readonly headers?: OutgoingHttpHeaders;
}

type Send = (response: ServerResponse, headers: OutgoingHttpHeaders, text: string) => void;

/** What a fault changes. */
export interface Fault {
  /** The answer in place of the right one: the call is not carried out. */
  readonly reply?: Reply;
  /** Sends the answer. Default: as it is. */
  readonly send?: Send;
}

/** How long a byte of an answer that drips takes, in milliseconds. */
const BYTE_MS = 20;

const FAULTS: Readonly<Record<string, Fault>> = {
  reset: { reply: failed(500), send: (response) => response.socket?.resetAndDestroy() },
  hang: { reply: failed(500), send: () => {} },
  cut: {
    send: (response, headers, text) =>
      response.writeHead(200, headers).write(text.slice(0, text.length / 2), () => response.destroy()),
  },
  drip: {
    send(response, headers, text) {
      const bytes = Buffer.from(text);
      let sent = 0;
      response.writeHead(200, headers);
      const timer = setInterval(() => {
        response.write(bytes.subarray(sent, sent + 1));
        sent += 1;
        if (sent === bytes.length) response.end();
      }, BYTE_MS);
      for (const end of ['finish', 'close']) response.once(end, () => clearInterval(timer));
    },
  },
  html: {
    send: (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Under maintenance</html>'),
  },
  busy: { reply: failed(429, { 'Retry-After': '1' }) },
};

function failed(status: number, headers: OutgoingHttpHeaders = {}): Reply {
  return { status, body: { status, error: 'a fault of the sandbox' }, headers };
}

/** The names of the faults, for messages. */
export const FAULT_NAMES = `${Object.keys(FAULTS).join(', ')}, status-400 to status-599`;

/** Whether a text is the name of a fault. */
export function isFault(name: string): name is SandboxFault {
  return findFault(name) !== undefined;
}

function findFault(name: string): Fault | undefined {
  const status = /^status-([45]\d\d)$/.exec(name)?.[1];
  if (status !== undefined) return { reply: failed(Number(status)) };
  return Object.hasOwn(FAULTS, name) ? FAULTS[name] : undefined;
}

function readFault(name: SandboxFault): Fault {
  const fault = findFault(name);
  if (fault !== undefined) return fault;
  throw new TypeError(`unknown fault: choose one of ${FAULT_NAMES}`);
}

/** Chooses the fault of each request. Throws a TypeError for the name of none. */
export function createFaults(faults: SandboxFaults): (request: SandboxRequest) => Fault | undefined {
  if (typeof faults === 'function') {
    return (request) => {
      const name = faults(request);
      return name === undefined ? undefined : readFault(name);
    };
  }
  const fault = faults === undefined ? undefined : readFault(faults);
  return ({ endpoint }) => (endpoint === 'verify' ? fault : undefined);
}
