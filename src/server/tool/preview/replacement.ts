import type { AnyOperation } from '../../../contract/operation.ts';
import { readPresent } from '../present-state.ts';
import { argumentSchema } from '../schema.ts';
import { changes, declaredIn } from './changes.ts';
import { notKnown, type Preview } from './preview.ts';
import { pick, type JsonRecord } from '../../json/values.ts';

const bodyMembers = ({ body }: AnyOperation): string[] => Object.keys((body?.shape as object | undefined) ?? {});

/** The members of a replacement's body that a call leaves out: whatever they are now, they are lost or go back to their default. */
export const leftOut = (operation: AnyOperation, args: JsonRecord): string[] => bodyMembers(operation).filter((name) => args[name] === undefined);

/**
 * What a PUT changes and what it drops without saying so.
 * @param asRequest what was read, in the request's own shape; given where it is merged with what the caller gives.
 */
export const replacement =
  (operation: AnyOperation, asRequest?: (found: JsonRecord) => JsonRecord): Preview =>
  async (args, { reader }) => {
    const found = await readPresent(operation, args, reader);
    if (!found) {
      const lost = leftOut(operation, args);
      return [notKnown('what it replaces'), ...(lost.length > 0 ? [`Lost or back to its default, because it is not given: ${lost.join(', ')}.`] : [])];
    }
    const body = bodyMembers(operation);
    const whole = argumentSchema(operation);
    const schema = { properties: pick(whole.properties ?? {}, body) as NonNullable<typeof whole.properties> };
    // What was read is sent back: what isn't there any more was taken out by the caller.
    const reason = asRequest ? '' : undefined;
    const lines = changes(declaredIn(asRequest?.(found) ?? found, schema) as JsonRecord, pick(args, body), schema, { reason });
    return lines.length > 0 ? lines : ['Nothing would change: all of it is so already.'];
  };
