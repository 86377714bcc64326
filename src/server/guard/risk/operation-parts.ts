import type { AnyOperation } from '../../../contract/operation.ts';
import { operations } from '../../../contract/operations.ts';
import type { ServiceKind } from '../../../contract/resources/service.ts';
import type { JsonRecord } from '../../json/values.ts';
import type { Reader } from '../../context/reader.ts';
import { servicesIn, textIn } from '../../context/reads.ts';
import { countNamed } from './find-target.ts';
import type { Target } from '../../context/target.ts';
import { higherRisk, needsConfirmation, riskOf, type Risk } from './risk.ts';

/** An operation that another one carries out, on its own target. */
export interface OperationPart {
  readonly operation: AnyOperation;
  readonly target: Target;
  readonly risk: Risk;
  /** Whether it could not be seen that it is carried out: then it may be. */
  readonly isAssumed?: boolean;
}

/** What an operation on a target comes to. */
export interface OperationRisk {
  /** The gravest of it and what it carries out. */
  readonly risk: Risk;
  /** Empty where it carries out nothing but itself. */
  readonly parts: readonly OperationPart[];
  /** How many high-risk changes it makes; services that could not be seen count as one, or as many as there are. */
  readonly highRisk: number;
}

const all = operations as Readonly<Record<string, AnyOperation>>;

const kindOf = (service: JsonRecord, parts: Readonly<Record<string, string>>): ServiceKind | undefined => {
  const kind = textIn(service, 'service_type')?.toLowerCase();
  return kind !== undefined && Object.hasOwn(parts, kind) ? (kind as ServiceKind) : undefined;
};

/** How many changes an operation makes at once that carries out no others: one for each service that it names, or does the same to; one where that isn't known. */
async function countChanges(operation: AnyOperation, input: JsonRecord, target: Target, reader: Reader): Promise<number> {
  const services = operation.onEachService ? ((await servicesIn(target.id, reader))?.length ?? 0) : 0;
  return Math.max(1, services, countNamed(operation, input));
}

/**
 * What an operation carries out, from the services that there are: each part is judged as its own operation on its own
 * target. What can't be seen may be any of its parts, and counts as disruptive at least.
 * @throws ApiError when the platform fails.
 */
export async function operationRiskOf(operation: AnyOperation, input: JsonRecord, target: Target, reader: Reader): Promise<OperationRisk> {
  const own = riskOf(operation, target);
  const { carriesOut } = operation;
  if (!carriesOut) return { risk: own, parts: [], highRisk: needsConfirmation(own) ? await countChanges(operation, input, target, reader) : 0 };
  const partAt = (kind: ServiceKind, service: Pick<Target, 'id' | 'name'>): OperationPart => {
    const part = all[carriesOut[kind]]!;
    const at: Target = { ...target, ...service, kind };
    return { operation: part, target: at, risk: riskOf(part, at) };
  };
  const services = await servicesIn(target.id, reader);
  const kinds = (services ?? []).map((service) => kindOf(service, carriesOut));
  const seen = (services ?? []).flatMap((service, index) => (kinds[index] ? [partAt(kinds[index], { id: textIn(service, 'id'), name: textIn(service, 'name') })] : []));
  const unseen = services ? kinds.filter((kind) => kind === undefined).length : 1;
  const guesses = unseen === 0 ? [] : (Object.keys(carriesOut) as ServiceKind[]).map((kind) => {
    const part = partAt(kind, { id: undefined, name: undefined });
    return { ...part, risk: higherRisk(part.risk, 'disruptive'), isAssumed: true };
  });
  const tier = [...seen, ...guesses].reduce((highest, part) => higherRisk(highest, part.risk), own);
  const highRisk = seen.filter((part) => needsConfirmation(part.risk)).length + unseen;
  return { risk: tier, parts: [...seen, ...guesses], highRisk: Math.max(highRisk, needsConfirmation(tier) ? 1 : 0) };
}
