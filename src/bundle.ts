/**
 * The public API for bundlers, which find it by the condition `module`. They pack what is imported, so the packages
 * that are otherwise loaded when they are first used, and the shipped mapping, are imported here.
 */

import * as country from '@rapideditor/country-coder';
import axios from 'axios/dist/browser/axios.cjs';
import * as cockatiel from 'cockatiel';
import * as rulesEngine from 'json-rules-engine';
import phoneExamples from 'libphonenumber-js/examples.mobile.json';
import * as phoneNumbers from 'libphonenumber-js/max';
import * as zod from 'zod';
import shippedMapping from '../rules/signals.yaml';
import { provideMapping } from './facts/mapping/mapping.ts';
import { provide } from './platform/lazy.ts';

provide({
  '@rapideditor/country-coder': country,
  'axios/dist/browser/axios.cjs': axios,
  cockatiel,
  'json-rules-engine': rulesEngine,
  'libphonenumber-js/max': phoneNumbers,
  'libphonenumber-js/examples.mobile.json': phoneExamples,
  zod,
});
provideMapping(shippedMapping);

export * from './index.ts';
