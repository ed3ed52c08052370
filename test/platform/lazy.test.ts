/** Packages that are missing: `require`, and what creates a client or a decider, says which one. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { require } from '../../src/platform/lazy.ts';
import { failureOf } from '../support/signals/scripted-service.ts';

/** In a process of its own: one package after the other is missing, in the order of their loading, and then none. */
const SCRIPT = `
  import Module from 'node:module';
  const src = ${JSON.stringify(new URL('../../src', import.meta.url).href)};
  const { createDecider, createVerifyClient, loadPolicy } = await import(src + '/index.ts');
  const resolve = Module._resolveFilename;
  let missing;
  Module._resolveFilename = (name, ...others) => {
    if (name.startsWith(missing)) throw Object.assign(new Error('no ' + name), { code: 'MODULE_NOT_FOUND' });
    return resolve(name, ...others);
  };
  const account = { baseUrl: 'http://127.0.0.1:1', environment: 'sandbox', username: 'u', password: 'p' };
  const policy = loadPolicy('rules/phone-only.yaml');
  const verify = { verify: async () => ({ body: {} }) };
  const making = [
    ['axios', () => createVerifyClient(account)],
    ['cockatiel', () => createVerifyClient(account)],
    ['libphonenumber-js', () => createDecider({ policy, verify })],
    ['@rapideditor/country-coder', () => createDecider({ policy, verify })],
    ['json-rules-engine', () => createDecider({ policy, verify, runner: 'live' })],
  ];
  for (const [name, make] of making) {
    missing = name;
    try {
      make();
      console.log(name, 'is not missed');
    } catch ({ code, message, cause }) {
      console.log(code, message.split(' cannot')[0], cause?.code);
    }
  }
  missing = undefined;
  for (const [, make] of making) make();`;

test('a package that is missing is named when a client or a decider is created', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', SCRIPT]);
  const names = ['axios/dist/browser/axios.cjs', 'cockatiel'];
  names.push('libphonenumber-js/max', '@rapideditor/country-coder', 'json-rules-engine');
  const told = names.map((name) => `CONFIGURATION_INVALID the package ${name} MODULE_NOT_FOUND`);
  expect(stdout.trim().split('\n')).toEqual(told);
});

test('the error of a package that cannot be loaded has its name and the code, and no path', async () => {
  const error = await failureOf((async () => require('node:no-such-module'))());
  expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', cause: { code: 'ERR_UNKNOWN_BUILTIN_MODULE' } });
  expect(error.message).toMatch(
    /^the package node:no-such-module cannot be loaded \(ERR_UNKNOWN_BUILTIN_MODULE\): install/,
  );
  expect(error.message).not.toContain('/src/');
});
