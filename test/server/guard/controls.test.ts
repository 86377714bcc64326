import { describe, expect, test } from 'vitest';
import { controlSchemas, splitControls, withControls } from '../../../src/server/guard/controls.ts';
import { parsePolicy } from '../../../src/server/guard/policy/load.ts';
import { type Policy, createRegistry } from '../../../src/server/guard/index.ts';
import { tools } from '../../../tools/index.ts';

const plain: Policy = { readOnly: false };
const policyOf = async (text: string): Promise<Policy> => ({
  readOnly: false,
  rules: [await parsePolicy('p.yaml', text, tools)],
});
const toolNamed = (name: string) => tools.find((tool) => tool.name === name)!;
const environment = { DEPLOY_KEY: 'from the environment', SHORT: 'abc' };

describe('the controls that a tool takes', () => {
  test('are dry_run on everything that changes something, nothing on reads', () => {
    for (const tool of tools)
      expect(Object.keys(controlSchemas(tool, plain))).toEqual(tool.operation.effect === 'read' ? [] : ['dry_run']);
  });

  test('include plan_token only where the operator lets callers confirm', async () => {
    expect(
      Object.keys(controlSchemas(toolNamed('restart_services'), await policyOf('unattended: [disruptive]'))),
    ).toEqual(['dry_run', 'plan_token']);
  });

  test('include value_from_env where a value is set and the operator names variables; then value can be left out', async () => {
    const policy = await policyOf('value_from_env: [DEPLOY_KEY]');
    const schema = withControls(
      { type: 'object', properties: { key: {}, value: {} }, required: ['key', 'value'] },
      toolNamed('create_secret'),
      policy,
    );
    expect(schema.properties?.['value_from_env']?.enum).toEqual(['DEPLOY_KEY']);
    expect(schema.required).toEqual(['key']);
    expect(Object.keys(controlSchemas(toolNamed('create_project'), policy))).toEqual(['dry_run']);
  });

  test('are made once for a list', async () => {
    const registry = createRegistry(tools, await policyOf('value_from_env: [DEPLOY_KEY]'));
    expect(registry.listed()).toBe(registry.listed());
  });
});

describe('taking controls out of arguments', () => {
  test('leaves what is for the platform', () => {
    expect(
      splitControls(toolNamed('stop_environment'), { environment_id: 'e', dry_run: true }, plain, environment),
    ).toEqual({ controls: { dryRun: true }, args: { environment_id: 'e' }, issues: [] });
  });

  test('leaves in controls that the tool does not take, so that they are reported as unknown', () => {
    const input = { environment_id: 'e', plan_token: 't', value_from_env: 'DEPLOY_KEY' };
    expect(splitControls(toolNamed('stop_environment'), input, plain, environment)).toMatchObject({
      controls: { dryRun: false },
      args: input,
    });
    expect(splitControls(toolNamed('get_helm'), { helm_id: 'h', dry_run: true }, plain, environment).args).toEqual({
      helm_id: 'h',
      dry_run: true,
    });
  });

  test.each([['x'], [1], [null], [{}]])('never takes dry_run: %j for a no', (dryRun) => {
    expect(splitControls(toolNamed('stop_environment'), { dry_run: dryRun }, plain, environment).issues).toEqual([
      '"dry_run" must be true or false',
    ]);
  });

  test.each([[null], [undefined], [[]], ['text'], [1]])('passes on what are no arguments: %j', (input) => {
    expect(splitControls(toolNamed('stop_environment'), input, plain, environment).args).toEqual(input);
  });

  test('sets a value from the environment of this server, as a secret', async () => {
    const policy = await policyOf('value_from_env: [DEPLOY_KEY, SHORT, MISSING]');
    const split = (input: object) => splitControls(toolNamed('create_secret'), input, policy, environment);
    expect(split({ key: 'K', value_from_env: 'DEPLOY_KEY' })).toEqual({
      controls: { dryRun: false },
      args: { key: 'K', value: 'from the environment' },
      issues: [],
      valueFromEnv: { member: 'value', variable: 'DEPLOY_KEY' },
    });
    expect(split({ value_from_env: 'PATH' }).issues).toEqual([
      '"value_from_env" must be one of DEPLOY_KEY, SHORT, MISSING',
    ]);
    expect(split({ value_from_env: 'DEPLOY_KEY', value: 'x' }).issues).toEqual([
      'give "value" or "value_from_env", not both',
    ]);
    expect(split({ value_from_env: 'MISSING' }).issues).toEqual([
      expect.stringContaining('not set where this server runs'),
    ]);
    expect(split({ value_from_env: 'SHORT' }).issues).toEqual([expect.stringContaining('too short')]);
  });
});
