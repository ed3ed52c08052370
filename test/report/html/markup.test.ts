/** Texts and elements -> HTML. */

import { describe, expect, it } from 'vitest';
import { type Attributes, a, details, Markup, p } from '../../../src/report/html/markup.ts';

const written = (root: Markup) => Markup.page(root).replace('<!doctype html>\n', '').trimEnd();

describe('markup', () => {
  it('escapes every text and every attribute', () => {
    expect(written(p({ class: `"'><&` }, `<script>"'&amp;`, 3))).toBe(
      '<p class="&quot;&#39;&gt;&lt;&amp;">&lt;script&gt;&quot;&#39;&amp;amp;3</p>',
    );
  });

  it.each([
    ['NUL', '\0', '\\u{0000}'],
    ['a change of direction', '\u202e', '\\u{202e}'],
    ['an isolate', '\u2066', '\\u{2066}'],
    ['a line separator', '\u2028', '\\u{2028}'],
    ['a lone surrogate', '\ud800', '\\u{d800}'],
    ['a noncharacter', '\ufffe', '\\u{fffe}'],
    ['a tag character', '\u{e0041}', '\\u{e0041}'],
    ['a carriage return', '\r', '\\u{000d}'],
    ['an escape', '\u001b[2J', '\\u{001b}[2J'],
  ])('shows %s as its code point', (_, text, shown) => {
    expect(written(p(text))).toBe(`<p>${shown}</p>`);
    expect(written(p({ 'aria-label': text }))).toBe(`<p aria-label="${shown}"></p>`);
  });

  it('keeps letters of every script, line breaks and tabs', () => {
    expect(written(p('é שלום 東京\n\t😀'))).toBe('<p>é שלום 東京\n\t😀</p>');
  });

  it('never treats data as markup, whatever its shape', () => {
    const forged = JSON.parse('{"#html":"<script>","html":"<script>"}');
    Object.setPrototypeOf(forged, Markup.prototype);
    expect(() => written(p(forged))).toThrow(TypeError);
  });

  it.each([
    ['a handler', { onclick: 'alert(1)' }],
    ['a style', { style: 'color:red' }],
    ['a name that ends the tag', { 'id><script': '' }],
  ])('refuses attributes with %s', (_, data) => {
    expect(() => p(data as Attributes, 'text')).toThrow('an attribute that pages do not have');
  });

  it('leaves out attributes that are undefined or false, and children that are undefined', () => {
    const attributes = { open: false, class: undefined } as unknown as Attributes;
    expect(written(details(attributes, undefined, ['a', ['b']]))).toBe('<details>ab</details>');
    expect(written(details({ open: true }))).toBe('<details open></details>');
  });

  it.each(['https://a.example', 'javascript:alert(1)', '//a.example', ' #a'])('refuses a link to %j', (href) => {
    expect(() => a({ href: href as '#' })).toThrow('leaves the page');
  });

  it('refuses a stylesheet that ends its element', () => {
    expect(() => Markup.stylesheet('p{}</style>')).toThrow('ends its element');
  });
});
