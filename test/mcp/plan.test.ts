import { describe, expect, test } from 'vitest';
import { planOf, planText, protectPlan } from '../../src/mcp/guard/plan.ts';
import { agrees, formFor, questionFor } from '../../src/mcp/guard/question.ts';
import type { Target } from '../../src/mcp/guard/target.ts';
import { createRedactor } from '../../src/mcp/redact.ts';
import { tools } from '../../tools/index.ts';

const toolNamed = (name: string) => tools.find((tool) => tool.name === name)!;
const prod: Target = { kind: 'environment', id: 'e-1', name: 'prod', environment: { id: 'e-1', name: 'prod' }, mode: 'PRODUCTION' };

const planFor = (name: string, args: Record<string, unknown>, target: Target = prod) =>
  protectPlan(planOf(toolNamed(name), args, target, 'destructive'), toolNamed(name), createRedactor());

describe('a plan', () => {
  test('tells what would be done to what, with what', () => {
    const text = planText(planFor('create_database', { environment_id: 'e-1', name: 'orders', ports: [{ internal_port: 80 }] }));
    expect(text).toBe('Create a database.\nOn: environment "prod", PRODUCTION (id e-1)\nname: orders\nports: [{"internal_port":80}]');
  });

  test('adds what the tool knows', () => {
    expect(planText(planFor('stop_environment', { environment_id: 'e-1' }))).toMatch(/\nEvery service in it stops serving/);
  });

  test('masks secrets and cleans what the platform wrote', () => {
    const webhook = planFor('create_webhook', { organization_id: 'o', target_url: 'https://u:hunter2-x@a.example', target_secret: 'abcdef' }, { kind: 'organization', id: 'o', mode: 'none' });
    expect(planText(webhook)).not.toMatch(/hunter2-x|abcdef/);
    expect(planText(planFor('stop_environment', {}, { ...prod, name: 'pr\u200Bod\u001B[2J' }))).toContain('"pr<U+200B>od"');
  });

  test('keeps each value on its line, so that none can pass for another fact', () => {
    const spoof = 'x\nOn: environment "sandbox", STAGING';
    const text = planText(planFor('lock_cluster', { cluster_id: 'c', reason: spoof }, { ...prod, name: spoof }));
    expect(text.split('\n').filter((line) => line.startsWith('On: '))).toHaveLength(1);
    expect(text.split('\n').filter((line) => line.startsWith('On: environment "sandbox"'))).toEqual([]);
  });

  test('cuts what is long', () => {
    expect(planText(planFor('lock_cluster', { reason: 'x'.repeat(5_000) })).length).toBeLessThan(700);
  });
});

describe('the question for a plan', () => {
  test('asks for the name, or the id where no name is known, when it destroys', () => {
    expect(questionFor(planFor('stop_environment', {})).typed).toBe('prod');
    expect(questionFor(planFor('upgrade_cluster', {}, { kind: 'cluster', id: 'c-1', mode: 'none' })).typed).toBe('c-1');
  });

  test('is a form of one field that agrees only when filled in right', () => {
    const question = questionFor(planFor('stop_environment', {}));
    expect(Object.keys(formFor(question).properties)).toEqual(['name']);
    expect(agrees(question, { name: 'prod' })).toBe(true);
    expect(agrees(question, { name: 'PROD' })).toBe(false);
    expect(agrees({ message: 'Restart?' }, { approve: true })).toBe(true);
    expect(agrees({ message: 'Restart?' }, { approve: 1 })).toBe(false);
  });
});
