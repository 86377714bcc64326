import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import {
  defineTool,
  omit,
  pick,
  recordsIn,
  table,
  wholeTable,
  type JsonRecord,
  type Renderer,
} from '../../src/server/tool/index.ts';
import { oneOfOrNone } from '../shared/any-service.ts';
import { firstServices, whereEmpty } from '../shared/first-steps.ts';
import { notActedOn } from '../shared/other-kinds.ts';
import {
  besidesServices,
  besidesText,
  columnsEverywhere,
  isColumnEverywhere,
  readsOfServicesEverywhere,
  servicesEverywhere,
} from './services-everywhere.ts';

const operation = operations.list_services;

const wholeRows = wholeTable(
  'service',
  ['name', 'id', 'kind'],
  ['icon_uri', 'environment', 'created_at', 'updated_at'],
);

const kindsIn = ({ results }: JsonRecord): readonly unknown[] => recordsIn(results).map((row) => row['kind'] ?? '');

const isEverywhere = (answer: JsonRecord): boolean => answer['looked_at'] !== undefined;

/** The rows of an environment as `inside` shows them, those of several in columns with what was looked at. */
const rendererOf = (inside: Renderer, everywhere: Renderer): Renderer => ({
  ...inside,
  view: (answer) =>
    isEverywhere(answer) ? { ...everywhere.view(answer), ...pick(answer, besidesServices) } : inside.view(answer),
  text: (view) =>
    [
      ...(isEverywhere(view)
        ? [everywhere.text(omit(view, besidesServices)), ...besidesText(view)]
        : [inside.text(view)]),
      ...notActedOn(kindsIn(view)),
    ].join('\n'),
});

const chosen = (columns: readonly string[]): Renderer =>
  rendererOf(table('service', columns), table('service', columns));

/** A row of several environments. It shares members with those of one, so that the schema of both stays short. */
const RowEverywhere = z.object({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  service_type: z.string(),
  ...Object.fromEntries(
    columnsEverywhere.filter((column) => column !== 'id' && column !== 'kind').map((column) => [column, z.unknown()]),
  ),
});

const { response } = operation;

/** The columns that are chosen; none where the usual ones are shown. */
const columnsIn = ({ fields }: JsonRecord): readonly string[] => (Array.isArray(fields) ? fields.map(String) : []);

/** Columns that the platform's list of an environment has by itself. */
const listed = ['id', 'kind', 'type', 'cpu', 'memory', 'storage'];

/** Whether a column is made from several reads, or differs by kind in the platform's list. */
const isComposed = (column: string): boolean => isColumnEverywhere(column) && !listed.includes(column);

export const listServices = defineTool(operation, {
  toolset: 'environments',
  equivalentOperations: [operations.list_services_of_organization],
  title: 'Services running in an environment',
  description:
    'List all services running in an environment (dev, staging, production), with id, whole configuration; or ' +
    'of a project or all: applications, containers, databases, jobs, image, tag, version, size (CPU, memory).',
  input: { environment_id: reference('environment').optional(), project: reference('project').optional() },
  rules: oneOfOrNone('environment_id', 'project'),
  reads: readsOfServicesEverywhere,
  output: response.extend({ results: z.array(z.union([response.shape.results.element, RowEverywhere])) }),
  answer: async (args, context) => {
    const fields = columnsIn(args);
    return args['environment_id'] === undefined || fields.some(isComposed)
      ? servicesEverywhere({ ...args, environment: args['environment_id'] as string | undefined, fields }, context)
      : context.read(operation, pick(args, ['environment_id', 'page', 'page_size']) as { environment_id: string });
  },
  render: { ...rendererOf(wholeRows, table('service', columnsEverywhere)), only: chosen },
  next: whereEmpty(({ environment_id: environment }) => (environment === undefined ? [] : firstServices(environment))),
});
