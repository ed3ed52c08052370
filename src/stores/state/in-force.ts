/** The policies and mappings that each process decides by -> those by which processes differ. */

import { randomUUID } from 'node:crypto';
import { minuteWords } from '../../text.ts';
import { type Run, withNumbers } from './cases.ts';

/** A policy or mapping of which processes have several forms, for longer than an edit takes to reach them all. */
export interface Divided {
  /** Such as `policy onboarding`. */
  readonly name: string;
  /** The digest in this process. */
  readonly digest: string;
  /** How many processes decide by which form. */
  readonly words: string;
}

interface Form {
  readonly name: string;
  readonly digest: string;
  /** How many processes decide by it, and how long the first of them has. */
  readonly count: number;
  readonly forMs: number;
}

const EVERY_MS = 10_000;
/** After this time without a sign a process has ended. */
const SILENT_MS = 30_000;
/** An edit reaches all processes within this time, or does not reach them. */
const REACHED_MS = 60_000;

/** Shows the others what is in force here: digests by name. */
export function watchInForce(run: Run, inForce: () => Promise<ReadonlyMap<string, string>>) {
  const process = randomUUID();
  const show = async () => {
    const own = Array.from(await inForce(), ([name, digest]) => ({ name, digest }));
    await run('showInForce', [process, JSON.stringify(own)]);
    await run('forgetInForce', [SILENT_MS]);
  };
  // That the state is not available is told by what needs it.
  const tryShow = () => void show().catch(() => {});
  tryShow();
  const timer = setInterval(tryShow, EVERY_MS).unref();
  const divided = async (): Promise<readonly Divided[]> => {
    const own = await inForce();
    const found = (await run('inForce', [SILENT_MS])).map((row) => withNumbers<Form>(row, ['count', 'forMs']));
    return [...Map.groupBy(found, ({ name }) => name)].flatMap(([name, forms]) => {
      const forMs = Math.min(...forms.map((each) => each.forMs));
      if (forms.length === 1 || forMs <= REACHED_MS) return [];
      const all = forms.reduce((sum, { count }) => sum + count, 0);
      const parts = forms.map(({ count, digest }, i) => {
        const who = i === 0 ? `${count} of ${all} processes decide` : count;
        return `${who} by ${digest.replace(/^\w+:/, '').slice(0, 8)}…`;
      });
      const words = `${parts.join(', ')} since ${minuteWords(Date.now() - forMs)}`;
      return { name, digest: own.get(name) ?? '', words };
    });
  };
  return { divided, close: () => clearInterval(timer) };
}
