/** How the connections of a client are made: proxy, trusted authorities, certificate of the client, headers. */

import type { Agent } from 'node:http';
import type { ExtraHeaders } from './headers.ts';

/** Certificates or a key in PEM. */
export type Pem = string | Uint8Array;

/** The certificate by which a client proves to the service who it is (mutual TLS). */
export interface ClientCertificate {
  /** The certificate, followed by those of intermediate authorities. */
  readonly cert: Pem;
  readonly key: Pem;
  /** Of the key, if it is encrypted. */
  readonly passphrase?: string;
}

/** How the connections of a client are made. */
export interface ConnectionOptions {
  /**
   * The proxy to the service: an http or https URL, with user name and password if the proxy asks for them. With
   * `environment`, HTTPS_PROXY (or ALL_PROXY) and NO_PROXY of the process decide, as they are when the client is
   * created. Default: none, whatever the environment says.
   */
  readonly proxy?: string;
  /** The only authorities that are trusted, one or several certificates a text. Default: those that Node trusts. */
  readonly ca?: Pem | readonly Pem[];
  /** Default: none. */
  readonly clientCertificate?: ClientCertificate;
  /**
   * An `http.Agent` or `https.Agent` that makes the connections, in place of `proxy`, `ca` and `clientCertificate`. It
   * stays open when the client is closed. Default: an agent of the client's own.
   */
  readonly agent?: Agent;
  /**
   * Headers to add to every request, or a function that gives them before each. Those that the client sets cannot be
   * replaced. Default: none.
   */
  readonly headers?: ExtraHeaders | (() => ExtraHeaders | Promise<ExtraHeaders>);
}
