/** A file of tests -> the files, mappings and policies that it names, each read once in a run. */

import { dirname, isAbsolute, join } from 'node:path';
import type { Diagnostic } from '../../diagnostics.ts';
import { loadMapping, type Mapping, type ReadMapping, readMapping } from '../../facts/mapping/mapping.ts';
import { fingerprintOf } from '../../platform/files/disk-file.ts';
import { leavesProject } from '../../platform/files/project.ts';
import { reportAt, type Source } from '../../platform/files/source.ts';
import { readSource } from '../../platform/files/source-file.ts';
import { RE2 } from '../../platform/formats/re2.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { readText } from '../../platform/yaml-fields.ts';
import type { ParameterValue, Policy } from '../../policy/language.ts';
import { PolicyFolder } from '../../policy/read/files/folder.ts';
import { readUnchecked } from '../../policy/read/read-policy.ts';

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

  /**
   * The path of a file that a node names, for messages too. Undefined, with a diagnostic, for an absolute one and one
   * out of the project: the author of a test may not be allowed to read what lies beside the project.
   */
  locate(node: Yaml): string | undefined {
    const name = readText(node, 'a path');
    if (name === undefined) return undefined;
    if (isAbsolute(name)) {
      return reportAt(node, 'file-outside', 'found an absolute path; a path must be relative to the file of tests');
    }
    const path = join(dirname(this.#file), name);
    if (!leavesProject(path, this.#file)) return path;
    const hint = 'copy the file into the project: the folder with .git or package.json above the tests';
    return reportAt(node, 'file-outside', 'the path leaves the project of the tests', { hint });
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

/** Values for parameters, by name. */
export type Parameters = Readonly<Record<string, ParameterValue>>;

/** A policy as read; undefined with diagnostics if it has errors. */
export interface FoundPolicy {
  readonly policy: Policy | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The mapping of the package. */
function shippedMapping(): ReadMapping {
  const mapping = loadMapping();
  return { mapping, facts: mapping.facts, diagnostics: [], silenced: [] };
}

/** The policies and mappings of one run, each read once. */
export class Policies {
  readonly #found = new Map<string, FoundPolicy>();
  readonly #mappings = new Map<string | undefined, ReadMapping>();
  readonly #stamps: Map<string, string>;

  /** Adds each file that is opened to `stamps`, with its fingerprint just before. */
  constructor(stamps: Map<string, string>) {
    this.#stamps = stamps;
  }

  /** The mapping at a path; by default the one of the package. */
  mapping(path: string | undefined): { readonly mapping?: Mapping; readonly diagnostics: readonly Diagnostic[] } {
    let found = this.#mappings.get(path);
    if (!found) {
      if (path !== undefined) this.#stamps.set(path, fingerprintOf(path));
      found = path === undefined ? shippedMapping() : readMapping(path);
      this.#mappings.set(path, found);
    }
    return found;
  }

  policy(path: string, mapping: Mapping, parameters: Parameters): FoundPolicy {
    const names = Object.keys(parameters).sort();
    const key = JSON.stringify([path, mapping.digest, names.map((name) => [name, parameters[name]])]);
    let found = this.#found.get(key);
    if (!found) {
      const folder = new PolicyFolder(path);
      found = readUnchecked(folder, { mapping, parameters, patterns: RE2 });
      for (const [file, stamp] of folder.stamps) this.#stamps.set(file, stamp);
      this.#found.set(key, found);
    }
    return found;
  }
}
