import * as z from 'zod';

/** A condition as it is sent and stored. Its reader validates the data by the reason. */
export const ConditionShape = z.object({
  reason: z.string(),
  message: z.string(),
  since: z.string().optional(),
  node: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type AnyCondition = z.output<typeof ConditionShape>;

/** The data of a condition with one reason, and the only place that defines its sentence. */
interface ReasonDefinition<Shape extends z.core.$ZodShape> {
  readonly data: z.ZodObject<Shape>;
  readonly sentence: (data: z.output<z.ZodObject<Shape>>) => string;
}

/**
 * Defines a reason.
 * @param shape the data. `since`, an ISO time, and `node`, a name, become members of the condition itself; the rest its
 *   details. A member `cause` is another condition, and `said` the message of another program.
 */
export const reasonWith = <Shape extends z.core.$ZodShape>(
  shape: Shape,
  sentence: ReasonDefinition<Shape>['sentence'],
): ReasonDefinition<Shape> => ({ data: z.object(shape), sentence });

/** Defines a reason that needs no data. */
export const plainReason = (sentence: string): ReasonDefinition<Record<never, never>> => reasonWith({}, () => sentence);

export const words = z.string();
export const texts = z.array(z.string());
export const count = z.number();

const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Names as a list in a sentence: one, two and three. */
export const listText = (names: readonly string[]): string => list.format(names);

/** ` on the node <name>`; empty if no node is named. */
export const onNode = (node: string | undefined): string => (node === undefined ? '' : ` on the node ${node}`);

/** A noun at the start of a sentence. */
export const asSubject = (noun: string): string => `${noun[0]!.toUpperCase()}${noun.slice(1)}`;

/** A number of bytes in a sentence. */
export const bytesText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.round(bytes / (1024 * 1024))} MB`;
