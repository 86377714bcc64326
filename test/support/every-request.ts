import { allOperations, type OperationName } from '../../src/contract/index.ts';
import { validRequests } from '../platform/api/valid-requests.ts';
import type { TestPlatform } from './test-platform.ts';

/** A statement that was sent to the database, with its parameters. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Whether the cost of an operation may grow with what there is, because its answer or what it changes does. */
const growsByItself = (name: OperationName): boolean => {
  const op = allOperations.find((one) => one.name === name)!;
  return (
    op.reachesEnvironments === true ||
    [
      'clone_environment',
      'list_services_of_organization',
      'list_environments_of_organization',
      'list_environment_statuses',
      'list_environment_overviews',
    ].includes(name)
  );
};

/** What is sent while the platform starts, and reads all old records once; and for what grows by itself. */
const uncounted = 'uncounted';

/** What looks at more: once an hour at all deployments and events. */
const exceptions = [/row_number\(\)/, /^select "seq" from "audit_event"/];

/**
 * How often each statement is kept: with the parameters of one request it may find much, and with those of another
 * nothing.
 */
const mostOfEach = 8;

/** What a platform sends to its database. */
export interface Recording {
  /** To be called with each statement. */
  readonly add: (statement: SentStatement) => void;
  /** Sends a valid request for every operation, deletions last. @throws Error if one fails */
  readonly sendAll: (platform: TestPlatform) => Promise<void>;
  /** The statements whose cost must not grow with what there is. */
  readonly statements: () => readonly SentStatement[];
}

/** What is locked is unlocked again before anything else; what is deleted, is deleted last. */
const order = (name: string): number =>
  name.startsWith('delete_') ? 2 : name === 'unlock_cluster' || name === 'lock_cluster' ? 0 : 1;

/** Begins a recording. Until requests are sent, nothing counts. */
export function recordStatements(): Recording {
  const sent = new Map<string, SentStatement[]>();
  let by: string = uncounted;
  return {
    add: (statement) => {
      if (by === uncounted || exceptions.some((one) => one.test(statement.text))) return;
      const known = sent.get(statement.text) ?? [];
      if (known.length < mostOfEach) sent.set(statement.text, [...known, statement]);
    },
    sendAll: async (platform) => {
      const requests = validRequests({ ...platform.seed, organization_id: platform.organizationId }, 'sent');
      const names = allOperations
        .map(({ name }) => name as OperationName)
        .toSorted((one, other) => order(one) - order(other));
      const sorted = [
        ...names.filter((name) => name === 'lock_cluster'),
        ...names.filter((name) => name !== 'lock_cluster'),
      ];
      for (const name of sorted) {
        by = growsByItself(name) ? uncounted : name;
        const { status, text } = await platform.call(name, requests[name]);
        if (status >= 500) throw new Error(`${name} was answered ${status}: ${text}`);
      }
    },
    statements: () => [...sent.values()].flat(),
  };
}
