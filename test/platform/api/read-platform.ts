import { serviceKinds, type OperationName, operations } from '../../../src/contract/index.ts';
import { type Json, rowsOf, type TestPlatform } from '../../support/test-platform.ts';
import { answerDeviations } from '../../contract/answer-deviations.ts';
import { answerShapes } from '../../contract/extension-shapes.ts';

/** A platform whose every answer is read strictly. */
export interface StrictReader {
  /** Calls an operation, and notes what its answer has that no document allows. */
  ask(name: OperationName, input?: Json): Promise<Json>;
  /** Reads an environment, its services and all there is to know of them. */
  readEnvironment(id: unknown): Promise<void>;
  /** Reads the whole organization. */
  readAll(): Promise<void>;
  /** What was noted, each once: the operation, the member and what is wrong with it. */
  readonly deviations: Set<string>;
  /** The states of services and of environments, and the operations, that were met. */
  readonly states: Set<string>;
  readonly asked: Set<OperationName>;
}

const labelOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

/** A reader of a platform. Its shapes are those of the document, retyped by hand. */
export function strictReader(platform: Pick<TestPlatform, 'must'>): StrictReader {
  const [deviations, states, asked] = [new Set<string>(), new Set<string>(), new Set<OperationName>()];

  const ask: StrictReader['ask'] = async (name, input = {}) => {
    const answer = await platform.must(name, input);
    asked.add(name);
    if (operations[name].response === undefined) return answer;
    const shape = answerShapes[labelOf(operations[name])];
    if (shape === undefined) throw new Error(`${name} has no shape to be read by`);
    for (const line of answerDeviations(shape, answer)) deviations.add(`${name}${line}`);
    return answer;
  };

  const readService = async ({ id, service_type: type }: Json): Promise<void> => {
    const kind = serviceKinds.find((each) => each.toUpperCase() === type)!;
    const input = { [`${kind}_id`]: id };
    states.add(String((await ask(`get_${kind}_status`, input))['state']));
    for (const name of [`get_${kind}`, `get_${kind}_logs`, `list_${kind}_deployments`] as const) await ask(name, input);
    if (kind === 'application' || kind === 'container' || kind === 'helm') await ask(`get_${kind}_links`, input);
    if (kind === 'application') await ask('list_environment_variables', input);
    if (kind === 'container') await ask('list_variables_of_container', input);
  };

  const readEnvironment: StrictReader['readEnvironment'] = async (environment_id) => {
    const input = { environment_id };
    for (const name of [
      'get_environment',
      'list_environment_deployments',
      'get_environment_logs',
      'list_variables_of_environment',
      'list_links_of_environment',
    ] as const)
      await ask(name, input);
    const { environment } = await ask('get_environment_status', input);
    states.add(String((environment as Json)['state']));
    for (const service of rowsOf(await ask('list_services', { ...input, page: 1, page_size: 100 })))
      await readService(service);
  };

  const readAll = async (): Promise<void> => {
    const organization = { organization_id: (await ask('get_organization'))['id'] };
    for (const { id: project_id } of rowsOf(await ask('list_projects', organization))) {
      for (const name of ['list_environment_overviews', 'list_environment_statuses'] as const)
        await ask(name, { project_id });
      for (const { id } of rowsOf(await ask('list_environments', { project_id }))) await readEnvironment(id);
    }
    for (const name of [
      'list_members',
      'list_cluster_locks',
      'list_events',
      'list_services_of_organization',
      'list_environments_of_organization',
      'list_roles',
      'list_custom_roles',
      'list_api_tokens',
      'list_invitations',
      'get_billing_info',
    ] as const)
      await ask(name, organization);
    for (const { id } of rowsOf(await ask('list_clusters', organization)))
      for (const name of ['get_cluster_status', 'get_cluster_advanced_settings'] as const)
        await ask(name, { ...organization, cluster_id: id });
    for (const { id } of rowsOf(await ask('list_alert_rules', organization)))
      await ask('get_alert_rule', { alert_rule_id: id });
    for (const { id } of rowsOf(await ask('list_alert_receivers', organization)))
      await ask('get_alert_receiver', { alert_receiver_id: id });
    for (const { id } of rowsOf(await ask('list_helm_repositories', organization)))
      for (const name of ['get_helm_repository', 'list_services_of_helm_repository'] as const)
        await ask(name, { ...organization, helm_repository_id: id });
    for (const { id } of rowsOf(await ask('list_container_registries', organization)))
      for (const name of ['get_container_registry', 'list_services_of_container_registry'] as const)
        await ask(name, { ...organization, registry_id: id });
    for (const { id } of rowsOf(await ask('list_git_tokens', organization)))
      for (const name of ['get_git_token', 'list_services_of_git_token'] as const)
        await ask(name, { ...organization, git_token_id: id });
    for (const { id } of rowsOf(await ask('list_labels_groups', organization)))
      for (const name of ['get_labels_group', 'list_services_of_labels_group'] as const)
        await ask(name, { ...organization, labels_group_id: id });
    for (const { id } of rowsOf(await ask('list_annotations_groups', organization)))
      for (const name of ['get_annotations_group', 'list_services_of_annotations_group'] as const)
        await ask(name, { ...organization, annotations_group_id: id });
    for (const { id } of rowsOf(await ask('list_webhooks', organization)))
      for (const name of ['get_webhook', 'list_webhook_events'] as const)
        await ask(name, { ...organization, webhook_id: id });
  };

  return { ask, readEnvironment, readAll, deviations, states, asked };
}
