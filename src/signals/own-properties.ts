/** Objects of callers and of the service, read by their own properties only, whatever `Object.prototype` has been given. */

/** A copy without a prototype of an object's own enumerable properties; anything that is no object comes back as it is. */
export function ownCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.assign(Object.create(null), value);
}

/** An object's own property, or undefined. */
export function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
