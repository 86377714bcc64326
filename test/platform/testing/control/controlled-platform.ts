import { request } from 'undici';
import type { PlatformOptions } from '../../../../src/platform/index.ts';
import { type Json, type TestPlatform, startTestPlatform } from '../../../support/test-platform.ts';

interface ControlResponse {
  readonly status: number;
  readonly body: Json;
}

/** A platform that is controlled, beside what is sent to its API. */
export interface ControlledPlatform extends TestPlatform {
  /** Sends a control request. @param authorization in place of the control token; null for none */
  sendControl(method: string, path: string, body?: unknown, authorization?: string | null): Promise<ControlResponse>;
  /** The same, for what must be accepted; gives the body. */
  mustControl(method: string, path: string, body?: unknown): Promise<Json>;
}

/** When time stands still in these tests at first. */
export const startTime = '2026-03-01T12:00:00.000Z';

export function controlled(platform: TestPlatform): ControlledPlatform {
  const { url, token } = platform.control!;
  const ask: ControlledPlatform['sendControl'] = async (method, path, body, authorization = `Bearer ${token}`) => {
    const answer = await request(`${url}${path}`, {
      method,
      headers: {
        ...(authorization !== null && { authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: (text === '' ? undefined : JSON.parse(text)) as Json };
  };
  return {
    ...platform,
    sendControl: ask,
    mustControl: async (method, path, body) => {
      const answer = await ask(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path} was refused: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}

/** Starts a platform that is controlled, where time stands still; durations are as in life. */
export const startControlledPlatform = async (options: Partial<PlatformOptions> = {}): Promise<ControlledPlatform> =>
  controlled(await startTestPlatform({ control: true, steppedTime: Date.parse(startTime), timeScale: 1, ...options }));

/** A platform that is controlled, in real time and without any durations. */
export const startInstantPlatform = (options: Partial<PlatformOptions> = {}): Promise<ControlledPlatform> =>
  startControlledPlatform({ steppedTime: undefined, timeScale: 0, ...options });
