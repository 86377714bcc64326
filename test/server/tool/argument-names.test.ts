import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serviceKinds } from '../../../src/contract/index.ts';
import { listed } from '../../../src/server/guard/index.ts';
import { aliasesOf, shownName, withOwnNames } from '../../../src/server/tool/argument-names.ts';
import { pointsAt } from '../../../src/server/tool/index.ts';
import { tools } from '../../../tools/index.ts';

const aliases = tools.flatMap((tool) =>
  [...aliasesOf(tool)].flatMap(([member, others]) => others.map((alias) => ({ tool, name: tool.name, member, alias }))),
);
const toolNamed = (name: string) => tools.find((tool) => tool.name === name)!;

const servicesIn = (tool: (typeof tools)[number]) =>
  Object.entries(tool.input).filter(([, schema]) => serviceKinds.some((kind) => kind === pointsAt(schema)));

describe('the names of arguments', () => {
  test.each([
    ['update_container', 'container_id', ['container', 'service', 'service_id']],
    ['lock_cluster', 'cluster_id', ['cluster']],
    [
      'deploy_service',
      'service',
      ['service_id', 'application', 'application_id', 'container', 'database', 'job', 'helm', 'terraform_id'],
    ],
    ['restart_services', 'application_ids', ['applications', 'application']],
    ['stop_services', 'services', ['service', 'service_ids', 'containers', 'database_ids']],
    ['update_environment_variable', 'environment_variable_id', ['variable', 'variable_id', 'environment_variable']],
    ['deploy_application', 'git_commit_id', ['commit', 'git_commit']],
    ['wait_for_deployment', 'deployment_id', ['deployment']],
    ['delete_custom_domain', 'domain', ['custom_domain', 'domain_id']],
    ['list_webhook_events', 'webhook_id', ['webhook']],
    ['list_projects', 'organization_id', ['organization']],
  ])('of %s: %s', (name, member, others) => {
    expect(aliasesOf(toolNamed(name)).get(member)).toEqual(expect.arrayContaining(others));
  });

  test('say the plain name of every reference, wherever it is free', () => {
    const shown = tools.flatMap((tool) =>
      Object.keys(listed(tool).inputSchema.properties ?? {})
        .filter((name) => /_ids?$/.test(name))
        .map((name) => `${tool.name}.${name}`),
    );
    expect(shown).toEqual([]);
  });

  test('take the plain name, the name with _id and that of the kind for every reference', () => {
    const refused = tools.flatMap((tool) =>
      Object.entries(tool.input).flatMap(([member, schema]) => {
        const kind = pointsAt(schema);
        const isOnly = Object.values(tool.input).filter((other) => pointsAt(other) === kind).length === 1;
        const names = kind === undefined || !isOnly ? [] : [kind, `${kind}_id`];
        return names
          .filter(
            (name) =>
              !Object.hasOwn(tool.input, name) && !Object.hasOwn(withOwnNames(tool, { [name]: 'x' }).args, member),
          )
          .map((name) => `${tool.name}.${name}`);
      }),
    );
    expect(refused).toEqual([]);
  });

  test('take a service in every tool for one kind of service', () => {
    const refused = tools.filter(
      (tool) =>
        servicesIn(tool).length === 1 &&
        !tool.input['service'] &&
        Object.keys(withOwnNames(tool, { service: 'x' }).args)[0] !== servicesIn(tool)[0]![0],
    );
    expect(refused.map(({ name }) => name)).toEqual([]);
  });

  test('are no argument of their own, and not shown beside the argument', () => {
    expect(aliases.length).toBeGreaterThan(200);
    expect(aliases.filter(({ tool, alias }) => Object.hasOwn(tool.input, alias))).toEqual([]);
    expect(
      aliases.filter(
        ({ tool, member, alias }) =>
          shownName(tool, member) !== alias && Object.hasOwn(listed(tool).inputSchema.properties ?? {}, alias),
      ),
    ).toEqual([]);
  });
});

describe('a call under another name', () => {
  const value = fc.oneof(fc.string({ minLength: 1 }), fc.uuid());

  test("is the call under the argument's own name", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...aliases),
        value,
        fc.dictionary(fc.constantFrom('page', 'wait', 'unknown'), fc.integer()),
        ({ tool, member, alias }, given, others) => {
          expect(withOwnNames(tool, { ...others, [alias]: given })).toMatchObject({
            args: withOwnNames(tool, { ...others, [member]: given }).args,
            issues: [],
          });
        },
      ),
    );
  });

  test('may give the same twice, and null for what is not meant', () => {
    fc.assert(
      fc.property(fc.constantFrom(...aliases), value, ({ tool, member, alias }, given) => {
        const own = withOwnNames(tool, { [member]: given }).args;
        for (const both of [
          { [alias]: given, [member]: given },
          { [alias]: null, [member]: given },
          { [alias]: given, [member]: null },
        ])
          expect(withOwnNames(tool, both)).toMatchObject({ args: own, issues: [] });
      }),
    );
  });

  test('that gives another value too is refused', () => {
    fc.assert(
      fc.property(fc.constantFrom(...aliases), value, value, ({ tool, member, alias }, one, other) => {
        fc.pre(one !== other);
        expect(withOwnNames(tool, { [alias]: one, [member]: other }).issues).toEqual([
          `"${alias}" and "${member}" are the same argument and have different values; give one of them`,
        ]);
      }),
    );
  });

  test('says the kind of a service, and not two', () => {
    const deploy = toolNamed('deploy_service');
    expect(withOwnNames(deploy, { container: 'a/b/c' })).toEqual({
      args: { service: 'a/b/c' },
      kinds: { service: 'container' },
      issues: [],
    });
    expect(withOwnNames(deploy, { container: 'a/b/c', service: 'a/b/c' })).toMatchObject({
      kinds: { service: 'container' },
      issues: [],
    });
    expect(withOwnNames(deploy, { container: null, job: 'a/b/c' })).toMatchObject({
      kinds: { service: 'job' },
      issues: [],
    });
    expect(withOwnNames(deploy, { container: 'a/b/c', job: 'a/b/c' }).issues).toEqual([
      '"container" and "job" say different kinds of the same service; give one of them',
    ]);
  });

  test('takes one where a list is meant', () => {
    expect(withOwnNames(toolNamed('restart_services'), { container: 'api' }).args).toEqual({ container_ids: ['api'] });
    expect(withOwnNames(toolNamed('stop_services'), { services: 'a/b/c' }).args).toEqual({ services: ['a/b/c'] });
  });
});
