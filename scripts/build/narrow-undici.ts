import { isAbsolute, join } from 'node:path';
import type { Plugin } from 'esbuild';

/** What undici takes of Node's HTTP modules without speaking through them: a number (Node's own default, in bytes), and a class to know its objects by. */
const withoutNodeHttp = `exports.maxHeaderSize = 16384; exports.IncomingMessage = class {};`;

/** HTTP/2, which the client and the webhooks don't speak. */
const withoutHttp2 = `module.exports = () => { throw new Error('This program speaks HTTP/1.1 only.'); };`;

const isOfUndici = (file: string): boolean => isAbsolute(file) && /[\\/]node_modules[\\/]undici[\\/]/.test(file);

/**
 * Bundles of undici what this program uses. Whole, its first request loads Node's HTTP, HTTP/2, compression, streams of the web and workers:
 * some 15 MB of memory that a server on stdio never needs. From source the whole library runs.
 */
export const narrowUndici: Plugin = {
  name: 'narrow undici',
  setup: (bundle) => {
    // How undici itself is bundled into Node: without the parser that is still an experiment.
    bundle.initialOptions.define = { ...bundle.initialOptions.define, esbuildDetection: 'true' };
    const contents = new Map([['node:http', withoutNodeHttp], ['./client-h2.js', withoutHttp2]]);
    bundle.onResolve({ filter: /^undici$/ }, () => ({ path: join(import.meta.dirname, 'undici.mjs') }));
    bundle.onResolve({ filter: /^(?:node:http|\.\/client-h2\.js)$/ }, ({ path, importer }) => (isOfUndici(importer) ? { path, namespace: 'narrow-undici' } : undefined));
    bundle.onLoad({ filter: /.*/, namespace: 'narrow-undici' }, ({ path }) => ({ contents: contents.get(path)!, loader: 'js' }));
  },
};
