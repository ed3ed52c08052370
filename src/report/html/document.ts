/** A title and what stands on a page -> one self-contained HTML file. */

import { createHash } from 'node:crypto';
import { GENERATOR } from './generator.ts';
import { type Child, element, Markup } from './markup.ts';
import { STYLESHEET } from './stylesheet.ts';

/** A part of a page, with a heading and a link to it. */
export interface Part {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly content: Child;
}

/** A page. */
export interface Page {
  /** Of the window; names nobody. */
  readonly title: string;
  /** Heading and summary. */
  readonly head: Child;
  /** Those of undefined content are left out. */
  readonly parts: readonly Part[];
  readonly foot: Child;
}

/**
 * Nothing is loaded, run or sent, whatever stands in the page. The one stylesheet is allowed by its hash, so that not even
 * a style could come in with the data. (CSP3, section 6.7.2: a hash of the element's text.)
 */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLESHEET).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The file's text. */
export function writePage({ title, head, parts, foot }: Page): string {
  const shown = parts.filter(({ content }) => content !== undefined);
  const links = shown.map(({ id, title: name }) => element('li', {}, element('a', { href: `#${id}` }, name)));
  return Markup.page(
    element(
      'html',
      { lang: 'en' },
      element(
        'head',
        {},
        element('meta', { charset: 'utf-8' }),
        element('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
        element('meta', { name: 'generator', content: GENERATOR }),
        element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
        element('meta', { name: 'color-scheme', content: 'light dark' }),
        element('meta', { name: 'referrer', content: 'no-referrer' }),
        element('title', {}, title),
        Markup.stylesheet(STYLESHEET),
      ),
      element(
        'body',
        {},
        element('a', { class: 'skip', href: '#content' }, 'Skip to the content'),
        element('header', { class: 'head' }, head),
        // To a page of one part nobody needs a way.
        links.length < 2
          ? undefined
          : element('nav', { 'aria-label': 'On this page' }, element('ul', { role: 'list' }, links)),
        element('main', { id: 'content' }, shown.map(writePart)),
        element('footer', {}, foot),
      ),
    ),
  );
}

function writePart({ id, title, content }: Part): Markup {
  const heading = `${id}-heading`;
  return element('section', { id, 'aria-labelledby': heading }, element('h2', { id: heading }, title), content);
}
