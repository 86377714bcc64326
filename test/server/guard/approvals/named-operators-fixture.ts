import { join } from 'node:path';
import { operations } from '../../../../src/contract/index.ts';
import type { Target } from '../../../../src/server/context/index.ts';
import type { CallSituation } from '../../../../src/server/guard/policy/match.ts';
import { tools } from '../../../../tools/index.ts';
import { type Entry, secretOf, writeOperators } from '../../../support/operators-file.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';
import { createTestStore } from '../storage/test-stores.ts';
import { approvalRequest, approvalsIn } from './approvals-fixture.ts';

/** What stops an environment, which is shop/prod where nothing else is said. */
export const stopping = (target: Partial<Target> = {}): CallSituation => ({
  tool: tools.find(({ name }) => name === 'stop_environment')!,
  operation: operations.stop_environment,
  risk: 'destructive',
  target: {
    kind: 'environment',
    id: 'e-1',
    name: 'prod',
    environment: { id: 'e-1', name: 'prod' },
    project: { id: 'p-1', name: 'shop' },
    mode: 'PRODUCTION',
    ...target,
  },
});

/** A request to stop shop/prod, in whose place a test may put another. */
export const namedRequest = (more: Parameters<typeof approvalRequest>[0] = {}) =>
  approvalRequest({ situations: [stopping()], ...more });

/** Approvals whose operators have names, in a store of the suite. */
export async function openNamedApprovals(operators: Readonly<Record<string, Entry>>, { acceptsChat = false } = {}) {
  const [folder, testStore] = [await temporaryFolder(), await createTestStore()];
  const path = join(folder.path, 'operators.json');
  await writeOperators(path, operators);
  const fixture = approvalsIn(folder.path, { store: testStore.open(), operators: path, acceptsChat });
  return {
    ...fixture,
    folder,
    testStore,
    path,
    /** Another process on the same store. */
    elsewhere: (more: Parameters<typeof approvalsIn>[1] = { operators: path }) =>
      approvalsIn(folder.path, { store: testStore.open(), ...more }),
    /** Decides as this operator. */
    as: (name: string, code: string, verdict: 'approved' | 'refused', now: number, secret = secretOf(name)) =>
      fixture.decide(code, verdict, secret, now, undefined, name),
    [Symbol.asyncDispose]: async () => {
      await testStore[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
