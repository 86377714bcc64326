import * as z from 'zod';
import { ContainerRequest, Email, GitRepositoryRequest } from '../../../contract/index.ts';
import { durationOf } from '../../../analysis/index.ts';

/** Names of days; each means the latest day of that name. */
export const days = ['today', 'yesterday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

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
  repository: matching(GitRepositoryRequest.shape.url, 'the address of a git repository, such as https://host/owner/repository.git'),
  // Commits have the same characters as tags.
  version: matching(ContainerRequest.shape.tag, 'a commit or an image tag'),
  since: {
    fits: (text) => isDay(text) || isTime(text) || durationOf(text) !== undefined,
    must: `a day (${days.slice(0, 3).join(', ')} …), an ISO timestamp such as 2026-01-31T09:30:00Z, or how long ago as an ISO duration such as P2D`,
  },
};
