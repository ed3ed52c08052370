/** Elements, attributes and texts -> HTML in which data from outside can only ever be text. */

/** The attributes of elements: no handler, no style, and no link that leaves the page. */
export type Attributes = { readonly [Name in TextAttribute | ShapeAttribute]?: string } & {
  readonly href?: `#${string}`;
  readonly open?: boolean;
  readonly scope?: 'col' | 'row' | 'rowgroup';
  readonly rowspan?: number;
  readonly tabindex?: 0;
  readonly role?:
    | 'cell'
    | 'columnheader'
    | 'group'
    | 'img'
    | 'list'
    | 'region'
    | 'row'
    | 'rowgroup'
    | 'rowheader'
    | 'table';
};
/** `data-label`: shown before a cell if the screen is too narrow for column headings. */
type TextAttribute = 'id' | 'class' | 'lang' | 'datetime' | 'data-label' | MetaAttribute | `aria-${AriaName}`;
type AriaName = 'label' | 'labelledby' | 'hidden';
/** `title`: more on hover; readers never depend on it. */
type MetaAttribute = 'title' | 'charset' | 'name' | 'http-equiv' | 'content';
type ShapeAttribute = 'x' | 'y' | 'x1' | 'x2' | 'y1' | 'y2' | 'cx' | 'cy' | 'r' | 'width' | 'height';

/** What elements of pages that are served have beside: they lead to paths of this service, and send to them. */
export interface ServedAttributes extends Omit<Attributes, 'href' | 'role'> {
  readonly [path: `data-${string}`]: string | undefined;
  readonly href?: string;
  readonly action?: string;
  readonly src?: string;
  readonly method?: 'get' | 'post';
  readonly role?: Attributes['role'] | 'status' | 'alert' | 'search';
  readonly rel?: 'stylesheet';
  readonly type?: 'checkbox' | 'hidden' | 'module' | 'radio' | 'search' | 'submit' | 'text' | 'date';
  readonly value?: string;
  readonly for?: string;
  readonly list?: string;
  readonly rows?: number;
  readonly maxlength?: number;
  readonly autocomplete?: 'off';
  readonly placeholder?: string;
  readonly 'aria-current'?: 'page';
  readonly checked?: boolean;
  readonly hidden?: boolean;
  readonly readonly?: boolean;
  readonly required?: boolean;
  readonly selected?: boolean;
  readonly spellcheck?: 'false';
}

/** The content of an element: elements, texts and numbers; undefined writes nothing. */
export type Child = Markup | string | number | undefined | readonly Child[];

/** Elements without content and without an end tag. */
const VOID: readonly string[] = ['meta', 'wbr', 'input', 'link'];

/** HTML that was built here. Its text is private, so that no data can pass for HTML. */
export class Markup {
  readonly #html: string;
  /** Whether it has an element of `served.ts`. */
  readonly #isServed: boolean;

  private constructor(html: string, isServed: boolean) {
    this.#html = html;
    this.#isServed = isServed;
  }

  /** An element of any page; every text in it is escaped. */
  static element(tag: string, attributes: Attributes, children: readonly Child[]): Markup {
    return Markup.#element(tag, Object.entries(attributes).map(writeAttribute).join(''), children, false);
  }

  /** An element of pages that are served, with an attribute that files do not have. */
  static served(tag: string, attributes: ServedAttributes, children: readonly Child[]): Markup {
    return Markup.#element(tag, Object.entries(attributes).map(writeServed).join(''), children, true);
  }

  static #element(tag: string, attributes: string, children: readonly Child[], isServed: boolean): Markup {
    const start = `<${tag}${attributes}>`;
    const html = VOID.includes(tag) ? start : `${start}${Markup.#text(children)}</${tag}>`;
    return new Markup(html, isServed || Markup.#holdsServed(children));
  }

  static #holdsServed(child: Child): boolean {
    if (child instanceof Markup) return child.#isServed;
    return Array.isArray(child) && child.some((each) => Markup.#holdsServed(each));
  }

  /** A stylesheet of this program. Throws if its text would end the element. */
  static stylesheet(text: string): Markup {
    if (text.includes('</')) throw new Error('a stylesheet that ends its element');
    return new Markup(`<style>${text}</style>`, false);
  }

