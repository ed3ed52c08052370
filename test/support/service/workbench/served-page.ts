/** The HTML of a page that is served -> its elements, after everything that each page keeps to. */

import { expect } from 'vitest';
import { all, elementsOf, type ReadElement, readPage, textOf } from '../../report/read-page.ts';

/** Every element that a page has. What another one would do, the data of a page must not. */
const TAGS = new Set([
  ...[
    'html',
    'head',
    'meta',
    'title',
    'link',
    'script',
    'noscript',
    'body',
    'header',
    'main',
    'nav',
    'section',
    'footer',
  ],
  ...['h1', 'h2', 'h3', 'p', 'div', 'span', 'strong', 'code', 'time', 'a', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
  ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'details', 'summary', 'wbr'],
  ...['svg', 'g', 'rect', 'line', 'circle', 'text'],
  ...['form', 'fieldset', 'legend', 'label', 'input', 'select', 'option', 'datalist', 'textarea', 'button'],
]);

/** A path of the service, or a place on a page. */
const OWN = /^(?:#[\w-]+|\/(?![/\\])[\w%/.?=&@~+-]*(?:#[\w-]+)?)$/;

/** Reads a page, and checks its elements, its links, its headings and the labels of its fields. */
export function readServed(html: string): ReadElement {
  const page = readPage(html.trimEnd());
  const elements = elementsOf(page);
  // One assertion for all elements: one for each of them takes longer than all else.
  expect(elements.filter(({ tag }) => !TAGS.has(tag))).toEqual([]);
  const attributes = elements.flatMap((each) => Object.entries(each.attributes));
  expect(attributes.filter(([name]) => /^on|^style$|^srcdoc$|^formaction$/.test(name))).toEqual([]);
  const links = attributes.filter(([name]) => ['href', 'src', 'action'].includes(name));
  expect(links.filter(([, value]) => !OWN.test(value))).toEqual([]);
  const scripts = all(page, 'script');
  // That of all pages, and perhaps the one of the editor.
  expect(scripts.map(({ attributes }) => attributes['src']).join()).toMatch(/^\/assets\/\w+\.js(,\/assets\/\w+\.js)?$/);
  expect(scripts.map(textOf).join('')).toBe('');
  for (const unseen of ['\u202e', '\u2066', '\0', '\u2028']) expect(html.includes(unseen)).toBe(false);
  checkIds(elements);
  checkHeadings(elements);
  checkRegions(elements);
  checkFields(page);
  return page;
}

function checkIds(elements: readonly ReadElement[]): void {
  const ids = elements.flatMap(({ attributes: { id } }) => (id === undefined ? [] : [id]));
  expect(duplicatesOf(ids)).toEqual([]);
  const named = elements.flatMap(({ attributes }) => [
    ...(attributes['for'] ?? '').split(' '),
    ...(attributes['aria-labelledby'] ?? '').split(' '),
    ...(/^#/.test(attributes['href'] ?? '') ? [(attributes['href'] ?? '').slice(1)] : []),
  ]);
  expect(named.filter((id) => id !== '' && !ids.includes(id))).toEqual([]);
}

function duplicatesOf(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.size === seen.add(text).size);
}

/** Elements that say what something is. */
const SAYING = new Set(['title', 'h1', 'h2', 'h3', 'summary', 'caption', 'legend', 'button']);

/** One heading of the page, and no part that has nothing but its heading. */
function checkHeadings(elements: readonly ReadElement[]): void {
  expect(elements.filter(({ tag }) => tag === 'h1')).toHaveLength(1);
  expect(elements.filter((each) => SAYING.has(each.tag) && textOf(each).trim() === '')).toEqual([]);
  const empty = elements.filter(({ tag, children }) => tag === 'section' && children.length < 2);
  expect(empty.map(({ attributes }) => attributes['id'])).toEqual([]);
}

/** A list of the regions of a page, as screen readers have one, tells each from the others. */
function checkRegions(elements: readonly ReadElement[]): void {
  const labels = new Map(elements.map((each) => [each.attributes['id'], each]));
  const regions = elements.filter(({ tag, attributes: { role } }) => tag === 'section' || role === 'region');
  const names = regions.map(({ attributes }) => {
    const label = labels.get(attributes['aria-labelledby']);
    return label ? textOf(label) : '';
  });
  expect(duplicatesOf(names)).toEqual([]);
}

/** Each field has a name that a screen reader says: a label around it, or one for its id. */
function checkFields(page: ReadElement): void {
  const labels = all(page, 'label');
  const inside = labels.flatMap(elementsOf);
  const isNamed = (field: ReadElement) =>
    field.attributes['aria-label'] !== undefined ||
    inside.includes(field) ||
    labels.some((each) => each.attributes['for'] === field.attributes['id']);
  const fields = ['input', 'select', 'textarea'].flatMap((tag) => all(page, tag));
  const unnamed = fields.filter((each) => each.attributes['type'] !== 'hidden' && !isNamed(each));
  expect(unnamed.map(({ attributes }) => attributes)).toEqual([]);
  for (const form of all(page, 'form')) {
    const isPost = form.attributes['method'] === 'post';
    const tokens = all(form, 'input').filter(({ attributes }) => attributes['name'] === 'csrf');
    expect(tokens).toHaveLength(isPost ? 1 : 0);
  }
}
