/** Responses of the service, mutated in framing and body -> decisions, which only a whole answer may accept. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createDecider } from '../../../src/decision/decide.ts';
import { VerdictError } from '../../../src/errors.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { ASKED, SHAPES, TODAY } from '../facts/answers.ts';
import { pick, type Random } from '../facts/mutate.ts';
import { applicantOf, ONBOARDING, openClient } from '../signals/clients.ts';
import type { OpenTarget } from './case.ts';
import { mutateData, spellJson } from './spell.ts';
import { times, withPiece } from './texts.ts';

/** The deadline of a call: what hangs costs no more. */
const TIMEOUT_MS = 300;

const policy = loadPolicy(ONBOARDING);
const now = () => Date.parse(`${TODAY}T09:30:00Z`);
const clean = SHAPES[0]?.clean;

const TOKEN = Buffer.from('{"sessionToken":"token"}');

/** Bytes of a response, and whether it is no whole answer, so that it must not lead to accept. */
interface Response {
  readonly bytes: Buffer;
  readonly isDamaged: boolean;
}

type Frame = (body: Buffer, random: Random) => Response;

const head = (lines: readonly string[], body: Buffer, status = 'HTTP/1.1 200 OK'): Buffer =>
  Buffer.concat([Buffer.from(`${[status, 'content-type: application/json', ...lines].join('\r\n')}\r\n\r\n`), body]);
const framed = (body: Buffer, lines: readonly string[] = [], status?: string) =>
  head([...lines, `content-length: ${body.length}`], body, status);
const whole = (bytes: Buffer): Response => ({ bytes, isDamaged: false });
const damaged = (bytes: Buffer): Response => ({ bytes, isDamaged: true });
const chunk = (body: Buffer, extension = '') =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}${extension}\r\n`), body, Buffer.from('\r\n')]);
const END = Buffer.from('0\r\n\r\n');
const CHUNKED = ['transfer-encoding: chunked'];

const ENCODERS = { br: brotliCompressSync, deflate: deflateSync, gzip: gzipSync, zstd: zstdCompressSync } as const;
type Encoding = keyof typeof ENCODERS;
const ENCODINGS = Object.keys(ENCODERS) as Encoding[];

/** A bomb: eight times the limit of an answer, from a few bytes. */
const bombs = new Map<Encoding, Buffer>();
function bombOf(encoding: Encoding): Buffer {
  const bomb = bombs.get(encoding) ?? ENCODERS[encoding](Buffer.alloc(8 * 1024 * 1024, ' '));
  bombs.set(encoding, bomb);
  return bomb;
}

/** Framings by name. */
const FRAMES: Readonly<Record<string, Frame>> = {
  plain: (body) => whole(framed(body)),
  chunks: (body, random) => {
    const at = Math.floor(random() * body.length);
    const parts = [chunk(body.subarray(0, at)), chunk(body.subarray(at), `;${'e'.repeat(times(random))}`)];
    // A chunk without a byte ends the body.
    return { bytes: head(CHUNKED, Buffer.concat([...parts, END])), isDamaged: at === 0 };
  },
  untilClose: (body) => whole(head(['connection: close'], body)),
  hints: (body, random) =>
    whole(
      Buffer.concat([
        Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(times(random))),
        framed(body),
      ]),
    ),
  headers: (body, random) =>
    whole(
      framed(
        body,
        Array.from({ length: times(random) }, (_, i) => `x-${i}: ${'a'.repeat(i)}`),
      ),
    ),
  oddHeader: (body, random) => whole(framed(body, [withPiece('x-a: b', random)])),
  encoded: (body, random) => {
    const encoding = pick(ENCODINGS, random);
    return whole(framed(ENCODERS[encoding](body), [`content-encoding: ${encoding}`]));
  },
  secondAnswer: (body) => whole(Buffer.concat([framed(body), framed(body)])),
  tooShort: (body, random) => {
    const cut = body.subarray(0, Math.floor(random() * body.length));
    return damaged(head([`content-length: ${body.length}`], cut));
  },
  cutAtClose: (body, random) =>
    damaged(head(['connection: close'], body.subarray(0, Math.floor(random() * body.length)))),
  noLastChunk: (body) => damaged(head(CHUNKED, chunk(body))),
  twoLengths: (body) => damaged(framed(body, [`content-length: ${body.length - 5}`])),
  lengthAndChunks: (body) => damaged(head(['content-length: 5', ...CHUNKED], Buffer.concat([chunk(body), END]))),
  noHttp: (body) => damaged(body),
  status: (body, random) => {
    const status = pick([199, 204, 301, 302, 304, 307, 400, 401, 403, 404, 429, 500, 503, 600, 999], random);
    return damaged(framed(body, [], `HTTP/1.1 ${status} X`));
  },
  wrongEncoding: (body, random) => damaged(framed(body, [`content-encoding: ${pick(ENCODINGS, random)}`])),
  cutEncoding: (body, random) => {
    const encoding = pick(ENCODINGS, random);
    const bytes = ENCODERS[encoding](body);
    const cut = bytes.subarray(0, Math.floor(random() * bytes.length));
    return damaged(framed(cut, [`content-encoding: ${encoding}`]));
  },
  bomb: (_body, random) => {
    const encoding = pick(ENCODINGS, random);
    return damaged(framed(bombOf(encoding), [`content-encoding: ${encoding}`]));
  },
  tooLarge: (body) => damaged(framed(Buffer.concat([body, Buffer.alloc(2 * 1024 * 1024, ' ')]))),
  switching: (body) => damaged(framed(body, ['upgrade: websocket', 'connection: upgrade'], 'HTTP/1.1 101 X')),
};

export const httpTarget: OpenTarget = async () => {
  const sockets = new Set<Socket>();
  let response = Buffer.alloc(0);
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      const [, length = '0'] = /content-length: *(\d+)/i.exec(received) ?? [];
      const end = received.indexOf('\r\n\r\n');
      if (end < 0 || received.length < end + 4 + Number(length)) return;
      const isSignIn = received.startsWith('POST /api/v2/auth/sign_in');
      received = '';
      if (isSignIn) socket.write(framed(TOKEN));
      else socket.end(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function decide(bytes: Buffer): Promise<string> {
    response = bytes as Buffer<ArrayBuffer>;
    const verify = openClient(url, { timeoutMs: TIMEOUT_MS, now });
    try {
      const decider = createDecider({ policy, verify, now });
      const { outcome } = await decider.decide(applicantOf('clean'), { clientReference: ASKED.clientReference ?? '' });
      return outcome;
    } finally {
      verify.close();
    }
  }

  return {
    make(random) {
      const isBodyDamaged = random() < 0.4;
      const { how, data } = isBodyDamaged ? { how: 'as it is', data: clean } : mutateData(clean, random);
      const spelt = spellJson(data, random, isBodyDamaged ? undefined : 'plain');
      const frame = random() < 0.3 ? 'plain' : pick(Object.keys(FRAMES), random);
      const { bytes, isDamaged } = FRAMES[frame]?.(spelt.bytes, random) ?? whole(framed(spelt.bytes));
      return {
        how: `${frame}; ${how}; ${spelt.how}`,
        bytes,
        async run() {
          let outcome: string;
          try {
            outcome = await decide(bytes);
          } catch (error) {
            if (error instanceof VerdictError) return undefined;
            throw error;
          }
          if (outcome === 'accept' && (isDamaged || spelt.isRefused)) return 'accepted';
          return undefined;
        },
      };
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
