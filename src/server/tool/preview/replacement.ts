import { isDeepStrictEqual } from 'node:util';
import type { AnyOperation } from '../../../contract/index.ts';
import { presentReads, readPresent } from '../present-state.ts';
import { reading, readUses, type ReadUse } from '../reads.ts';
import {
  bodySchema,
  missingSecrets,
  sentBack,
  storedSecrets,
  type MissingSecret,
  type SentBack,
} from '../send-back.ts';
import { changes } from './changes.ts';
import { notKnown, type Preview } from './preview.ts';
import { pick, rootOf, type JsonRecord } from '../../json/index.ts';

const bodyMembers = ({ body }: AnyOperation): string[] => Object.keys((body?.shape as object | undefined) ?? {});

/** Body members that a replacement leaves out. They are lost or reset to their defaults. */
export const leftOut = (operation: AnyOperation, args: JsonRecord): string[] =>
  bodyMembers(operation).filter((name) => args[name] === undefined);

const list = (paths: readonly string[]): string => [...new Set(paths)].join(', ');

/** Lines about stored secrets that a replacement doesn't send: those that stay, may stay, and may be there at all. */
function secretLines(kept: readonly string[], secrets: readonly MissingSecret[]): readonly string[] {
  const unsent = secrets.filter(({ path }) => !kept.includes(path));
  const [stored, others] = [true, false].map((known) =>
    unsent.flatMap(({ path, isStored }) => (Boolean(isStored) === known ? [path] : [])),
  ) as [string[], string[]];
  return [
    ...(kept.length > 0 ? [`Stays as it is stored, because no other is given: ${list(kept)}.`] : []),
    ...(stored.length > 0
      ? [
          `Not sent, because it can't be read: ${list(stored)}, of which one was stored until now. Whether the platform keeps it shows in the answer: to be sure, give it again.`,
        ]
      : []),
    ...(others.length > 0
      ? [
          `Not sent, because what is stored can't be read: ${list(others)}. Where the platform doesn't keep it, it is lost: give it again.`,
        ]
      : []),
  ];
}

/** The losses of a replacement that aren't changes of members it declares. */
const losses = ({ lost, carried }: SentBack, carries: boolean): readonly string[] => {
  const gone = carries ? lost : [...lost, ...Object.keys(carried)];
  return gone.length > 0 ? [`Lost, because it can't be sent back: ${gone.join(', ')}.`] : [];
};

/** The line for a replacement that is already in effect. */
export const nothingWouldChange = 'Nothing would change: all of it is so already.';

/** The reads of a PUT's preview. */
export const replacementReads = (operation: AnyOperation): readonly ReadUse[] =>
  presentReads(operation).flatMap(({ operation: read, of }) =>
    readUses(
      `what is there now${of === undefined ? '' : ` of one of a service of kind ${of}`} is not known, so all of it has to be given`,
      read,
    ),
  );

/**
 * The preview of a PUT: its changes, and the members that it drops because they aren't given or can't be sent back.
 * @param requestFrom extracts the part to send back, in the shape of the request; given for partial updates, which
 *   merge it with the arguments.
 * @param called what members are called in place of their names, by the arguments.
 */
export const replacement = (
  operation: AnyOperation,
  requestFrom?: (present: JsonRecord) => SentBack,
  called: (args: JsonRecord) => Readonly<Record<string, string>> = () => ({}),
): Preview =>
  reading(replacementReads(operation), async (args, { reader, shownBy }) => {
    const present = await readPresent(operation, args, reader, shownBy);
    const [body, schema] = [pick(args, bodyMembers(operation)), bodySchema(operation)];
    if (!present) {
      const lost = leftOut(operation, args);
      return [
        notKnown('what it replaces'),
        ...(lost.length > 0 ? [`Lost or back to its default, because it is not given: ${lost.join(', ')}.`] : []),
      ];
    }
    // A partial update sends back the data read, so a member that is missing was removed by the caller.
    const reason = requestFrom ? '' : undefined;
    const found = requestFrom?.(present) ?? sentBack(operation, present);
    const lines = changes(found.declared, body, schema, { reason, called: called(args) });
    const isUnchanged = (path: string): boolean => isDeepStrictEqual(body[rootOf(path)], found.declared[rootOf(path)]);
    const kept = operation.keepsSecrets
      ? storedSecrets(body, schema, present)
      : found.kept.filter((path) => requestFrom !== undefined && isUnchanged(path));
    return [
      ...(lines.length > 0 ? lines : [nothingWouldChange]),
      ...losses(found, requestFrom !== undefined),
      ...secretLines(kept, missingSecrets(body, schema, present)),
    ];
  });