  /** The text of a file with this `html` element. Throws if it has an element of pages that are served. */
  static page(root: Markup): string {
    if (root.#isServed) throw new Error('a file with an element of pages that are served');
    return Markup.servedPage(root);
  }

  /** The text of a page that is served. */
  static servedPage(root: Markup): string {
    return `<!doctype html>\n${root.#html}\n`;
  }

  static #text(child: Child): string {
    if (child === undefined) return '';
    if (child instanceof Markup) return child.#html;
    return typeof child === 'object' ? child.map((each) => Markup.#text(each)).join('') : escapeText(String(child));
  }
}

/** Builds an element; the attributes may be left out. */
type ElementFunction = (first?: Attributes | Child, ...children: readonly Child[]) => Markup;

function tag(name: string): ElementFunction {
  return (first, ...children) =>
    isAttributes(first) ? Markup.element(name, first, children) : Markup.element(name, {}, [first, ...children]);
}

function isAttributes(first: Attributes | Child): first is Attributes {
  return typeof first === 'object' && !Array.isArray(first) && !(first instanceof Markup);
}

// The elements of pages. None of them runs, loads or sends anything.
export const a = tag('a');
export const body = tag('body');
export const caption = tag('caption');
export const circle = tag('circle');
export const code = tag('code');
export const dd = tag('dd');
export const details = tag('details');
export const div = tag('div');
export const dl = tag('dl');
export const dt = tag('dt');
export const footer = tag('footer');
export const g = tag('g');
export const h1 = tag('h1');
export const h2 = tag('h2');
export const h3 = tag('h3');
export const head = tag('head');
export const header = tag('header');
export const html = tag('html');
export const li = tag('li');
export const line = tag('line');
export const main = tag('main');
export const meta = tag('meta');
export const nav = tag('nav');
export const noscript = tag('noscript');
export const ol = tag('ol');
export const p = tag('p');
export const rect = tag('rect');
export const section = tag('section');
export const span = tag('span');
export const strong = tag('strong');
export const summary = tag('summary');
export const svg = tag('svg');
export const table = tag('table');
export const tbody = tag('tbody');
export const td = tag('td');
export const text = tag('text');
export const tfoot = tag('tfoot');
export const th = tag('th');
export const thead = tag('thead');
export const time = tag('time');
export const title = tag('title');
export const tr = tag('tr');
export const ul = tag('ul');
export const wbr = tag('wbr');

/** `Attributes` has neither handlers nor styles; this holds for data in their place too. */
const FORBIDDEN = /^on|^style$|[^a-z0-9-]/;

type WrittenAttribute = readonly [name: string, value: string | number | boolean | undefined];

/** A path of this service: neither another host (`//`, `/\`), also with the breaks that browsers drop, nor a scheme. */
const OWN_PATH = /^\/(?![/\\])[^\s\\]*$/;

function writeServed([name, value]: WrittenAttribute): string {
  const isLink = ['href', 'action', 'src'].includes(name);
  if (!isLink || value === undefined) return writeAttribute([name, value]);
  if (!OWN_PATH.test(String(value))) throw new Error('a link that leaves the service');
  return ` ${name}="${escapeText(String(value))}"`;
}

function writeAttribute([name, value]: WrittenAttribute): string {
  if (FORBIDDEN.test(name)) throw new Error('an attribute that pages do not have');
  if (value === undefined || value === false) return '';
  if (value === true) return ` ${name}`;
  // The type says the same; a link to anywhere else would be the one way out of the page.
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
 * Controls other than line break and tab, characters that hide text or change its direction (format characters,
 * separators), lone surrogates and noncharacters: shown by number, so that a reader sees what is there.
 */
const INVISIBLE = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/** Whether a page shows a text as it is: nothing in it is shown by number. */
export function isShownAsIs(text: string): boolean {
  return text.search(INVISIBLE) < 0;
}

/** A text as HTML, between tags or in quotes. */
function escapeText(text: string): string {
  return text
    .replace(INVISIBLE, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`)
    .replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
}
