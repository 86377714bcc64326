import type { Plugin } from 'esbuild';
import { consoleScript, pageWith, viewScript, viewStyles } from '../../src/views/build-page.ts';
import { viewNames, views } from '../../src/views/catalog.ts';

/** The views of a build. */
interface BuiltViews {
  /** Replaces the module that makes the pages from source by one that has them. It is loaded with the first read. */
  readonly plugin: Plugin;
  /** The files that the pages were made of, as paths from the root. */
  readonly inputs: readonly string[];
}

/** Makes the pages of all views. */
export async function buildViews(): Promise<BuiltViews> {
  const style = await viewStyles();
  const ofConsole = await consoleScript();
  const made = await Promise.all(viewNames.map(async (name) => ({ name, ...(await viewScript(name)) })));
  const pages = Object.fromEntries(made.map(({ name, code }) => [name, pageWith(views[name].title, style, code)]));
  return {
    inputs: [...made.flatMap(({ inputs }) => inputs), ...ofConsole.inputs],
    plugin: {
      name: 'views',
      setup: (bundle) => {
        bundle.onLoad({ filter: /[\\/]src[\\/]views[\\/]pages\.ts$/ }, () => ({
          contents: `const pages = JSON.parse(${JSON.stringify(JSON.stringify(pages))}); export const pageOf = async (name) => pages[name];`,
          loader: 'js',
        }));
        const files = { style, script: ofConsole.code };
        bundle.onLoad({ filter: /[\\/]src[\\/]views[\\/]console-files\.ts$/ }, () => ({
          contents: `const files = JSON.parse(${JSON.stringify(JSON.stringify(files))}); export const consoleFiles = async () => files;`,
          loader: 'js',
        }));
      },
    },
  };
}
