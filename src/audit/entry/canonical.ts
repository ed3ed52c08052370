/** A file of one JSON object and a line break <-> the object, if its bytes are exactly those written for it. */

import { arrange, oneOf, type Shape, UTF8 } from './schema.ts';

/** The version of a file's format, as its `format` field has it. */
export const FORMAT = oneOf(1);

/** The bytes of such a file. */
export function formatExactFile(data: object): Buffer {
  return Buffer.from(`${JSON.stringify(data)}\n`);
}

/** Undefined unless the bytes are those that `formatExactFile` writes for an object of this shape, keys in order. */
export function readExactFile(bytes: Uint8Array, shape: Shape): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = UTF8.decode(bytes);
    const arranged = arrange(JSON.parse(text), shape);
    return 'value' in arranged && `${JSON.stringify(arranged.value)}\n` === text ? arranged.value : undefined;
  } catch {
    return undefined;
  }
}
