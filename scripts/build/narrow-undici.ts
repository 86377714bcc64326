import { isAbsolute, join } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Replaces the parts of Node's HTTP modules that undici refers to: the default header limit in bytes, and a class for
 * instanceof checks.
 */
const withoutNodeHttp = `exports.maxHeaderSize = 16384; exports.IncomingMessage = class {};`;

/** Replaces undici's HTTP/2 client, which neither the API client nor webhooks use. */
const withoutHttp2 = `module.exports = () => { throw new Error('This program speaks HTTP/1.1 only.'); };`;

const isOfUndici = (file: string): boolean => isAbsolute(file) && /[\\/]node_modules[\\/]undici[\\/]/.test(file);

/**
 * Bundles only the parts of undici that this program uses. The complete library loads Node's HTTP, HTTP/2, compression,
 * web streams and workers with the first request: about 15 MB of memory that a stdio server never needs. Runs from
 * source use the complete library.
 */
export const narrowUndici: Plugin = {
  name: 'narrow undici',
  setup: (bundle) => {
    // Node bundles undici with the same definition. It excludes the experimental parser.
    bundle.initialOptions.define = { ...bundle.initialOptions.define, esbuildDetection: 'true' };
    const contents = new Map([
      ['node:http', withoutNodeHttp],
      ['./client-h2.js', withoutHttp2],
    ]);
    bundle.onResolve({ filter: /^undici$/ }, () => ({ path: join(import.meta.dirname, 'undici.mjs') }));
    bundle.onResolve({ filter: /^(?:node:http|\.\/client-h2\.js)$/ }, ({ path, importer }) =>
      isOfUndici(importer) ? { path, namespace: 'narrow-undici' } : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: 'narrow-undici' }, ({ path }) => ({
      contents: contents.get(path)!,
      loader: 'js',
    }));
  },
};
