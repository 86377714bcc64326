import type { AnyOperation } from '../../../contract/index.ts';
import { presentRead, readPresent } from '../present-state.ts';
import { reading, readUses, type ReadUse } from '../reads.ts';
import { argumentSchema } from '../schema.ts';
import { changes, declaredIn } from './changes.ts';
import { notKnown, type Preview } from './preview.ts';
import { pick, type JsonRecord } from '../../json/index.ts';

const bodyMembers = ({ body }: AnyOperation): string[] => Object.keys((body?.shape as object | undefined) ?? {});

/** Body members that a replacement leaves out. They are lost or go back to their defaults. */
export const leftOut = (operation: AnyOperation, args: JsonRecord): string[] => bodyMembers(operation).filter((name) => args[name] === undefined);

/** What the preview of a PUT reads. */
export const replacementReads = (operation: AnyOperation): readonly ReadUse[] => {
  const present = presentRead(operation);
  return present ? readUses('what is there now is not known, so all of it has to be given', present) : [];
};

/**
 * The preview of a PUT: what it changes, and what it drops because it isn't given.
 * @param asRequest converts what was read to the shape of the request; given for partial updates, which merge it with
 * the arguments.
 */
export const replacement = (operation: AnyOperation, asRequest?: (present: JsonRecord) => JsonRecord): Preview =>
  reading(replacementReads(operation), async (args, { reader }) => {
    const present = await readPresent(operation, args, reader);
    if (!present) {
      const lost = leftOut(operation, args);
      return [notKnown('what it replaces'), ...(lost.length > 0 ? [`Lost or back to its default, because it is not given: ${lost.join(', ')}.`] : [])];
    }
    const body = bodyMembers(operation);
    const whole = argumentSchema(operation);
    const schema = { properties: pick(whole.properties ?? {}, body) as NonNullable<typeof whole.properties> };
    // A partial update sends back what was read, so a member that is missing was removed by the caller.
    const reason = asRequest ? '' : undefined;
    const lines = changes(declaredIn(asRequest?.(present) ?? present, schema) as JsonRecord, pick(args, body), schema, { reason });
    return lines.length > 0 ? lines : ['Nothing would change: all of it is so already.'];
  });
