/** Keys, rates and places -> whether a request may go on: the one home of what is counted. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pause } from '../../signals/deadline.ts';
import { ProblemError } from '../problem.ts';
import type { ApiKey, KeyRing } from './keys.ts';
import { createRates } from './rates.ts';
import { hasRole, type Role } from './roles.ts';

/**
 * What requests hold while they are answered. A quarter of the places is for those who hold less than a quarter, so
 * that nobody takes all.
 */
export function createPlaces(most: number) {
  const share = Math.floor(most / 4);
  const held = new Map<string, number>();
  let all = 0;
  return {
    /** Takes a place for a key or a person, until its answer ends or the function is called. Throws OVERLOADED. */
    take: (holder: string, response: ServerResponse): (() => void) => {
      const own = held.get(holder) ?? 0;
      if (all >= most) throw new ProblemError('OVERLOADED');
      if (own >= share && all >= most - share) throw new ProblemError('OVERLOADED', 'the places left are for others');
      all += 1;
      held.set(holder, own + 1);
      let isHeld = true;
      const leave = () => {
        if (!isHeld) return;
        isHeld = false;
        all -= 1;
        const left = (held.get(holder) ?? 1) - 1;
        if (left > 0) held.set(holder, left);
        else held.delete(holder);
      };
      if (response.closed) leave();
      else response.once('close', leave);
      return leave;
    },
  };
}

type Asker = Pick<IncomingMessage, 'headers'> & { readonly ip: string };

export type Door = ReturnType<typeof createDoor>;

/** @param inFlight how many places there are of each kind */
export function createDoor(keys: KeyRing, inFlight: number) {
  const [rates, callbacks] = [createRates(), createRates()];
  const refuse = (retryAfterSeconds: number | undefined) => {
    if (retryAfterSeconds !== undefined) throw new ProblemError('TOO_MANY_REQUESTS', undefined, { retryAfterSeconds });
  };
  const keyOf = ({ headers }: Asker) => keys.find(headers.authorization, Date.now());
  /** Throws TOO_MANY_REQUESTS for an address that tries too often without a key or a session. */
  const limit = (address: string) => refuse(rates.allowAddress(address));
  /** The same for the end of a sign-in, whose beginning counted. */
  const limitCallback = (address: string) => refuse(callbacks.allowAddress(address));
  /** The key of a request, also of one that goes on. Throws UNAUTHENTICATED and FORBIDDEN. */
  const check = (asker: Asker, roles: readonly Role[]): ApiKey => {
    const key = keyOf(asker);
    if (!key) {
      const isKey = /^Bearer +vk_/i.test(asker.headers.authorization ?? '');
      const how = isKey ? 'this key is mistyped, removed or over' : 'send the header Authorization: Bearer vk_…';
      throw new ProblemError('UNAUTHENTICATED', how);
    }
    if (hasRole(key, roles)) return key;
    throw new ProblemError('FORBIDDEN', `the role ${roles.join(' or ')} is needed`);
  };
  /** The same within the rate of the key, of which it tells before it throws TOO_MANY_REQUESTS. */
  const admit = (asker: Asker, roles: readonly Role[], tell: (fields: Record<string, string>) => void): ApiKey => {
    const key = keyOf(asker);
    if (key) {
      const seconds = rates.allowKey(key);
      tell(rates.fieldsOf(key));
      refuse(seconds);
    } else limit(asker.ip);
    return check(asker, roles);
  };
  /** The same for more of a request, which waits for the rate. */
  const more = async (asker: Asker, roles: readonly Role[]): Promise<void> => {
    for (;;) {
      const seconds = rates.allowKey(check(asker, roles));
      if (seconds === undefined) return;
      await pause(Math.min(seconds, LONGEST_PAUSE_SECONDS) * 1000, undefined);
    }
  };
  return {
    /** Of requests with a key. */
    working: createPlaces(inFlight),
    /** Of those that take no time: they wait for their body, for lines or for news. */
    waiting: createPlaces(inFlight),
    people: createPlaces(inFlight),
    ...{ limit, limitCallback, check, admit, more },
  };
}

/** A key that waits for its rate is asked for as often as this. */
const LONGEST_PAUSE_SECONDS = 1;

/** A client that reads its answers sends fewer requests ahead. */
const MOST_PIPELINED = 8;

/**
 * Answers the requests of a connection one after the other: Node begins all that it has received, each with an answer
 * in memory. A connection with more of them than any client sends ahead is ended.
 */
export function oneByOne(answer: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const ahead = waiting.get(socket);
    if (ahead && ahead.length >= MOST_PIPELINED) return void socket.destroy();
    const begin = () => {
      response.once('close', () => {
        const next = socket.writable ? waiting.get(socket)?.shift() : undefined;
        if (next) next();
        else waiting.delete(socket);
      });
      answer(request, response);
    };
    if (ahead) ahead.push(begin);
    else {
      waiting.set(socket, []);
      begin();
    }
  };
}
