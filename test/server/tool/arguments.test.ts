import { describe, expect, test } from 'vitest';
import { operations, type AnyOperation } from '../../../src/contract/index.ts';
import { issuesOf as issuesOfTool } from '../../../src/server/tool/arguments.ts';
import { defineTool, record, table } from '../../../src/server/tool/index.ts';

const issuesOf = (operation: AnyOperation, args: Record<string, unknown>) =>
  issuesOfTool(defineTool(operation, { toolset: 'services', description: '', render: record() }), args);

const id = '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e';
const application = { environment_id: id, name: 'api', git_repository: { url: 'https://git.example/a/b.git' } };
const container = { container_id: id, name: 'api', registry_id: id, image_name: 'a/b', tag: '1', healthchecks: {} };
const helm = {
  helm_id: id,
  name: 'x',
  auto_deploy: false,
  source: { helm_repository: { repository: null, chart_name: 'c', chart_version: '1' } },
  arguments: [],
  values_override: {},
};

const rulesWithNames = (): readonly string[] => [
  'give "application_id" or "git_commit_id", not "application_id.x" with "other_id"',
];

describe('arguments', () => {
  test.each([
    [operations.get_organization, {}],
    [operations.create_application, application],
    [operations.update_container, container],
    [
      operations.update_container,
      { ...container, auto_deploy: null, healthchecks: { readiness_probe: { type: { http: { port: 80 } } } } },
    ],
    [
      operations.update_container,
      { ...container, autoscaling: { scalers: [{ scaler_type: 'cpu', config_json: { any: { name: 1 } } }] } },
    ],
    [operations.update_helm, helm],
    [
      operations.update_helm,
      { ...helm, source: { repository: { chart_name: 'c', chart_version: '1', repository: { id } } } },
    ],
  ])('that are right have no issues: $name', (operation, args) => {
    expect(issuesOf(operation, args)).toEqual([]);
  });

  test.each([
    [operations.get_organization, { id }, '"id" is not known; nothing is taken here'],
    [operations.create_application, { ...application, nmae: 'x' }, '"nmae" is not known; did you mean "name"?'],
    [
      operations.create_application,
      { ...application, git_repository: { ...application.git_repository, brnach: 'x' } },
      '"git_repository.brnach" is not known; did you mean "branch"?',
    ],
    [
      operations.create_application,
      { ...application, ports: [{ internal_port: 80 }, { internal_port: 81, public: true }] },
      '"ports[1].public" is not known; known here: id, name, internal_port',
    ],
    [
      operations.update_container,
      { ...container, healthchecks: { readiness_probe: { type: { htpp: { port: 1 } } } } },
      '"healthchecks.readiness_probe.type.htpp" is not known; did you mean "http"?',
    ],
    [operations.get_helm, { helm_id: id, __proto__x: 1 }, '"__proto__x" is not known'],
    [operations.get_helm, { helm_id: id, constructor: 1 }, '"constructor" is not known'],
  ])('name what is unknown, with the nearest right name: $name', (operation, args, issue) => {
    expect(issuesOf(operation, args)).toContainEqual(expect.stringContaining(issue));
  });

  test.each([
    [operations.get_helm, {}, '"helm" is required'],
    [operations.get_helm, { helm_id: '' }, '"helm": must be a valid uuid'],
    [operations.get_helm, { helm_id: null }, '"helm": '],
    [
      operations.create_application,
      { environment_id: id, name: 'a', git_repository: {} },
      '"git_repository.url" is required',
    ],
    [
      operations.update_container,
      { ...container, healthchecks: { readiness_probe: { type: {} } } },
      '"healthchecks.readiness_probe.type": must have exactly one of',
    ],
    [operations.list_projects, { organization_id: id, page_size: 101 }, '"page_size": '],
    [
      operations.restart_services,
      { environment_id: id },
      '"applications": needs at least one service in "applications", "databases" or "containers"; services of other kinds are deployed, not restarted',
    ],
    [
      operations.restart_services,
      { environment_id: id, application_ids: [] },
      '"applications": needs at least one service',
    ],
    [
      operations.create_helm_repository,
      { organization_id: id, name: 'r', kind: 'HTTPS', skip_tls_verification: false, config: {}, url: 'oci://x' },
      '"url": must start with https://',
    ],
    [
      operations.create_helm_repository,
      { organization_id: id, name: 'r', kind: 'OCI_X_CR', skip_tls_verification: false, config: { pasword: 'x' } },
      '"config.pasword" is not known; did you mean "password"?',
    ],
    [
      operations.create_helm_repository,
      {
        organization_id: id,
        name: 'r',
        kind: 'OCI_X_CR',
        skip_tls_verification: false,
        config: { json_credentials: 7 },
      },
      '"config.json_credentials": ',
    ],
  ])('name what is missing or wrong: $name', (operation, args, issue) => {
    expect(issuesOf(operation, args)).toContainEqual(expect.stringContaining(issue));
  });

  test.each([
    [operations.list_projects, 'limit', 'page_size'],
    [operations.list_projects, 'offset', 'page'],
    [operations.get_application_logs, 'lines', 'tail'],
    [operations.deploy_application, 'sha', 'commit'],
  ])('name what means the same: $name', (operation, name, meant) => {
    expect(issuesOf(operation, { [name]: 1 })).toContainEqual(`"${name}" is not known; did you mean "${meant}"?`);
  });

  test('tell once of columns that are chosen where there is no choice', () => {
    const render = { ...table('thing', ['path']), only: undefined };
    const issues = issuesOfTool(
      defineTool(operations.get_organization, { toolset: 'services', description: '', render }),
      { fields: ['name'] },
    );
    expect(issues).toEqual(['"fields" is not known; nothing is taken here']);
  });

  test('are called as schemas show them wherever a rule names them, and what is no argument stays as it is', () => {
    const tool = {
      ...defineTool(operations.deploy_application, { toolset: 'services', description: '', render: record() }),
      rules: rulesWithNames,
    };
    expect(issuesOfTool(tool, { application_id: id })).toEqual([
      'give "application" or "commit", not "application.x" with "other_id"',
    ]);
  });

  test('report a misspelt member together with the one that is missing for it', () => {
    const issues = issuesOf(operations.create_project, { organization_id: id, nmae: 'shop' });
    expect(issues).toEqual(['"nmae" is not known; did you mean "name"?', '"name" is required']);
  });

  test('that carry a masked value back are refused', () => {
    const args = { ...container, arguments: ['--url', 'postgres://app:[hidden]@db/app'] };
    expect(issuesOf(operations.update_container, args)).toEqual([
      expect.stringContaining('"arguments[1]" contains [hidden]'),
    ]);
  });
});
