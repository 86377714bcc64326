import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const bin = pathToFileURL(join(import.meta.dirname, '../bin/infra-mcp.mjs')).href;
const oldest = manifest.engines.node.replace('>=', '');
const [major = 0, minor = 0] = oldest.split('.').map(Number);

/** Starts the bin in a Node that claims to be of the given version, and never loads the program itself. */
const startOn = (version: string): { status: number | null; stderr: string } => {
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve: (specifier, context, next) =>
      specifier.endsWith('/dist/infra-mcp.mjs') ? { url: 'data:text/javascript,console.error("started")', shortCircuit: true } : next(specifier, context) });
    Object.defineProperty(process.versions, 'node', { value: '${version}' });
    await import('${bin}');`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
};

test.each([`${major - 1}.99.0`, `${major}.${minor - 1}.9`, '12.22.0'])('on Node %s it says which Node it needs', (version) => {
  const { status, stderr } = startOn(version);
  expect(stderr).toContain(`needs Node ${oldest} or newer`);
  expect(stderr).toContain(version);
  expect(stderr).not.toContain('started');
  expect(status).toBe(1);
});

test.each([`${oldest}.0`, `${major + 1}.0.0`])('on Node %s it starts the program', (version) => {
  expect(startOn(version)).toMatchObject({ status: 0, stderr: 'started\n' });
});
