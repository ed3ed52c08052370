/** Sets and members -> rows of a file of SQLite, which the processes of one machine share; the main thread's side. */

import { dirname } from 'node:path';
import { ensureFolder, folderAt } from '../../audit/store/files.ts';
import { type FileSetting, SharedFile, settingOf, wrapFileErrors } from '../state/shared-file.ts';
import {
  type Applied,
  type Applying,
  type HomeCoverage,
  type HomeCovered,
  type HomeKinds,
  type HomeRestoring,
  type Swept,
  type VelocityHome,
  VelocityUnavailable,
} from './home.ts';

export type Order =
  | { readonly do: 'open' | 'scrub' | 'close' }
  | { readonly do: 'apply'; readonly of: Applying }
  | { readonly do: 'restore'; readonly of: readonly HomeRestoring[] }
  | { readonly do: 'coverage'; readonly of: HomeKinds }
  | { readonly do: 'cover'; readonly of: HomeCovered }
  | { readonly do: 'sweep'; readonly what: Swept; readonly from: string | undefined };

export type Answer = Applied | HomeCoverage | Awaited<ReturnType<VelocityHome['sweep']>> | undefined;

/** Of its time, an order waits so long for another process that writes: it may come while the thread waits already. */
const LOCK_SHARE = 0.4;
/** The opening makes the tables. */
const OPEN_LIMIT_MS = 10_000;

const NAMES = {
  file: 'the file of the velocity store',
  key: 'the key of the velocity store',
  again: 'stop all processes that use it, move it away, and make it again: verdict velocity rebuild',
  ifOld: 'verdict velocity init --discard makes it anew, and verdict velocity rebuild fills it from a log',
};

/** Rejects with CONFIGURATION_INVALID if the operator has to mend something, else with `VelocityUnavailable`. */
export async function openSqlite(
  file: string,
  key: Buffer,
  timeoutMs: number,
  discards: boolean,
): Promise<VelocityHome> {
  const setting = await wrapFileErrors('the velocity folder', async () => {
    await ensureFolder(folderAt(dirname(file)));
    return { ...(await settingOf(file, key, 'velocity', timeoutMs * LOCK_SHARE)), discards };
  });
  const home = new SqliteHome(setting, timeoutMs);
  await home.openFile({ do: 'open' }, Math.max(OPEN_LIMIT_MS, timeoutMs), NAMES);
  return home;
}

class SqliteHome extends SharedFile<Order, Answer> implements VelocityHome {
  constructor(setting: FileSetting, timeoutMs: number) {
    super('stores/velocity/velocity-thread', setting, timeoutMs);
  }

  // INVARIANT: the thread answers with what each order gets.
  async apply(of: Applying): Promise<Applied> {
    return (await this.ask({ do: 'apply', of })) as Applied;
  }

  async restore(of: readonly HomeRestoring[]): Promise<void> {
    await this.ask({ do: 'restore', of });
  }

  async coverage(of: HomeKinds): Promise<HomeCoverage> {
    return (await this.ask({ do: 'coverage', of })) as HomeCoverage;
  }

  async cover(of: HomeCovered): Promise<void> {
    await this.ask({ do: 'cover', of });
  }

  async sweep(what: Swept, from: string | undefined) {
    const swept = (await this.ask({ do: 'sweep', what, from })) as Awaited<ReturnType<VelocityHome['sweep']>>;
    if (swept.next === undefined && 'hashes' in what && !what.isDryRun) await this.ask({ do: 'scrub' });
    return swept;
  }

  close(): Promise<void> {
    return this.closeFile({ do: 'close' });
  }

  protected override unavailable(code: string): Error {
    return new VelocityUnavailable(code);
  }
}
