import { shortened } from '../../contract/index.ts';

/** A value with the labels of its series. */
export interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * The values for which the condition of a rule holds, as they are stored and reported: the first ones, and their total
 * number. A value that JSON can't represent as a number is a string.
 */
export interface Matches {
  readonly first: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number | string }[];
  readonly count: number;
}

/**
 * Limits for what is reported: the number of values, of labels for each, and of characters per label. Series can have
 * any number of them.
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

/** The values in their stored form. */
export const matchesOf = (met: readonly LabelledValue[]): Matches => ({
  first: met
    .slice(0, mostValues)
    .map(({ labels, value }) => ({
      labels: clippedLabels(labels),
      value: Number.isFinite(value) ? value : String(value),
    })),
  count: met.length,
});

/** A short name for the object that the labels identify; empty without labels. */
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

/** The values on one line, such as: shop/production/web: 0, shop/production/db: 0, and 3 more. */
export function matchesText({ first, count }: Matches): string {
  const told = first.map(({ labels, value }) =>
    [labelsText(labels), String(value)].filter((part) => part !== '').join(': '),
  );
  return [...told, ...(count > first.length ? [`and ${count - first.length} more`] : [])].join(', ');
}
