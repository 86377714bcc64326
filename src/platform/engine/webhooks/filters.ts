import type { Selectable } from 'kysely';
import type { WebhookTable } from '../../store/index.ts';

/** Where a deployment is: what the filters of webhooks look at. */
export interface DeploymentPlace {
  readonly project: string;
  readonly mode: string;
}

type Filters = Pick<Selectable<WebhookTable>, 'project_names_filter' | 'environment_types_filter'>;

const listOf = (json: string | null): readonly string[] => (json === null ? [] : (JSON.parse(json) as string[]));

/** Whether a name fits a pattern, in which * stands for any characters. Case is ignored. */
function fits(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const whole = name.toLowerCase();
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return whole === first;
  if (!whole.startsWith(first) || !whole.endsWith(last) || whole.length < first.length + last.length) return false;
  let at = first.length;
  const end = whole.length - last.length;
  for (const part of rest) {
    const found = whole.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Whether a webhook is told of deployments at a place. A filter that is absent or empty excludes nothing. */
export function passesFilters(filters: Filters, { project, mode }: DeploymentPlace): boolean {
  const [names, modes] = [listOf(filters.project_names_filter), listOf(filters.environment_types_filter)];
  return (
    (names.length === 0 || names.some((pattern) => fits(pattern, project))) &&
    (modes.length === 0 || modes.includes(mode))
  );
}
