/** The form of a page's route: what a row of the table of pages says. */

import * as z from 'zod';
import type { Role } from '../auth/roles.ts';
import type { Person } from '../auth/sessions.ts';
import type { Route } from '../route.ts';
import type { Service } from '../service.ts';
import type { Reader, ServedPage } from './parts/frame.ts';

/** A field of one line. */
export const line = z.string().max(200);

/** A request of a person who is signed in. */
export interface PageRequest<Query extends z.ZodType = z.ZodType, Form extends z.ZodType = z.ZodType> {
  readonly person: Person;
  readonly reader: Reader;
  /** The value of the path's parameter; empty without one. */
  readonly id: string;
  /** That of a second one; empty without one. */
  readonly inner: string;
  readonly query: z.infer<Query>;
  readonly form: z.infer<Form>;
}

/** What a page answers with. */
export type PageAnswer =
  | { readonly page: ServedPage; readonly status?: number; readonly done?: string }
  /** Goes to another page of the service; `done`: what it says first, a key of `DONE`; `about`: the id of a case. */
  | { readonly to: string; readonly done?: DoneKey; readonly about?: string }
  /** A file to keep. */
  | { readonly file: string; readonly type: string; readonly text: string }
  /** For the script of the page. */
  | { readonly data: object; readonly status?: number };

/** What a page says of the action that led to it. */
export const DONE = {
  approve: 'The case before is approved. It is on record.',
  decline: 'The case before is declined. It is on record.',
  released: 'The case is back in its queue.',
  skipped: 'The case is back in its queue. You do not get it again.',
  reassigned: 'The case is kept for the person whom you chose. It is on record.',
  held: 'The case is on hold, and comes back to you.',
  asked: 'The caller is asked. The case comes back to you with the answer, or at the time.',
  escalated: 'The case is in the other queue. You do not get it again.',
  opened: 'The case is open. It is on record.',
  noted: 'The note is on record.',
  askedAgain: 'The service is being asked again. Cases leave the list as their decisions are made.',
  empty: 'No case is waiting for you.',
  proposed: 'It is proposed. Its evidence is being made.',
  said: 'It is signed, and on record.',
  activated: 'It is in force: within a second on all machines.',
} as const;

export type DoneKey = keyof typeof DONE;

/** A row of the table of pages. No schema is given an empty field, which a browser sends too. */
export interface PageRoute<Query extends z.ZodType = z.ZodType, Form extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST';
  /** With parameters in braces. */
  readonly path: string;
  /** People with one of these roles may open it; absent for all who are signed in. */
  readonly roles?: readonly Role[] | undefined;
  readonly query?: Query | undefined;
  readonly form?: Form | undefined;
  /** The most bytes of the text of a file in its form, as UTF-8; absent where no field has one. */
  readonly fileBytes?: number;
  handle(request: PageRequest<Query, Form>, service: Service): Promise<PageAnswer> | PageAnswer;
}

/** A row whose handler knows what its schemas say. */
export function page<Query extends z.ZodType, Form extends z.ZodType>(
  method: PageRoute['method'],
  path: string,
  row: Omit<PageRoute<Query, Form>, 'method' | 'path'>,
): PageRoute<Query, Form> {
  return { method, path, ...row };
}

/** Does for a person what a key may do. */
export async function perform<Body extends z.ZodType, Done>(
  act: Route<Body, z.ZodType, Done>,
  { person, id, form: body }: PageRequest<z.ZodType, Body>,
  service: Service,
): Promise<Done> {
  return act.do({ id, body, query: undefined, language: 'en', caller: person }, service);
}

/** The form of an act, with the fields of its body. */
export function form<Body extends z.ZodType, Done>(
  path: string,
  act: Route<Body, z.ZodType, Done>,
  answer: (done: Done, request: PageRequest<z.ZodType, Body>, service: Service) => Promise<PageAnswer> | PageAnswer,
) {
  return page('POST', path, {
    roles: act.roles,
    form: act.body,
    handle: async (request, service) => answer(await perform(act, request, service), request, service),
  });
}
