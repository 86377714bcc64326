import type { PlatformLog } from '../log.ts';
import type { ResponseOf, ValidInputOf } from '../../contract/operation.ts';
import type { OperationName, OperationNamed } from '../../contract/operations.ts';
import type { Principal } from './auth.ts';
import type { PlatformClock } from '../clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Random } from '../random.ts';
import type { Db, DataStore } from '../store/database.ts';
import type { Vault } from '../store/vault.ts';

/** What every handler works with, beside the request. */
export interface HandlerDependencies {
  readonly engine: Engine;
  readonly vault: Vault;
  readonly clock: PlatformClock;
  readonly random: Random;
  readonly log: PlatformLog;
}

/** One request as a handler sees it. */
export interface RequestContext extends HandlerDependencies {
  /** The request's own transaction: committed when the handler returns, undone when it throws. Operations that read can't write in it. */
  readonly db: Db;
  readonly principal: Principal;
}

/** The same for a handler that begins its transactions itself. */
export interface NonTransactionalContext extends HandlerDependencies {
  readonly db: DataStore;
  readonly principal: Principal;
}

type HandlerFunction<Name extends OperationName, Context> = (input: ValidInputOf<OperationNamed<Name>>, context: Context) => Promise<ResponseOf<OperationNamed<Name>>>;

/**
 * Carries out one operation with its validated input. The answer is filtered by the contract before it leaves.
 * @throws ApiProblem for a refusal
 */
export type OperationHandler<Name extends OperationName> = HandlerFunction<Name, RequestContext>;

/** The same for an operation that asks something outside the database: it does so between its own transactions, never within one. */
export interface NonTransactionalHandler<Name extends OperationName> {
  readonly withoutTransaction: HandlerFunction<Name, NonTransactionalContext>;
}

/** Handlers of some operations, by their names. */
export type OperationHandlers<Names extends OperationName> = { readonly [Name in Names]: OperationHandler<Name> | NonTransactionalHandler<Name> };
