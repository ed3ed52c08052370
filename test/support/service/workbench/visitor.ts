/** People of a bank -> a service with pages, and a browser of each that is no more than cookies and forms. */

import type { Role } from '../../../../src/service/auth/roles.ts';
import { type Person, uniqueName } from '../../../../src/service/auth/sessions.ts';
import { sharedTestService, startTestService, type TestService, untilIndexed } from '../running.ts';

const person = (display: string, roles: readonly Role[]): Person => {
  const subject = (display.split(' ', 1)[0] ?? '').toLowerCase();
  return { display, subject, name: uniqueName(display, subject), roles };
};

/** One for each role that pages have, and one whose roles go together. */
export const PEOPLE = {
  reader: person('Rosa Reader', ['read']),
  rita: person('Rita Okoye', ['review']),
  raj: person('Raj Mehta', ['review']),
  editor: person('Ana Ruiz', ['edit']),
  approver: person('Ben Okafor', ['approve']),
  tess: person('Tess Ark', ['read', 'tighten']),
  otto: person('Otto Lindqvist', ['audit']),
  lead: person('Lea Lead', ['read', 'review', 'edit', 'approve', 'audit']),
} as const;

export type Who = keyof typeof PEOPLE;

export interface Visited {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Somebody's browser. A form has the token of the last page, unless it names another one. */
export class Visitor {
  readonly #url: string;
  cookie = '';
  csrf = '';

  constructor(url: string) {
    this.#url = url;
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Visited> {
    return this.#send(path, { method: 'GET', headers });
  }

  async post(
    path: string,
    form: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<Visited> {
    return this.#send(path, { method: 'POST', headers, body: new URLSearchParams({ csrf: this.csrf, ...form }) });
  }

  async #send(path: string, init: RequestInit): Promise<Visited> {
    const headers = { ...init.headers, ...(this.cookie === '' ? {} : { cookie: this.cookie }) };
    const answer = await fetch(`${this.#url}${path}`, { ...init, headers, redirect: 'manual' });
    for (const each of answer.headers.getSetCookie()) this.cookie = each.split(';', 1)[0] ?? '';
    const text = await answer.text();
    this.csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.csrf;
    return { status: answer.status, headers: answer.headers, text };
  }
}

export interface TestWorkbench extends TestService {
  /** Signs somebody in. */
  enter(who: Who): Promise<Visitor>;
}

/** A service with a log and pages. */
export async function startWorkbench(options: Parameters<typeof startTestService>[0] = {}): Promise<TestWorkbench> {
  return workbenchOf(await startTestService({ audit: true, ...options, invited: invited() }));
}

/** One for the tests of a file that do not change it for each other; the first of them starts it. */
export function sharedWorkbench(): () => Promise<TestWorkbench> {
  const shared = sharedTestService(() => ({ audit: true, invited: invited() }));
  let workbench: Promise<TestWorkbench> | undefined;
  return () => {
    workbench ??= shared().then(workbenchOf);
    return workbench;
  };
}

function invited(): ReadonlyMap<string, Person> {
  return new Map(Object.entries(PEOPLE).flatMap(([who, each]) => LINKS.map((n) => [`${who}-${n}`, each])));
}

async function workbenchOf(service: TestService): Promise<TestWorkbench> {
  await untilIndexed(service);
  const used = new Map<Who, number>();
  return {
    ...service,
    enter: async (who) => {
      const n = (used.get(who) ?? 0) + 1;
      used.set(who, n);
      const visitor = new Visitor(service.url);
      await visitor.get(`/invited/${who}-${n}`);
      await visitor.get('/');
      return visitor;
    },
  };
}

/** So often one person can be signed in by the tests of a workbench. */
export const LINKS = Array.from({ length: 20 }, (_, i) => i + 1);
