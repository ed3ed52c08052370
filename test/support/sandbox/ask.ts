/** A running sandbox -> short functions that call it over real HTTP. */

import { onTestFinished } from 'vitest';
import {
  CORE_SERVICE,
  SANDBOX_USERS,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../../src/sandbox/index.ts';

/** An answer of the service: its status and its JSON. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

/** JSON whose fields can be read without checking each step; an absent step is undefined. */
export interface Json {
  readonly [key: string]: Json;
}

export const [FIRST_USER = { username: '', password: '' }, SECOND_USER = { username: '', password: '' }] =
  SANDBOX_USERS;

/** Starts a sandbox that is closed when the test ends. */
export async function start(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Sends a JSON body, or raw bytes. */
export async function post(
  sandbox: Sandbox,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const response = await fetch(`${sandbox.url}/api/v2/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

/** A fresh token of the first user. */
export async function signIn(sandbox: Sandbox): Promise<string> {
  const { json } = await post(sandbox, 'auth/sign_in', FIRST_USER);
  return String(json['sessionToken']);
}

/** Sends a verify body with a token; by default with a new one. */
export async function verify(sandbox: Sandbox, body: unknown, token?: string): Promise<Answered> {
  return post(sandbox, 'verify', body, { Authorization: `Bearer ${token ?? (await signIn(sandbox))}` });
}

/** A well-formed verify body about some identity variables. */
export function about(identityVariables: unknown, service: unknown = [CORE_SERVICE]) {
  return { countryCode: 'Global', clientReference: 'ONB-1', service, identityVariables };
}

/** The signals of the risk service in an answer. */
export function signalsOf({ json }: Answered): Json | undefined {
  return json['serviceResponses']?.[CORE_SERVICE]?.['returnedData'];
}
