/** A text -> its data, if it is the one canonical text of data of a shape. */

import type * as z from 'zod';
import { canonicalJson } from '../../platform/digest.ts';
import { parseJson } from '../../platform/json.ts';

export function readCanonical<Data>(shape: z.ZodType<Data>, text: string): Data | undefined {
  const { value } = { value: undefined, ...parseJson(text) };
  const { data } = shape.safeParse(value);
  return data !== undefined && canonicalJson(data) === text ? data : undefined;
}
