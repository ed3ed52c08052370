/** The end of a chain after a crash -> the same end, durable, with a torn tail moved to a file of its own. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Torn } from '../entry/entry.ts';

import { closing, publish, readWhole, writeAll } from './files.ts';
import { type ChainEnd, type ChainLocation, LAST_WRITE_BYTES, TAIL_BYTES } from './recovery-scan.ts';
import { SEGMENTS, tornName } from './segment.ts';

/**
 * Makes the last segment durable, and moves a tail behind its last complete line to a file of its own. Bytes that can
 * be read may still not be on the disk: after a failed sync the system forgets to write them. So the last write is
 * repeated.
 */
export async function recover(location: ChainLocation, end: ChainEnd, isClean: boolean): Promise<ChainEnd> {
  const { last } = end;
  if (!last || isClean) return end;
  const { files, folder } = location;
  const path = join(folder, SEGMENTS.of(last.segment));
  const torn = await moveTail(location, last, path);
  const file = await files.open(path, 'change');
  await closing(file, async () => {
    if ((await file.state()).size > last.size) await file.truncate(last.size);
    const from = Math.max(0, last.size - LAST_WRITE_BYTES);
    const bytes = await readWhole(files, path, { from, most: LAST_WRITE_BYTES });
    if (bytes && bytes.length > 0) await writeAll(file, bytes, from);
    await file.datasync();
  });
  return torn ? { ...end, torn } : end;
}

/**
 * Copies the tail behind the last complete line to a file of its own, durable. If an earlier recovery was
 * interrupted, the file may exist: with this tail, or with an earlier tail that was cut off already. This tail is
 * then the start of the line that the interrupted recovery wrote, and is appended.
 */
async function moveTail(
  { files, folder }: ChainLocation,
  { segment, size: offset }: { readonly segment: number; readonly size: number },
  path: string,
): Promise<Torn | undefined> {
  const tail = (await readWhole(files, path, { from: offset, most: LAST_WRITE_BYTES })) ?? Buffer.alloc(0);
  const name = join(folder, tornName(segment, offset));
  const earlier = (await readWhole(files, name, { most: TAIL_BYTES })) ?? Buffer.alloc(0);
  const isCopied = tail.length <= earlier.length && earlier.subarray(earlier.length - tail.length).equals(tail);
  const bytes = isCopied ? earlier : Buffer.concat([earlier, tail]);
  if (bytes.length === 0) return undefined;
  await publish(files, name, bytes, 'replace');
  await files.syncFolder(folder);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { segment, offset, bytes: bytes.length, sha256 };
}
