import { NOTHING, route, rows, type Platform, type Route } from '../platform.ts';
import { either, filled, flag, id, inQuery, list, note, Refusal, strict, text, type Shape } from '../schema.ts';
import { serviceType } from '../service-answers.ts';
import { find } from '../store.ts';
import { variableStore } from './variable-store.ts';

const SCOPES = ['application', 'container', 'job', 'environment', 'project'] as const;

/** Variables and secrets: of every scope in one place, and by the scope they belong to. */
export function variableRoutes(platform: Platform): Route[] {
  const { store, on } = platform;
  const { answer, seenBy, known, add, change, drop, override, alias } = variableStore(platform);
  const scope = either(
    'APPLICATION',
    'CONTAINER',
    'JOB',
    'HELM',
    'TERRAFORM',
    'ENVIRONMENT',
    'PROJECT',
    ...(on('unknownServiceTypes') ? ['AGENTIC_WORKFLOW'] : []),
  );
  const about: Shape = {
    description: note.nullable().optional(),
    enable_interpolation_in_file: flag.nullable().optional(),
  };

  const exists = (parent: unknown) =>
    find([...store.services, ...store.environments, ...store.projects], parent, 'owner of variables').id;
  /** The owner of variables, which has to be what the scope says. */
  const ownerIn = (word: unknown, wanted: unknown): string => {
    const parent = exists(wanted);
    const service = store.services.find((row) => row.id === parent);
    const real =
      service === undefined
        ? store.environments.some((row) => row.id === parent)
          ? 'ENVIRONMENT'
          : 'PROJECT'
        : serviceType(platform, service);
    if (word !== real) throw new Refusal(`scope ${String(word)}: the id given with it is of ${real}`);
    return parent;
  };

  const unified: Route[] = [
    rows(
      '/variable',
      ({ query }) =>
        seenBy(ownerIn(query.scope, query.parent_id))
          .filter((row) => query.is_secret === undefined || row.is_secret === query.is_secret)
          .map((row) => answer(row, true)),
      { scope, parent_id: id, is_secret: inQuery.flag },
    ),
    route(
      'POST',
      '/variable',
      ({ body }) =>
        answer(add(String(body.variable_scope), ownerIn(body.variable_scope, body.variable_parent_id), body), true),
      {
        body: {
          key: filled,
          value: text,
          is_secret: flag,
          variable_scope: scope,
          variable_parent_id: id,
          mount_path: text.nullable().optional(),
          ...about,
          secret_manager_access_id: id.nullable().optional(),
        },
        code: 201,
      },
    ),
    route('PUT', '/variable/{variableId}', ({ path, body }) => answer(change(known(path.variableId), body), true), {
      body: {
        key: filled,
        value: text.nullable().optional(),
        ...about,
        secret_manager_access_id: id.nullable().optional(),
      },
    }),
    route('DELETE', '/variable/{variableId}', ({ path }) => {
      drop(known(path.variableId));
      return NOTHING;
    }),
    route(
      'POST',
      '/variable/{variableId}/override',
      ({ path, body }) =>
        answer(
          override(
            known(path.variableId),
            String(body.override_scope),
            ownerIn(body.override_scope, body.override_parent_id),
            body,
          ),
          true,
        ),
      { body: { value: text, override_scope: scope, override_parent_id: id, ...about }, code: 201 },
    ),
    route(
      'POST',
      '/variable/{variableId}/alias',
      ({ path, body }) =>
        answer(
          alias(
            known(path.variableId),
            String(body.alias_scope),
            ownerIn(body.alias_scope, body.alias_parent_id),
            body,
          ),
          true,
        ),
      { body: { key: filled, alias_scope: scope, alias_parent_id: id, ...about }, code: 201 },
    ),
  ];

  const importing = route(
    'POST',
    '/variable/import',
    ({ query, body }) => {
      const service = find(store.services, query.service_id, 'service');
      const wanted = body.vars as { name: string; value: string; scope: string; is_secret: boolean }[];
      const done = wanted.filter(({ name, value, scope: word, is_secret: secret }) => {
        const environment = find(store.environments, service.environment_id, 'environment');
        const parent =
          word === 'PROJECT' ? environment.project_id : word === 'ENVIRONMENT' ? environment.id : service.id;
        const before = store.variables.find((row) => row.parent_id === parent && row.key === name);
        if (before === undefined) add(word, parent, { key: name, value, is_secret: secret });
        else if (body.overwrite === true) change(before, { key: name, value });
        return before === undefined || body.overwrite === true;
      });
      return { total_variables_to_import: wanted.length, successful_imported_variables: done };
    },
    {
      query: { service_id: id, service_type: either('APPLICATION', 'CONTAINER', 'JOB', 'HELM', 'TERRAFORM') },
      body: { overwrite: flag, vars: list(strict({ name: filled, value: text, scope, is_secret: flag })) },
      code: 201,
    },
  );
  const importRoutes = (['application', 'container', 'job'] as const).map((name): Route => ({
    ...importing,
    query: {},
    path: `/${name}/{${name}Id}/environmentVariable/import`,
    run: ({ path, body }) => importing.run({ path, query: { service_id: path[`${name}Id`] }, body }),
  }));

  const ofScope = (name: (typeof SCOPES)[number], word: 'environmentVariable' | 'secret'): Route[] => {
    const secret = word === 'secret';
    const base = `/${name}/{${name}Id}/${word}`;
    const single = `${base}/{${word}Id}`;
    const parent = (path: Record<string, string>) => exists(path[`${name}Id`]);
    const asked = (path: Record<string, string>) =>
      find(
        seenBy(parent(path)).filter((row) => row.is_secret === secret),
        path[`${word}Id`],
        secret ? 'secret' : 'variable',
      );
    const upper = name.toUpperCase();
    const file: Shape = { mount_path: text.nullable().optional() };
    return [
      rows(base, ({ path }) =>
        seenBy(parent(path))
          .filter((row) => row.is_secret === secret)
          .map((row) => answer(row)),
      ),
      route('POST', base, ({ path, body }) => answer(add(upper, parent(path), { ...body, is_secret: secret })), {
        body: { key: filled, value: text, ...about, ...file },
        code: 201,
      }),
      route('PUT', single, ({ path, body }) => answer(change(asked(path), body)), {
        body: { key: filled, value: text.optional(), ...about, ...(secret ? {} : file) },
      }),
      route('DELETE', single, ({ path }) => {
        drop(asked(path));
        return NOTHING;
      }),
      route(
        'POST',
        `${single}/override`,
        ({ path, body }) => answer(override(asked(path), upper, parent(path), body)),
        { body: { value: text.optional(), ...about }, code: 201 },
      ),
      route('POST', `${single}/alias`, ({ path, body }) => answer(alias(asked(path), upper, parent(path), body)), {
        body: { key: filled, ...about },
        code: 201,
      }),
    ];
  };

  return [
    ...unified,
    importing,
    ...importRoutes,
    ...SCOPES.flatMap((name) => [...ofScope(name, 'environmentVariable'), ...ofScope(name, 'secret')]),
  ];
}
