import { request } from 'undici';
import type { PlatformOptions } from '../../../src/platform/platform.ts';
import { type Json, type Lab, startLab } from '../lab.ts';

interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** A platform that is controlled, beside what is sent to its API. */
export interface ControlledLab extends Lab {
  /** Sends a control request. @param authorization in place of the control token; null for none */
  ask(method: string, path: string, body?: unknown, authorization?: string | null): Promise<Answer>;
  /** The same, for what must be accepted; gives the body. */
  tell(method: string, path: string, body?: unknown): Promise<Json>;
}

/** When time stands still in these tests at first. */
export const start = '2026-03-01T12:00:00.000Z';

export function controlled(lab: Lab): ControlledLab {
  const { url, token } = lab.control!;
  const ask: ControlledLab['ask'] = async (method, path, body, authorization = `Bearer ${token}`) => {
    const answer = await request(`${url}${path}`, {
      method,
      headers: { ...(authorization !== null && { authorization }), ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: (text === '' ? undefined : JSON.parse(text)) as Json };
  };
  return {
    ...lab,
    ask,
    tell: async (method, path, body) => {
      const answer = await ask(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path} was refused: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}

/** Starts a platform that is controlled, where time stands still; durations are as in life. */
export const startControlled = async (options: Partial<PlatformOptions> = {}): Promise<ControlledLab> =>
  controlled(await startLab({ control: true, steppedTime: Date.parse(start), timeScale: 1, ...options }));

/** A platform that is controlled, in real time and without any durations. */
export const startInstant = (options: Partial<PlatformOptions> = {}): Promise<ControlledLab> =>
  startControlled({ steppedTime: undefined, timeScale: 0, ...options });
