/** Objects -> their own properties only, even if `Object.prototype` is polluted. */

/** A copy of an object with its own enumerable properties and no prototype. Other values are returned as they are. */
export function ownCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.assign(Object.create(null), value);
}

/** An object's own property; undefined if it has none, or is not an object. */
export function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
