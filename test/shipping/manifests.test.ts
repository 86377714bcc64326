import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import mcpbSchema from '@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { mcpbManifest } from '../../scripts/shipping/mcpb.ts';
import { repositoryUrl } from '../../src/cli/config/index.ts';
import { logLevels, optionsOf } from '../../src/cli/config/read-config.ts';
import { defaultTools as tools } from '../../tools/index.ts';
import { readJson, root, readYaml } from './repository-files.ts';

const { name, version } = manifest;
const known = optionsOf('stdio').map(({ env }) => env);

// What the registry's schema of 2025-12-11 (https://github.com/modelcontextprotocol/static) asks of the members that we
// have. It comes in no package, so its rules are told here, more strictly: it takes members that it doesn't know.
const Variable = z.strictObject({
  name: z.enum(known),
  description: z.string(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']),
  choices: z.array(z.string()).optional(),
  isSecret: z.boolean().optional(),
});
const Package = z.strictObject({
  registryType: z.literal('npm'),
  identifier: z.literal(name),
  version: z.literal(version),
  runtimeHint: z.literal('npx'),
  transport: z.strictObject({ type: z.literal('stdio') }),
  environmentVariables: z.array(Variable),
});
const ServerJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.literal(version),
  repository: z.strictObject({ url: z.literal(repositoryUrl), source: z.literal('github') }),
  websiteUrl: z.url(),
  packages: z.tuple([Package]),
});

test('the package depends on no other: the program is bundled', () => {
  // Add packages with --save-dev.
  expect(Object.keys(manifest)).not.toContain('dependencies');
});

describe('server.json', () => {
  const server = readJson('server.json');

  test('is what the registry of MCP servers takes', () => {
    expect(ServerJson.parse(server).name).toBe(manifest.mcpName);
  });

  test('names every option, and those that may hold secrets', () => {
    const {
      packages: [{ environmentVariables }],
    } = ServerJson.parse(server);
    expect(environmentVariables.map((one) => one.name)).toEqual(known);
    expect(environmentVariables.filter(({ isSecret }) => isSecret).map((one) => one.name)).toEqual([
      'INFRA_API_TOKEN',
      'INFRA_AUDIT_COMMAND',
      'INFRA_APPROVALS_WEBHOOK_URL',
      'INFRA_APPROVALS_WEBHOOK_SECRET',
    ]);
  });

  test.each([
    ['INFRA_ENVIRONMENT', { format: 'string' }],
    ['INFRA_POLICY_FILE', { format: 'filepath' }],
    ['INFRA_DATA_DIR', { format: 'filepath' }],
    ['INFRA_READ_ONLY', { format: 'boolean' }],
    ['INFRA_TIME_SCALE', { format: 'number' }],
    ['INFRA_MAX_DISRUPTIVE_PER_HOUR', { format: 'number' }],
    ['INFRA_LOG_LEVEL', { format: 'string', choices: [...logLevels] }],
  ])('says what %s takes', (option, says) => {
    const {
      packages: [{ environmentVariables }],
    } = ServerJson.parse(server);
    expect(environmentVariables.find((one) => one.name === option)).toMatchObject(says);
  });
});

describe('the extensions', () => {
  const published = { infra: { command: 'npx', args: ['-y', `${name}@${version}`] } };

  test.each(['gemini-extension.json', '.claude-plugin/plugin.json'])(
    '%s starts this version of the package',
    (path) => {
      expect(readJson(path)).toMatchObject({ name, version, mcpServers: published });
      expect(manifest.bin).toHaveProperty(name);
    },
  );

  test('are offered by a marketplace that is this repository', () => {
    const {
      plugins: [plugin],
    } = readJson('.claude-plugin/marketplace.json') as { plugins: [{ name: string; source: string }] };
    expect(plugin).toMatchObject({ name });
    expect(existsSync(join(root, plugin.source, '.claude-plugin/plugin.json'))).toBe(true);
  });
});

test('the chart has the version of the program', () => {
  expect(readYaml('deploy/helm/infra-mcp/Chart.yaml')).toMatchObject({
    apiVersion: 'v2',
    name,
    version,
    appVersion: version,
  });
});

describe('the manifest of the MCP bundle', () => {
  test('is one by its schema', () => {
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(mcpbSchema);
    expect(validate(mcpbManifest), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...mcpbManifest, server: {} })).toBe(false);
  });

  test('tells this version and every tool', () => {
    expect(mcpbManifest.version).toBe(version);
    expect(mcpbManifest.tools.map((tool) => tool.name)).toEqual(tools.map((tool) => tool.name));
  });

  test('asks for what it sets, and for nothing else', () => {
    const {
      mcp_config: { env },
    } = mcpbManifest.server;
    expect(Object.keys(env).filter((variable) => !known.includes(variable))).toEqual([]);
    expect(Object.values(env)).toEqual(Object.keys(mcpbManifest.user_config).map((key) => `\${user_config.${key}}`));
    expect(mcpbManifest.user_config['api_token']).toMatchObject({ type: 'string', sensitive: true });
    expect(mcpbManifest.user_config['policy_file']).toMatchObject({ type: 'file' });
  });
});
