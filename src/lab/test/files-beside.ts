/** A file of tests -> the files that it names, relative to itself. */

import { dirname, isAbsolute, join } from 'node:path';
import type { Diagnostic } from '../../diagnostics.ts';
import { reportAt, type Source } from '../../platform/files/source.ts';
import { readSource } from '../../platform/files/source-file.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { readText } from '../../platform/yaml-fields.ts';
import { fingerprintOf } from '../../policy/watch/file-fingerprint.ts';

/** Opens the files that one file of tests names. Their lines may name people, so that no log quotes them. */
export class FilesBeside {
  readonly diagnostics: Diagnostic[] = [];
  /** The names of the files that were opened, in order. */
  readonly names: string[] = [];
  readonly #file: string;
  readonly #stamps: Map<string, string>;

  /** Adds each file that is opened to `stamps`, with its fingerprint just before. */
  constructor(file: string, stamps: Map<string, string>) {
    this.#file = file;
    this.#stamps = stamps;
  }

  /** The file of tests itself. */
  openRoot(): Source | undefined {
    return this.#read(this.#file);
  }

  /** The path of a file that a node names, for messages too; undefined, with a diagnostic, for an absolute one. */
  locate(node: Yaml): string | undefined {
    const name = readText(node, 'a path');
    if (name === undefined) return undefined;
    if (!isAbsolute(name)) return join(dirname(this.#file), name);
    return reportAt(node, 'file-outside', 'found an absolute path; a path must be relative to the file of tests');
  }

  open(node: Yaml): Source | undefined {
    const path = this.locate(node);
    return path === undefined ? undefined : this.#read(path, node);
  }

  #read(path: string, node?: Yaml): Source | undefined {
    if (!this.#stamps.has(path)) this.#stamps.set(path, fingerprintOf(path));
    this.names.push(path);
    const source = readSource(path, path, this.diagnostics, node);
    if (source) source.isPrivate = true;
    return source;
  }
}
