/** A page and the person who reads it -> the HTML that the service sends: navigation, page, footer. */

import { contents, type Page, type Part, partSection } from '../../../report/html/document.ts';
import * as h from '../../../report/html/markup.ts';
import { type Child, Markup } from '../../../report/html/markup.ts';
import * as s from '../../../report/html/served.ts';

/** A page with what is always in view beside it: what its reader came to do. */
export interface ServedPage extends Page {
  /** On a narrow screen it comes last; the key `e` goes to it. */
  readonly aside?: Part;
  /** Whether what it shows is still being made: it loads itself again, without the script too. */
  readonly isFilling?: boolean;
  /** Whether its text field becomes an editor, by a script of its own. */
  readonly hasEditor?: boolean;
}

/** An entry of the main navigation. */
export interface Section {
  readonly path: string;
  readonly name: string;
  /** The second key after `g`. */
  readonly key: string;
  /** What waits there, if anything does. */
  readonly badge?: string | undefined;
}

/** Who reads a page, and where they are. */
export interface Frame {
  /** The sections that their roles open. */
  readonly sections: readonly Section[];
  /** The path of the present one. */
  readonly at: string;
  /** What their browser loads: paths that change with their content. */
  readonly assets: Readonly<Record<'styles' | 'script' | 'editor', string>>;
  /** Absent on pages for everybody. */
  readonly reader?: Reader;
  /** What their last action did, in a sentence. */
  readonly done?: Child;
}

export interface Reader {
  readonly display: string;
  /** The token of each form. */
  readonly csrf: string;
}

export function writeServed(shown: ServedPage, frame: Frame): string {
  const { title, head, parts, foot, aside, isFilling, hasEditor } = shown;
  const { reader, assets, done } = frame;
  const sections = parts.map(partSection);
  return Markup.servedPage(
    h.html(
      { lang: 'en' },
      h.head(
        h.meta({ charset: 'utf-8' }),
        h.meta({ name: 'viewport', content: 'width=device-width, initial-scale=1' }),
        h.meta({ name: 'color-scheme', content: 'light dark' }),
        h.title(`${title} · verdict`),
        s.styles({ rel: 'stylesheet', href: assets.styles }),
        s.script({ type: 'module', src: assets.script }),
        hasEditor ? s.script({ type: 'module', src: assets.editor }) : undefined,
        isFilling ? h.noscript({ id: 'filling' }, h.meta({ 'http-equiv': 'refresh', content: '2' })) : undefined,
      ),
      h.body(
        h.a({ class: 'skip', href: '#content' }, 'Skip to the content'),
        reader ? navigation(frame, reader) : undefined,
        h.header(
          { class: 'head' },
          done === undefined ? undefined : s.region({ role: 'status', class: 'done' }, done),
          head,
          aside?.content && h.p({ class: 'jump' }, h.a({ href: `#${aside.id}` }, aside.title)),
        ),
        aside ? undefined : contents(parts),
        aside
          ? h.main({ id: 'content', class: 'two' }, h.div(sections), asidePart(aside))
          : h.main({ id: 'content' }, sections),
        h.footer(
          foot === undefined ? undefined : h.p(foot),
          reader ? h.p({ class: 'zone' }, 'Times are UTC.') : undefined,
          reader ? keysPart(frame.sections) : undefined,
        ),
      ),
    ),
  );
}

function asidePart({ id, title, content }: Part): Child {
  if (content === undefined) return undefined;
  const heading = `${id}-heading`;
  return s.region(
    { id, class: 'aside', role: 'region', 'aria-labelledby': heading, tabindex: 0, 'data-key': 'e' },
    h.h2({ id: heading }, title),
    content,
  );
}

function navigation({ sections, at }: Frame, { display, csrf }: Reader): Child {
  const link = ({ path, name, key, badge }: Section) => {
    const current = path === at ? ({ 'aria-current': 'page' } as const) : {};
    return h.li(
      s.link({ href: path, 'data-key': key, ...current }, name, badge && [' ', h.span({ class: 'badge' }, badge)]),
    );
  };
  return h.div(
    { class: 'bar' },
    h.nav({ 'aria-label': 'Main' }, h.ul({ role: 'list' }, sections.map(link))),
    sections.some(({ path }) => path === '/decisions') ? findForm(csrf) : undefined,
    s.form(
      { method: 'post', action: '/sign-out', class: 'who', 'aria-label': 'Signed in' },
      tokenField(csrf),
      h.span({ title: display }, display),
      ' ',
      s.button({ type: 'submit', class: 'plain' }, 'Sign out'),
    ),
  );
}

/** Goes to one decision from any page. */
function findForm(csrf: string): Markup {
  return s.form(
    { method: 'post', action: '/decisions/find', class: 'find', role: 'search', 'aria-label': 'A decision' },
    tokenField(csrf),
    s.input({ type: 'hidden', name: 'by', value: 'reference' }),
    s.input({
      ...{ type: 'search', name: 'text', required: true, maxlength: 200, autocomplete: 'off' },
      ...{ 'aria-label': 'Reference or id of a decision', placeholder: 'Reference or id', 'data-key': '/' },
    }),
  );
}

export function tokenField(csrf: string): Markup {
  return s.input({ type: 'hidden', name: 'csrf', value: csrf });
}

/** The keys of all pages. The script switches them on, and off again with the box (WCAG 2.2, 2.1.4). */
function keysPart(sections: readonly Section[]): Child {
  return s.region(
    { id: 'keys', hidden: true },
    h.details(
      h.summary('Keys'),
      h.p(s.input({ type: 'checkbox', id: 'keys-on' }), ' ', s.label({ for: 'keys-on' }, 'Use these keys')),
      h.p(
        'The key / goes to the search. ',
        sections.map(({ name, key }) => `The keys g and ${key} go to ${name}. `),
        'The key ? opens this list. On a case: a, d, 1 to 9, w, v, s, u; e goes to its form. On the queue: n. ',
        'In a field, a key is a letter; only Enter sends the form.',
      ),
    ),
  );
}
