import { operations } from '../../src/contract/index.ts';
import { defineTool, recordsIn, wholeTable, type JsonRecord, type Renderer } from '../../src/server/tool/index.ts';
import { notActedOn } from '../shared/other-kinds.ts';

const services = wholeTable(
  'service',
  ['name', 'id', 'service_type'],
  ['icon_uri', 'environment', 'created_at', 'updated_at'],
);

const kindsIn = ({ results }: JsonRecord): readonly unknown[] =>
  recordsIn(results).map((row) => row['service_type'] ?? '');

const render: Renderer = {
  ...services,
  text: (view) => [services.text(view), ...notActedOn(kindsIn(view))].join('\n'),
};

export const listServices = defineTool(operations.list_services, {
  toolset: 'environments',
  equivalentOperations: [operations.list_services_of_organization],
  title: 'Show all services in an environment',
  description:
    'What runs in staging or production? Lists the services of an environment: applications, containers, databases, jobs and others, with their ids and whole configuration.',
  render,
});
