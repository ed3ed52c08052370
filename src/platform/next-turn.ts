/** A pause that lets other work have its turn, in Node and in a browser. */

/** Ends once the event loop has been round: timers, input and rendering are served first. */
export function nextTurn(): Promise<void> {
  // Browsers have no `setImmediate`.
  const later: (run: () => void) => unknown = globalThis.setImmediate ?? setTimeout;
  return new Promise((resolve) => {
    later(resolve);
  });
}
