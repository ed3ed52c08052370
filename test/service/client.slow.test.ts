/** The OpenAPI document passes two validators (client.release.test.ts has a client that is generated from it). */

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { DOCUMENT_TEXT } from '../support/service/document.ts';

test('two validators find nothing in it, and find a mistake', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const findingsOf = async (text: string) => {
    const findings = await lintFromString({ source: text, config, absoluteRef: 'openapi.json' });
    return findings.map(({ ruleId, message }) => `${ruleId}: ${message}`);
  };
  expect(await findingsOf(DOCUMENT_TEXT)).toEqual([]);
  expect(await new Validator().validate(JSON.parse(DOCUMENT_TEXT))).toEqual({ valid: true });
  expect(
    await findingsOf(DOCUMENT_TEXT.replace('"operationId": "decide"', '"operationId": "decideBatch"')),
  ).not.toEqual([]);
  const spoilt = JSON.parse(DOCUMENT_TEXT.replace('"openapi": "3.1.0"', '"openapi": "3.1.0", "pathes": {}'));
  expect(await new Validator().validate(spoilt)).toMatchObject({ valid: false });
});
