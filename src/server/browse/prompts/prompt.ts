import * as z from 'zod';
import type { ResourceKind } from '../../tool/name-resolver.ts';
import { formNames } from './argument-forms.ts';
import { parseFrontMatter } from './front-matter.ts';

/** What an argument can point at: then it is completed. */
const kinds = ['project', 'environment', 'service', 'cluster', 'alert_rule', 'role'] as const satisfies readonly ResourceKind[];

const Argument = z.strictObject({
  description: z.string().min(1),
  kind: z.enum(kinds).optional(),
  /** What it has to look like. */
  form: z.enum(formNames).optional(),
  /** The argument for a service whose versions complete this one. */
  of: z.string().optional(),
  /** Another argument that it may not be the same as. */
  unlike: z.string().optional(),
  required: z.boolean().default(false),
});

/** The name of a resource or of a tool that reads, and which argument of the prompt stands for which of its own. */
const Prefetch = z.record(z.string(), z.record(z.string(), z.string())).transform((entry, context) => {
  const [[source, given] = [], ...others] = Object.entries(entry);
  if (source !== undefined && given && others.length === 0) return { source, given };
  context.addIssue({ code: 'custom', message: 'must name one resource or tool' });
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
  const { front, body } = await parseFrontMatter(`The prompt ${name}`, text);
  const read = Front.safeParse(front);
  if (!read.success) throw new Error(`The prompt ${name} can't be used: ${z.prettifyError(read.error)}`);
  return { ...read.data, name, request: body };
}
