/** The stream of an HTTP request -> its JSON, or the status and message of the refusal. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** The largest body that is accepted. */
const MAX_BYTES = 64 * 1024;

/** A larger body is read up to this size, so that its sender can read the refusal. */
const MAX_BYTES_DISCARDED = 8 * 1024 * 1024;

/** The body's bytes; undefined if there are too many. Rejects if the sender disconnects. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      if (size > MAX_BYTES_DISCARDED) {
        request.pause();
        resolve(undefined);
      }
    });
    request.on('end', () => resolve(size <= MAX_BYTES ? Buffer.concat(chunks) : undefined));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the sender disconnected')));
  });
}

/** The JSON value of a body, or the refusal. The parser's message is not passed on, because it quotes the body. */
export function readJson(
  headers: IncomingHttpHeaders,
  body: Buffer | undefined,
):
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: number; readonly message: string } {
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json')
    return { ok: false, status: 415, message: 'the content type must be application/json' };
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return { ok: false, status: 415, message: 'the body must not be compressed' };
  if (body === undefined) return { ok: false, status: 413, message: `the body may have at most ${MAX_BYTES} bytes` };
  try {
    return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return { ok: false, status: 400, message: 'the body is not JSON in UTF-8' };
  }
}
