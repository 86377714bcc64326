/**
 * Bundles src/main.ts into dist/infra-mcp.mjs (--outdir: another directory, new, empty or of an earlier build), with
 * lazily loaded code as chunks in chunks/, and copies prompts and skills. --package-list names a file for the list of
 * bundled packages. --verbose lists the bundled files with their sizes.
 */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Metafile, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { textPaths } from '../src/server/browse/index.ts';
import { lazySchemas } from './build/lazy-schemas.ts';
import { narrowUndici } from './build/narrow-undici.ts';
import { opentelemetryModules } from './build/opentelemetry-modules.ts';
import { derivePrebuilt } from './build/prebuilt.ts';
import { builtText } from './build/built-text.ts';
import { buildViews } from './build/views.ts';
import { mergeChunks, outputsBelow, startGroups } from './build/merge-chunks.ts';
import { doorsSkipped } from './build/skip-doors.ts';
import { replaceOutputDirectory } from './output-directory.ts';
import { noticesFor, packagesOf } from './shipping/notices.ts';

const root = join(import.meta.dirname, '..');
const standard = join(root, 'dist');
const {
  outdir,
  'package-list': packageList,
  verbose,
} = parseArgs({
  options: {
    outdir: { type: 'string', default: standard },
    'package-list': { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
}).values;

/**
 * Bundled CommonJS packages still call require() for Node's own modules, and for optional packages. createRequire is
 * slow, so it is called only for those.
 */
const requireForBundledPackages =
  "const require = (name) => globalThis.process.getBuiltinModule(name) ?? globalThis.process.getBuiltinModule('module').createRequire(import.meta.url)(name);\n";

/** Removes the line above from a chunk that doesn't call require(). */
const withoutUnusedRequire = (chunk: string): string => {
  const code = chunk.startsWith(requireForBundledPackages) ? chunk.slice(requireForBundledPackages.length) : chunk;
  return /\brequire\b/.test(code) ? chunk : code;
};

/**
 * Replaces the module prebuilt.ts with data generated from tools and resources, so that a start needs none of their
 * code.
 */
const prebuilt: Plugin = {
  name: 'prebuilt',
  setup: (bundle) => {
    bundle.onLoad({ filter: /[\\/]src[\\/]server[\\/]protocol[\\/]prebuilt\.ts$/ }, () => ({
      contents: `export const prebuilt = JSON.parse(${JSON.stringify(JSON.stringify(derivePrebuilt()))});`,
      loader: 'js',
    }));
  },
};

const builtViews = await buildViews();

// The oldest supported Node: '>=22.19' becomes 'node22.19'.
const target = manifest.engines.node.replace('>=', 'node');

interface Program {
  readonly bundled: Metafile;
  /** In bytes. */
  readonly sizes: readonly { readonly file: string; readonly bytes: number }[];
}

/** Writes what is shipped into an empty directory. */
async function writeProgram(draft: string): Promise<Program> {
  const { metafile, outputFiles } = await build({
    write: false,
    absWorkingDir: root,
    // The bundle is the same wherever node_modules really is.
    preserveSymlinks: true,
    entryPoints: { 'infra-mcp': 'src/main.ts' },
    outdir: resolve(outdir),
    entryNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target,
    banner: { js: requireForBundledPackages.trimEnd() },
    minify: true,
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      '@modelcontextprotocol/server/_shims': './scripts/build/shims.ts',
    },
    plugins: [prebuilt, builtViews.plugin, doorsSkipped, lazySchemas, narrowUndici, opentelemetryModules],
    metafile: true,
    logLevel: 'warning',
  });

  const outputs = outputsBelow(relative(root, resolve(outdir)).replaceAll(sep, '/'), metafile);
  const files = await mergeChunks(
    outputFiles.map(({ path, text }) => ({
      path: relative(resolve(outdir), path).replaceAll(sep, '/'),
      code: withoutUnusedRequire(text),
    })),
    outputs,
    { groups: startGroups(outputs), target },
  );
  await Promise.all(
    files.map(async ({ path, code }) => {
      const file = join(draft, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, code);
    }),
  );
  await Promise.all(
    Object.values(textPaths).map((path) => cp(join(root, path), join(draft, path), { recursive: true })),
  );
  await writeFile(
    join(draft, 'THIRD-PARTY-NOTICES.txt'),
    await noticesFor(root, [...Object.keys(metafile.inputs), ...builtViews.inputs]),
  );
  const written = relative(process.cwd(), resolve(outdir));
  const sizes = files.map(({ path, code }) => ({ file: join(written, path), bytes: Buffer.byteLength(code) }));
  return { bundled: metafile, sizes };
}

const place = { root, written: 'infra-mcp.mjs', standard: 'dist' };
const { bundled, sizes } = await replaceOutputDirectory(outdir, place, writeProgram);
if (packageList !== undefined) {
  // Without what was read and then left out as unused.
  const files = Object.values(bundled.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  await writeFile(packageList, JSON.stringify(await packagesOf(root, [...files, ...builtViews.inputs])));
}

process.stdout.write(builtText(sizes, { isVerbose: verbose, isForUse: resolve(outdir) === standard }));
