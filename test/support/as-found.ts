/**
 * Before each test file: what all files of a process share is put back when the file ends, and a file that left it
 * changed fails: otherwise one that follows fails in its place, now and then.
 */

import { afterAll, expect } from 'vitest';

const found = { folder: process.cwd(), frames: Error.stackTraceLimit, format: Error.prepareStackTrace };

afterAll(() => {
  const left = { folder: process.cwd(), frames: Error.stackTraceLimit, format: Error.prepareStackTrace };
  process.chdir(found.folder);
  Error.stackTraceLimit = found.frames;
  Error.prepareStackTrace = found.format;
  expect(left).toEqual(found);
});
