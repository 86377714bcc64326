import { shortened } from '../../contract/index.ts';

/** A value with what it is of. */
export interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * The values for which the condition of a rule holds, as they are stored and told: the first ones, and how many there
 * are. A value that JSON has no number for is a text.
 */
export interface Matches {
  readonly first: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number | string }[];
  readonly count: number;
}

/**
 * How many values are told, and how many labels of each, with how many characters: others may have as many as they
 * like.
 */
const mostValues = 10;
const mostLabels = 20;
const mostCharacters = 200;

const clipped = (text: string): string => shortened(text, mostCharacters);

const clippedLabels = (labels: LabelledValue['labels']): LabelledValue['labels'] =>
  Object.fromEntries(
    Object.entries(labels)
      .slice(0, mostLabels)
      .map(([name, value]) => [clipped(name), clipped(value)]),
  );

/** Values as they are stored. */
export const matchesOf = (met: readonly LabelledValue[]): Matches => ({
  first: met
    .slice(0, mostValues)
    .map(({ labels, value }) => ({
      labels: clippedLabels(labels),
      value: Number.isFinite(value) ? value : String(value),
    })),
  count: met.length,
});

/** What labels stand for, in the fewest words; empty without labels. */
export function labelsText({
  project,
  environment,
  service,
  node,
  node_id: nodeId,
  cluster,
  cluster_id: clusterId,
  ...rest
}: Readonly<Record<string, string>>): string {
  if (service !== undefined && environment !== undefined)
    return [project, environment, service].filter((part) => part !== undefined).join('/');
  if (nodeId !== undefined) return `the node ${node ?? nodeId}`;
  const others = {
    ...rest,
    ...(environment !== undefined && { environment }),
    ...(project !== undefined && { project }),
    ...(service !== undefined && { service }),
  };
  return (
    Object.entries(others)
      .filter(([name]) => name !== '__name__')
      .map(([name, value]) => `${name}=${value}`)
      .join(', ') || (cluster === undefined ? (clusterId ?? '') : `the cluster ${cluster}`)
  );
}

/** Values in one line, such as: shop/production/web: 0, shop/production/db: 0, and 3 more. */
export function matchesText({ first, count }: Matches): string {
  const told = first.map(({ labels, value }) =>
    [labelsText(labels), String(value)].filter((part) => part !== '').join(': '),
  );
  return [...told, ...(count > first.length ? [`and ${count - first.length} more`] : [])].join(', ');
}
