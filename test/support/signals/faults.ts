/** The faults that can strike one call, by name. */

import { gzipSync } from 'node:zlib';
import { type Answer, type Fault, pick, type Random, render, type Strike } from './chaos-proxy.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** An answer that the sandbox does not give. */
function answerOf(status: number, body = '{}', headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: Buffer.from(body) };
}

/** The connection ends before the sandbox sees the request. */
export const lostBefore: Fault = { name: 'lost before the sandbox', strike: cut };

/** The sandbox carries out the call, and its answer is lost. */
export const lostAfter: Fault = {
  name: 'lost after the sandbox',
  async strike(strike) {
    await strike.forward();
    cut(strike);
  },
};

/** The answer ends inside its headers. */
export const halfHeader: Fault = {
  name: 'half a header',
  async strike(strike) {
    const bytes = render(await strike.forward(), false);
    const head = bytes.indexOf('\r\n\r\n');
    strike.write(bytes.subarray(0, 1 + Math.floor(strike.random() * head)));
    cut(strike);
  },
};

/** The answer ends inside its body. */
export const halfBody: Fault = {
  name: 'half a body',
  async strike(strike) {
    const answer = await strike.forward();
    const bytes = render(answer, false);
    strike.write(bytes.subarray(0, bytes.length - 1 - Math.floor(strike.random() * answer.body.length)));
    cut(strike);
  },
};

/** The answer announces a wrong length. */
export const wrongLength: Fault = {
  name: 'wrong Content-Length',
  async strike(strike) {
    const answer = await strike.forward();
    const by = 1 + Math.floor(strike.random() * (answer.body.length - 1));
    const said = answer.body.length + (strike.random() < 0.5 ? by : -by);
    strike.write(render({ ...answer, headers: { ...answer.headers, 'content-length': String(said) } }, true));
    strike.end();
  },
};

/** The answer is not HTTP. */
export const garbage: Fault = {
  name: 'garbage instead of HTTP',
  async strike(strike) {
    if (strike.random() < 0.5) await strike.forward();
    strike.write(pick(strike.random, [noise(strike.random), Buffer.from('SSH-2.0-x\r\n'), Buffer.from([0x15, 3, 1])]));
    strike.end();
  },
};

/** The headers are correct, but the body is not as announced. */
export const garbageAfterHeaders: Fault = {
  name: 'garbage after the headers',
  async strike(strike) {
    const { body } = await strike.forward();
    const said = pick(strike.random, ['transfer-encoding: chunked', `content-length: ${body.length}`]);
    strike.write(`HTTP/1.1 200 OK\r\n${said}\r\n\r\n`);
    // Neither the beginning of a chunk nor JSON.
    strike.write(Buffer.concat([Buffer.from('zz'), noise(strike.random), body]));
    strike.end();
  },
};

/** The answer is correct, and a second, unrequested answer follows it. */
export const answerTwice: Fault = {
  name: 'a second answer behind the first',
  async strike(strike) {
    const answer = await strike.forward();
    strike.call.delivered = true;
    strike.write(Buffer.concat([render(answer, true), render(answerOf(200, '{"searchStatus":"Successful"}'), true)]));
  },
};

/** The answer is compressed and truncated. */
export const truncatedGzip: Fault = {
  name: 'truncated gzip',
  async strike(strike) {
    const { status, body } = await strike.forward();
    const zipped = gzipSync(body);
    // The last 8 bytes are a checksum and a length: without more of it missing, the text could still be whole.
    const kept = 10 + Math.floor(strike.random() * (zipped.length - 40));
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    strike.reply({ status, headers, body: zipped.subarray(0, kept) });
  },
};

/** A status, without calling the sandbox. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Fault {
  return { name: `status ${code}`, strike: (strike) => strike.reply(answerOf(code, '{"error":"x"}', headers)) };
}

/** A status after the sandbox carried out the call, as from a gateway that timed out. */
export function statusAfter(code: number, headers: Readonly<Record<string, string>> = {}): Fault {
  return {
    name: `status ${code} after the sandbox`,
    async strike(strike) {
      await strike.forward();
      strike.reply(answerOf(code, '{"error":"x"}', headers));
    },
  };
}

