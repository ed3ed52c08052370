/** The name of a worker thread's file -> where it is, from the source and from each place that the build gives it. */

import { existsSync } from 'node:fs';

/**
 * The file of a thread by its path in `src`, without its ending. Undefined if it is not there, as in a bundle. The
 * build puts this code into an entry, a chunk, the command line, or a chunk of the command line.
 */
export function findThread(name: string): URL | undefined {
  const places = [`../${name}.ts`, `./${name}.js`, `../${name}.js`, `../../${name}.js`];
  return places.map((place) => new URL(place, import.meta.url)).find((each) => existsSync(each));
}
