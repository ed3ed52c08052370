import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDecider, type Decider } from '../../../src/decision/decide.ts';
import { VerdictError } from '../../../src/errors.ts';
import { EVENT_CHANNEL } from '../../../src/platform/events.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import type { VerifyClientOptions } from '../../../src/signals/options.ts';
import { runCli } from '../../support/cli/cli.ts';
import { sampled } from '../../support/sampled.ts';
import { quickRules } from '../../support/service/rules.ts';
import type { Call, Chaos, ChaosOptions, Fault } from '../../support/signals/chaos-proxy.ts';
import { failureOf, ONBOARDING, settle } from '../../support/signals/clients.ts';
import * as faults from '../../support/signals/faults.ts';
import { createNaiveClient } from '../../support/signals/naive.ts';
import { chaosFor, clientOf } from '../../support/signals/setting.ts';

const USER = { username: 'canary-user-51', password: 'canary-password-52' };
const APPLICANT = { phoneNo: '+44 7700 900987', email: 'canary-mail-53@usual.example', ip: '203.0.113.77' };
const REFERENCE = 'canary-reference-54';

/** The texts that may appear nowhere, in any form. The reference may appear in a decision, which is found by it. */
function canariesOf({ tokens, url, otherHost }: Chaos): string[] {
  const applicant = ['447700900987', '7700900987', '7700 900987', 'canary-mail-53', '203.0.113.77'];
  const addresses = [url, otherHost.url].map((address) => address.replace('http://', ''));
  return [...Object.values(USER), ...applicant, ...tokens, ...addresses];
}

function leaksIn(text: string, canaries: readonly string[]): string[] {
  return canaries.filter((canary) => text.includes(canary));
}

/** All texts that can be made of an error and its causes. */
function textOf(error: unknown): string {
  const whole = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
  if (!(error instanceof Error)) return whole;
  return [error.message, error.stack, String(error), JSON.stringify(error), whole, textOf(error.cause)].join('\n');
}

/** Captures everything that is written while a test runs. */
function listen(): { text(): string } {
  const written: unknown[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => written.push(chunk) > 0);
  }
  for (const method of ['debug', 'dir', 'error', 'info', 'log', 'table', 'trace', 'warn'] as const) {
    vi.spyOn(console, method).mockImplementation((...args: unknown[]) => {
      written.push(...args.map((arg) => textOf(arg)));
    });
  }
  const onWarning = (warning: Error) => written.push(textOf(warning));
  process.on('warning', onWarning);
  onTestFinished(() => {
    vi.restoreAllMocks();
    process.off('warning', onWarning);
  });
  return { text: () => written.map(String).join('\n') };
}

const spans = new InMemorySpanExporter();
const counters = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const meterProvider = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: counters, exportIntervalMillis: 3_600_000 })],
});

beforeAll(() => {
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
  metrics.setGlobalMeterProvider(meterProvider);
});
afterAll(async () => {
  trace.disable();
  metrics.disable();
  await meterProvider.shutdown();
});

/** What OpenTelemetry received since the last call. */
async function telemetryText(): Promise<string> {
  await meterProvider.forceFlush();
  const told = spans.getFinishedSpans().map(({ name, attributes, events, links, status, resource }) => ({
    ...{ name, attributes, events, links, status },
    resource: resource.attributes,
  }));
  expect(told.map(({ name }) => name)).toContain('verify');
  const text = inspect([told, counters.getMetrics()], { depth: Number.POSITIVE_INFINITY, maxArrayLength: null });
  expect(text).toContain('verdict.verifies');
  spans.reset();
  counters.reset();
  return text;
}

