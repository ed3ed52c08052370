/** The table of pages and a service -> routes of its server, for people who are signed in. */

import { hash, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { ID } from '../../audit/entry/schema.ts';
import type { Page } from '../../report/html/document.ts';
import type { Child } from '../../report/html/markup.ts';
import { link } from '../../report/html/served.ts';
import { capitalised, toJson } from '../../text.ts';
import type { Door } from '../auth/door.ts';
import { hasRole } from '../auth/roles.ts';
import { createCookie, type Session } from '../auth/sessions.ts';
import { type Problem, type ProblemCode, ProblemError, ROWS } from '../problem.ts';
import { errorOf, flawIn, knownOf, markDecision, markProblem, readAs, readForm, typedFields } from '../request.ts';
import { routerPath } from '../route.ts';
import type { Access, Service } from '../service.ts';
import { DONE, type DoneKey, type PageRoute } from './page.ts';
import { keptWords, messagePage } from './pages/decisions-page.ts';
import { PAGES, sectionOf, sectionsOf, sectionsWithBadges } from './pages.ts';
import { type ServedPage, writeServed } from './parts/frame.ts';
import { SERVED_STYLESHEET } from './stylesheet.ts';

/** Whether browsers reach the service over https: its cookies go nowhere else. */
export interface PageSetting {
  readonly access: Access;
  readonly isSecure: boolean;
  readonly door: Door;
}

/** The policy of pages: nothing from another origin, no script but ours, and nothing that turns text into elements. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'", "form-action 'self'"],
  ...["base-uri 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

const HTML = 'text/html; charset=utf-8';

/** What the pages load, under names that change with their content. */
function readAssets() {
  const folder = BROWSER.map((place) => new URL(place, import.meta.url)).find((each) =>
    existsSync(new URL('browser.js', each)),
  );
  if (!folder) throw new ProblemError('INTERNAL', 'the scripts of the pages are not there: build the package');
  const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
  const assets = {
    styles: [SERVED_STYLESHEET, 'css'],
    script: [read('browser.js'), 'js'],
    editor: [read('editor.js'), 'js'],
  } as const;
  const named = Object.entries(assets).map(([name, [text, ending]]) => {
    const path = `/assets/${hash('sha256', text, 'hex').slice(0, 12)}.${ending}`;
    return [name, { path, bytes: Buffer.from(text), ending }] as const;
  });
  return Object.fromEntries(named) as Record<keyof typeof assets, (typeof named)[number][1]>;
}

/** The build puts this code into the command line, a chunk of it, or beside its source. */
const BROWSER = ['../service/workbench/', '../../service/workbench/', '../../../dist/service/workbench/'];

/** Answers a request for a path that there is not. */
export type ShowMissing = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Adds the pages to a server. */
export function addPages(app: FastifyInstance, service: Service, { access, isSecure, door }: PageSetting): ShowMissing {
  const { sessions, signIn, enter, isTrial } = access;
  const howToEnter = isTrial ? ENTER_TRIAL : ENTER_INVITED;
  const assets = readAssets();
  const paths = { styles: assets.styles.path, script: assets.script.path, editor: assets.editor.path };
  const cookie = createCookie('verdict', isSecure);
  /** Set when a person signs out: the session at the issuer may go on, so the next sign-in asks for a password. */
  const signedOut = createCookie('verdict-signed-out', isSecure);
  /** Whether a page of this service sent a form. The origin of pages that send no referrer, as ours, is `null`. */
  const isOwn = ({ headers: { origin = 'null', host, 'sec-fetch-site': site } }: FastifyRequest) => {
    const own = service.config.people?.origin ?? `http${isSecure ? 's' : ''}://${host}`;
    return site === 'same-origin' ? origin === 'null' || origin === own : site === undefined && origin === own;
  };
  /** What a person wrote; another site may have written what else comes. */
  const wordsOf = (request: FastifyRequest) => (isOwn(request) ? wordsIn(request.body) : []);
  const headers = {
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    ...(isSecure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  const page = (
    reply: FastifyReply,
    content: ServedPage,
    status = 200,
    frame: Partial<Parameters<typeof writeServed>[1]> = {},
  ) => {
    const html = writeServed(content, { sections: [], at: '', assets: paths, ...frame });
    return reply.code(status).type(HTML).send(html);
  };
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply, session?: Session, at = '') => {
    const refusal = errorOf(error, 'a form of these pages');
    const { problem } = refusal;
    reply.headers(headers);
    markProblem(refusal, request, reply);
    // The rest of it would have to be read before the next request. A short form has arrived, or is about to: to end
    // its connection could reset it before the answer is read.
    if (problem.code === 'TOO_LARGE') reply.header('connection', 'close');
    const said = sentencesOf(problem);
    // The script of the editor asks for data.
    if (isOwn(request) && (request.body as Record<string, string> | undefined)?.['as'] === 'data')
      return reply
        .code(problem.status)
        .type('application/json')
        .send(toJson({ problem: said.join(' ') }));
    const shown = problemPageOf(problem, request, wordsOf(request));
    const isFilling = problem.code === 'INDEX_BEHIND' && request.method === 'GET';
    return page(reply, { ...shown, isFilling }, problem.status, session && frameOf(session, at, service));
  };

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) => {
      const { fileBytes } = request.routeOptions.config as Pick<PageRoute, 'fileBytes'>;
      // A form takes up to three characters for each byte.
      const kib = fileBytes && (3 * fileBytes) / 1024;
      readForm(request, payload, kib).then((form) => done(null, form), done);
    });
    scope.setErrorHandler((error, request, reply) => refuse(error, request, reply));
    scope.addHook('onRequest', async (request, reply) => {
      reply.headers(headers);
      if (request.headers.authorization === undefined) return;
      throw new ProblemError('REQUEST_INVALID', 'pages are for people: they take no key');
    });

    for (const { path, bytes, ending } of Object.values(assets)) {
      scope.get(path, (_request, reply) =>
        reply
          .header('cache-control', 'public, max-age=31536000, immutable')
          .type(ending === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8')
          .send(bytes),
      );
    }

    // Browsers ask for it, whatever a page says.
    scope.get('/favicon.ico', (_request, reply) => reply.code(204).send());
    scope.get('/sign-in', async (request, reply) => {
      const { to = '/', again } = request.query as { readonly to?: string; readonly again?: string };
      if (!signIn) return page(reply, messagePage('Sign in', howToEnter), 401);
      // Each asks the issuer, and anybody may ask for it.
      door.limit(request.ip);
      const isAfresh = again !== undefined || signedOut.read(request.headers.cookie) !== undefined;
      const { location, setCookie } = await signIn.begin(to, isAfresh);
      return reply.header('set-cookie', setCookie).redirect(location, 303);
    });
    scope.get('/sign-in/callback', async (request, reply) => {
      if (!signIn) throw new ProblemError('NOT_FOUND');
      door.limitCallback(request.ip);
      const query = request.url.split('?')[1] ?? '';
      const { person, to, setCookie } = await signIn.finish(query, request.headers.cookie);
      const value = await sessions.begin(person);
      reply.header('set-cookie', [setCookie, cookie.write(value), signedOut.clear()]);
      return reply.redirect(to, 303);
    });
    scope.get('/invited/:secret', async (request, reply) => {
      // A guess costs a look into the state.
      if (!isTrial) door.limit(request.ip);
      const { secret } = request.params as { readonly secret: string };
      const value = await enter(secret);
      if (value === undefined) throw new ProblemError('NOT_FOUND', isTrial ? OF_EARLIER_TRIAL : USED);
      return reply.header('set-cookie', cookie.write(value)).redirect('/', 303);
    });
    scope.post('/sign-out', async (request, reply) => {
      const value = cookie.read(request.headers.cookie);
      const session = await sessions.find(value);
      if (session) checkForm(request, session, isOwn(request));
      if (value !== undefined) await sessions.end(value);
      const again = signIn ? link({ href: '/sign-in' }, 'Sign in again') : undefined;
      // Another site can send a form here, without the cookie: it must not end what this browser has.
      if (value !== undefined) {
        const ended = signIn ? [cookie.clear(), signedOut.write('1')] : cookie.clear();
        reply.header('set-cookie', ended).header('clear-site-data', '"cache"');
      }
      return page(reply, messagePage('You are signed out', ['Nobody can use this session any more.'], [again]));
    });

    for (const route of PAGES) {
      scope.route({
        method: route.method,
        url: routerPath(route.path),
        config: { fileBytes: route.fileBytes },
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          const session = await sessions.find(cookie.read(request.headers.cookie));
          if (!session) return refuseStranger(route, request, reply);
          door.people.take(session.person.subject, reply.raw);
          knownOf(request).person = session.person.subject;
          markDecision(request, route.path);
          return answer(route, session, request, reply);
        },
      });
    }

    async function refuseStranger(route: PageRoute, request: FastifyRequest, reply: FastifyReply) {
      const to = pathOf(request.url, route);
      if (route.method === 'GET' && signIn) return reply.redirect(`/sign-in?${new URLSearchParams({ to })}`, 303);
      const again = signIn ? link({ href: `/sign-in?${new URLSearchParams({ to })}` }, 'Sign in and go on') : undefined;
      const words = signIn ? ['Your session ended, so nothing was recorded.'] : howToEnter;
      return page(reply, messagePage('Sign in', words, [keptWords(wordsOf(request)), again]), 401);
    }

    async function answer(route: PageRoute, session: Session, request: FastifyRequest, reply: FastifyReply) {
      const { person } = session;
      const frame = frameOf(session, sectionOf(route.path), service);
      try {
        if (route.method === 'POST') checkForm(request, session, isOwn(request));
        if (!hasRole(person, route.roles)) {
          const needed = `this needs the role ${route.roles?.join(' or ')}: ask the people who give roles`;
          throw new ProblemError('FORBIDDEN', needed);
        }
        refuseTwice(request.query as Record<string, unknown>);
        const { done, about, ...fields } = filled(request.query as Record<string, string>);
        const { csrf: _, ...written } = filled(request.body as Record<string, string>);
        const query = readAs(route.query ?? NO_FIELD, fields);
        const form = readAs(route.form ?? NO_FIELD, typedFields(route.form ?? NO_FIELD, written), route.fileBytes);
        if (flawIn(request.params)) throw new ProblemError('NOT_FOUND');
        const [id = '', inner = ''] = Object.values(request.params as Record<string, string>);
        const result = await route.handle({ person, reader: frame.reader, id, inner, query, form }, service);
        if ('to' in result) {
          const about = result.about === undefined ? '' : `&about=${result.about}`;
          const more = result.done && `${result.to.includes('?') ? '&' : '?'}done=${result.done}${about}`;
          return reply.redirect(`${result.to}${more ?? ''}`, 303);
        }
        if ('data' in result)
          return reply
            .code(result.status ?? 200)
            .type('application/json')
            .send(toJson(result.data));
        if ('file' in result) {
          reply.header('content-disposition', `attachment; filename="${result.file}"`);
          return reply.type(result.type).send(result.text);
        }
        const sections = await sectionsWithBadges(person, service);
        return page(reply, result.page, result.status, { ...frame, sections, done: sentenceOf(done, about) });
      } catch (error) {
        return refuse(error, request, reply, session, frame.at);
      }
    }
  });

  return async (request, reply) => {
    const session = await sessions.find(cookie.read(request.headers.cookie)).catch(() => undefined);
    return refuse(new ProblemError('NOT_FOUND'), request, reply, session);
  };
}

