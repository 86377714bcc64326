import * as z from 'zod';
import type { ResourceKind } from '../../tool/index.ts';
import { formNames } from './argument-forms.ts';
import { parseFrontMatter } from './front-matter.ts';

/** The kinds of resources that an argument can point at: their names complete it. */
const kinds = ['project', 'environment', 'service', 'cluster', 'alert_rule', 'role'] as const satisfies readonly ResourceKind[];

const Argument = z.strictObject({
  description: z.string().min(1),
  kind: z.enum(kinds).optional(),
  /** The form that its value must have. */
  form: z.enum(formNames).optional(),
  /** The argument for a service whose versions complete this one. */
  of: z.string().optional(),
  /** Another argument whose value it must differ from. */
  unlike: z.string().optional(),
  required: z.boolean().default(false),
});

/** The name of a resource or a read tool, and the prompt's argument for each of its own. */
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

/** A prompt as data. Its steps are those of the skill of the same name. */
export interface Prompt extends z.output<typeof Front> {
  readonly name: string;
  /** The request, with `{{argument}}` placeholders. */
  readonly request: string;
}

/**
 * Parses a prompt file.
 * @throws Error that names the prompt and lists its faults.
 */
export async function parsePrompt(name: string, text: string): Promise<Prompt> {
  const { front, body } = await parseFrontMatter(`The prompt ${name}`, text);
  const parsed = Front.safeParse(front);
  if (!parsed.success) throw new Error(`The prompt ${name} can't be used: ${z.prettifyError(parsed.error)}`);
  return { ...parsed.data, name, request: body };
}
