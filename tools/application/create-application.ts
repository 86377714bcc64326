import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';

export const createApplication = defineTool(operations.create_application, {
  toolset: 'services',
  description: [
    'Set up an app from a git repo with a Dockerfile; not deployed.',
    naming`Also takes description, healthchecks, storage, arguments, entrypoint, autoscaling, in the form of ${'update_container'}.`,
  ],
  fields: { cpu: 'Millicores.' },
  hidden: [
    'build_mode', 'description', 'healthchecks', 'arguments', 'entrypoint', 'storage', 'autoscaling', 'labels_groups', 'annotations_groups', 'icon_uri', 'auto_preview', 'gpu',
    'git_repository.provider', 'ports[].id', 'ports[].external_port', 'ports[].is_default', 'ports[].public_path', 'ports[].public_path_rewrite',
  ],
  render: record(),
  next: ['It is not deployed yet.', naming`Set what it needs with ${'create_environment_variable'} and ${'create_secret'}, then ${'deploy_application'}.`],
});
