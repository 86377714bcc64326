import type { AnyOperation } from '../../../contract/operation.ts';
import { present } from '../../present.ts';
import { argumentSchema } from '../../schema.ts';
import { pick } from '../../values.ts';
import { changes, declaredIn } from './changes.ts';
import { unread, type Preview } from './preview.ts';
import type { JsonRecord } from '../../values.ts';

/** What a PUT changes and what it drops without saying so. */
export const replacement =
  (operation: AnyOperation): Preview =>
  async (args, { read }) => {
    const found = await present(operation, args, read);
    if (!found) return [unread('what it replaces, and what is lost with it')];
    const body = Object.keys((operation.body?.shape as object | undefined) ?? {});
    const whole = argumentSchema(operation);
    const schema = { properties: pick(whole.properties ?? {}, body) as NonNullable<typeof whole.properties> };
    const lines = changes(declaredIn(found, schema) as JsonRecord, pick(args, body), schema);
    return lines.length > 0 ? lines : ['Nothing would change: all of it is so already.'];
  };