/** An answer that repeats the request in its status line, headers and body. */
function echo(code: number): Fault {
  return {
    name: `an echo with status ${code}`,
    strike(strike) {
      const said = strike.call.bytes.toString().replaceAll(/\s+/g, ' ');
      const headers = `retry-after: ${said}\r\nlocation: http://127.0.0.1/?${said}\r\nwww-authenticate: ${said}\r\nx-request-id: ${said.slice(0, 90)}\r\n`;
      const body = `${said} <html>`;
      strike.write(`HTTP/1.1 ${code} ${said}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    },
  };
}

/** An answer that repeats the request and breaks off within it. */
const brokenEcho: Fault = {
  name: 'a broken echo',
  strike: (strike) => {
    strike.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz${strike.call.bytes.toString()}`);
    strike.end();
  },
};

const BOTH_CALLS: readonly Fault[] = [
  ...[faults.lostBefore, faults.lostAfter, faults.halfHeader, faults.halfBody, faults.wrongLength, faults.garbage],
  ...[faults.garbageAfterHeaders, faults.truncatedGzip, faults.drip('header'), faults.drip('body'), faults.silence],
  ...[faults.endlessBody(), faults.gzipBomb(4), faults.deepJson, faults.notJson, brokenEcho],
  ...[301, 307].flatMap((code) => [faults.redirect(code, 'same'), faults.redirect(code, 'other')]),
  ...[400, 401, 403, 404, 408, 429, 500, 502, 503, 504].map((code) => faults.status(code, { 'retry-after': '9999' })),
  ...[200, 204, 301, 400, 401, 403, 429, 500, 503, 999].map(echo),
];

const striking = (endpoint: Call['endpoint'], fault: Fault) => ({
  faults: (call: Call) => (call.endpoint === endpoint ? fault : undefined),
});

const CASES: readonly (readonly [string, Omit<ChaosOptions, 'target'>])[] = [
  ...(['sign-in', 'verify'] as const).flatMap((endpoint) =>
    BOTH_CALLS.map((fault) => [`${endpoint}: ${fault.name}`, striking(endpoint, fault)] as const),
  ),
  ['a reset of every connection', { connections: () => 'reset' }],
  ['a reset before a byte is read', { connections: () => 'resetUnread' }],
];

/** Runs cases, a few at a time -> the names of the cases that leaked something. */
async function forEach(
  cases: typeof CASES,
  run: (each: (typeof CASES)[number]) => Promise<readonly string[]>,
): Promise<(readonly [string, readonly string[]])[]> {
  const rest = [...cases];
  const found: (readonly [string, readonly string[]])[] = [];
  const work = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const leaks = await run(next);
      if (leaks.length > 0) found.push([next[0], leaks]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return found;
}

async function start(options: Omit<ChaosOptions, 'target'>, clientOptions: Partial<VerifyClientOptions> = {}) {
  const { chaos } = await chaosFor(options, { users: [USER] });
  return { chaos, client: clientOf(chaos, { ...USER, timeoutMs: 300, maxAttempts: 2, ...clientOptions }) };
}

describe('no secret and no personal data', () => {
  it('is in any error, output, span or counter after any fault', async () => {
    const output = listen();
    const canaries = new Set([REFERENCE]);
    const told: unknown[] = [];
    const policy = loadPolicy(ONBOARDING);
    const onEvent = (event: unknown) => void told.push(event);
    subscribe(EVENT_CHANNEL, onEvent);
    onTestFinished(() => void unsubscribe(EVENT_CHANNEL, onEvent));
    const leaks = await forEach(CASES, async ([, options]) => {
      const { chaos, client } = await start(options, { onEvent, requestIdPath: ['id', 'meta.id'] });
      const error = await failureOf(client.verify({ ...APPLICANT, clientReference: REFERENCE }));
      const decider: Decider = createDecider({ policy, verify: client, onEvent });
      const { clientReference, ...decision } = await decider.decide(APPLICANT, { clientReference: REFERENCE });
      expect(clientReference).toBe(REFERENCE);
      for (const canary of canariesOf(chaos)) canaries.add(canary);
      const whole = inspect(client, { depth: Number.POSITIVE_INFINITY, showHidden: true });
      return leaksIn(textOf(error) + JSON.stringify(decision) + whole, [...canariesOf(chaos), REFERENCE]);
    });
    expect(leaks).toEqual([]);
    expect(leaksIn(output.text(), [...canaries])).toEqual([]);
    expect(told.length).toBeGreaterThan(4 * CASES.length);
    expect(leaksIn(textOf(told), [...canaries])).toEqual([]);
    expect(leaksIn(await telemetryText(), [...canaries])).toEqual([]);
  });

  it.each([
    ['a refused connection', (chaos: Chaos) => chaos.refuse(), {}],
    ["the caller's own reason to abort", () => {}, { signal: AbortSignal.abort(new Error(APPLICANT.phoneNo)) }],
  ])('is in any error after %s', async (_, before, options) => {
    const { chaos, client } = await start({});
    before(chaos);
    const error = await failureOf(client.verify({ ...APPLICANT, clientReference: REFERENCE }, options));
    expect(leaksIn(textOf(error), [...canariesOf(chaos), REFERENCE])).toEqual([]);
  });

  it('is in any error about an invalid request or invalid options', async () => {
    const { chaos, client } = await start({});
    const wrong = { phoneNo: '7700900987 ext. canary-mail-53', email: 'canary-mail-53', ip: '203.0.113.77.5' };
    const refused = await failureOf(client.verify({ ...wrong, clientReference: REFERENCE.repeat(20) }));
    const misconfigured = (() => {
      try {
        return clientOf({ url: 'http://canary-user-51:canary-password-52@h/' }, { ...USER, timeoutMs: -1 });
      } catch (error) {
        return error;
      }
    })();
    expect(misconfigured).toBeInstanceOf(VerdictError);
    expect(leaksIn(textOf([refused, misconfigured]), [...canariesOf(chaos), REFERENCE])).toEqual([]);
  });

  it('is in the output of the command line after any fault', async () => {
    // Each run reads it; the shipped one has a list of thousands of entries.
    const policy = join(quickRules(), 'onboarding.yaml');
    // The command line has a long deadline, so cases without an end are left out.
    const ending = CASES.filter(([name], i) => !/drip|no answer/.test(name) && i % sampled(12, 1) === 0);
    const leaks = await forEach(ending, async ([, options]) => {
      const { chaos } = await chaosFor(options, { users: [USER] });
      const env = {
        ...{ VERDICT_BASE_URL: chaos.url, VERDICT_ENVIRONMENT: 'sandbox' },
        ...{ VERDICT_USERNAME: USER.username, VERDICT_PASSWORD: USER.password },
      };
      const { phoneNo, email, ip } = APPLICANT;
      const args = ['decide', '--policy', policy, '--phone', phoneNo, '--email', email, '--ip', ip];
      const runs = await Promise.all(['text', 'json'].map((format) => runCli([...args, '--format', format], { env })));
      expect(runs.map(({ exitCode }) => exitCode)).toEqual([3, 3]);
      return leaksIn(runs.map(({ stdout, stderr }) => stdout + stderr).join(), canariesOf(chaos));
    });
    expect(leaks).toEqual([]);
  });
});

describe('in the error of a naive client', () => {
  it.each(['sign-in', 'verify'] as const)('of %s everything appears', async (endpoint) => {
    const { chaos } = await chaosFor(striking(endpoint, faults.status(400)), { users: [USER] });
    const client = createNaiveClient({ baseUrl: chaos.url, ...USER });
    const { error } = await settle(client.verify({ ...APPLICANT, clientReference: REFERENCE }));
    const expected = endpoint === 'sign-in' ? [USER.password] : ['447700900987', 'canary-mail-53', ...chaos.tokens];
    for (const text of [JSON.stringify(error), inspect(error, { depth: 5 })]) {
      expect(leaksIn(text, expected)).toEqual(expected);
    }
  });
});
