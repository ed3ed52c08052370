/** How reliable a line of the mapping is. */

/** A guess is commented out in the mapping. */
export type Sureness = 'guess' | 'likely' | 'sure';

/** The lowest of several. */
export function leastSure(surenesses: readonly Sureness[]): Sureness {
  if (surenesses.includes('guess')) return 'guess';
  return surenesses.includes('likely') ? 'likely' : 'sure';
}
