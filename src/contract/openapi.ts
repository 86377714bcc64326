import * as z from 'zod';
import { ErrorBody, type ErrorStatus, statusTexts } from './errors.ts';
import { rateHeaders } from './limits.ts';
import { type AnyOperation, parameterKind } from './operation.ts';
import { allOperations } from './operations.ts';
import { reference } from './primitives.ts';

type Json = Record<string, unknown>;

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const content = (schema: Json) => ({ 'application/json': { schema } });

const headers = Object.fromEntries(
  Object.values(rateHeaders).map((name) => [name, { schema: { type: 'integer' }, required: true }]),
);

const errorResponses = (statuses: readonly ErrorStatus[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: statusTexts[status], headers, content: content({ $ref: '#/components/schemas/Error' }) }]),
  );

const successResponse = (op: AnyOperation) => ({
  [op.status]: {
    description: op.summary,
    headers,
    ...(op.response && { content: content(jsonSchema(op.response as z.ZodType, 'output')) }),
  },
});

const parameters = (op: AnyOperation) => [
  ...op.params.map((name: string) => ({
    name, in: 'path', required: true, schema: jsonSchema(reference(parameterKind(name)), 'input'),
  })),
  ...Object.entries(op.query as Record<string, z.ZodType>).map(([name, schema]) => ({
    name, in: 'query', required: false, schema: jsonSchema(schema, 'input'),
  })),
];

const requestBody = (op: AnyOperation) => {
  if (!op.body) return {};
  const body = op.body as z.ZodObject;
  return { requestBody: { required: !body.safeParse({}).success, content: content(jsonSchema(body, 'input')) } };
};

const path = (op: AnyOperation) => ({
  operationId: op.name,
  summary: op.summary,
  ...(!op.documented && { description: 'Outside the documented interface.' }),
  parameters: parameters(op),
  ...requestBody(op),
  responses: {
    ...successResponse(op),
    ...errorResponses([400, 401, 403, 404, 429, 500]),
  },
  'x-documented': op.documented,
  'x-effect': op.effect,
  'x-permission': op.permission,
});

/** The OpenAPI 3.1 document of every operation, derived from the contract. `version` is the package's. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const op of allOperations) (paths[op.path] ??= {})[op.method.toLowerCase()] = path(op);
  return {
    openapi: '3.1.0',
    info: { title: 'Infrastructure Management REST API', version },
    security: [{ token: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: { Error: jsonSchema(ErrorBody, 'output') },
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <API token>' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
}
