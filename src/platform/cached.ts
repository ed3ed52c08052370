/** A function of an object -> the same function, which does its work once for each object. */

/** The function. What it gave for an object is kept as long as the object. */
export function cached<Of extends object, Value extends NonNullable<unknown>>(
  work: (of: Of) => Value,
): (of: Of) => Value {
  const values = new WeakMap<Of, Value>();
  return (of) => {
    let value = values.get(of);
    if (value === undefined) {
      value = work(of);
      values.set(of, value);
    }
    return value;
  };
}
