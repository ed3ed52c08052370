/** An answer -> the id that the service gave this request, for its support; never a text that we sent. */

import { ownValue } from '../../given/read-given.ts';
import { parseJson } from '../../platform/json.ts';
import type { Exchange, HttpClient } from './http.ts';

/** Where the id is: names of headers, then paths in the body; the first that has one counts. */
interface RequestIdPlaces {
  readonly requestIdHeader: readonly string[];
  readonly requestIdPath: readonly (readonly string[])[];
}

/** The characters of ids in use (UUID, ULID, base64, AWS and Akamai ids). An email, for one, has another. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}$/;

/** Shorter texts are part of many ids by chance. */
const SHORTEST = 4;

/**
 * Adds the id to each exchange of a client that has one. Ids that repeat what was sent, or one of the secrets, are not
 * kept.
 */
export function identifyRequests(
  http: HttpClient,
  places: RequestIdPlaces,
  secrets: () => readonly string[],
): HttpClient {
  return {
    async post(message, signal) {
      const exchange = await http.post(message, signal);
      const id = findId(places, exchange);
      if (id === undefined) return exchange;
      const headers = Object.values(message.headers).map((value) => value.replace(/^Bearer /, ''));
      const sent = [...textsOf(message.body), ...headers, ...secrets()];
      return repeats(id, sent) ? exchange : { ...exchange, requestId: id };
    },
  };
}

/** The id of an exchange, to be spread into its result. */
export function requestIdOf(exchange: Exchange): { readonly requestId?: string } {
  const requestId = exchange.failure === undefined ? exchange.requestId : undefined;
  return requestId === undefined ? {} : { requestId };
}

function findId({ requestIdHeader, requestIdPath }: RequestIdPlaces, exchange: Exchange): string | undefined {
  if (exchange.failure !== undefined) return undefined;
  const parsed = requestIdPath.length === 0 ? undefined : parseJson(exchange.body);
  const body = parsed?.problem === undefined ? parsed?.value : undefined;
  const found = [
    ...requestIdHeader.map((name) => ownValue(exchange.headers, name.toLowerCase())),
    ...requestIdPath.map((path) => path.reduce(ownValue, body)),
  ];
  return found.map((value) => (typeof value === 'number' ? `${value}` : value)).find(isId);
}

/** The texts in a JSON body that we sent. */
function textsOf(json: string): string[] {
  const texts: string[] = [];
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}

/** Whether an id has the letters and digits of a text that was sent, or is a part of it, or shares six digits. */
function repeats(id: string, sent: readonly string[]): boolean {
  const bare = squeeze(id);
  // A phone number without its country code, for example.
  const numbers = [...bare.matchAll(/(?=(\d{6}))/g)].map(([, number = '']) => number);
  return sent.some((text) => {
    if (id.includes(text)) return true;
    const other = squeeze(text);
    const isRepeated = other.includes(bare) || bare.includes(other) || numbers.some((number) => other.includes(number));
    return other.length >= SHORTEST && isRepeated;
  });
}

function squeeze(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
