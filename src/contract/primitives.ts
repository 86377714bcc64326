import * as z from 'zod';

/** Kinds of things that an id can point at. */
export const referenceKinds = [
  'organization', 'project', 'environment', 'environment_variable', 'cluster',
  'application', 'container', 'database', 'job', 'helm', 'terraform',
  'alert_rule', 'alert_receiver', 'labels_group', 'annotations_group',
  'webhook', 'role', 'helm_repository', 'registry',
] as const;
export type ReferenceKind = (typeof referenceKinds)[number];

/**
 * A string checked as hard as `check` does, but printed in JSON Schema as a format name alone:
 * printed patterns cost hosts hundreds of characters each.
 */
const formatted = (format: string, check: z.ZodType<unknown, string>) =>
  z.string().refine((value) => check.safeParse(value).success, { error: `must be a valid ${format}` }).meta({ format });

const isHttpUrl = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

export const Uuid = formatted('uuid', z.guid());
export const DateTime = formatted('date-time', z.iso.datetime({ offset: true }));
export const Email = formatted('email', z.email());
/** ISO 8601 duration such as PT5M. */
export const Duration = formatted('duration', z.iso.duration());
/** Any absolute URI. */
export const Uri = formatted('uri', z.string().refine((value) => URL.canParse(value)));
/** An http or https address. */
export const HttpUrl = formatted('uri', z.string().refine(isHttpUrl));

/** The id of a resource of one kind. The kind stays readable in the schema's metadata. */
export const reference = (kind: ReferenceKind) => Uuid.meta({ reference: kind });

/** The kind a schema refers to, or undefined when it isn't an id. */
export const referenceKind = (schema: z.ZodType): ReferenceKind | undefined => schema.meta()?.['reference'] as ReferenceKind | undefined;

/** The kind that a member of an input points at, also where it may be left out or is a list; undefined where it is no pointer. */
export function kindPointedAt(schema: z.ZodType | undefined): ReferenceKind | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) return kindPointedAt(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return kindPointedAt(schema.element as z.ZodType);
  return schema && referenceKind(schema);
}

const resourceKinds = z.registry<{ readonly kind: ReferenceKind }>();

/** The shape that resources of one kind are answered in. The kind stays readable, beside the schema: it is never printed. */
export const resourceOf = <Schema extends z.ZodObject>(kind: ReferenceKind, schema: Schema): Schema => {
  resourceKinds.add(schema, { kind });
  return schema;
};

/** The kind of resource a schema is the shape of, or undefined. */
export const resourceKind = (schema: z.ZodType): ReferenceKind | undefined => resourceKinds.get(schema)?.kind;

/** A string that must never leave the platform again, nor appear in a log, result or record. */
export const secret = (schema: z.ZodString = z.string()) => schema.meta({ secret: true });

/** What answers show in place of a secret they must have a member for. Sent back, it means the secret that is there. */
export const hiddenSecret = '[hidden]';

/** True for schemas made by `secret`. */
export const isSecret = (schema: z.ZodType): boolean => schema.meta()?.['secret'] === true;

/** Names of resources: not empty, at most 255 characters, no control characters. */
export const Name = z.string().min(1).max(255).refine((value) => !/\p{Cc}/u.test(value) && value.trim() === value, {
  error: 'must not contain control characters or begin or end with a space',
});

/** Members that nearly every resource answers with. */
export const identity = { id: Uuid, created_at: DateTime, updated_at: DateTime };

/** A pointer to another resource, as answers embed it. */
export const Pointer = z.object({ id: Uuid });

/** Largest page a list gives. */
export const maximumPageSize = 100;
export const PageNumber = z.int().min(1).describe('Page, from 1.');
export const PageSize = z.int().min(1).max(maximumPageSize).describe('Rows per page.');

/** Query members of every list that returns `{results}`. */
export const pageQuery = { page: PageNumber.optional(), page_size: PageSize.optional() };

export const Pagination = z.object({
  page: z.int(),
  page_size: z.int(),
  total_count: z.int(),
  total_pages: z.int(),
});

/** `{results: [...]}`, with `pagination` where a page was asked for. */
export const listOf = <Row extends z.ZodType>(row: Row) => z.object({ results: z.array(row), pagination: Pagination.optional() });
