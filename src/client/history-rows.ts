import { isRecord, recordsIn } from '../contract/index.ts';

type Row = Readonly<Record<string, unknown>>;

/** The image of a deployment, where its name and tag stand among the details. */
function imageIn(details: unknown): Row | undefined {
  if (!isRecord(details) || isRecord(details['image']) || typeof details['image_name'] !== 'string') return undefined;
  return { details: { ...details, image: { image_name: details['image_name'], tag: details['tag'] } } };
}

/** A service of a deployment, with its id, name and kind where the row itself or its identifier has them. */
function serviceOf({ identifier, ...row }: Row): Row {
  const { service_id, name, service_type } = isRecord(identifier) ? identifier : {};
  return { service_id: row['service_id'] ?? service_id, name: row['name'] ?? name, service_type: row['service_type'] ?? service_type, status: row['status'] };
}

/** The services of an environment's deployment, where they are rows of a history of their own, beside it or in its stages. */
function servicesIn({ services, stages }: Row): Row | undefined {
  const beside = recordsIn(services);
  if (beside.some(({ identifier }) => isRecord(identifier))) return { services: beside.map(serviceOf) };
  if (Array.isArray(services) || !Array.isArray(stages)) return undefined;
  return { services: recordsIn(stages).flatMap((stage) => recordsIn(stage['services']).map(serviceOf)) };
}

/** What was asked for and how it went, where they stand beside the status. */
function actionIn({ status_details: details, trigger_action: action, action_status: status }: Row): Row | undefined {
  return isRecord(details) || typeof action !== 'string' ? undefined : { status_details: { action, status } };
}

/** The rows of a deployment history in one shape, with everything that they had before. */
export const historyRowsIn = (rows: readonly unknown[]): unknown[] =>
  rows.map((row) => (isRecord(row) ? { ...row, ...imageIn(row['details']), ...servicesIn(row), ...actionIn(row) } : row));
