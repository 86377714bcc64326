import type { AnyOperation } from '../../../contract/index.ts';
import { presentReads, readPresent } from '../present-state.ts';
import { reading, readUses, type ReadUse } from '../reads.ts';
import { bodySchema, missingSecrets, sentBack, type SentBack } from '../send-back.ts';
import { changes } from './changes.ts';
import { notKnown, type Preview } from './preview.ts';
import { pick, type JsonRecord } from '../../json/index.ts';

const bodyMembers = ({ body }: AnyOperation): string[] => Object.keys((body?.shape as object | undefined) ?? {});

/** Body members that a replacement leaves out. They are lost or reset to their defaults. */
export const leftOut = (operation: AnyOperation, args: JsonRecord): string[] =>
  bodyMembers(operation).filter((name) => args[name] === undefined);

/** The losses of a replacement that aren't changes of members it declares. */
const losses = ({ lost, carried }: SentBack, carries: boolean, secrets: readonly string[]): readonly string[] => {
  const gone = carries ? lost : [...lost, ...Object.keys(carried)];
  return [
    ...(gone.length > 0 ? [`Lost, because it can't be sent back: ${gone.join(', ')}.`] : []),
    ...(secrets.length > 0
      ? [
          `Not sent, because what is stored can't be read: ${secrets.join(', ')}. Where the platform doesn't keep it, it is lost: give it again.`,
        ]
      : []),
  ];
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
 */
export const replacement = (operation: AnyOperation, requestFrom?: (present: JsonRecord) => SentBack): Preview =>
  reading(replacementReads(operation), async (args, { reader, shownBy }) => {
    const present = await readPresent(operation, args, reader, shownBy);
    const [body, schema] = [pick(args, bodyMembers(operation)), bodySchema(operation)];
    const secrets = missingSecrets(body, schema, present);
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
    const lines = changes(found.declared, body, schema, { reason });
    return [...(lines.length > 0 ? lines : [nothingWouldChange]), ...losses(found, requestFrom !== undefined, secrets)];
  });
