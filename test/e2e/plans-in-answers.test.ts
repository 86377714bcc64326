import { expect, test } from 'vitest';
import { changeAgreedTo } from '../support/assistant-calls.ts';
import { connectedForAll } from '../support/connected-platform.ts';
import type { Connectors } from '../support/connectors.ts';
import type { Json } from '../support/test-platform.ts';

let connectors: Connectors;

connectedForAll((connected) => ({ connectors } = connected));

const change = (tool: string, args: Json) => changeAgreedTo(connectors, tool, args);

const webhook = { target_url: 'https://chat.acme.example/in/ops', events: ['DEPLOYMENT_FAILED'] };

test.each([
  [
    'update_environment_variable',
    { environment: 'shop/production', variable: 'SUPPORT_EMAIL', value: 'new@acme.example' },
  ],
  ['update_application', { application: 'shop/production/checkout-api', memory: 1024 }],
  ['create_webhook', webhook],
  ['invite_member', { email: 'carol@acme.example' }],
  ['stop_environment', { environment: 'shop/production' }],
])('the answer of %s carries every effect that its question had', async (tool, args) => {
  if (tool === 'update_environment_variable')
    await change('set_environment_variables', {
      environment: 'shop/production',
      variables: { SUPPORT_EMAIL: 'old@acme.example' },
    });
  const { effects, question, text } = await change(tool, args);
  expect(effects.length).toBeGreaterThan(0);
  for (const effect of effects) {
    expect(question).toContain(effect);
    // The state before is over by then.
    expect(text).toContain(effect.replace(/, now [A-Z_]+\.$/, '.'));
  }
  expect(text).not.toMatch(/, now [A-Z_]+\./);
});

test('question and answer of a changed variable have both values, who sees it, and what takes it', async () => {
  const environment = 'shop/production';
  await change('set_environment_variables', { environment, variables: { SUPPORT_EMAIL: 'first@acme.example' } });
  const changed = { environment, variable: 'SUPPORT_EMAIL', value: 'second@acme.example' };
  const { question, text } = await change('update_environment_variable', changed);
  for (const told of [question, text]) {
    expect(told).toContain('first@acme.example → second@acme.example');
    expect(told).toMatch(/^Seen by: .*checkout-api/m);
    expect(told).toMatch(/take it with their next deployment/);
  }
});

test('an effect that the answer says by itself is not repeated, and what may replace a request is not in it', async () => {
  const { effects, text, answer } = await change('deploy_service', { service: 'shop/production/checkout-api' });
  const told = answer.effects ?? [];
  expect(new Set(told).size).toBe(told.length);
  for (const effect of told) expect(text.split(effect)).toHaveLength(2);
  expect(text).toMatch(/^deploys: commit \w+ → the newest commit of branch main$/m);
  expect(effects.some((effect) => effect.startsWith('Replaces commit'))).toBe(true);
  expect(told.filter((effect) => /^(?:Replaces commit|Now [A-Z])/.test(effect))).toEqual([]);
  expect(effects.some((effect) => effect.startsWith('If the platform refuses'))).toBe(true);
  expect(text).not.toContain('If the platform refuses');
});

const takenBack = /^There is no tool here that deletes the (.*) again, or takes it back\.$/m;

test.each([
  ['create_webhook', { ...webhook, target_url: 'https://chat.acme.example/in/other' }, undefined],
  ['invite_member', { email: 'dan@acme.example' }, undefined],
  ['create_project', { name: 'lasting' }, undefined],
  ['create_secret', { application: 'shop/staging/checkout-api', key: 'PASSING', value: 'is-hidden' }, undefined],
])('%s says whether a tool takes it back', async (tool, args, kind) => {
  const { effects, text } = await change(tool, args);
  expect(takenBack.exec(effects.join('\n'))?.[1]).toBe(kind);
  expect(takenBack.exec(text)?.[1]).toBe(kind);
});

test.each([
  ['create_webhook', { ...webhook, target_url: 'https://chat.acme.example/in/third' }, true, 'delete_webhook'],
  ['invite_member', { email: 'eve@acme.example' }, true, 'revoke_invitation'],
  [
    'create_helm_repository',
    { name: 'passing', kind: 'HTTPS', url: 'https://charts.acme.example', skip_tls_verification: false, config: {} },
    true,
    'delete_helm_repository',
  ],
  ['create_project', { name: 'passing' }, false, 'delete_project'],
])('%s says which tool takes it back, also where somebody is asked', async (tool, args, isAsked, by) => {
  const { effects, question, text } = await change(tool, args);
  const line = `${by} takes it back.`;
  expect(effects).toContain(line);
  expect(text).toContain(line);
  expect(question.includes(line)).toBe(isAsked);
});
