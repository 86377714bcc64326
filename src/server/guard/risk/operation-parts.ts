import { operations, type AnyOperation, type ServiceKind } from '../../../contract/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import {
  bringsCode,
  secretsSeenIn,
  servicesIn,
  showsProductionSecrets,
  textIn,
  type Reader,
  type Target,
} from '../../context/index.ts';
import type { PlannedOperation } from '../../tool/index.ts';
import { countNamed, resourcesNamed } from './find-target.ts';
import { higherRisk, needsConfirmation, riskOf, type Risk } from './risk.ts';

/** An operation that is executed as part of another one, with its own target. */
export interface OperationPart {
  readonly operation: AnyOperation;
  readonly target: Target;
  readonly risk: Risk;
  /** The part's own input, as far as the input of the whole operation specifies it. */
  readonly input: JsonRecord;
  /** Whether it is uncertain that it is executed, because the services could not be read. */
  readonly isAssumed?: boolean;
}

/** The risk of an operation on a target, and its parts. */
export interface OperationRisk {
  /** The highest risk of the operation and its parts. */
  readonly risk: Risk;
  /** Empty if it consists of no other operations. */
  readonly parts: readonly OperationPart[];
  /**
   * The number of its high-risk changes. Each service of an unknown kind counts as one; if the services can't be read,
   * all of them count as one.
   */
  readonly highRisk: number;
}

const all = operations as Readonly<Record<string, AnyOperation>>;

const kindOf = (service: JsonRecord, parts: Readonly<Record<string, string>>): ServiceKind | undefined => {
  const kind = textIn(service, 'service_type')?.toLowerCase();
  return kind !== undefined && Object.hasOwn(parts, kind) ? (kind as ServiceKind) : undefined;
};

/**
 * The number of changes of an operation without parts: one for each resource that it names or each service that it
 * applies to, and one if that isn't known.
 */
async function countChanges(
  operation: AnyOperation,
  input: JsonRecord,
  target: Target,
  reader: Reader,
): Promise<number> {
  const services = operation.onEachService ? ((await servicesIn(target.id, reader))?.length ?? 0) : 0;
  return Math.max(1, services, countNamed(operation, input));
}

/**
 * The risk of an operation by itself. A new service outside production runs code that nobody may have looked at. If it
 * sees secrets that production sees too, the operation is at least disruptive.
 */
async function ownRiskOf({ operation, showsAll }: PlannedOperation, target: Target, reader: Reader): Promise<Risk> {
  const own = riskOf(operation, target, showsAll);
  if (needsConfirmation(own) || !bringsCode(operation) || target.id === undefined) return own;
  const found = await secretsSeenIn(target.id, target.project?.id, reader);
  return showsProductionSecrets(found) ? higherRisk(own, 'disruptive') : own;
}

/** Whether members of an operation name the services to which it applies. */
const namesItsParts = ({ roles }: AnyOperation): boolean =>
  Object.values(roles).some((role) => typeof role === 'object' && 'within' in role);

/**
 * Finds the parts of an operation: one for each service that it names or, if it can't name any, for each in its target
 * environment. Each part has the risk of its own operation on its own target. A service that can't be read may be any
 * of the parts, and counts as disruptive at least.
 * @throws ApiError if the platform fails.
 */
export async function operationRiskOf(
  planned: PlannedOperation,
  target: Target,
  reader: Reader,
): Promise<OperationRisk> {
  const { operation, input } = planned;
  const own = await ownRiskOf(planned, target, reader);
  const { carriesOut } = operation;
  if (!carriesOut)
    return {
      risk: own,
      parts: [],
      highRisk: needsConfirmation(own) ? await countChanges(operation, input, target, reader) : 0,
    };
  const partFor = (
    kind: ServiceKind,
    service: Pick<Target, 'id' | 'name'>,
    details: JsonRecord = {},
  ): OperationPart => {
    const part = all[carriesOut[kind]]!;
    const partTarget: Target = { ...target, ...service, kind };
    return {
      operation: part,
      target: partTarget,
      risk: riskOf(part, partTarget),
      input: { ...details, [`${kind}_id`]: service.id },
    };
  };
  if (namesItsParts(operation)) {
    const rows = await servicesIn(target.id, reader);
    const parts = resourcesNamed(operation, input).map(({ kind, id, details }) =>
      partFor(
        kind as ServiceKind,
        {
          id,
          name: textIn(
            rows?.find((row) => row['id'] === id),
            'name',
          ),
        },
        details,
      ),
    );
    const risk = parts.reduce((highest, part) => higherRisk(highest, part.risk), own);
    const grave = needsConfirmation(own) ? parts.length : parts.filter((part) => needsConfirmation(part.risk)).length;
    return { risk, parts, highRisk: Math.max(grave, needsConfirmation(risk) ? 1 : 0) };
  }
  const services = await servicesIn(target.id, reader);
  const kinds = (services ?? []).map((service) => kindOf(service, carriesOut));
  const knownParts = (services ?? []).flatMap((service, index) =>
    kinds[index] ? [partFor(kinds[index], { id: textIn(service, 'id'), name: textIn(service, 'name') })] : [],
  );
  const unknownCount = services ? kinds.filter((kind) => kind === undefined).length : 1;
  const assumedParts =
    unknownCount === 0
      ? []
      : (Object.keys(carriesOut) as ServiceKind[]).map((kind) => {
          const part = partFor(kind, { id: undefined, name: undefined });
          return { ...part, risk: higherRisk(part.risk, 'disruptive'), isAssumed: true };
        });
  const risk = [...knownParts, ...assumedParts].reduce((highest, part) => higherRisk(highest, part.risk), own);
  const highRisk = knownParts.filter((part) => needsConfirmation(part.risk)).length + unknownCount;
  return {
    risk,
    parts: [...knownParts, ...assumedParts],
    highRisk: Math.max(highRisk, needsConfirmation(risk) ? 1 : 0),
  };
}
