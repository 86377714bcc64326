import type { Condition } from '../../src/contract/index.ts';
import type { Evidence } from '../../src/analysis/diagnosis/evidence.ts';
import type { HistoryItem } from '../../src/analysis/index.ts';

const start = Date.parse('2026-11-20T10:00:00Z');

/** ISO time so many minutes after ten o'clock. */
export const at = (minutes: number): string => new Date(start + minutes * 60_000).toISOString();

type HistoryItemInput = Omit<HistoryItem, 'identifier' | 'auditing_data'> & {
  id: string;
  minute: number;
  durationMinutes?: number;
  triggeredBy?: string;
};

/** An item of a deployment history. */
export const deployment = ({
  id,
  minute,
  durationMinutes: lasted = 3,
  triggeredBy: by = 'ci',
  ...rest
}: HistoryItemInput): HistoryItem => ({
  identifier: { execution_id: id, name: 'api' },
  auditing_data: { created_at: at(minute), updated_at: at(minute + lasted), triggered_by: by, origin: 'API' },
  total_duration: `PT${lasted}M`,
  ...rest,
});

/** Evidence of one failed deployment that left these lines, some of which are conditions. */
export const failedDeployment = ({
  kind = 'container',
  state = 'DEPLOYMENT_ERROR',
  lines = [],
  ...more
}: Partial<Omit<Evidence, 'lines' | 'service'>> & {
  kind?: Evidence['service']['kind'];
  state?: string;
  lines?: readonly (string | Condition)[];
  configuration?: Record<string, unknown>;
} = {}): Evidence => ({
  service: { kind, id: 'service-1', name: 'api', configuration: more.configuration },
  history: [
    deployment({ id: 'failed', minute: 10, status: state, status_details: { action: 'DEPLOY', status: 'ERROR' } }),
  ],
  lines: lines.map((line, index) => ({
    ...(typeof line === 'string' ? { message: line } : { message: line.message, condition: line }),
    created_at: at(10 + index / 1000),
    pod_name: 'api-1',
  })),
  ...more,
});
