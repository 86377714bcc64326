import * as z from 'zod';
import type { ResourceKind } from '../../tool/index.ts';
import { ContainerRequest, Email, GitRepositoryRequest, issueTexts } from '../../../contract/index.ts';
import { durationOf } from '../../../analysis/index.ts';

/** Names of days; each means the latest day of that name. */
export const days = [
  'today',
  'yesterday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

const isDay = (text: string): boolean => days.some((day) => day.toLowerCase() === text.toLowerCase());

// A date without a time is valid too.
const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text));

/** The form of a prompt's argument: its check, and its description in errors. */
interface Form {
  readonly fits: (text: string) => boolean;
  readonly must: string;
}

const matching = (schema: z.ZodType, must: string): Form => ({ fits: (text) => schema.safeParse(text).success, must });

export const formNames = ['email', 'repository', 'version', 'since'] as const;

export const forms: Readonly<Record<(typeof formNames)[number], Form>> = {
  email: matching(Email, 'an e-mail address'),
  repository: matching(
    GitRepositoryRequest.shape.url,
    'the address of a git repository, such as https://host/owner/repository.git',
  ),
  // Commits have the same characters as tags.
  version: matching(ContainerRequest.shape.tag, 'a commit or an image tag'),
  since: {
    fits: (text) => isDay(text) || isTime(text) || durationOf(text) !== undefined,
    must: `a day (${days.slice(0, 3).join(', ')} …), an ISO timestamp such as 2026-01-31T09:30:00Z, or how long ago as an ISO duration such as P2D`,
  },
};

/** A Markdown file with front matter. */
export interface MarkdownFile {
  readonly front: unknown;
  readonly body: string;
}

const frontMatterPattern = /^---\n(?<front>[\s\S]*?)\n---\n+(?<body>[\s\S]*)$/;

/**
 * Splits a Markdown file into its front matter, parsed as YAML, and its body.
 * @param name names the file in errors.
 * @throws Error if there is no front matter, or it is not valid YAML.
 */
export async function parseFrontMatter(name: string, text: string): Promise<MarkdownFile> {
  const { front, body } = frontMatterPattern.exec(text.replaceAll('\r\n', '\n'))?.groups ?? {};
  if (front === undefined || body === undefined)
    throw new Error(`${name} does not begin with front matter between two lines of dashes.`);
  // The default export: the bundler keeps no named exports of a CommonJS package.
  const { parse } = (await import('yaml')).default;
  try {
    return { front: parse(front) as unknown, body: body.trim() };
  } catch (error) {
    throw new Error(`The front matter of ${name} is no YAML: ${(error as Error).message}`, { cause: error });
  }
}

/** The kinds of resources that an argument can refer to: it is completed with their names. */
const kinds = [
  'project',
  'environment',
  'service',
  'cluster',
  'alert_rule',
  'role',
] as const satisfies readonly ResourceKind[];

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

/** The name of a resource or a read tool, with the prompt's argument for each of its arguments. */
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
  if (!parsed.success)
    throw new Error(`The prompt ${name} can't be used: ${issueTexts(parsed.error, 'its head', Front).join('; ')}`);
  return { ...parsed.data, name, request: body };
}
