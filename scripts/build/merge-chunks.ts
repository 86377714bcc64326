import { posix, relative, resolve, sep } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

/** A file of the bundle: its path below the output directory, with slashes, and its code. */
export interface BundledFile {
  readonly path: string;
  readonly code: string;
}

/** Chunks that are merged into one file. */
export interface ChunkGroup {
  /** The path of the merged file, such as chunks/start.mjs. */
  readonly path: string;
  /** The paths of its chunks. What they import belongs to this group or to one before it. */
  readonly chunks: ReadonlySet<string>;
}

/** What the bundler says of the files of a bundle, by their paths. */
export type Outputs = ReadonlyMap<string, Pick<Metafile['outputs'][string], 'imports' | 'exports' | 'entryPoint'>>;

/**
 * The outputs of a bundle by their paths below its output directory.
 * @param outdir the output directory as it is in the metafile: relative, with slashes
 */
export const outputsBelow = (outdir: string, { outputs }: Pick<Metafile, 'outputs'>): Outputs => {
  const below = (path: string): string => posix.relative(outdir, path);
  return new Map(
    Object.entries(outputs).map(([path, output]) => [
      below(path),
      { ...output, imports: output.imports.map((one) => (one.external ? one : { ...one, path: below(one.path) })) },
    ]),
  );
};

/** The output of a source file that is an entry point or loaded with import(). @throws Error if there is none */
export function entryOf(outputs: Outputs, source: string): string {
  for (const [path, { entryPoint }] of outputs) if (entryPoint === source) return path;
  throw new Error(`${source} is no entry point of the bundle.`);
}

/** An output, and all that are loaded before its code runs. */
export function loadedWith(outputs: Outputs, path: string): ReadonlySet<string> {
  const loaded = new Set([path]);
  for (const one of loaded)
    for (const { kind, external, path: imported } of outputs.get(one)!.imports)
      if (kind === 'import-statement' && !external) loaded.add(imported);
  return loaded;
}

/**
 * What is merged for a fast start over stdio: the code that every command loads, and the code that servers load. Node
 * needs about half a millisecond to find, read and link a file, and without this a start loads 54.
 */
export function startGroups(outputs: Outputs): ChunkGroup[] {
  const main = entryOf(outputs, 'src/main.ts');
  const stdio = entryOf(outputs, 'src/cli/commands/stdio.ts');
  const cli = loadedWith(outputs, entryOf(outputs, 'src/cli/commands/cli.ts'));
  const served = loadedWith(outputs, stdio);
  const first = loadedWith(outputs, main);
  const always = new Set([...first, ...served].filter((path) => path !== main && (first.has(path) || cli.has(path))));
  const others = [...served].filter((path) => path !== stdio && !first.has(path) && !always.has(path));
  return [
    { path: 'chunks/always.mjs', chunks: always },
    { path: 'chunks/servers.mjs', chunks: new Set(others) },
  ];
}

const relativeTo = (directory: string, path: string): string => {
  const found = posix.relative(directory, path);
  return found.startsWith('.') ? found : `./${found}`;
};

/** Leads imports of merged chunks to the merged files. Everything else stays where it is. */
function chunksMerged(files: readonly BundledFile[], outputs: Outputs, groups: readonly ChunkGroup[]): Plugin {
  const codes = new Map(files.map(({ path, code }) => [path, code]));
  const groupAt = new Map(groups.map((group) => [group.path, group]));
  const groupOf = new Map(groups.flatMap((group) => [...group.chunks].map((chunk) => [chunk, group] as const)));
  const numbers = new Map([...groupOf.keys()].map((chunk, index) => [chunk, index]));
  /** The exports of a chunk: its own names, and those in the merged file. */
  const exportsOf = (chunk: string): [own: string, merged: string][] =>
    outputs.get(chunk)!.exports.map((name) => [name, `${name}$${numbers.get(chunk)!}`]);
  return {
    name: 'merge chunks',
    setup: (bundle) => {
      bundle.onResolve({ filter: /^/ }, ({ path, importer, kind, namespace }) => {
        if (kind === 'entry-point') return { path, namespace: groupAt.has(path) ? 'group' : 'chunk' };
        const chunk = posix.join(posix.dirname(importer), path);
        const group = groupOf.get(chunk);
        if (namespace.startsWith('merged') || !path.startsWith('.') || group === undefined)
          return { path, external: true };
        return group === (groupAt.get(importer) ?? groupOf.get(importer))
          ? { path: chunk, namespace: 'chunk' }
          : { path: chunk, namespace: `merged ${posix.dirname(importer)}` };
      });
      bundle.onLoad({ filter: /^/, namespace: 'chunk' }, ({ path }) => ({ contents: codes.get(path)! }));
      bundle.onLoad({ filter: /^/, namespace: 'group' }, ({ path }) => ({
        contents: [...groupAt.get(path)!.chunks]
          .map((chunk) => {
            const names = exportsOf(chunk).map(([own, merged]) => `${own} as ${merged}`);
            return `export { ${names.join(', ')} } from '${relativeTo(posix.dirname(path), chunk)}';`;
          })
          .join('\n'),
      }));
      bundle.onLoad({ filter: /^/ }, ({ path, namespace }) => {
        const names = exportsOf(path).map(([own, merged]) => `${merged} as ${own}`);
        const from = relativeTo(namespace.slice('merged '.length), groupOf.get(path)!.path);
        return { contents: `export { ${names.join(', ')} } from '${from}';` };
      });
    },
  };
}

/**
 * Merges chunks of a bundle that are loaded together. The bundler makes a chunk of all code that the same import()
 * expressions lead to, whether or not it is always loaded together with other code.
 * @returns all files, with imports that lead to the merged ones.
 * @throws Error if a chunk of a group is loaded with import(): its exports would have other names.
 */
export async function mergeChunks(
  files: readonly BundledFile[],
  outputs: Outputs,
  { groups, target }: { readonly groups: readonly ChunkGroup[]; readonly target: string },
): Promise<BundledFile[]> {
  const merged = new Set(groups.flatMap(({ chunks }) => [...chunks]));
  for (const chunk of merged)
    if (outputs.get(chunk)!.entryPoint !== undefined) throw new Error(`${chunk} is loaded with import().`);
  const written = [...groups, ...files].map(({ path }) => path).filter((path) => !merged.has(path));
  const { outputFiles } = await build({
    write: false,
    entryPoints: written.map((path) => ({ in: path, out: path.replace(/\.mjs$/, '') })),
    outdir: 'out',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target,
    minify: true,
    plugins: [chunksMerged(files, outputs, groups)],
    logLevel: 'warning',
  });
  return outputFiles.map(({ path, text }) => ({
    path: relative(resolve('out'), path).replaceAll(sep, '/'),
    code: text,
  }));
}
