import type { FastifySerializerCompiler } from 'fastify/types/schema.js';
import { serializerCompiler } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { isRecord, wellFormed } from '../../contract/index.ts';

/** An answer with rows of which some don't change, so that they are kept and answered again. */
interface KeptAnswer {
  readonly results: readonly object[];
}

const isKept = (row: unknown): boolean => typeof row === 'object' && Object.isFrozen(row);

const hasKeptRows = (answer: unknown): answer is KeptAnswer =>
  isRecord(answer) && Array.isArray(answer['results']) && answer['results'].some(isKept);

const withoutRows = '"results":[]';

const rowSchemaOf = (schema: unknown): z.ZodType | undefined => {
  const rows: unknown = schema instanceof z.ZodObject ? schema.shape['results'] : undefined;
  return rows instanceof z.ZodArray ? (rows.element as z.ZodType) : undefined;
};

/**
 * Fastify's serializer compiler for the contract's schemas. Checks answers, and leaves out what the contract doesn't
 * declare. Frozen rows in `results` are checked and written once, however often they are answered.
 */
export const answerCompiler: FastifySerializerCompiler<z.ZodType> = (route) => {
  const serialized = serializerCompiler(route);
  const rowSchema = rowSchemaOf(route.schema);
  if (rowSchema === undefined) return serialized;
  const serializedRow = serializerCompiler({ ...route, schema: rowSchema });
  const texts = new WeakMap<object, string>();

  const textOf = (row: object): string => {
    const kept = texts.get(row);
    if (kept !== undefined) return kept;
    const text = serializedRow(wellFormed(row));
    if (isKept(row)) texts.set(row, text);
    return text;
  };

  return (answer: unknown) => {
    if (!hasKeptRows(answer)) return serialized(answer);
    const text = serialized(wellFormed({ ...answer, results: [] }));
    return text.replace(withoutRows, () => `"results":[${answer.results.map(textOf).join(',')}]`);
  };
};

/** Replaces half characters, which records of earlier versions and logs of containers can hold, in an answer. */
export const wholeAnswer = (answer: unknown): unknown => (hasKeptRows(answer) ? answer : wellFormed(answer));
