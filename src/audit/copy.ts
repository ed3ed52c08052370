/** The log of one place -> the same files at another that is empty, to the byte; with its keys, if both are named. */

import { join } from 'node:path';
import { VerdictError } from '../errors.ts';
import { splitLines } from '../platform/files/lines.ts';
import { OBJECT, optionsReader } from '../platform/given/options.ts';
import { type EntryPosition, parseEntry } from './entry/entry.ts';
import { formatExactFile } from './entry/schema.ts';
import { homeOf } from './home.ts';
import { makeHome } from './init.ts';
import { dataFolder } from './keys/data-keys.ts';
import { checkKeys } from './keys/key-folder.ts';
import { isOfIndex, type LogHome, type LogPlace, readLog, readPlace, withoutKeys } from './place.ts';
import { lineError } from './read/read-log.ts';
import { isChainName } from './store/chain.ts';
import { type ChainFolder, listChain, listFolder, readPieces, readSmall } from './store/chain-folder.ts';
import {
  below,
  closing,
  ensureFolder,
  type Folder,
  type FolderItem,
  publishNew,
  readWhole,
  writeAll,
  writeNew,
} from './store/files.ts';
import { unusable, wrapIoErrors } from './store/io-errors.ts';
import { parseOwner } from './store/lease.ts';
import { BATCH_BYTES } from './store/recovery-scan.ts';
import { FOLDERS, OWNERS, SEGMENTS } from './store/segment.ts';

/** From where to where. The keys go along if both places name theirs. */
export interface CopyOptions {
  readonly from: LogPlace;
  readonly to: LogPlace;
}

/** What was copied. */
export interface CopiedLog {
  readonly log: string;
  readonly chains: number;
  /** Of the segments. */
  readonly bytes: number;
  readonly keys: boolean;
}

const readOptions = optionsReader<CopyOptions>('the options of the copy', { from: OBJECT, to: OBJECT });

/**
 * Copies a log to a place that has none: a folder that is absent or empty, or a database, whose tables it makes. Other
 * processes may write the log meanwhile: each chain is copied up to its length when it was listed. Rejects with
 * CONFIGURATION_INVALID if a place cannot be used, and with AUDIT_FAILED if one fails, or the log has what a database
 * would change. A copy that is interrupted has no log.json, and nothing opens it.
 */
export async function copyLog(given: CopyOptions): Promise<CopiedLog> {
  const options = readOptions(given);
  const [from, to] = [readPlace(options.from), readPlace(options.to)];
  const hasKeys = to.keys !== undefined;
  if (hasKeys !== (from.keys !== undefined)) throw unusable('expected the keys of both places, or of neither');
  const source = await homeOf(hasKeys ? from : withoutKeys(from));
  const { log } = await readLog(source.log);
  if (hasKeys) await checkKeys(source.keys, log);
  const target = await wrapIoErrors('copied', () => makeHome(to, hasKeys));
  try {
    const copied = await wrapIoErrors('copied', () => copyHome(source, target, hasKeys));
    return { log, ...copied, keys: hasKeys };
  } catch (error) {
    const { code, message } = error as VerdictError;
    throw new VerdictError(code, `${message}; the copy is not complete: remove it, and copy again`, { cause: error });
  }
}

/**
 * INVARIANT: the chains are listed first, since a line names keys, policies and mappings that were there before it;
 * `log.json` is written last.
 */
async function copyHome(source: LogHome, target: LogHome, hasKeys: boolean) {
  const chains: Awaited<ReturnType<typeof listWithLease>>[] = [];
  for (const { name, kind } of await listFolder(below(source.log, 'chains'))) {
    if (kind !== 'folder' || !isChainName(name)) throw strange(`chains/${name}`);
    chains.push(await listWithLease(source.log, name));
  }
  if (hasKeys) {
    await copyFiles(source.keys, target.keys, { without: ['data'] });
    // Rows of data keys are made as a new block.
    await copyFiles(dataFolder(source.keys), dataFolder(target.keys), { write: writeNew });
  }
  await copyFiles(source.log, target.log, { without: ['log.json', 'chains'] });
  let bytes = 0;
  for (const { chain, folder, isOpen, owner, lease } of chains) {
    const to = below(target.log, 'chains', chain);
    const segments = [...folder.segments.keys()];
    await ensureFolder(to);
    await copyFiles(folder, to, { items: folder.entries, without: [owner, ...segments.map(SEGMENTS.of)] });
    for (const segment of segments) {
      bytes += await copySegment(folder, { chain, segment, isOpen: isOpen && segment === folder.last }, to);
    }
    if (lease) await publishNew(to, owner, lease);
  }
  await copyFiles(source.log, target.log, { items: [{ name: 'log.json', kind: 'file', size: 0 }] });
  return { chains: chains.length, bytes };
}

