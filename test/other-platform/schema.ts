import { z } from 'zod';

export type Members = Record<string, unknown>;

export type Shape = Record<string, z.ZodType>;

/** A request that is not what its document allows. */
export class Refusal extends Error {
  readonly status: number;
  constructor(reason: string, status = 400) {
    super(reason);
    this.status = status;
  }
}

/** A request that is well formed and still can't be served: nothing there, something in the way. */
export class Failure extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const text = z.string();
export const filled = z.string().min(1);
export const flag = z.boolean();
export const whole = z.int();
export const count = z.int().min(0);
export const id = z.guid();
export const date = z.iso.datetime({ offset: true });
export const note = z.string().max(255);
export const open = z.record(z.string(), z.unknown());
export const strict = (shape: Shape) => z.strictObject(shape);
export const list = (of: z.ZodType) => z.array(of);
export const either = (...words: string[]) => z.enum(words);

/** A member that is text where it is anything. */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/** The same shape with every member optional. */
export function partial(shape: Shape): Shape {
  return Object.fromEntries(Object.entries(shape).map(([name, type]) => [name, type.optional()]));
}

/** How members of a query are written, since all of them arrive as text. */
export const inQuery = {
  text: z.string().optional(),
  id: z.guid().optional(),
  whole: z.string().regex(/^\d+$/, 'must be an integer').transform(Number).optional(),
  number: z
    .string()
    .regex(/^(null|\d+)$/, 'must be a number')
    .transform((value) => (value === 'null' ? null : Number(value)))
    .optional(),
  flag: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
};

function sentences(issues: readonly z.core.$ZodIssue[], before: readonly PropertyKey[] = []): string[] {
  return issues.flatMap((issue): string[] => {
    const path = [...before, ...issue.path].map(String).join('.');
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => `${path === '' ? '' : `${path}.`}${key}: is unknown`);
    if (issue.code === 'invalid_union') {
      const nearest = issue.errors.toSorted((a, b) => a.length - b.length)[0];
      return nearest === undefined
        ? [`${path}: fits none of its forms`]
        : sentences(nearest, [...before, ...issue.path]);
    }
    if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return [`${path}: is required`];
    return [`${path === '' ? 'body' : path}: ${issue.message}`];
  });
}

/** Reads a value by its schema, or refuses it with a text that names what doesn't fit. */
export function read(schema: z.ZodType, value: unknown, what: 'query parameter' | 'body member'): Members {
  const answer = schema.safeParse(value);
  if (!answer.success) throw new Refusal(`${what} ${sentences(answer.error.issues).join('; ')}`);
  return answer.data as Members;
}
