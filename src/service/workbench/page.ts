/** The form of a page's route: what a row of the table of pages says. */

import type * as z from 'zod';
import type { Page } from '../../report/html/document.ts';
import type { Role } from '../auth/roles.ts';
import type { Person } from '../auth/sessions.ts';
import type { Service } from '../service.ts';
import type { Reader } from './parts/frame.ts';

/** A request of a person who is signed in. */
export interface PageRequest {
  readonly person: Person;
  readonly reader: Reader;
  readonly params: Readonly<Record<string, string>>;
  /** Without empty fields. */
  readonly query: Readonly<Record<string, string>>;
  /** The fields of a form, without empty ones. */
  readonly form: Readonly<Record<string, string>>;
}

/** What a page answers with. */
export type PageAnswer =
  | { readonly page: Page; readonly status?: number; readonly done?: string }
  /** Goes to another page of the service; `done`: what it says first, a key of `DONE`. */
  | { readonly to: string; readonly done?: DoneKey }
  /** A file to keep. */
  | { readonly file: string; readonly type: string; readonly text: string }
  /** For the script of the page. */
  | { readonly data: object };

/** What a page says of the action that led to it. */
export const DONE = {
  resolved: 'The case before is resolved. It is on record.',
  released: 'The case is back in its queue.',
  skipped: 'The case is back in its queue. You do not get it again.',
  reassigned: 'The case has another holder. It is on record.',
  opened: 'The case is open. It is on record.',
  noted: 'The note is on record.',
  empty: 'No case is waiting for you.',
} as const;

export type DoneKey = keyof typeof DONE;

/** A row of the table of pages. */
export interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** With parameters in braces. */
  readonly path: string;
  /** People with one of these roles may open it; absent for all who are signed in. */
  readonly roles?: readonly Role[];
  readonly query?: z.ZodType;
  readonly form?: z.ZodType;
  handle(request: PageRequest, service: Service): Promise<PageAnswer> | PageAnswer;
}
