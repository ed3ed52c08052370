/** The bytes of a file that holds one JSON object and a line break -> the object, if those are the bytes that are written for it. */

import { arrange, type Shape } from './schema.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined for anything but `JSON.stringify` of an object of that shape, its keys in the shape's order, and a line break. */
export function readExactFile(bytes: Uint8Array, shape: Shape): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = UTF8.decode(bytes);
    const arranged = arrange(JSON.parse(text), shape);
    return 'value' in arranged && `${JSON.stringify(arranged.value)}\n` === text ? arranged.value : undefined;
  } catch {
    return undefined;
  }
}
