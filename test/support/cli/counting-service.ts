/** How to answer -> a service that counts its calls, and the variables that make the command line use it. */

import type { ServerResponse } from 'node:http';
import { environmentOf, serviceThat } from '../signals/service.ts';

/** `good`: the answer of a service that finds nothing. */
type Answer = (response: ServerResponse, good: string) => unknown;

export async function countingService(answer: Answer = (response, good) => response.end(good)) {
  const calls: { phoneNo: string; reference: string }[] = [];
  const service = await serviceThat(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { clientReference, identityVariables } = JSON.parse(body);
    calls.push({ phoneNo: identityVariables.phoneNo, reference: clientReference });
    response.setHeader('Content-Type', 'application/json');
    answer(response, JSON.stringify({ searchStatus: 'Successful', clientReference }));
  });
  return { calls, env: environmentOf(service) };
}

/** Applicants in CSV, the first of whom has the reference `R-0`. */
export function applicantsCsv(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => `+4477009${10_000 + i},R-${i}`);
  return ['phoneNo,reference', ...rows].join('\n');
}
