import { expect, test } from 'vitest';
import { createDecisionId } from '../../src/decision/request.ts';

test('the id of a decision has its time, version 7 and the variant of RFC 9562, and is another each time', () => {
  // The example of RFC 9562, appendix A.6.
  const id = createDecisionId(Date.UTC(2022, 1, 22, 19, 22, 22));
  expect(id).toMatch(/^017f22e2-79b0-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(createDecisionId(0)).toMatch(/^00000000-0000-7/);
  expect(createDecisionId(0)).not.toBe(createDecisionId(0));
});
