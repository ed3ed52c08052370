/** Answers -> the paths that the errors in them name: GraphQL's `errors: [{ message, path }]`. */

import { readSubject } from '../names/subject.ts';
import { isMap } from './labels.ts';

/** By answer; undefined without errors, or if one of them has no path to a part. */
export function locatedErrors(answers: readonly unknown[]): readonly (readonly (readonly string[])[] | undefined)[] {
  return answers.map(pathsIn);
}

const LOCATION = /^(?:path|source|pointer|section|component|module|field|service|product)$/i;

/** The paths in `errors: [{ message, path: [verify, phone] }]` (GraphQL, section 7.1.2), if every error has one. */
function pathsIn(answer: unknown): readonly (readonly string[])[] | undefined {
  const errors = isMap(answer) && Object.hasOwn(answer, 'errors') ? answer['errors'] : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const paths = errors.map((error: unknown) => {
    const entries = typeof error === 'object' && error !== null ? Object.entries(error) : [];
    const location: unknown = entries.find(([key]) => LOCATION.test(key))?.[1];
    const path = typeof location === 'string' ? location.split(/[./]/) : Array.isArray(location) ? location : [];
    const names = path.filter((step): step is string => typeof step === 'string' && step !== '');
    const { topic, section } = readSubject(names);
    return topic === undefined && section === undefined ? [] : names;
  });
  return paths.every((path) => path.length > 0) ? paths : undefined;
}
