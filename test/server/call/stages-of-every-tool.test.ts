import { expect, test } from 'vitest';
import { readFailures } from '../../../scripts/docs/life-of-a-call.ts';
import type { Call } from '../../../src/server/call/call.ts';
import { stages } from '../../../src/server/call/index.ts';
import { CallFailure } from '../../../src/server/failure/index.ts';
import type { EndedCall } from '../../../src/server/output/index.ts';
import { tools } from '../../../tools/index.ts';
import { policyFrom } from '../../support/guard-fixture.ts';
import { callsOnPlatform, type Circumstances, fail, runStage } from './calls-on-platform.ts';

const callOf = callsOnPlatform();

const aborted = AbortSignal.abort();

/** Circumstances under which calls end in many places. */
const troubles: Readonly<Record<string, Circumstances>> = {
  'read-only': { policy: () => ({ readOnly: true }) },
  'kept to another environment': {
    policy: () => ({ readOnly: false, scope: { environment: { name: 'shop/production', setBy: 'the test' } } }),
  },
  'with rules about places': { policy: () => policyFrom('deny: [{ environment: shop/staging }, { mode: unknown }]') },
  'without a platform': { dependencies: { connect: fail } },
  'where the platform lacks everything': { context: { lacks: () => true } },
  'where nobody can be asked': { context: { dialogue: { canAsk: false } } },
  'where nothing can be recorded': {
    dependencies: {
      recorder: { intent: fail, outcome: async () => undefined },
      confirmer: { confirm: async () => ({ kind: 'approved', how: 'elicited' }) },
    },
  },
  'after the caller gave up': {
    context: { signal: aborted },
    dependencies: { confirmer: { confirm: async () => ({ kind: 'approved', how: 'elicited' }) } },
  },
};

test.each(Object.entries(troubles))('no stage ends a call otherwise, %s', async (_, circumstances) => {
  const undeclared: string[] = [];
  for (const { name: tool } of tools) {
    // One call at a time: each gets the whole platform.
    let call: Call | undefined = await callOf(tool, { ...circumstances, args: { dry_run: undefined } });
    for (const stage of stages.list) {
      const result: Call | EndedCall | Error = await runStage(stage, call).catch((error: Error) => error);
      const kind = result instanceof CallFailure ? result.failure.kind : undefined;
      const declared: readonly string[] = [...stage.refuses, ...(stage.reads ? readFailures : [])];
      if (kind !== undefined && !declared.includes(kind)) undeclared.push(`${stage.name}: ${kind} (${tool})`);
      if (result instanceof Error || 'reply' in result) break;
      call = result;
    }
  }
  expect(undeclared).toEqual([]);
});
