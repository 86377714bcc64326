import { NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import { requestParts } from '../request-parts.ts';
import { date, either, Failure, filled, flag, id, list, note, text, type Members, type Shape } from '../schema.ts';
import { find, remove, type Row } from '../store.ts';

const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

const missing = (asked: Members) =>
  JSON.stringify(asked).includes('missing') ? 'It could not be found there' : undefined;

/** What can be asked before a service is made: whether its image, its files or its chart are there. */
function checkRoutes(platform: Platform): Route[] {
  const { git, gitOfHelm } = requestParts(platform);
  const { store } = platform;
  const check = (word: string, body: Shape, problem: (asked: Members) => string | undefined) =>
    route(
      'POST',
      `/environment/{environmentId}/${word}`,
      ({ path, body: asked }) => {
        find(store.environments, path.environmentId, 'environment');
        const found = problem(asked);
        if (found !== undefined) throw new Failure(400, found);
        return {};
      },
      { body },
    );
  return [
    check('checkContainerImage', { image_name: filled, tag: filled, registry_id: id.optional() }, missing),
    check('checkDockerfile', { git_repository: git, dockerfile_path: text }, missing),
    check('checkHelmRepository', { git_repository: gitOfHelm }, missing),
    check('checkGitFile', { git_repository: git, files: list(text) }, missing),
  ];
}

const show = (rule: Row | undefined): Members => {
  if (rule === undefined) throw new Failure(404, 'There is no such rule');
  return Object.fromEntries(
    Object.entries(rule).filter(([name]) => name !== 'environment_id' && name !== 'project_id'),
  );
};

/** When environments are started and stopped: of one environment, and of those a project will have. */
function ruleRoutes(platform: Platform): Route[] {
  const { store, words } = platform;
  const times: Shape = {
    timezone: filled,
    start_time: date,
    stop_time: date,
    weekdays: list(either(...WEEKDAYS)),
    auto_stop: flag.optional(),
  };
  const base = '/project/{projectId}/deploymentRule';
  const of = (path: Record<string, string>) =>
    store.rules.filter((rule) => rule.project_id === find(store.projects, path.projectId, 'project').id);
  const known = (path: Record<string, string>) => find(of(path), path.deploymentRuleId, 'rule');
  const body: Shape = {
    ...times,
    name: filled,
    mode: either(...words.modes),
    cluster_id: id,
    wildcard: text,
    description: note.nullable().optional(),
  };
  return [
    one('/environment/{environmentId}/deploymentRule', ({ path }) =>
      show(store.rules.find((rule) => rule.environment_id === path.environmentId)),
    ),
    route(
      'PUT',
      '/environment/{environmentId}/deploymentRule/{deploymentRuleId}',
      ({ path, body: wanted }) => {
        const rule = find(
          store.rules.filter((row) => row.environment_id === path.environmentId),
          path.deploymentRuleId,
          'rule',
        );
        return show(Object.assign(rule, { auto_stop: false, auto_preview: false, on_demand_preview: false }, wanted));
      },
      { body: { ...times, auto_preview: flag.optional(), on_demand_preview: flag.optional() } },
    ),
    rows(base, ({ path }) => of(path).map(show)),
    route(
      'POST',
      base,
      ({ path, body: wanted }) => {
        const row: Row = {
          id: platform.newId(),
          created_at: platform.date(),
          project_id: path.projectId,
          priority_index: of(path).length,
          auto_stop: false,
          ...wanted,
        };
        store.rules.push(row);
        return show(row);
      },
      { body, code: 201 },
    ),
    route(
      'PUT',
      `${base}/order`,
      ({ path, body: wanted }) => {
        for (const [index, rule] of (wanted.project_deployment_rule_ids_in_order as string[]).entries())
          find(of(path), rule, 'rule').priority_index = index;
        return NOTHING;
      },
      { body: { project_deployment_rule_ids_in_order: list(id) } },
    ),
    one(`${base}/{deploymentRuleId}`, ({ path }) => show(known(path))),
    route(
      'PUT',
      `${base}/{deploymentRuleId}`,
      ({ path, body: wanted }) => show(Object.assign(known(path), { auto_stop: false }, wanted)),
      { body },
    ),
    route('DELETE', `${base}/{deploymentRuleId}`, ({ path }) => {
      remove(store.rules, known(path).id, 'rule');
      return NOTHING;
    }),
  ];
}

export function checkAndRuleRoutes(platform: Platform): Route[] {
  return [...checkRoutes(platform), ...ruleRoutes(platform)];
}
