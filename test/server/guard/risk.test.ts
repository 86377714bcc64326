import { describe, expect, test } from 'vitest';
import { effects, type AnyOperation, allOperations, operations } from '../../../src/contract/index.ts';
import { annotationsOf, createRegistry } from '../../../src/server/guard/tool-registry.ts';
import { denialOf } from '../../../src/server/guard/index.ts';
import type { Target } from '../../../src/server/context/index.ts';
import { needsConfirmation, needsTypedName, riskOf } from '../../../src/server/guard/risk/risk.ts';
import { tools } from '../../../tools/index.ts';
import { defineTool, record } from '../../../src/server/tool/index.ts';

const toolOf = (operation: AnyOperation) =>
  defineTool(operation, { toolset: 'services', description: '', render: record() });

const target = (mode: Target['mode']): Target => ({ kind: 'environment', id: 'e', mode });

describe('annotations', () => {
  test.each([
    ['get_helm', { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
    ['create_project', { readOnlyHint: false, destructiveHint: false, idempotentHint: false }],
    ['restart_services', { readOnlyHint: false, destructiveHint: false, idempotentHint: false }],
    ['update_container', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
    ['stop_environment', { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
    ['invite_member', { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
    ['update_billing_info', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
  ] as const)('of %s follow from its effect', (name, hints) => {
    expect(annotationsOf(toolOf(operations[name]))).toEqual({ ...hints, openWorldHint: true });
  });

  test('call an operation read-only exactly when it is a GET', () => {
    for (const operation of allOperations)
      expect(annotationsOf(toolOf(operation)).readOnlyHint).toBe(operation.method === 'GET');
  });
});

describe('the tier of a call', () => {
  const of = {
    read: 'get_helm',
    write: 'deploy_application',
    disruptive: 'restart_services',
    destructive: 'stop_environment',
    sensitive: 'create_webhook',
  } as const;

  test.each([
    ['read', 'PRODUCTION', 'read'],
    ['read', 'unknown', 'read'],
    ['write', 'DEVELOPMENT', 'write'],
    ['write', 'STAGING', 'write'],
    ['write', 'none', 'write'],
    ['write', 'PRODUCTION', 'disruptive'],
    ['write', 'unknown', 'disruptive'],
    ['disruptive', 'STAGING', 'disruptive'],
    ['disruptive', 'PRODUCTION', 'disruptive'],
    ['destructive', 'STAGING', 'destructive'],
    ['destructive', 'PRODUCTION', 'destructive'],
    ['sensitive', 'none', 'sensitive'],
  ] as const)('of effect %s on %s is %s', (effect, mode, tier) => {
    expect(riskOf(operations[of[effect]], target(mode))).toBe(tier);
  });

  test.each([
    [true, 'STAGING', 'disruptive'],
    [true, 'PRODUCTION', 'disruptive'],
    [false, 'STAGING', 'destructive'],
    [undefined, 'STAGING', 'destructive'],
  ] as const)('that replaces a configuration, all shown %s, on %s is %s', (showsAll, mode, tier) =>
    expect(riskOf(operations.update_container, target(mode), showsAll)).toBe(tier),
  );

  test('above write needs a person', () => {
    expect(effects.filter(needsConfirmation)).toEqual(['disruptive', 'destructive', 'sensitive']);
  });

  test.each([
    ['destructive', 'STAGING', true],
    ['destructive', 'none', true],
    ['disruptive', 'PRODUCTION', true],
    ['disruptive', 'STAGING', false],
    ['disruptive', 'unknown', false],
    ['sensitive', 'none', false],
  ] as const)('%s on %s is agreed to by typing the name: %s', (tier, mode, byName) => {
    expect(needsTypedName(tier, target(mode))).toBe(byName);
  });
});

describe('a read-only server', () => {
  const reads = tools
    .filter(({ operations: all }) => all.every(({ method }) => method === 'GET'))
    .map(({ name }) => name);

  test('lists only reads', () => {
    const list = createRegistry(tools, { readOnly: true })
      .listed()
      .map(({ name }) => name);
    expect(list.length).toBeGreaterThan(10);
    expect(list.filter((name) => !reads.includes(name))).toEqual([]);
  });

  test('denies everything else, and says by which rule', () => {
    for (const tool of tools) {
      const denial = denialOf(tool, { readOnly: true });
      if (reads.includes(tool.name)) expect(denial).toBeUndefined();
      else expect(denial).toMatchObject({ rule: 'this server is read-only', setBy: 'INFRA_READ_ONLY' });
    }
  });

  test('is what the operator asked for: otherwise all are listed', () => {
    expect(createRegistry(tools, { readOnly: false }).listed()).toHaveLength(tools.length);
  });
});

test('two tools of one name are refused', () => {
  expect(() => createRegistry([tools[0]!, tools[0]!], { readOnly: false })).toThrow('same name');
});
