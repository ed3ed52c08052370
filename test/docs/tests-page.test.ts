/** The file of vitest that docs/tests.md shows: its tests are run here, as a reader would run them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { runTests } from '../../src/lab.ts';
import { ROOT } from '../support/docs/docs.ts';

const page = readFileSync(join(ROOT, 'docs/tests.md'), 'utf8');
const [, imports = '', body = ''] = /```js\n((?:import .*\n)+)([^`]+?)```/.exec(page) ?? [];
const given = { describe, expect, it, runTests };

it('imports what it uses', () => {
  for (const name of Object.keys(given)) expect(imports).toMatch(new RegExp(`\\{.*\\b${name}\\b.*\\} from`));
});

compileFunction(body, Object.keys(given))(...Object.values(given));
