import { operations } from '../../../contract/operations.ts';
import type { JsonRecord } from '../../values.ts';
import { attempt, rowsIn, type Read } from '../target.ts';
import { show, textOf, unread, type Preview } from './preview.ts';

interface Service {
  readonly id: string;
  readonly name?: string;
  readonly type?: string;
  readonly state?: string;
}

const statusesIn = (answer: JsonRecord | undefined): JsonRecord[] => Object.values(answer ?? {}).flatMap((list) => rowsIn({ results: list }));

/** The services of an environment with their states; undefined where the platform tells neither. */
async function servicesOf(environmentId: string, read: Read): Promise<Service[] | undefined> {
  const input = { environment_id: environmentId };
  const [list, statuses] = await Promise.all([attempt(read(operations.list_services, input)), attempt(read(operations.get_environment_status, input))]);
  if (!list && !statuses) return undefined;
  const states = new Map(statusesIn(statuses).map((status) => [status['id'], textOf(status, 'state')]));
  const known = rowsIn(list).map((row) => ({ id: String(row['id']), name: textOf(row, 'name'), type: textOf(row, 'service_type'), state: states.get(row['id']) }));
  return list ? known : statusesIn(statuses).map((status) => ({ id: String(status['id']), state: textOf(status, 'state') }));
}

const serviceText = ({ id, name, type, state }: Service): string =>
  `${name === undefined ? id : show(name)}${type === undefined ? '' : ` (${type})`}, now ${state ?? 'in a state that is not known'}`;

const chosenIds = (args: JsonRecord): string[] => Object.entries(args).flatMap(([name, value]) => (name.endsWith('_ids') && Array.isArray(value) ? value.map(String) : []));

/**
 * The services of the target environment that a call takes hold of, with their states: those whose ids it names, all where
 * it names none.
 * @param verb what happens to each.
 */
export const services =
  (verb: string): Preview =>
  async (args, { target, read }) => {
    const all = target.id === undefined ? undefined : await servicesOf(target.id, read);
    if (!all) return [unread('which services there are, and in what state')];
    const ids = chosenIds(args);
    const chosen = ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id));
    const strangers = ids.filter((id) => !all.some((service) => service.id === id));
    if (chosen.length + strangers.length === 0) return ['There are no services in it.'];
    return [...chosen.map((service) => `${verb} ${serviceText(service)}.`), ...strangers.map((id) => `${id} is no service of this environment.`)];
  };
