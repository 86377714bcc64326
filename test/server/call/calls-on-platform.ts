import { afterAll, beforeAll } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { credentialOf } from '../../../src/client/index.ts';
import type { Call, CallDependencies } from '../../../src/server/call/call.ts';
import { newCall } from '../../../src/server/call/run-call.ts';
import type { AnyStage } from '../../../src/server/call/index.ts';
import type { Policy } from '../../../src/server/guard/index.ts';
import type { EndedCall } from '../../../src/server/output/index.ts';
import { createDependencies } from '../../../src/server/protocol/index.ts';
import { tools } from '../../../tools/index.ts';
import { contextWith, memoryLog } from '../../support/call-context.ts';
import { memoryHandover } from '../../support/memory-handover.ts';
import { startTestPlatform } from '../../support/test-platform.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';

/** Throws, in place of something that a call needs. */
export const fail = (): never => {
  throw new Error('as the test wants it');
};

/** What differs from an ordinary call of a tool with arguments that fit. */
export interface Circumstances {
  /** Default: the arguments that fit the tool. */
  readonly args?: Record<string, unknown>;
  readonly policy?: () => Promise<Policy> | Policy;
  readonly dependencies?: Partial<CallDependencies>;
  readonly context?: Parameters<typeof contextWith>[0];
  /** Done once the stages before have passed. */
  readonly meanwhile?: (call: Call) => void;
}

/** What a stage does with a call. */
export const runStage = (stage: AnyStage, call: Call): Promise<Call | EndedCall> => stage.run(call as never);

/**
 * Starts a platform before all tests of a file, and closes it after them.
 * @returns what makes a call of a tool on it, as the first stage gets it.
 */
export function callsOnPlatform(): (name: string, circumstances: Circumstances) => Promise<Call> {
  let platform: Awaited<ReturnType<typeof startTestPlatform>>;
  let client: ReturnType<typeof createClient>;
  let argumentsOf: ReturnType<typeof toolCallsOn>;
  beforeAll(async () => {
    platform = await startTestPlatform();
    client = createClient({ baseUrl: platform.url, credential: credentialOf(platform.token) });
    argumentsOf = toolCallsOn(platform);
  });
  afterAll(async () => {
    await client.close();
    await platform.close();
  });
  return async (name, { args = {}, policy = () => ({ readOnly: false }), dependencies, context }) => {
    const shared = createDependencies({
      tools,
      policy: await policy(),
      connect: async () => ({ client }),
      secrets: () => [platform.token],
      version: '0',
      log: memoryLog(),
      clock: { now: Date.now },
      handover: memoryHandover(),
    });
    const tool = tools.find((one) => one.name === name)!;
    return newCall(
      tool,
      { ...argumentsOf[name]?.(), ...args },
      contextWith(context),
      { ...shared, ...dependencies },
      { note: () => undefined },
    );
  };
}
