import * as z from 'zod';
import { addressText, readHttpAddress } from './addresses.ts';

/** Kinds of resources that an id can refer to. */
export const referenceKinds = [
  'organization',
  'project',
  'environment',
  'environment_variable',
  'cluster',
  'application',
  'container',
  'database',
  'job',
  'helm',
  'terraform',
  'alert_rule',
  'alert_receiver',
  'labels_group',
  'annotations_group',
  'webhook',
  'role',
  'helm_repository',
  'registry',
  'custom_domain',
  'secret',
  'backup',
  'member',
  'invitation',
  'api_token',
  'deployment_rule',
  'deployment_window',
  'git_token',
] as const;
export type ReferenceKind = (typeof referenceKinds)[number];

/**
 * A string that `check` validates, but that JSON Schema shows only as a format name: printed patterns would cost hosts
 * hundreds of characters each.
 */
const formatted = (format: string, check: z.ZodType<unknown, string>) =>
  z
    .string()
    .refine((value) => check.safeParse(value).success, { error: `must be a valid ${format}` })
    .meta({ format });

export const Uuid = formatted('uuid', z.guid());
export const DateTime = formatted('date-time', z.iso.datetime({ offset: true }));
/** A time of which only the time of day counts. Its date is any, so plans don't show it. */
export const DateTimeOfClock = DateTime.meta({ clockTime: true });
/** Whether a schema is that of a time. */
export const isDateTime = (schema: z.ZodType): boolean => schema.meta()?.['format'] === 'date-time';
export const Email = formatted('email', z.email());
/** ISO 8601 duration such as PT5M. */
export const Duration = formatted('duration', z.iso.duration());
// Text that browsers accept as a URI, although other programs see a different host or path in it.
const misread = /[\s\\\p{Cc}]|^https?:(?!\/\/[^/])/iu;

/**
 * Any absolute URI. It has no blanks, backslashes and control characters, and a host if its scheme is http or https.
 */
export const Uri = formatted(
  'uri',
  z.string().refine((value) => URL.canParse(value) && !misread.test(value)),
);
/** An http or https URL that every program parses alike. */
export const HttpUrl = addressText(readHttpAddress).meta({ format: 'uri' });

/** The id of a resource of this kind. The schema's metadata contains the kind. */
export const reference = (kind: ReferenceKind) => Uuid.meta({ reference: kind });

/** Remembers a fact of a schema, which never changes: zod puts metadata together anew whenever it is asked. */
function factOf<Fact>(read: (schema: z.ZodType) => Fact): (schema: z.ZodType) => Fact {
  const known = new WeakMap<z.ZodType, { readonly fact: Fact }>();
  return (schema) => {
    const found = known.get(schema) ?? { fact: read(schema) };
    known.set(schema, found);
    return found.fact;
  };
}

/** The kind of resource that a schema refers to; undefined if it isn't an id. */
export const referenceKind = factOf((schema) => schema.meta()?.['reference'] as ReferenceKind | undefined);

/**
 * The kind of resource that an input member refers to, also if it is optional, nullable or a list; undefined if it
 * refers to none.
 */
export function kindPointedAt(schema: z.ZodType | undefined): ReferenceKind | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return kindPointedAt(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return kindPointedAt(schema.element as z.ZodType);
  return schema && referenceKind(schema);
}

const resourceKinds = z.registry<{ readonly kind: ReferenceKind }>();

/**
 * Marks a schema as the representation of a resource kind. The kind is stored in a registry, so it never appears in
 * JSON Schema.
 */
export const resourceOf = <Schema extends z.ZodObject>(kind: ReferenceKind, schema: Schema): Schema => {
  resourceKinds.add(schema, { kind });
  return schema;
};

/** The kind of resource that a schema represents, or undefined. */
export const resourceKind = (schema: z.ZodType): ReferenceKind | undefined => resourceKinds.get(schema)?.kind;

/** A string that must never leave the platform again or appear in a log, result or audit record. */
export const secret = (schema: z.ZodString = z.string()) => schema.meta({ secret: true });

/** A string that is a secret only where a member beside it is true. */
export const secretWhere = (member: string) => z.string().meta({ secret: true, secretWhere: member });

/** A secret that belongs to another member beside it, such as a password to its user name. */
export const secretOf = (member: string) => z.string().meta({ secret: true, belongsTo: member });

/**
 * Text for a program, which may need any character: the value of a variable, the content of a file. In arguments of
 * tools, all other texts are refused if they have control characters other than line feed and tab.
 */
export const freeText = (schema: z.ZodString = z.string()) => schema.meta({ freeText: true });

/** Whether a schema was created by `freeText`. */
export const isFreeText = factOf((schema) => schema.meta()?.['freeText'] === true);

/**
 * An address whose part after the host is secret, unless the member beside it has this value: an address of a chat is
 * all that one needs to post there.
 */
export const secretAfterHost = (address: z.ZodString, unless: { readonly member: string; readonly value: string }) =>
  address.meta({ secretAfterHost: unless });

/** The name or address of a host, without a scheme. Questions show it in ASCII form. */
export const bareHost = () => z.string().meta({ bareHost: true });

/** A program's output, which may have colours. These are shown as a short mark. */
export const terminalOutput = () => z.string().meta({ terminalOutput: true });

/**
 * Shown in responses in place of a secret whose member is required. A request that sends it back keeps the stored
 * secret.
 */
export const hiddenSecret = '[hidden]';

/** The start that every mark of a hidden value has in common; some marks continue with the value's length or source. */
export const hiddenStart = hiddenSecret.slice(0, -1);

/** Whether a schema was created by `secret`. */
export const isSecret = (schema: z.ZodType): boolean => schema.meta()?.['secret'] === true;

/** Name of a resource: 1 to 255 characters, no control characters, no leading or trailing white space. */
export const Name = z
  .string()
  .min(1)
  .max(255)
  .refine((value) => !/\p{Cc}/u.test(value) && value.trim() === value, {
    error: 'must not contain control characters or begin or end with a space',
  });

/** Members that nearly every resource has. */
export const identity = { id: Uuid, created_at: DateTime, updated_at: DateTime };

/** A reference to another resource, as responses embed it. */
export const Pointer = z.object({ id: Uuid });

/** Maximum number of rows on one page of a list. */
export const maximumPageSize = 100;
export const PageNumber = z.int().min(1).describe('From 1.');
export const PageSize = z.int().min(1).max(maximumPageSize).describe('Rows.');

/** Query parameters of every list that returns `{results}`. */
export const pageQuery = { page: PageNumber.optional(), page_size: PageSize.optional() };

export const Pagination = z.object({ page: z.int(), page_size: z.int(), total_count: z.int(), total_pages: z.int() });

/** `{results: [...]}`, with `pagination` if a page was requested. */
export const listOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ results: z.array(row), pagination: Pagination.optional() });
