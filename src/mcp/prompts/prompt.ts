import * as z from 'zod';
import type { AddressKind } from '../addresses/address.ts';
import { parseWritten } from './front-matter.ts';

/** What an argument can point at: then it is completed. */
const kinds = ['project', 'environment', 'service', 'cluster', 'alert_rule', 'role'] as const satisfies readonly AddressKind[];

const Argument = z.strictObject({
  description: z.string().min(1),
  kind: z.enum(kinds).optional(),
  required: z.boolean().default(false),
});

/** The name of a resource, and which argument of the prompt stands for which of its variables. */
const Prefetch = z.record(z.string(), z.record(z.string(), z.string())).transform((entry, context) => {
  const [[resource, given] = [], ...others] = Object.entries(entry);
  if (resource !== undefined && given && others.length === 0) return { resource, given };
  context.addIssue({ code: 'custom', message: 'must name one resource' });
  return z.NEVER;
});

const Front = z.strictObject({
  title: z.string().min(1),
  description: z.string().min(1),
  arguments: z.record(z.string().regex(/^[a-z_]+$/), Argument).default({}),
  prefetch: z.array(Prefetch).default([]),
});

/** A prompt as data. The steps it asks for are those of the skill of its name. */
export interface Prompt extends z.output<typeof Front> {
  readonly name: string;
  /** The request, with `{{argument}}` where arguments go. */
  readonly request: string;
}

/**
 * Reads one prompt.
 * @throws Error that names it and lists what is wrong with it.
 */
export async function parsePrompt(name: string, text: string): Promise<Prompt> {
  const { front, body } = await parseWritten(`The prompt ${name}`, text);
  const read = Front.safeParse(front);
  if (!read.success) throw new Error(`The prompt ${name} can't be used: ${z.prettifyError(read.error)}`);
  return { ...read.data, name, request: body };
}
