/** A title and the parts of a page -> one self-contained HTML file. */

import { createHash } from 'node:crypto';
import { GENERATOR } from './generator.ts';
import * as h from './markup.ts';
import { type Child, Markup } from './markup.ts';
import { STYLESHEET } from './stylesheet.ts';

/** A section with a heading; the page begins with links to them. */
export interface Part {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly content: Child;
}

export interface Page {
  /** The title of the window; contains no personal data. */
  readonly title: string;
  /** The heading and the summary. */
  readonly head: Child;
  /** A part whose content is undefined is left out. */
  readonly parts: readonly Part[];
  /** More than the sentence that every page ends with. */
  readonly foot?: string;
}

/** The page of a decision on record, and parts of its head. */
export interface RecordContent extends Page {
  /** Why it has its outcome, or why that cannot be read. */
  readonly reasons: Child;
  /** What names the decision: its id, time and policy. */
  readonly names: Child;
  /** The score drawn with its parts, and the table of them; absent without a score, and if it cannot be read. */
  readonly score?: { readonly drawn: Child; readonly points: Child } | undefined;
}

/**
 * The page loads, runs and sends nothing, whatever its data. The one stylesheet is allowed by its hash, so that not
 * even a style can come in with the data. (CSP3, section 6.7.2: a hash of the element's text.)
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLESHEET).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const COMPLETE = 'This page is complete in itself: it loads nothing and runs nothing.';

export function writePage({ title, head, parts, foot }: Page): string {
  return Markup.page(
    h.html(
      { lang: 'en' },
      h.head(
        h.meta({ charset: 'utf-8' }),
        h.meta({ 'http-equiv': 'Content-Security-Policy', content: PAGE_POLICY }),
        h.meta({ name: 'generator', content: GENERATOR }),
        h.meta({ name: 'viewport', content: 'width=device-width, initial-scale=1' }),
        h.meta({ name: 'color-scheme', content: 'light dark' }),
        h.meta({ name: 'referrer', content: 'no-referrer' }),
        h.title(title),
        Markup.stylesheet(STYLESHEET),
      ),
      h.body(
        h.a({ class: 'skip', href: '#content' }, 'Skip to the content'),
        h.header({ class: 'head' }, head),
        contents(parts),
        h.main({ id: 'content' }, parts.map(partSection)),
        h.footer(h.p([COMPLETE, ...(foot === undefined ? [] : [foot])].join(' '))),
      ),
    ),
  );
}

/** Links to the parts; a page with one part needs none. */
export function contents(parts: readonly Part[]): Child {
  const shown = parts.filter(({ content }) => content !== undefined);
  if (shown.length < 2) return undefined;
  const links = shown.map(({ id, title }) => h.li(h.a({ href: `#${id}` }, title)));
  return h.nav({ 'aria-label': 'On this page' }, h.ul({ role: 'list' }, links));
}

/** A part under its heading; nothing without content. */
export function partSection({ id, title, content }: Part): Child {
  if (content === undefined) return undefined;
  const heading = `${id}-heading`;
  return h.section({ id, 'aria-labelledby': heading }, h.h2({ id: heading }, title), content);
}
