import type { AnyOperation, PlacedRows } from '../../contract/index.ts';
import { asMode, pointerIn, textIn, type Target } from '../context/index.ts';
import { at, isRecord, type JsonRecord } from '../json/index.ts';

/** The location of a row, according to the row. */
export interface RowPlace {
  readonly environment?: string;
  readonly project?: string;
  /** Whether it must belong to an environment, even if it doesn't say to which. */
  readonly isInEnvironment: boolean;
  /**
   * The target that the row itself describes, if it is a project or an environment: then no read is needed to judge it.
   */
  readonly is?: Target;
}

/** Types of resources outside environments. Resources of any other type, including new ones, are in an environment. */
const typesOutside: readonly string[] = [
  'project',
  'organization',
  'cluster',
  'webhook',
  'helm_repository',
  'labels_group',
  'annotations_group',
  'container_registry',
  'members_and_roles',
];

const idIn = (row: JsonRecord | undefined, member: string): string | undefined => textIn(row, member)?.toLowerCase();

/** The place of a resource that is given by a type and an id, and by the ids of its surroundings. */
function placeAround(row: JsonRecord, around: JsonRecord): RowPlace {
  const [type, id] = [textIn(row, 'target_type')?.trim().toLowerCase(), idIn(row, 'target_id')];
  const environment = idIn(around, 'environment_id') ?? (type === 'environment' ? id : undefined);
  const project = idIn(around, 'project_id') ?? (type === 'project' ? id : undefined);
  return {
    environment,
    project,
    isInEnvironment:
      type === undefined || !typesOutside.includes(type) || textIn(around, 'environment_name') !== undefined,
  };
}

const recordAt = (row: JsonRecord, path: string): JsonRecord => {
  const found = at(row, path);
  return isRecord(found) ? found : {};
};

function projectPlace(row: JsonRecord): RowPlace {
  const id = idIn(row, 'id');
  return { project: id, isInEnvironment: false, is: { kind: 'project', id, project: { id }, mode: 'none' } };
}

function environmentPlace(row: JsonRecord, input: JsonRecord): RowPlace {
  const [id, name, project] = [
    idIn(row, 'id'),
    textIn(row, 'name'),
    pointerIn(row, 'project')?.toLowerCase() ?? idIn(input, 'project_id'),
  ];
  return {
    environment: id,
    project,
    isInEnvironment: true,
    is: {
      kind: 'environment',
      id,
      name,
      environment: { id, name },
      project: { id: project },
      mode: asMode(row['mode']),
    },
  };
}

const places: Readonly<Record<PlacedRows['are'], (row: JsonRecord, input: JsonRecord) => RowPlace>> = {
  projects: projectPlace,
  environments: environmentPlace,
  'alert rules': (row) => placeAround(recordAt(row, 'target'), recordAt(row, 'target.service')),
  deliveries: (row) => placeAround({}, recordAt(row, 'request.payload')),
  events: (row) => placeAround(row, row),
  uses: (row) => placeAround({}, row),
  clusters: () => ({ isInEnvironment: false }),
  'deployment windows': (row) => placeAround(row, {}),
};

/** The place of a row in the answer of a list. @param input that the list was read with */
export const placeOfRow = (row: JsonRecord, are: PlacedRows['are'], input: JsonRecord): RowPlace =>
  places[are](row, input);

/** Members of rows that can name resources of other places than the row, in texts without a known place. */
const membersAcrossPlaces: Readonly<Partial<Record<PlacedRows['are'], readonly string[]>>> = {
  clusters: ['warnings', 'conditions'],
};

/** The members of an operation's rows that can name resources anywhere. */
export const membersWithoutPlace = ({ placedRows }: AnyOperation): readonly string[] =>
  (placedRows && membersAcrossPlaces[placedRows.are]) ?? [];