/** A chain at one moment: whether it is being written, and the last lease that its copy has, which nobody holds. */
async function listWithLease(log: Folder, chain: string) {
  for (let attempt = 1; ; attempt++) {
    const folder = await listChain(log, chain);
    const owner = OWNERS.of(folder.owners.at(-1) ?? 0);
    const found = await readSmall(folder, owner);
    const size = folder.entries.find(({ name }) => name === owner)?.size;
    // An owner that has released the chain since then names a line that was not listed.
    if (size !== found?.length && attempt < ATTEMPTS) continue;
    const last = found && parseOwner(found);
    if (!last || last.released) return { chain, folder, isOpen: false, owner, lease: found };
    return { chain, folder, isOpen: true, owner, lease: formatExactFile({ ...last, released: true, failed: true }) };
  }
}

const ATTEMPTS = 10;

/** What of a folder is copied, and how. */
interface CopiedFiles {
  readonly items?: readonly FolderItem[];
  readonly without?: readonly string[];
  readonly write?: typeof writeNew;
}

async function copyFiles(from: Folder, to: Folder, { items, without, write = publishNew }: CopiedFiles = {}) {
  for (const { name, kind } of items ?? (await listFolder(from))) {
    if (without?.includes(name) || isOfIndex(name)) continue;
    if (kind === 'folder' && FOLDERS.includes(name)) {
      await ensureFolder(below(to, name));
      await copyFiles(below(from, name), below(to, name));
      continue;
    }
    if (kind !== 'file') throw strange(name);
    const bytes = await readWhole(from, name, { most: Number.POSITIVE_INFINITY });
    // The next owner of a chain removes the file of the one before.
    if (bytes) await write(to, name, bytes);
  }
  await to.files.syncFolder(to.path);
}

function strange(path: string): VerdictError {
  return unusable(`found ${path}, which does not belong in a log: move it elsewhere`);
}

/** Which segment; `isOpen`: it was being written, so that its last line may be incomplete. */
interface CopiedSegment extends Omit<EntryPosition, 'line'> {
  readonly isOpen: boolean;
}

/** Returns how many bytes it has. */
async function copySegment(folder: ChainFolder, copied: CopiedSegment, to: Folder): Promise<number> {
  const { chain, segment, isOpen } = copied;
  const [name, rows] = [SEGMENTS.of(segment), to.files.rows?.log];
  const path = join(to.path, name);
  const file = rows ? undefined : await to.files.open(path, 'create');
  const listed = folder.segments.get(segment) ?? 0;
  let day: string | undefined;
  let lines: Buffer[] = [];
  let [written, size] = [0, 0];
  const write = async () => {
    if (rows && day) await rows.append(path, { texts: lines.map(String), size: written, day });
    else if (file) await writeAll(file, Buffer.concat(lines));
    [lines, written] = [[], size];
  };
  const copy = async () => {
    for await (const { number: line, bytes = EMPTY, end, isEnded } of splitLines(readPieces(folder, name, listed))) {
      if (isOpen && !isEnded) break;
      const dayOfThis = rows && dayOfLine(bytes, isEnded, { chain, segment, line });
      day ??= dayOfThis;
      lines.push(isEnded ? Buffer.concat([bytes, LINE_BREAK]) : bytes);
      size = end;
      if (size - written >= BATCH_BYTES) await write();
    }
    if (lines.length > 0) await write();
    await file?.datasync();
  };
  await (file ? closing(file, copy) : copy());
  if (isOpen || size === listed) return size;
  throw new VerdictError('AUDIT_FAILED', `segment ${segment} of chain ${chain} was pruned while it was copied`);
}

const [EMPTY, LINE_BREAK] = [Buffer.alloc(0), Buffer.from('\n')];

/** A database would change a line that is other than it was written, such as one with a byte that is not UTF-8. */
function dayOfLine(bytes: Buffer, isEnded: boolean, position: EntryPosition): string {
  const parsed = isEnded ? parseEntry(bytes) : { problem: { code: 'line-not-json', text: 'it has no line break' } };
  if ('problem' in parsed) throw lineError(position, parsed.problem);
  return parsed.line.at.slice(0, 10);
}