/** A redirect to the proxy itself or to the other listener; the path is that of the call. */
export function redirect(code: number, to: 'same' | 'other'): Fault {
  return {
    name: `redirect ${code} to the ${to} host`,
    strike(strike) {
      const path = strike.call.endpoint === 'verify' ? '/api/v2/verify' : '/api/v2/auth/sign_in';
      const location = (to === 'same' ? strike.url : strike.otherUrl) + path;
      strike.reply(answerOf(code, '', { location }));
    },
  };
}

/**
 * The answer comes a byte every 50 ms: from its first byte, or from the first of its body. `onStep` is told how
 * many came.
 */
export function drip(from: 'header' | 'body', onStep: (bytes: number) => void = () => {}): Fault {
  return {
    name: `${from} dripped`,
    async strike(strike) {
      const answer = await strike.forward();
      const bytes = render(answer, false);
      const start = from === 'header' ? 0 : bytes.length - answer.body.length;
      let at = start;
      strike.write(bytes.subarray(0, at));
      strike.every(50, () => {
        strike.write(bytes.subarray(at, ++at));
        onStep(at - start);
        strike.call.delivered = at >= bytes.length;
        return strike.call.delivered;
      });
    },
  };
}

/** No answer comes, and the connection stays open. */
export const silence: Fault = {
  name: 'no answer',
  async strike(strike) {
    await strike.forward();
  },
};

/** The answer is correct, but is held back until released. */
export function heldUntil(promise: Promise<unknown>): Fault {
  return {
    name: 'held back',
    async strike(strike) {
      const answer = await strike.forward();
      await promise;
      strike.reply(answer);
    },
  };
}

/** An endless body, 64 KiB at a time. `onStep` receives the number of bytes sent. */
export function endlessBody(onStep: (bytes: number) => void = () => {}): Fault {
  return {
    name: 'endless body',
    async strike(strike) {
      await strike.forward();
      const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, ' '), Buffer.from('\r\n')]);
      strike.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
      let bytes = 0;
      strike.every(1, () => {
        strike.write(chunk);
        bytes += 0x10000;
        onStep(bytes);
        return false;
      });
    },
  };
}

/** A small body that is many times so long once it is decompressed: so many MiB of spaces, and `{}` behind them. */
export function gzipBomb(mebibytes: number): Fault {
  // Parts that are compressed one by one and put together are one text (RFC 1952, section 2.2).
  const part = gzipSync(Buffer.alloc(1024 * 1024, ' '));
  const body = Buffer.concat([...Array.from({ length: mebibytes }, () => part), gzipSync('{}')]);
  return {
    name: 'gzip bomb',
    async strike(strike) {
      await strike.forward();
      strike.reply({ status: 200, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body });
    },
  };
}

/** Lists in lists, deeper than the stack allows. */
export const deepJson: Fault = {
  name: 'deep JSON',
  async strike(strike) {
    await strike.forward();
    strike.reply(answerOf(200, '['.repeat(100_000) + ']'.repeat(100_000)));
  },
};

/** A 200 whose body is not JSON. */
export const notJson: Fault = {
  name: '200 without JSON',
  async strike(strike) {
    await strike.forward();
    strike.reply(answerOf(200, pick(strike.random, ['', '<html>busy</html>', 'null x', '{"a":', '\ufffd\u0000'])));
  },
};

/** A 200 whose body says that the search failed. */
export const failureInside: Fault = {
  name: 'a failure named inside a 200',
  async strike(strike) {
    const { body } = await strike.forward();
    const text = body.toString();
    strike.reply(answerOf(200, text.replace('"searchStatus":"Successful"', '"searchStatus":"Unavailable"')));
  },
};

/** A 200 with the answer to another request. */
export const othersAnswer: Fault = {
  name: "another caller's answer",
  async strike(strike) {
    const { body } = await strike.forward();
    strike.reply(answerOf(200, body.toString().replace(/"clientReference":"[^"]*"/, '"clientReference":"not yours"')));
  },
};

/** Ends the connection, by closing or by reset. */
function cut(strike: Strike): void {
  if (strike.random() < 0.5) strike.reset();
  else strike.end();
}

function noise(random: Random): Buffer {
  return Buffer.from(Array.from({ length: 1 + Math.floor(random() * 200) }, () => Math.floor(random() * 256)));
}
