import { expect, test } from 'vitest';
import { insteadOf } from '../../../src/server/guard/tool-instead.ts';
import { tools } from '../../../tools/index.ts';

const offered = [
  'create_environment',
  'create_secret',
  'deploy_service',
  'get_service',
  'list_services',
  'stop_environment',
  'update_container',
  'list_environments',
  'get_application_logs',
  'search_logs',
  'list_webhook_events',
  'create_webhook',
];

test.each([
  ['stop_enviroment', 'stop_environment'],
  ['deploy_container', 'deploy_service'],
  ['get_container', 'get_service'],
  ['list_environment', 'list_environments'],
  ['edit_container', 'update_container'],
  ['show_services', 'list_services'],
  ['updte_container', 'update_container'],
  ['get_logs', 'search_logs'],
])('%s: %s', (name, instead) => {
  expect(insteadOf(name, offered, [])).toBe(`; did you mean "${instead}"?`);
});

test.each([
  'delete_environment',
  'delete_secret',
  'delete_container',
  'delete_webhook',
  'start_environment',
  'restart_environment',
  'open_shell',
  'buy_milk',
])('%s is not offered, and nothing else is taken for it', (name) => {
  expect(insteadOf(name, offered, [])).toBe(', and no other does that: it is not offered here');
});

test('a tool that the operator hides is said not to be offered', () => {
  expect(insteadOf('deploy_database', offered, ['deploy_database'])).toBe(': it is not offered here');
});

test('no tool for a verb that deletes is one that creates, whatever it is about', () => {
  const names = tools.map(({ name }) => name);
  for (const name of names.filter((one) => one.startsWith('create_')))
    expect(
      insteadOf(
        name.replace('create_', 'destroy_'),
        names.filter((one) => !one.startsWith('delete_')),
        [],
      ),
    ).not.toContain('did you mean');
});