/** What people do who are not signed in, where no issuer signs them in. */
const ENTER_TRIAL = [
  'Open one of the links that `verdict serve --try` printed in its terminal: one for each of five people.',
  'They work as often as you like, until the trial ends. A trial that is started again prints new ones.',
];
const ENTER_INVITED = [
  'Open the link of your invitation: it works once, within seven days.',
  'If it was used, ask the people who run this service for another one.',
];
const OF_EARLIER_TRIAL =
  'this link is not one of this trial: the terminal of `verdict serve --try` shows those that are';
const USED =
  'this link was used or revoked, or is older than seven days: ask the people who run this service for another';

/** The navigation that a person sees. */
function frameOf({ person, csrf }: Session, at: string, service: Service) {
  return { sections: sectionsOf(person, service), at, reader: { display: person.display, csrf } };
}

/** Whether a browser asks for a page, and not a program for data. */
export function wantsPage({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.authorization === undefined && prefersPage(headers.accept);
}

/** Whether a header `Accept` names pages, and no data. */
export function prefersPage(accept = ''): boolean {
  return /\btext\/html\b/.test(accept) && !/\bapplication\/json\b/.test(accept);
}

/** What problems are called where people read them: the table of problems is for those who write programs. */
const FOR_PEOPLE: Partial<Record<ProblemCode, readonly [title: string, advice?: string]>> = {
  REQUEST_INVALID: ['This cannot be used as it is', 'Go back and correct it: nothing was recorded.'],
  FORBIDDEN: ['You may not do this'],
  NOT_FOUND: ['There is nothing here', 'Check the address: it may be mistyped, or what it names is not on record.'],
  LEASE_LOST: ['You do not hold this case', 'Take a case from the queue again.'],
  ALREADY_RESOLVED: ['The case is resolved', 'Nothing is left to do.'],
  TOO_MANY_REQUESTS: ['Too many sign-ins', 'Wait a few seconds, then sign in again.'],
  ISSUER_UNAVAILABLE: ['Sign-in does not work now', 'Sign in again later. People who are signed in stay signed in.'],
  TOO_LARGE: ['The form is too large', 'Write less: nothing was recorded.'],
  UNSUPPORTED_MEDIA_TYPE: ['This is not a form', 'Send a form of these pages: nothing was recorded.'],
  STATE_UNAVAILABLE: ['The service does not reach its state', 'Nothing was recorded. Try again in a moment.'],
  INDEX_BEHIND: ['The index of the log is being made', 'This page fills itself.'],
  OVERLOADED: ['The service is busy', 'Nothing was recorded. Try again in a moment.'],
  AUDIT_FAILED: ['This cannot be recorded', 'So it was not done. Try again later, and tell those who run the service.'],
  INTERNAL: ['The service failed', 'Try again later, and tell those who run the service.'],
};

/** What was refused, and why; what the person had written stays. */
function problemPageOf(problem: Problem, request: FastifyRequest, words: readonly string[]): Page {
  const [title] = FOR_PEOPLE[problem.code] ?? [problem.title];
  return messagePage(title, sentencesOf(problem), [keptWords(words), onward(problem, request)]);
}

/** What was refused and what to do, in sentences. */
function sentencesOf(problem: Problem): readonly string[] {
  const [, advice] = FOR_PEOPLE[problem.code] ?? [problem.title, ROWS[problem.code].advice];
  const wrong = problem.errors?.map(({ pointer, detail }) => `${pointer.slice(1)}${pointer && ': '}${detail}`);
  return [wrong?.join('; ') ?? problem.detail, advice]
    .filter((words) => words !== undefined)
    .map((words) => (/[.!?]$/.test(words) ? capitalised(words) : `${capitalised(words)}.`));
}

/** The path to which a person returns: that of a form is the one of its page. */
function pathOf(url: string, { method }: PageRoute): string {
  return method === 'GET' ? url : url.replace(/\?.*/, '').replace(/\/[^/]*$/, '');
}

/** Where to go from a problem, by the path of the request; no header of the browser is trusted for it. */
function onward({ code, retryable }: Problem, { url, method }: FastifyRequest) {
  const path = url.replace(/\?.*/, '');
  const to = (href: string, words: string) => link({ href: OWN_PATH.test(href) ? href : '/' }, words);
  if (method === 'POST') return to(path.replace(/\/[^/]*$/, ''), 'Back');
  if (code === 'SIGN_IN_INVALID' || path === '/sign-in/callback') return to('/sign-in', 'Sign in again');
  return retryable ? to(url, 'Try again') : to('/', 'Home');
}

/** A path of this service, with a query that needs no care. */
const OWN_PATH = /^\/(?!\/)[\w/?&=%.+-]*$/;

function sentenceOf(done: string | undefined, about = ''): Child {
  if (done === undefined || !Object.hasOwn(DONE, done)) return undefined;
  return [DONE[done as DoneKey], ID.is(about) ? [' ', link({ href: `/cases/${about}` }, 'Look at it')] : ''];
}

/** Only a form of a page of this session may change something: another site has neither its token nor its origin. */
function checkForm({ body }: FastifyRequest, { csrf }: Session, isOwn: boolean): void {
  const [given, own] = [(body as Record<string, string> | undefined)?.['csrf'] ?? '', csrf].map((text) =>
    hash('sha256', text, 'buffer'),
  ) as [Buffer, Buffer];
  if (isOwn && timingSafeEqual(given, own)) return;
  throw new ProblemError(
    'FORBIDDEN',
    'the form is not one of this session: go back to its page, and send it from there',
  );
}

/** Of a page that takes none. */
const NO_FIELD = z.strictObject({});

/** A field that a URL has twice is read as a list. */
function refuseTwice(query: Readonly<Record<string, unknown>>): void {
  const twice = Object.keys(query).filter((name) => typeof query[name] !== 'string');
  if (twice.length > 0) throw new ProblemError('REQUEST_INVALID', 'a field is there twice, expected each once');
}

/** Without empty fields, which a browser sends too. */
function filled(fields: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  const entries = Object.entries(fields ?? {}).filter(([, value]) => typeof value === 'string' && value !== '');
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Browsers write line ends as CR LF. */
function wordsIn(body: unknown): readonly string[] {
  const form = filled(body as Record<string, unknown> | undefined);
  return [form['why'], form['text']].filter((text) => text !== undefined);
}
