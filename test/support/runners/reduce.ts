/** JSON data with a property -> less of it, with the same property. */

/** An array or an object. */
type Tree = object;

/**
 * Removes parts, and replaces containers by their parts, the largest first, as long as `holds` is true of the
 * rest; if it throws, it counts as false. Ends when nothing more can be removed.
 */
export async function reduce<Data>(data: Data, holds: (smaller: Data) => Promise<boolean>): Promise<Data> {
  let [smallest, length] = [data, Number.POSITIVE_INFINITY];
  while (JSON.stringify(smallest).length < length) {
    length = JSON.stringify(smallest).length;
    smallest = (await reducePart(smallest, (whole) => holds(whole as Data).catch(() => false))) as Data;
  }
  return smallest;
}

/** The same for a part; `holds` judges the whole with the part replaced. */
async function reducePart(part: unknown, holds: (part: unknown) => Promise<boolean>): Promise<unknown> {
  if (!isTree(part)) return part;
  let rest = part;
  // From the end, so that earlier indexes stay valid.
  for (const key of Object.keys(part).reverse()) {
    const less = without(rest, key);
    if (await holds(less)) rest = less;
  }
  for (const inner of Object.values(rest)) {
    for (const each of isTree(inner) ? [inner, ...Object.values(inner)] : []) {
      if (isTree(each) && (await holds(each))) return each;
    }
  }
  for (const key of Object.keys(rest)) {
    const inner = await reducePart(rest[key as never], (smaller) => holds(having(rest, key, smaller)));
    rest = having(rest, key, inner);
  }
  return rest;
}

function isTree(data: unknown): data is Tree {
  return typeof data === 'object' && data !== null;
}

function without(tree: Tree, key: string): Tree {
  if (Array.isArray(tree)) return tree.toSpliced(Number(key), 1);
  return Object.fromEntries(Object.entries(tree).filter(([each]) => each !== key));
}

function having(tree: Tree, key: string, part: unknown): Tree {
  return Array.isArray(tree) ? tree.with(Number(key), part) : { ...tree, [key]: part };
}
