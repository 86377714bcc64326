import type * as z from 'zod';
import { terminalOutcome } from '../contract/states.ts';
import type { DeploymentHistoryItem } from '../contract/resources/job.ts';
import { actionOf } from './deployment-progress.ts';
import type { Lenient } from './lenient.ts';
import { durationOf } from './time-window.ts';

/** One deployment, as histories list it. */
export type HistoryItem = Lenient<z.infer<typeof DeploymentHistoryItem>>;

/** What one item of a history tells, in one shape. Absent where the platform left it out. */
export interface PastDeployment {
  readonly id?: string;
  readonly state?: string;
  /** DEPLOY where the platform doesn't say: most are. */
  readonly action: 'DEPLOY' | 'RESTART' | 'STOP' | 'DELETE';
  /** How it ended by what it was to do; absent while it goes on. */
  readonly end?: 'good' | 'bad';
  readonly startedAt?: string;
  /** Only of what has ended. */
  readonly endedAt?: string;
  /** Seconds from the order to the end. */
  readonly seconds?: number;
  readonly triggeredBy?: string;
  readonly commit?: string;
  readonly commitMessage?: string;
  readonly commitAuthor?: string;
  /** image:tag. */
  readonly image?: string;
  readonly tag?: string;
}

const secondsOf = (duration: string): number | undefined => {
  const milliseconds = durationOf(duration);
  return milliseconds === undefined ? undefined : Math.round(milliseconds / 1000);
};

const endByStatus = (status: string | null | undefined): 'good' | 'bad' | undefined =>
  status === 'SUCCESS' ? 'good' : status === 'ERROR' || status === 'CANCELED' ? 'bad' : undefined;

/** Reads one item of a history. Its state counts before the status of its action; either is enough. */
export function readDeployment(item: HistoryItem): PastDeployment {
  const { identifier, status, auditing_data: audit, details, status_details: action, total_duration: total } = item;
  const state = status ?? undefined;
  const asked = actionOf(action?.action) ?? 'DEPLOY';
  const end = (state === undefined ? undefined : terminalOutcome(asked, state)) ?? endByStatus(action?.status);
  const image = details?.image;
  return {
    id: identifier?.execution_id ?? undefined,
    state,
    action: asked,
    end,
    startedAt: audit?.created_at ?? undefined,
    endedAt: end === undefined ? undefined : (audit?.updated_at ?? undefined),
    seconds: total ? secondsOf(total) : undefined,
    triggeredBy: audit?.triggered_by ?? undefined,
    commit: details?.commit?.git_commit_id ?? undefined,
    commitMessage: details?.commit?.message?.split('\n')[0] ?? undefined,
    commitAuthor: details?.commit?.author_name ?? undefined,
    image: image?.image_name ? [image.image_name, image.tag].filter(Boolean).join(':') : undefined,
    tag: image?.tag ?? undefined,
  };
}

/** The short form of a commit's hash. */
export const shortCommit = (commit: string): string => commit.slice(0, 7);
