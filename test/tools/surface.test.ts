import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fieldDescriptions, type AnyOperation, allOperations } from '../../src/contract/index.ts';
import type { Target } from '../../src/server/context/index.ts';
import { needsConfirmation, riskOf } from '../../src/server/guard/risk/risk.ts';
import type { JsonSchema } from '../../src/server/json/index.ts';
import { instructions } from '../../src/server/protocol/index.ts';
import { shownName, isOfferedByDefault, visibleText } from '../../src/server/tool/index.ts';
import { documentedOnlyTexts } from '../../src/server/tool/documented-only.ts';
import { described, listed } from '../../src/server/guard/index.ts';
import { tools } from '../../tools/index.ts';

const list = tools.map((tool) => listed(tool));
const isUsual = ({ name }: { name: string }): boolean => isOfferedByDefault(tools.find((tool) => tool.name === name)!);
const names = new Set(list.map(({ name }) => name));

const expectedNames =
  'get_organization, list_projects, create_project, create_environment, create_application, create_database, deploy_database, ' +
  'deploy_application, get_application_status, create_environment_variable, list_environment_variables, create_secret, ' +
  'get_application_logs, update_environment_variable, override_environment_variable, update_container, restart_services, ' +
  'stop_environment, update_helm, get_helm, plan_terraform, redeploy_terraform, lock_cluster, upgrade_cluster, list_members, invite_member, ' +
  'update_alert_rule, create_helm_repository, update_billing_info, list_job_deployments, get_labels_group, create_webhook, ' +
  'list_webhook_events, list_environments, get_environment, list_services, get_environment_status, list_clusters, cancel_deployment, ' +
  'unlock_cluster, list_alert_rules, list_events, clone_environment, list_database_backups, create_database_backup, restore_database, find_resource, get_organization_overview, get_environment_overview, get_service, list_deployments, diagnose_deployment, ' +
  'search_logs, compare_environments, wait_for_deployment, deploy_service, rollback_application, update_application, create_container, ' +
  'update_database, create_job, update_job, set_environment_variables, ' +
  'stop_services, start_services, delete_service, delete_environment, create_custom_domain, delete_custom_domain, delete_environment_variable, get_api_budget, ' +
  'list_webhooks, update_project, delete_project, update_environment, ' +
  'list_roles, update_member_role, remove_member, list_invitations, revoke_invitation, resend_invitation, list_api_tokens, create_api_token, revoke_api_token, ' +
  'update_webhook, test_webhook, delete_webhook, ' +
  'create_alert_rule, silence_alert_rule, unsilence_alert_rule, delete_alert_rule, ' +
  'list_alert_receivers, create_alert_receiver, update_alert_receiver, test_alert_receiver, delete_alert_receiver, ' +
  'list_helm_repositories, update_helm_repository, delete_helm_repository, list_helm_charts, ' +
  'list_container_registries, create_container_registry, update_container_registry, delete_container_registry, ' +
  'list_git_tokens, create_git_token, update_git_token, delete_git_token, ' +
  'list_labels_groups, create_labels_group, update_labels_group, delete_labels_group, ' +
  'list_annotations_groups, create_annotations_group, update_annotations_group, delete_annotations_group, ' +
  'get_deployment_rule, update_deployment_rule, list_deployment_windows, create_deployment_window, delete_deployment_window, ' +
  'set_environment_end, unset_environment_end, ' +
  'run_job, cancel_job_run, create_helm, create_terraform, update_terraform, get_cluster, delete_database_backup';

interface Node {
  /** Names of the members on the way, `[]` for the rows of an array. */
  readonly path: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly inItems: boolean;
}

const nodesOf = (schema: JsonSchema, path = '', name = '', inItems = false): Node[] => [
  { path, name, schema, inItems },
  ...Object.entries(schema.properties ?? {}).flatMap(([member, child]) =>
    nodesOf(child, `${path}.${member}`, member, inItems),
  ),
  ...(schema.items ? nodesOf(schema.items, `${path}[]`, '', true) : []),
  ...(schema.anyOf ?? []).flatMap((option) => nodesOf(option, path, '', inItems)),
];

