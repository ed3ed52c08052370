/** Elements, attributes and texts -> HTML in which nothing that comes from outside can be more than text. */

/** The elements that pages are made of. None runs, loads or sends anything. */
export type Tag =
  | 'a'
  | 'body'
  | 'caption'
  | 'code'
  | 'dd'
  | 'details'
  | 'div'
  | 'dl'
  | 'dt'
  | 'footer'
  | 'h1'
  | 'h2'
  | 'h3'
  | 'head'
  | 'header'
  | 'html'
  | 'li'
  | 'line'
  | 'main'
  | 'meta'
  | 'nav'
  | 'ol'
  | 'p'
  | 'rect'
  | 'section'
  | 'span'
  | 'strong'
  | 'summary'
  | 'svg'
  | 'table'
  | 'tbody'
  | 'td'
  | 'text'
  | 'th'
  | 'thead'
  | 'time'
  | 'title'
  | 'tr'
  | 'ul'
  | 'wbr';

/** The attributes that elements may have: no handler, no style, and no link that leaves the page. */
export interface Attributes {
  readonly id?: string;
  readonly class?: string;
  readonly lang?: string;
  readonly href?: `#${string}`;
  readonly open?: boolean;
  readonly datetime?: string;
  readonly scope?: 'col' | 'row' | 'rowgroup';
  readonly rowspan?: number;
  readonly tabindex?: 0;
  readonly role?: 'cell' | 'columnheader' | 'img' | 'list' | 'region' | 'row' | 'rowgroup' | 'rowheader' | 'table';
  readonly 'aria-label'?: string;
  readonly 'aria-labelledby'?: string;
  readonly 'aria-hidden'?: 'true';
  /** What stands before a cell where its column has no room for a heading. */
  readonly 'data-label'?: string;
  /** Of `meta`. */
  readonly charset?: 'utf-8';
  readonly name?: string;
  readonly 'http-equiv'?: string;
  readonly content?: string;
  /** Of shapes. */
  readonly x?: string;
  readonly y?: string;
  readonly x1?: string;
  readonly x2?: string;
  readonly y1?: string;
  readonly y2?: string;
  readonly width?: string;
  readonly height?: string;
}

/** What may stand in an element: elements, texts, numbers; nothing where it is undefined. */
export type Child = Markup | string | number | undefined | readonly Child[];

const VOID: readonly Tag[] = ['meta', 'wbr'];

/** HTML that was built here. Its text is private, so that no data can pass for it. */
export class Markup {
  readonly #html: string;

  private constructor(html: string) {
    this.#html = html;
  }

  /** An element; every text in it is escaped. */
  static element(tag: Tag, attributes: Attributes, children: readonly Child[]): Markup {
    const written = Object.entries(attributes).map(([name, value]) => attribute(name, value));
    const start = `<${tag}${written.join('')}>`;
    return new Markup(VOID.includes(tag) ? start : `${start}${Markup.#text(children)}</${tag}>`);
  }

  /** A stylesheet of this program's own. Throws where its text would end the element. */
  static stylesheet(text: string): Markup {
    if (text.includes('</')) throw new Error('a stylesheet that ends its element');
    return new Markup(`<style>${text}</style>`);
  }

  /** A whole page: an `html` element, as a file holds it. */
  static page(root: Markup): string {
    return `<!doctype html>\n${root.#html}\n`;
  }

  static #text(child: Child): string {
    if (child === undefined) return '';
    if (child instanceof Markup) return child.#html;
    return typeof child === 'object' ? child.map((each) => Markup.#text(each)).join('') : escapeText(String(child));
  }
}

/** An element with what stands in it. */
export function element(tag: Tag, attributes: Attributes, ...children: readonly Child[]): Markup {
  return Markup.element(tag, attributes, children);
}

function attribute(name: string, value: string | number | boolean | undefined): string {
  if (value === undefined || value === false) return '';
  if (value === true) return ` ${name}`;
  // The type says so already; a link elsewhere would be the one way out of the page.
  if (name === 'href' && !String(value).startsWith('#')) throw new Error('a link that leaves the page');
  return ` ${name}="${escapeText(String(value))}"`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Controls other than line break and tab, marks that hide or turn text around (format characters, separators), halves of
 * characters and noncharacters: shown by number, so that what is read is what is there.
 */
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/** A text as it stands between tags or in quotes. */
function escapeText(text: string): string {
  return text
    .replace(UNSEEN, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`)
    .replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
}
