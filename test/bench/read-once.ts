/** A policy file -> the milliseconds in which this process reads it, as its first. */

import { loadPolicy } from '../../src/policy/read/parse.ts';

const began = performance.now();
loadPolicy(process.argv[2] ?? 'rules/onboarding.yaml');
process.stdout.write(String(performance.now() - began));