const documentedNodes = tools.flatMap((tool) => nodesOf(described(tool).inputSchema, tool.name));
const inputNodes = list.flatMap(({ name, inputSchema }) => nodesOf(inputSchema, name));
const outputNodes = list.flatMap(({ name, outputSchema }) => nodesOf(outputSchema, name));

describe('the tools', () => {
  test('are these, in this order', () => {
    expect(list.map(({ name }) => name)).toEqual(expectedNames.split(', '));
  });

  test('carry out operations of the contract, the documented ones in its order', () => {
    const documented = tools
      .filter(({ name, operation }) => operation.documented && name === operation.name)
      .map(({ operation }) => operation);
    expect(documented).toEqual(allOperations.filter(({ documented: isDocumented }) => isDocumented));
  });

  // One file per tool: a tool that comes or goes is a file that comes or goes. `vitest -u` writes them, but removes
  // none.
  const surfaceDirectory = join(import.meta.dirname, '__snapshots__/surface');

  test.each(list)('$name looks like this to a client', async (tool) => {
    await expect(`${JSON.stringify(tool, undefined, 2)}\n`).toMatchFileSnapshot(
      join(surfaceDirectory, `${tool.name}.json`),
    );
  });

  test('leave no snapshot of a tool that is gone', async () => {
    expect((await readdir(surfaceDirectory)).filter((file) => !names.has(file.replace(/\.json$/, '')))).toEqual([]);
  });
});

describe('names and descriptions', () => {
  test.each(list)('$name is a short verb_noun', ({ name }) => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(name.length).toBeLessThanOrEqual(40);
  });

  test.each(list)('$name is described in under 1,000 characters, and says first when to use it', ({ description }) => {
    expect(description.length).toBeLessThan(1_000);
    expect(description).toMatch(/^[A-Z][^.]{20,}\./);
  });

  test.each(list)('$name has a title in the words of people', ({ name, title = '' }) => {
    expect(title).toMatch(/^[A-Z].{5,59}$/);
    expect(title).not.toMatch(/_|\.$/);
    expect(title.toLowerCase()).not.toBe(name.replaceAll('_', ' '));
  });

  test('have titles of their own', () => {
    expect(new Set(list.map(({ title }) => title)).size).toBe(list.length);
  });

  test('say of which arguments one has to be given, where a call without any is refused for that', () => {
    const refused = tools.filter((tool) =>
      tool.rules({}).some((text) => /^exactly one of|must be given$|needs at least one/.test(text)),
    );
    expect(refused.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['search_logs', 'create_secret', 'restart_services']),
    );
    expect(refused.filter(({ needsOneOf }) => !needsOneOf).map(({ name }) => name)).toEqual([]);
    const silent = refused.flatMap((tool) =>
      tool
        .needsOneOf!.map((member) => shownName(tool, member))
        .filter((name) => !new RegExp(`Needs [^.]*\\b${name}\\b`).test(listed(tool).description))
        .map((name) => `${tool.name}.${name}`),
    );
    expect(silent).toEqual([]);
  });
});

