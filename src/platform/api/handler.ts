import type { PlatformClock, PlatformLog, Random } from '../common/index.ts';
import type { OperationName, OperationNamed, ResponseOf, ValidInputOf } from '../../contract/index.ts';
import type { Principal } from './auth.ts';
import type { Engine } from '../engine/index.ts';
import type { Db, DataStore, Vault } from '../store/index.ts';

/** The dependencies of every handler. */
export interface HandlerDependencies {
  readonly engine: Engine;
  readonly vault: Vault;
  readonly clock: PlatformClock;
  readonly random: Random;
  readonly log: PlatformLog;
}

/** The context of one request. */
export interface RequestContext extends HandlerDependencies {
  /**
   * The request's own transaction: committed when the handler returns, rolled back when it throws. Read-only for
   * operations that read.
   */
  readonly db: Db;
  readonly principal: Principal;
}

/** The context of a handler that starts its own transactions. */
export interface NonTransactionalContext extends HandlerDependencies {
  readonly db: DataStore;
  readonly principal: Principal;
}

type HandlerFunction<Name extends OperationName, Context> = (
  input: ValidInputOf<OperationNamed<Name>>,
  context: Context,
) => Promise<ResponseOf<OperationNamed<Name>>>;

/**
 * Carries out one operation with its validated input. The server removes members from the response that the contract
 * doesn't declare.
 * @throws ApiProblem to refuse the request
 */
export type OperationHandler<Name extends OperationName> = HandlerFunction<Name, RequestContext>;

/** A handler that calls something outside the database, between its own transactions and never within one. */
export interface NonTransactionalHandler<Name extends OperationName> {
  readonly withoutTransaction: HandlerFunction<Name, NonTransactionalContext>;
}

/** A handler that queries something outside the database first, and passes the result to its transaction. */
export interface PreparedHandler<Name extends OperationName> {
  readonly prepare: (input: ValidInputOf<OperationNamed<Name>>, context: NonTransactionalContext) => Promise<unknown>;
  readonly handle: (
    input: ValidInputOf<OperationNamed<Name>>,
    context: RequestContext,
    // oxlint-disable-next-line typescript/no-explicit-any -- whatever `prepare` returns.
    prepared: any,
  ) => Promise<ResponseOf<OperationNamed<Name>>>;
}

/** The handlers of some operations, by name. */
export type OperationHandlers<Names extends OperationName> = {
  readonly [Name in Names]: OperationHandler<Name> | NonTransactionalHandler<Name> | PreparedHandler<Name>;
};
