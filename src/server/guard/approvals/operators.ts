import * as z from 'zod';
import { omit } from '../../json/index.ts';
import type { Target } from '../../context/index.ts';
import { conditionText, dependsOnLocation, hasPlace, holds, isWithin, type CallSituation } from '../policy/match.ts';
import { locatedRule, type Conditions, type Rules } from '../policy/rules.ts';
import { needsConfirmation } from '../risk/risk.ts';
import { hasSecret, isSecretHash } from './operator-secret.ts';
import { parseSettings, readSettings, type Unusable } from './settings-file.ts';

/** Somebody who may decide on waiting calls, from the operators file. */
export interface NamedOperator {
  readonly name: string;
  /** The hash of their secret; absent for an operator who decides in a chat only. */
  readonly secret?: string;
  /** The identities by which they call this server themselves. */
  readonly callers: readonly string[];
  /** Their user ids in the chat. */
  readonly chat: readonly string[];
  /** What they may decide: calls for which one of these holds. Undefined for all calls. */
  readonly may?: readonly Conditions[];
}

const list = () => z.array(z.string().min(1));

/** The schema of an operator's name. */
export const operatorName = () =>
  z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"');

const operatorSchema = () =>
  z
    .strictObject({
      name: operatorName(),
      secret: z
        .string()
        .refine(isSecretHash, {
          error: 'must be a hash from infra-mcp approve --operator-entry, never the secret itself',
        })
        .optional(),
      callers: list().optional(),
      chat: z
        .union([
          z
            .string()
            .min(1)
            .transform((id) => [id]),
          list().min(1),
        ])
        .default([]),
      may: z.array(locatedRule()).min(1).optional(),
    })
    .refine(({ secret, chat }) => secret !== undefined || chat.length > 0, {
      error: 'needs a secret, or a user id in chat',
    })
    .transform(({ callers, ...one }): NamedOperator => ({ ...one, callers: callers ?? [`key:${one.name}`] }));

const firstDuplicate = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index);

const fileSchema = () =>
  z.strictObject({ operators: z.array(operatorSchema()).min(1) }).superRefine(({ operators }, context) => {
    const twice =
      firstDuplicate(operators.map(({ name }) => name.toLowerCase())) ??
      firstDuplicate(operators.flatMap(({ secret }) => secret ?? [])) ??
      firstDuplicate(operators.flatMap(({ chat }) => chat));
    if (twice !== undefined) context.addIssue({ code: 'custom', message: `"${twice}" is there twice` });
  });

const unusableAt =
  (path: string): Unusable =>
  (why) =>
    new Error(`The operators can't be used: ${path}: ${why}`);

/**
 * Parses an operators file in YAML or JSON.
 * @param path the file's name in errors.
 * @throws Error with all faults. It repeats nothing that stands where a secret's hash belongs.
 */
export const parseOperators = async (path: string, text: string): Promise<readonly NamedOperator[]> =>
  (await parseSettings(text, fileSchema(), unusableAt(path))).operators;

/**
 * Reads an operators file. It is read whenever somebody decides, so that a change holds at once.
 * @throws Error if it can't be read, or that lists its faults.
 */
export const readOperators = async (path: string): Promise<readonly NamedOperator[]> =>
  parseOperators(path, await readSettings(path, unusableAt(path)));

/** Whether anybody can decide: there is an operators file, or the one operator has set a secret. */
export const hasOperators = async ({
  operator,
  operators,
}: {
  readonly operator: string;
  readonly operators?: string | undefined;
}): Promise<boolean> => operators !== undefined || hasSecret(operator);

/** What an operator may decide, as text: `what one of these holds for: tier is disruptive, project is shop`. */
export const mayText = ({ may }: NamedOperator): string =>
  may === undefined ? 'every call' : `calls for which one of these holds: ${may.map(conditionText).join('; ')}`;

/**
 * Whether an operator may decide on a call: on each part of it that needs agreement, and in each place that it changes.
 * In doubt they may not.
 */
export const mayDecide = ({ may }: NamedOperator, situations: readonly CallSituation[]): boolean =>
  may === undefined ||
  situations.every((one) =>
    may.some(
      (conditions) =>
        holds(needsConfirmation(one.risk) ? conditions : omit(conditions, ['tier']), one, 'tool') === 'yes',
    ),
  );

/**
 * Where an operator looks: rules about places, of which one has to hold. Undefined for one who may decide something
 * everywhere.
 */
function placesOf({ may }: NamedOperator): readonly Conditions[] | undefined {
  const places = may?.map((conditions): Conditions => omit(conditions, ['tier']));
  return places?.every(dependsOnLocation) ? places : undefined;
}

/** These places as text: `what one of these holds for: project is shop`. Undefined for everywhere. */
export function placesText(operator: NamedOperator): string | undefined {
  const places = placesOf(operator);
  return places && `what one of these holds for: ${places.map(conditionText).join('; ')}`;
}

/** Whether a target, with everything that is touched with it, is where an operator looks. In doubt it isn't. */
export function seesTarget(operator: NamedOperator, target: Target | undefined): boolean {
  const places = placesOf(operator);
  return places === undefined || (target !== undefined && hasPlace(target) && isWithin(places, target));
}

/**
 * The rules under which an operator reads: nothing but reads, and only where they look.
 * @param operator undefined for the one without a name, who looks everywhere.
 */
export function readingRules(operator?: NamedOperator): Rules {
  const setBy = operator ? `what the operator ${operator.name} may` : 'the console';
  const places = operator && placesOf(operator);
  return { readOnly: setBy, deny: [], freezes: [], ...(places && { onlyIn: { rules: places, setBy } }) };
}
