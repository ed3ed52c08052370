/**
 * The HTML of a page -> its elements and texts. The reader accepts only strictly nested, closed and quoted markup.
 */

/** An element of a page. */
export interface ReadElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (ReadElement | string)[];
}

const VOID = ['meta', 'wbr', 'input', 'link'];
const TOKEN = new RegExp(
  [
    /<!doctype html>|<style>[^<]*<\/style>/,
    /<\/([a-z][a-z0-9]*)>/,
    /<([a-z][a-z0-9]*)((?: [a-z0-9-]+(?:="[^"<>]*")?)*)>/,
    /[^<>]+|[<>]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
const ENTITY = /&(?:amp|lt|gt|quot|#39);/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Reads a page; throws at the first error in its markup. */
export function readPage(html: string): ReadElement {
  const root: ReadElement = { tag: '#page', attributes: {}, children: [] };
  const open = [root];
  for (const [token, closes, opens, attributes = ''] of html.matchAll(TOKEN)) {
    const top = open.at(-1);
    if (!top) throw new Error('a closing tag without an opening tag');
    if (token === '<' || token === '>') throw new Error(`a bare ${token} in ${top.tag}`);
    if (token === '<!doctype html>') continue;
    if (token.startsWith('<style>')) {
      top.children.push({ tag: 'style', attributes: {}, children: [token.slice(7, -8)] });
      continue;
    }
    if (closes !== undefined) {
      if (top.tag !== closes) throw new Error(`</${closes}> closes ${top.tag}`);
      open.pop();
    } else if (opens !== undefined) {
      const element = { tag: opens, attributes: readAttributes(attributes), children: [] };
      top.children.push(element);
      if (!VOID.includes(opens)) open.push(element);
    } else {
      top.children.push(decode(token));
    }
  }
  if (open.length !== 1) throw new Error(`${open.at(-1)?.tag} is not closed`);
  return root;
}

function readAttributes(text: string): Record<string, string> {
  const found = [...text.matchAll(/ ([a-z0-9-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
    name,
    decode(value),
  ]);
  const names = found.map(([name]) => name);
  if (new Set(names).size < names.length) throw new Error(`duplicate attribute: ${names}`);
  return Object.fromEntries(found);
}

function decode(text: string): string {
  const left = text.replace(ENTITY, '');
  if (left.includes('&')) throw new Error('a bare &');
  return text.replace(ENTITY, (entity) => ENTITIES[entity] ?? '');
}

/** The element and all elements below it, in document order. */
export function elementsOf(element: ReadElement): ReadElement[] {
  const found: ReadElement[] = [];
  const collect = ({ children }: ReadElement) => {
    for (const child of children) {
      if (typeof child === 'string') continue;
      found.push(child);
      collect(child);
    }
  };
  collect(element);
  return found;
}

/** The elements with this tag and, if given, this class. */
export function all(element: ReadElement, tag: string, className?: string): ReadElement[] {
  const has = ({ attributes }: ReadElement) =>
    className === undefined || (attributes['class'] ?? '').split(' ').includes(className);
  return elementsOf(element).filter((each) => each.tag === tag && has(each));
}

/** The text below an element. */
export function textOf(element: ReadElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}
