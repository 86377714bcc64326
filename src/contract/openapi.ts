import * as z from 'zod';
import { ErrorBody, extensionStatusTexts, statusTexts } from './errors.ts';
import type { JsonRecord } from './json.ts';
import { rateHeaders } from './limits.ts';
import { type AnyOperation, parameterKind } from './operation.ts';
import { allOperations } from './operations.ts';
import { reference } from './primitives.ts';
import { AlertRule } from './resources/alert-rule.ts';
import { Application } from './resources/application.ts';
import { ClusterStatus } from './resources/cluster.ts';
import { Container } from './resources/container.ts';
import { Database } from './resources/database.ts';
import { Deployment, ServiceDeploymentStatus } from './resources/deployment.ts';
import { Environment, EnvironmentStatus } from './resources/environment.ts';
import { Helm } from './resources/helm.ts';
import { DeploymentHistory, Job } from './resources/job.ts';
import { Autoscaling, AutoscalingRequest, GitRepository, Healthchecks } from './resources/service.ts';
import { Terraform } from './resources/terraform.ts';
import { EnvironmentVariable } from './resources/variable.ts';

/** Response schemas, and parts of them, that several operations share: defined once, under `components`. */
const shared: Readonly<Record<string, z.ZodType>> = {
  Error: ErrorBody,
  AlertRule,
  Application,
  Autoscaling,
  ClusterStatus,
  Container,
  Database,
  Deployment,
  DeploymentHistory,
  Environment,
  EnvironmentStatus,
  EnvironmentVariable,
  GitRepository,
  Helm,
  Job,
  ServiceDeploymentStatus,
  Terraform,
};

/** The same for request schemas. */
const sharedRequests: Readonly<Record<string, z.ZodType>> = { AutoscalingRequest, HealthchecksRequest: Healthchecks };

const pointer = (section: string, name: string) => ({ $ref: `#/components/${section}/${name}` });

/**
 * Removes keywords that only zod or the tools need, and marks secrets as `writeOnly`. Objects stay open: the API may
 * add members.
 */
const normalizeSchema = (printed: JsonRecord): void => {
  if (printed['minimum'] === Number.MIN_SAFE_INTEGER) delete printed['minimum'];
  if (printed['maximum'] === Number.MAX_SAFE_INTEGER) delete printed['maximum'];
  if (printed['additionalProperties'] === false) delete printed['additionalProperties'];
  if (printed['format'] === 'starts_with') delete printed['format'];
  if (printed['secret']) printed['writeOnly'] = true;
  for (const mark of [
    'secret',
    'secretWhere',
    'clockTime',
    'belongsTo',
    'reference',
    'terminalOutput',
    'freeText',
    'bareHost',
    'secretAfterHost',
  ])
    delete printed[mark];
};

/**
 * JSON Schema of a part of a request or response. Shared schemas become references, except `inlined`, which is written
 * out.
 */
const jsonSchema = (schema: z.ZodType, io: 'input' | 'output', inlined?: z.ZodType): JsonRecord => {
  const names = Object.entries<unknown>(io === 'input' ? sharedRequests : shared);
  const { $schema: _, ...printed } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: part }) => {
      const name = names.find(([, known]) => known === zodSchema && known !== inlined)?.[0];
      if (name === undefined) return normalizeSchema(part);
      for (const keyword of Object.keys(part)) delete part[keyword as keyof typeof part];
      Object.assign(part, pointer('schemas', name));
    },
  });
  return printed;
};

const content = (schema: JsonRecord) => ({ 'application/json': { schema } });

const headerNames = Object.values(rateHeaders);
const headers = Object.fromEntries(headerNames.map((name) => [name, pointer('headers', name)]));

const texts = { ...statusTexts, ...extensionStatusTexts };
/** A status that the document lists. */
type ListedStatus = keyof typeof statusTexts | keyof typeof extensionStatusTexts;

/** Name of an error response in `components`: `Bad Request` → `BadRequest`. */
const failureName = (status: ListedStatus): string => texts[status].replaceAll(' ', '');
const codesOf = (known: object): ListedStatus[] => Object.keys(known).map((status) => Number(status) as ListedStatus);
const failures = codesOf(texts);

/**
 * The failures of an operation. Only operations outside the API document have a separate status for a name that is
 * taken.
 */
const failuresOf = ({ documented, creates }: AnyOperation): ListedStatus[] =>
  !documented && creates ? failures : codesOf(statusTexts);

const parameters = (op: AnyOperation) => [
  ...op.params.map((name: string) => ({
    name,
    in: 'path',
    required: true,
    schema: jsonSchema(reference(parameterKind(name)), 'input'),
  })),
  ...Object.entries(op.query as Record<string, z.ZodType>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: jsonSchema(schema, 'input'),
  })),
];

const requestBody = (op: AnyOperation) => {
  if (!op.body) return {};
  const body = op.body as z.ZodObject;
  return { requestBody: { required: !body.safeParse({}).success, content: content(jsonSchema(body, 'input')) } };
};

const pathItem = (op: AnyOperation) => ({
  operationId: op.name,
  summary: op.summary,
  ...(!op.documented && { description: 'Outside the documented interface.' }),
  parameters: parameters(op),
  ...requestBody(op),
  responses: {
    [op.status]: {
      description: op.summary,
      headers,
      ...(op.response && { content: content(jsonSchema(op.response as z.ZodType, 'output')) }),
    },
    ...Object.fromEntries(failuresOf(op).map((status) => [status, pointer('responses', failureName(status))])),
  },
  'x-documented': op.documented,
  'x-effect': op.effect,
  'x-permission': op.permission,
});

const schemasOf = (named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output') =>
  Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, jsonSchema(schema, io, schema)]));

/** Version of the API. A breaking change raises the major number (the document's Versioning). */
const version = '1.0.0';

/** The OpenAPI 3.1 document that describes every operation, derived from the contract. */
export function openApiDocument(): JsonRecord {
  const paths: Record<string, JsonRecord> = {};
  for (const op of allOperations) (paths[op.path] ??= {})[op.method.toLowerCase()] = pathItem(op);
  return {
    openapi: '3.1.0',
    info: { title: 'Infrastructure Management REST API', version },
    security: [{ token: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: { ...schemasOf(shared, 'output'), ...schemasOf(sharedRequests, 'input') },
      headers: Object.fromEntries(headerNames.map((name) => [name, { schema: { type: 'integer' }, required: true }])),
      responses: Object.fromEntries(
        failures.map((status) => [
          failureName(status),
          { description: texts[status], headers, content: content(pointer('schemas', 'Error')) },
        ]),
      ),
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <API token>' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
}
