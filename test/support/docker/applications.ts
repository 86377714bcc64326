import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Condition } from '../../../src/contract/index.ts';
import { conditionsIn } from '../conditions.ts';
import { type Json, rowsOf, type TestPlatform } from '../test-platform.ts';
import { seenAtLast } from '../eventually.ts';

/**
 * A repository whose image has a shell and runs a script.
 * @param more further instructions of its Dockerfile, before the command
 */
export const shellSource = (script: string, more = ''): Readonly<Record<string, string | Buffer>> => ({
  Dockerfile: `FROM scratch\nCOPY busybox /bin/busybox\nRUN ["/bin/busybox", "--install", "-s", "/bin"]\n${more}\nCOPY run.sh /run.sh\nCMD ["/bin/sh", "/run.sh"]\n`,
  'run.sh': script,
  busybox: readFileSync('/usr/bin/busybox'),
});

/** Applications of a platform, as tests use them. */
export interface TestApplications {
  /** @returns the id of the new application */
  create(name: string, url: string, more?: Json): Promise<string>;
  /** Changes members of the configuration. */
  change(id: string, members: Json): Promise<void>;
  /** Deploys, stops or deletes one, and waits for the end. @returns its status; a deleted one has none */
  act(action: 'deploy' | 'stop' | 'delete', id: string, commitId?: string): Promise<Json>;
  /** Waits until its log has a line. */
  untilSaid(id: string, line: RegExp): Promise<void>;
  /** The messages of its log. */
  messages(id: string): Promise<string[]>;
  /** The conditions that were told in its log. */
  conditions(id: string): Promise<readonly Condition[]>;
}

/** How long an action may take, in milliseconds: more than any needs on a busy machine. */
const longestAction = 240_000;

const settled = /^(?:READY|DEPLOYED|RUNNING|STOPPED|CANCELED|.*_ERROR)$/;

/** Works with the applications of an environment. */
export function applicationsOf(platform: TestPlatform, environmentId: string): TestApplications {
  const lines = async (id: string): Promise<Json[]> =>
    rowsOf(await platform.must('get_application_logs', { application_id: id }));
  const messages = async (id: string): Promise<string[]> => (await lines(id)).map(({ message }) => String(message));

  const untilSettled = async (id: string, isDeleted: boolean): Promise<Json> => {
    for (const end = Date.now() + longestAction; ;) {
      const { status, body } = await platform.call('get_application_status', { application_id: id });
      if (status === 404) return {};
      if (isDeleted ? body['state'] === 'DELETE_ERROR' : settled.test(String(body['state']))) return body;
      if (Date.now() > end)
        throw new Error(`It is still ${String(body['state'])}:\n${(await messages(id)).join('\n')}`);
      await delay(100);
    }
  };

  return {
    messages,
    conditions: async (id) => conditionsIn(await lines(id)),
    create: async (name, url, { git_repository: repository, ...more } = {}) => {
      const created = await platform.must('create_application', {
        environment_id: environmentId,
        name,
        git_repository: { url, ...(repository as Json) },
        cpu: 100,
        memory: 64,
        healthchecks: {},
        ...more,
      });
      return String(created['id']);
    },
    change: async (id, members) => {
      const {
        name,
        git_repository: repository,
        dockerfile_path: path,
        cpu,
        memory,
        healthchecks,
      } = await platform.must('get_application', { application_id: id });
      const { url, branch, root_path: root } = repository as Json;
      await platform.must('update_application', {
        application_id: id,
        name,
        git_repository: { url, branch, root_path: root },
        dockerfile_path: path,
        cpu,
        memory,
        healthchecks,
        ...members,
      });
    },
    act: async (action, id, commitId) => {
      await platform.must(`${action}_application`, {
        application_id: id,
        ...(commitId !== undefined && { git_commit_id: commitId }),
      });
      return untilSettled(id, action === 'delete');
    },
    untilSaid: async (id, line) => {
      await seenAtLast(
        () => messages(id),
        (said) => said.some((message) => line.test(message)),
      );
    },
  };
}
