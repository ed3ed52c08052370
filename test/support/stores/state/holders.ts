/** Processes of people who take cases, and what the file of a witness says of who held which case. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StatePlace } from '../../../../src/stores/state/state.ts';

/** A line of the witness. A case is held from `take` to `give back` or `note`, or to the end of the process. */
export interface Seen {
  readonly what: 'take' | 'give back' | 'note' | 'killed';
  readonly id: string;
  readonly token: number;
  readonly person: string | null;
}

/** The id of the note that a holder writes. */
export function noteOf({ id, token }: { readonly id: string; readonly token: number }): string {
  return `note of ${id} ${token}`;
}

/** A process of people who take cases. */
export interface Takers {
  /** Resolves once they can begin. */
  readonly ready: Promise<unknown>;
  /** They begin; resolves when the process has ended: by itself, or killed. */
  begin(): Promise<'killed' | 'ended'>;
}

/** Starts a process of takers, which kills itself at a step, if one is given. */
export function startTakers(place: StatePlace, witness: string, people: readonly string[], lastStep = 0): Takers {
  const args = [JSON.stringify(place), witness, `${lastStep}`, ...people];
  const child = fork(join(import.meta.dirname, 'taker.ts'), args, { execArgv: ['--no-warnings'] });
  const ended = once(child, 'exit');
  return {
    ready: Promise.race([once(child, 'message'), ended]),
    begin: async () => {
      child.send('begin');
      const [code, signal] = await ended;
      if (code !== 0 && signal !== 'SIGKILL') throw new Error('a process of takers has failed');
      return signal === 'SIGKILL' ? 'killed' : 'ended';
    },
  };
}

export function readWitness(witness: string): readonly Seen[] {
  return readFileSync(witness, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** What a case may not have: two holders at a time, a token twice, two notes. */
export function problemsOf(seen: readonly Seen[]): readonly string[] {
  const holders = new Map<string, Seen>();
  const tokens = new Map<string, number>();
  const noted = new Set<string>();
  const problems: string[] = [];
  for (const each of seen) {
    const { what, id, token, person } = each;
    const holder = holders.get(id);
    if (what === 'killed') {
      for (const [held, by] of holders) if (by.person === person) holders.delete(held);
    } else if (what === 'take') {
      if (holder) problems.push(`${id} has two holders`);
      if (token <= (tokens.get(id) ?? 0)) problems.push(`${id} has a token twice`);
      if (noted.has(id)) problems.push(`${id} is taken after its note`);
      tokens.set(id, token);
      holders.set(id, each);
    } else {
      if (holder?.person !== person || holder.token !== token) problems.push(`${id} is let go by another`);
      if (what === 'note' && noted.has(id)) problems.push(`${id} has two notes`);
      if (what === 'note') noted.add(id);
      holders.delete(id);
    }
  }
  return problems;
}
