/** Work with names -> one of each name at a time, in this process. */

const last = new Map<string, Promise<unknown>>();

/** Runs the work once that of the same name which came before it has ended, whatever became of that. */
export async function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const before = last.get(name) ?? Promise.resolve();
  const turn = before.catch(() => {}).then(work);
  last.set(name, turn);
  return turn.finally(() => {
    if (last.get(name) === turn) last.delete(name);
  });
}
