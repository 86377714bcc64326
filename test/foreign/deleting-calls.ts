import { expect } from 'vitest';
import type { ForeignCall, Made } from './call.ts';
import { named } from './reading-calls.ts';

const isThere = ({ server: { platform } }: Made, id: unknown): boolean =>
  [...platform.state.services, ...platform.state.environments].some((row) => row.id === id);

/** A deletion, and what goes with a service, or with everything in the environment. */
const goesWith = (service = '.*'): RegExp =>
  new RegExp(
    `^(\\+deployments DELETE in (development)?|-environments development|-services development/${service}|-variables .*)$`,
  );

/** Every tool that deletes. Last: nothing else finds what they leave. */
export const deletingCalls: readonly ForeignCall[] = [
  {
    tool: 'start_services',
    before: (server) => server.idle(),
    args: () => ({ environment: 'shop/development', wait: true }),
    changes: /^\+deployments DEPLOY in development$/,
    holds: ({ answer, requests, server, text }) => {
      const starts = requests.filter(
        ({ method, path }) =>
          method === 'POST' && path.endsWith('/deploy') && path.endsWith('/service/deploy') !== server.on('oneAtATime'),
      );
      // Each container is named with the tag that ran, each chart with its version.
      expect(JSON.stringify(starts.map(({ body }) => body))).toMatch(/"image_tag":"[^"]+"/);
      expect(starts.length > 1).toBe(server.on('oneAtATime'));
      expect(text.includes('Sent one service at a time')).toBe(server.on('oneAtATime'));
      expect(
        (answer['results'] as { kind: string; what: string }[])
          .filter(({ what }) => what === 'running')
          .map(({ kind }) => kind),
      ).toEqual(expect.arrayContaining(['application', 'container', 'database']));
    },
  },
  {
    tool: 'stop_services',
    case: 'by mode',
    before: (server) => server.idle(),
    args: () => ({ modes: ['DEVELOPMENT', 'STAGING'], dry_run: true }),
    holds: ({ requests, text }) => {
      expect(text).toContain('Stops container gateway in shop/development (DEVELOPMENT)');
      expect(text).toContain('Stops container gateway in shop/staging (STAGING)');
      // Each environment is asked for its states alone.
      expect(requests.filter(({ path }) => /^\/environment\/[^/]+(\/services.*)?$/.test(path))).toEqual([]);
    },
  },
  {
    tool: 'stop_services',
    before: (server) => server.idle(),
    args: () => ({ services: ['shop/development/gateway', 'shop/staging/gateway'], wait: true }),
    changes: ['+deployments STOP in development', '+deployments STOP in staging'],
    holds: ({ answer, questions }) => {
      expect(questions).toHaveLength(1);
      expect(answer).toMatchObject({ asked: 2, results: [{ what: 'stopped' }, { what: 'stopped' }] });
    },
  },
  {
    tool: 'delete_service',
    case: 'and waits until it is gone',
    before: (server) => server.idle(),
    args: () => ({ service: 'shop/development/gateway', wait: true }),
    changes: goesWith('gateway'),
    holds: (made) => {
      expect(made.questions.join()).toContain('Deletes container gateway');
      expect(made.answer).toMatchObject({ outcome: 'succeeded', state: 'DELETED' });
    },
  },
  {
    tool: 'delete_service',
    case: 'without waiting',
    before: (server) => server.idle(),
    args: () => ({ service: 'shop/development/network' }),
    changes: goesWith('network'),
    holds: ({ answer }) => expect(answer).toMatchObject({ outcome: 'accepted', action: 'DELETE' }),
  },
  {
    tool: 'wait_for_deployment',
    case: 'a deletion that nobody asked for',
    before: (server) => server.idle(),
    args: (server) => ({ service: named('nightly', 'development')(server).id, action: 'DELETE', seconds: 1 }),
    // The deletion before this may end meanwhile.
    changes: goesWith('network'),
    holds: ({ answer }) => expect(answer).toMatchObject({ outcome: 'running' }),
  },
  {
    tool: 'delete_environment',
    before: (server) => server.idle(),
    args: () => ({ environment: 'shop/development', wait: true }),
    changes: goesWith(),
    holds: (made) => {
      expect(made.answer).toMatchObject({ outcome: 'succeeded', state: 'DELETED' });
      expect(isThere(made, made.server.platform.ids.environments.development)).toBe(false);
    },
  },
];
