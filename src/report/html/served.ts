/** The elements that only pages of the service have: links to its paths, forms, and its own scripts and stylesheet. */

import { type Child, Markup, type ServedAttributes } from './markup.ts';

type ServedElement = (attributes: ServedAttributes, ...children: readonly Child[]) => Markup;

function tag(name: string): ServedElement {
  return (attributes, ...children) => Markup.served(name, attributes, children);
}

/** A link to a path of this service. */
export const link = tag('a');
export const button = tag('button');
export const datalist = tag('datalist');
export const fieldset = tag('fieldset');
export const form = tag('form');
export const input = tag('input');
export const label = tag('label');
export const legend = tag('legend');
export const option = tag('option');
/** A region whose news a screen reader says. */
export const region = tag('div');
export const script = tag('script');
export const select = tag('select');
export const styles = tag('link');
export const textarea = tag('textarea');
