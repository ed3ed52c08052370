/** The end of a chain that a crash may have torn -> the same, durable, and what was torn set aside. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Torn } from '../entry/entry.ts';

import { closing, publish, readWhole, writeAll } from './files.ts';
import { type ChainEnd, type ChainLocation, LAST_WRITE_BYTES, TAIL_BYTES } from './recovery-scan.ts';
import { SEGMENTS, tornName } from './segment.ts';

/**
 * Makes durable what stands in the last segment, and sets aside what a crash left behind the last whole line. What is read
 * may not be on the disk: after a failed sync the system forgets that it still has to write. So the bytes that may be such
 * are written once more.
 */
export async function recover(place: ChainLocation, end: ChainEnd, isClean: boolean): Promise<ChainEnd> {
  const { last } = end;
  if (!last || isClean) return end;
  const { files, folder } = place;
  const path = join(folder, SEGMENTS.of(last.segment));
  const torn = await setAside(place, last, path);
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
 * Copies what stands behind the last whole line into a file of its own, durable. The file may be there already, from an
 * opening that ended before its line was whole. Then it holds this tail, or an earlier one, which was cut off, and this one
 * is what there is of that line.
 */
async function setAside(
  { files, folder }: ChainLocation,
  { segment, size: offset }: { readonly segment: number; readonly size: number },
  path: string,
): Promise<Torn | undefined> {
  const tail = (await readWhole(files, path, { from: offset, most: LAST_WRITE_BYTES })) ?? Buffer.alloc(0);
  const name = join(folder, tornName(segment, offset));
  const earlier = (await readWhole(files, name, { most: TAIL_BYTES })) ?? Buffer.alloc(0);
  const isThere = tail.length <= earlier.length && earlier.subarray(earlier.length - tail.length).equals(tail);
  const bytes = isThere ? earlier : Buffer.concat([earlier, tail]);
  if (bytes.length === 0) return undefined;
  await publish(files, name, bytes, 'replace');
  await files.syncFolder(folder);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { segment, offset, bytes: bytes.length, sha256 };
}
