import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { views, type ViewName } from './catalog.ts';

const folder = join(import.meta.dirname, 'page');

/** A script of a page, with the files that it was made of. */
export interface PageScript {
  readonly code: string;
  /** Paths from the root of the repository. */
  readonly inputs: readonly string[];
}

/**
 * Bundles a script for browsers, with Preact.
 * @param entry its path
 */
export async function bundleScript(entry: string): Promise<PageScript> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(import.meta.dirname, '../..'),
    preserveSymlinks: true,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
  });
  return { code: outputFiles[0]!.text.trim(), inputs: Object.keys(metafile.inputs) };
}

/** The stylesheet of all views, minified. */
export async function viewStyles(): Promise<string> {
  const { transform } = await import('esbuild');
  const source = await readFile(join(folder, 'style.css'), 'utf8');
  // Hosts of today have `light-dark()`; replacing it would double the colours.
  return (await transform(source, { loader: 'css', minify: true, target: 'chrome125' })).code.trim();
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * A page with everything in it. It reaches no network, runs nothing but its own script, and can't turn text into
 * markup.
 */
export const pageWith = (title: string, style: string, script: string): string =>
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
<body>
<div id="view"></div>
<script>${script}</script>
</body>
</html>
`;

/** The script of a view. */
export const viewScript = (name: ViewName): Promise<PageScript> => bundleScript(join(folder, 'entries', `${name}.tsx`));

const made = new Map<ViewName, Promise<string>>();

/** The page of a view, from source. Made once. */
export function viewPage(name: ViewName): Promise<string> {
  const page =
    made.get(name) ??
    Promise.all([viewStyles(), viewScript(name)]).then(([style, { code }]) => pageWith(views[name].title, style, code));
  made.set(name, page);
  return page;
}

/** The script of the console's views. */
export const consoleScript = (): Promise<PageScript> => bundleScript(join(folder, 'entries', 'console.tsx'));

/** The script and the stylesheet of the console's views, from source. */
export async function makeConsoleFiles(): Promise<{ readonly script: string; readonly style: string }> {
  const [style, { code }] = await Promise.all([viewStyles(), consoleScript()]);
  return { style, script: code };
}
