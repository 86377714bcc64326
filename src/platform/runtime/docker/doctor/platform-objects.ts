import { listPlatformObjects } from '../cleanup/made-objects.ts';
import { anyPlatform, labelFilter, platformLabels } from '../labels.ts';
import { unaskedNodesText } from '../nodes/every-node.ts';
import { type DoctorFinding, errorMessage, findingBuilder } from '../../../common/index.ts';
import { dockerCommand, type ExaminedEngine } from './examined-engine.ts';

const objects = findingBuilder('objects of platforms');

type Records = ReturnType<ExaminedEngine['records']['read']>;

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Arguments that make Docker's own tools list a platform's objects. */
const filtersOf = (platformId: string): string =>
  labelFilter(platformLabels(platformId))
    .label!.map((each) => `--filter label=${each}`)
    .join(' ');

/** The time limit for querying all nodes, in milliseconds. */
const timeoutMilliseconds = 60_000;

type PlatformObject = Awaited<ReturnType<typeof listPlatformObjects>>['objects'][number];

/** The maximum number of objects that a finding names. */
const mostNamed = 10;

/** Finds objects that no record of their platform knows, and reports the nodes that could not be queried. */
export async function objectsFindings(examined: ExaminedEngine): Promise<DoctorFinding[]> {
  const { objects: all, unasked } = await listPlatformObjects(examined.nodes, AbortSignal.timeout(timeoutMilliseconds));
  const notSeen =
    unasked.length === 0
      ? []
      : [
          objects.note(
            `volumes, images and containers on ${count(unasked.length, 'node')} were not checked: ${unaskedNodesText(unasked)}`,
            `With an agent on each node they are checked: see "agent" in ${examined.guide}. Without it, check on the node itself: docker volume ls --filter label=${anyPlatform.label![0]}`,
          ),
        ];
  return [...knownFindings(examined, all), ...notSeen];
}

/** Compares the objects with the records. Unreadable records are a different finding than no unknown objects. */
function knownFindings(examined: ExaminedEngine, all: readonly PlatformObject[]): DoctorFinding[] {
  const {
    records: { place, read },
  } = examined;
  if (all.length === 0) return [objects.good('the engine has no object that a platform created')];
  // Read after the engine was queried, so that nothing new looks unknown.
  let records: Records;
  try {
    records = read();
  } catch (error) {
    return [
      objects.note(
        `${count(all.length, 'object')} of platforms; whether the records contain them is unknown: those in ${place} can't be read: ${errorMessage(error)}`,
        'Give --data-dir, and check as the user that the platform runs as.',
      ),
    ];
  }
  if (records === undefined) {
    return [
      objects.note(
        `${count(all.length, 'object')} of platforms; whether the records contain them is unknown: ${place} has no records of a platform with engines`,
        'Give the data directory of the platform with --data-dir.',
      ),
    ];
  }
  const known = records;
  const own = all.filter(({ platformId }) => platformId === known.platformId);
  const unknown = own.filter((each) => each.isUnknownTo(known)).map(({ what }) => what);
  const others = all.filter((each) => !own.includes(each));
  const more = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : '';
  const ofOthers = [...new Set(others.map(({ platformId }) => platformId))];
  return [
    unknown.length === 0
      ? objects.good(
          own.length === 0
            ? `none of the platform in ${place}`
            : `${count(own.length, 'object')} of the platform in ${place}, all of which its records know`,
        )
      : objects.note(
          `${count(unknown.length, 'object')} of ${own.length} that no record in ${place} knows: ${unknown.slice(0, mostNamed).join(', ')}${more}`,
          'The platform removes secrets, configs and networks of these soon after it starts, and then once an hour. Check the others, and remove those that are no longer needed: after a restore, they may belong to services that the backup did not have.',
        ),
    ...(others.length === 0
      ? []
      : [
          objects.note(
            `${count(others.length, 'object')} of ${count(ofOthers.length, 'other platform')}, whose records are elsewhere`,
            `Check with the --data-dir of each. To list the objects of a platform that no longer exists: ${dockerCommand(examined)} service ls ${filtersOf(ofOthers[0]!)}`,
          ),
        ]),
  ];
}