describe('input schemas', () => {
  // Whoever takes names says no id; nor is there a second word for the kind of a service.
  test('name what they take, not its id', () => {
    const named = inputNodes.filter(({ name }) => /(?:^|_)ids?$|^service_(?:type|kind)$/.test(name));
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  test.each(list)('$name takes one flat object without combinators at its root', ({ inputSchema }) => {
    expect(inputSchema.type).toBe('object');
    expect(Object.keys(inputSchema)).toEqual(
      expect.not.arrayContaining(['anyOf', 'oneOf', 'allOf', '$ref', '$defs', '$schema']),
    );
  });

  test("hold no keyword that some provider refuses, and none of the contract's own marks", () => {
    const taken = new Set(inputNodes.flatMap(({ schema }) => Object.keys(schema)));
    const known = [
      'type',
      'description',
      'enum',
      'default',
      'minimum',
      'maximum',
      'minItems',
      'properties',
      'required',
      'additionalProperties',
      'items',
    ];
    expect([...taken].filter((keyword) => !known.includes(keyword))).toEqual([]);
  });

  test('type every member, each with one type', () => {
    expect(inputNodes.filter(({ schema }) => typeof schema.type !== 'string').map(({ path }) => path)).toEqual([]);
  });

  // Every call checks it; schemas would repeat it for each tool.
  test("don't say that they are closed", () => {
    expect(inputNodes.filter(({ schema }) => schema.additionalProperties === false).map(({ path }) => path)).toEqual(
      [],
    );
  });

  test('leave the inside of an object to its description in few places', () => {
    const unprinted = inputNodes
      .filter(({ schema }) => schema.type === 'object' && !schema.properties)
      .map(({ path }) => path);
    expect(unprinted).toEqual([
      'create_application.git_repository',
      'create_application.healthchecks',
      'create_application.ports[]',
      'create_application.storage[]',
      'create_application.autoscaling',
      'update_container.healthchecks',
      'update_container.ports[]',
      'update_container.storage[]',
      'update_container.autoscaling',
      'update_helm.source',
      'update_helm.values_override.file',
      'update_helm.ports[]',
      'update_alert_rule.presentation',
      'create_helm_repository.config',
      'deploy_service.services[]',
      'update_application.git_repository',
      'update_application.healthchecks',
      'update_application.ports[]',
      'update_application.storage[]',
      'update_application.autoscaling',
      'create_container.healthchecks',
      'create_container.ports[]',
      'create_container.storage[]',
      'create_container.autoscaling',
      'create_job.source',
      'create_job.schedule',
      'create_job.healthchecks',
      'update_job.source',
      'update_job.schedule',
      'update_job.healthchecks',
      'set_environment_variables.variables',
      'set_environment_variables.secrets',
      'create_alert_rule.condition',
      'update_helm_repository.config',
      'create_container_registry.config',
      'update_container_registry.config',
      'create_labels_group.labels[]',
      'update_labels_group.labels[]',
      'create_annotations_group.annotations[]',
      'update_annotations_group.annotations[]',
      'create_helm.source',
      'create_helm.values_override',
      'create_terraform.git_repository',
      'create_terraform.tf_vars[]',
      'update_terraform.git_repository',
      'update_terraform.tf_vars[]',
    ]);
  });

  test('say what the rows of an array are', () => {
    expect(
      inputNodes.filter(({ schema }) => schema.type === 'array' && !schema.items?.type).map(({ path }) => path),
    ).toEqual([]);
  });

  test('have a description of each member in the documentation', () => {
    expect(
      documentedNodes.filter(({ name, schema }) => name !== '' && !schema.description).map(({ path }) => path),
    ).toEqual([]);
  });

  test('are listed without what the instructions or the name of a member say', () => {
    const documented = new Set(documentedNodes.map(({ schema }) => schema.description));
    expect(documentedOnlyTexts.filter((text) => !documented.has(text))).toEqual([]);
    expect(inputNodes.filter(({ schema }) => documentedOnlyTexts.includes(schema.description ?? ''))).toEqual([]);
    for (const word of ['path', 'id', 'dry_run', 'wait: true', 'page', 'page_size', 'fields'])
      expect(instructions({ readOnly: false })).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test('use each meaning that the contract gives a name', () => {
    const used = new Set(
      documentedNodes
        .filter(({ name, schema }) => schema.description === fieldDescriptions[name])
        .map(({ name }) => name),
    );
    expect(Object.keys(fieldDescriptions).filter((name) => !used.has(name))).toEqual([]);
  });

  test('have no description that says nothing', () => {
    expect(
      inputNodes.filter(({ schema }) => schema.description !== undefined && schema.description.length < 3),
    ).toEqual([]);
  });
});

describe('output schemas', () => {
  test.each(list)('$name answers with an open object', ({ outputSchema }) => {
    expect(outputSchema).toMatchObject({ type: 'object', additionalProperties: true });
  });

  test('type members only, so that no new value or member breaks a client', () => {
    const taken = new Set(outputNodes.flatMap(({ schema }) => Object.keys(schema)));
    expect([...taken].toSorted()).toEqual(['additionalProperties', 'items', 'properties', 'type']);
  });

  test('go no deeper than the rows of a list', () => {
    expect(outputNodes.filter(({ path }) => path.split('.').length > 3).map(({ path }) => path)).toEqual([]);
  });
});

// A replacement may show all that it replaces; beside these only deploy_service does, for the services that it deploys.
const mayShowAll = (name: string, { method }: AnyOperation): boolean => method === 'PUT' || name === 'deploy_service';

test('a description says that somebody is asked, where every call of the tool is asked about', () => {
  const asking = list.filter(({ description }) => description.includes('Needs agreement.')).map(({ name }) => name);
  const harmless: Target = { kind: 'environment', id: 'e', mode: 'DEVELOPMENT' };
  const always = tools
    .filter(({ name, operations }) =>
      operations.every((operation) => needsConfirmation(riskOf(operation, harmless, mayShowAll(name, operation)))),
    )
    .map(({ name }) => name);
  expect(asking).toEqual(always);
  expect(asking).toEqual(
    expect.arrayContaining([
      'update_container',
      'update_helm',
      'stop_services',
      'start_services',
      'delete_service',
      'create_webhook',
    ]),
  );
  expect(asking).not.toContain('deploy_service');
});

describe('size', () => {
  const kilobyte = 1_000;
  const shown = ({ name, description, inputSchema }: (typeof list)[number]): number =>
    name.length + description.length + JSON.stringify(inputSchema).length;

  test.each(list)('$name stays within its bytes', (tool) => {
    expect(shown(tool)).toBeLessThanOrEqual(1.8 * kilobyte);
  });

  test.each(list.filter((tool) => !isUsual(tool)))(
    '$name, which is offered only where it is chosen, stays within 500 bytes',
    (tool) => {
      expect(shown(tool)).toBeLessThanOrEqual(500);
    },
  );

  // The largest first, so that whoever goes over the limit sees where the bytes are.
  const usual = list.filter(isUsual);
  const report = (): string =>
    usual
      .map((tool) => `${shown(tool)} ${tool.name}`)
      .toSorted((one, other) => parseInt(other) - parseInt(one))
      .join('\n');

  test('all tools that are offered by default: 38,000 bytes for 71 tools and 400 for each further one; of the whole list 77 KB', () => {
    const further = usual.length - 71;
    expect(
      usual.reduce((sum, tool) => sum + shown(tool), 0),
      report(),
    ).toBeLessThanOrEqual(38_000 + 400 * further);
    expect(JSON.stringify(usual).length, report()).toBeLessThanOrEqual((77 + further) * kilobyte);
  });
});

describe('texts', () => {
  const verbs = [...new Set(allOperations.map(({ name }) => name.split('_')[0]!))];
  const toolLike = new RegExp(`\\b(?:${verbs.join('|')})_[a-z_]+\\b`, 'g');
  const texts = [
    ...tools.flatMap(({ name, description, next, plan }) =>
      [description, typeof next === 'function' ? '' : (next ?? ''), ...plan({})].map((text) => [
        name,
        visibleText(text, []),
      ]),
    ),
    ...inputNodes.map(({ path, schema }) => [path, schema.description ?? '']),
    ...[true, false].map((readOnly) => ['instructions', instructions({ readOnly })]),
  ];

  test('name only tools that exist', () => {
    const unknown = texts.flatMap(([where, text]) =>
      (text!.match(toolLike) ?? []).filter((name) => !names.has(name)).map((name) => `${where}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  // Whoever adds such a tool takes its words out of the instructions.
  test.each([
    ['shells, files', /shell|exec|_files?$/],
    ['database contents', /quer|sql|rows|content/],
    ['metrics', /metric/],
    ['costs', /cost|price/],
    ['reading secrets', /(?:get|read|show)_secret/],
    ['creating clusters', /^create_(?:cluster|service)$/],
  ])('the instructions say truly that there is no tool for %s', (words, name) => {
    for (const readOnly of [true, false]) expect(instructions({ readOnly })).toContain(words);
    expect([...names].filter((one) => name.test(one))).toEqual([]);
  });

  test('the instructions name the tool that begins a look at everything', () => {
    for (const readOnly of [true, false]) expect(instructions({ readOnly })).toContain('get_organization_overview');
  });

  test('the instructions of a read-only server name only reads', () => {
    const reads = new Set(tools.filter(({ operation }) => operation.effect === 'read').map(({ name }) => name));
    expect((instructions({ readOnly: true }).match(toolLike) ?? []).filter((name) => !reads.has(name))).toEqual([]);
  });
});
