/** `verdict-engine/patterns`: the engine of patterns, for policies that `verdict-engine/core` reads. */

export { RE2 } from './platform/formats/re2.ts';
