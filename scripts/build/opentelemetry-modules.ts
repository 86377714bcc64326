import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const packages = join(import.meta.dirname, '../../node_modules');

/**
 * Bundles the ES modules of OpenTelemetry instead of its CommonJS ones, of which nothing unused could be left out: an
 * eighth of the size.
 */
export const opentelemetryModules: Plugin = {
  name: 'OpenTelemetry modules',
  setup: (bundle) => {
    bundle.onResolve({ filter: /^@opentelemetry\/[\w-]+$/ }, async ({ path }) => {
      const { module } = JSON.parse(await readFile(join(packages, path, 'package.json'), 'utf8')) as {
        module?: string;
      };
      // One that has none names its modules in another way, which the bundler reads.
      return module === undefined ? undefined : { path: join(packages, path, module), sideEffects: false };
    });
  },
};
