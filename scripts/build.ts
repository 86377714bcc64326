/**
 * Bundles src/main.ts into dist/infra-mcp.mjs (--outdir: another directory, new, empty or of an earlier build), with
 * lazily loaded code as chunks in chunks/, and copies prompts and skills. --package-list names a file for the list of
 * bundled packages. --verbose lists the bundled files with their sizes.
 */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Metafile, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { textPaths } from '../src/server/browse/index.ts';
import { narrowUndici } from './build/narrow-undici.ts';
import { opentelemetryModules } from './build/opentelemetry-modules.ts';
import { derivePrebuilt } from './build/prebuilt.ts';
import { builtText } from './build/built-text.ts';
import { buildViews } from './build/views.ts';
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

// Bundled CommonJS packages still call require() for Node's own modules.
const requireForBundledPackages =
  "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);\n";

/**
 * Removes the line above from a chunk that doesn't call require(). createRequire is slow, and a start loads about
 * twenty chunks.
 */
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

/** Writes what is shipped into an empty directory. @returns what was bundled */
async function writeProgram(draft: string): Promise<Metafile> {
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
    // The oldest supported Node: '>=22.19' becomes 'node22.19'.
    target: manifest.engines.node.replace('>=', 'node'),
    banner: { js: requireForBundledPackages.trimEnd() },
    minify: true,
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      '@modelcontextprotocol/server/_shims': './scripts/build/shims.ts',
    },
    plugins: [prebuilt, builtViews.plugin, doorsSkipped, narrowUndici, opentelemetryModules],
    metafile: true,
    logLevel: 'warning',
  });

  await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const file = join(draft, relative(resolve(outdir), path));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, withoutUnusedRequire(text));
    }),
  );
  await Promise.all(
    Object.values(textPaths).map((path) => cp(join(root, path), join(draft, path), { recursive: true })),
  );
  await writeFile(
    join(draft, 'THIRD-PARTY-NOTICES.txt'),
    await noticesFor(root, [...Object.keys(metafile.inputs), ...builtViews.inputs]),
  );
  return metafile;
}

const place = { root, written: 'infra-mcp.mjs', standard: 'dist' };
const { outputs } = await replaceOutputDirectory(outdir, place, writeProgram);
if (packageList !== undefined) {
  // Without what was read and then left out as unused.
  const bundled = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  await writeFile(packageList, JSON.stringify(await packagesOf(root, [...bundled, ...builtViews.inputs])));
}

const sizes = Object.entries(outputs).map(([file, { bytes }]) => ({ file, bytes }));
process.stdout.write(builtText(sizes, { isVerbose: verbose, isForUse: resolve(outdir) === standard }));
