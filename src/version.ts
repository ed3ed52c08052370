/** The version of this engine; part of every decision. A test holds it to package.json. */

export const ENGINE_VERSION = '0.1.0';
