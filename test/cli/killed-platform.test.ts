import { expect, test } from 'vitest';
import { startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';

const token = 'token-of-the-killed';

interface Event {
  readonly event_type: string;
  readonly target_id: string;
  readonly target_name: string;
  readonly change: string;
}

const ask = async (url: string, path: string, body?: object) => {
  const answer = await fetch(`${url}${path}`, {
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

/** All events, page by page. */
async function eventsOf(url: string, organization: string): Promise<readonly Event[]> {
  const all: Event[] = [];
  for (let query = ''; ;) {
    // Each page has the token of the next one.
    const { body } = await ask(url, `/organization/${organization}/events?pageSize=100${query}`);
    all.push(...(body['events'] as Event[]));
    const { next } = body['links'] as { next: string | null };
    if (next === null) return all;
    query = `&${next}`;
  }
}

test(
  'every change that was acknowledged before the platform was killed has exactly its one event',
  { timeout: 120_000 },
  async () => {
    const dataDir = await temporaryDirectory();
    const acknowledged = { projects: new Set<string>(), deployments: new Set<string>() };
    let number = 0;
    for (let round = 0; round < 3; round += 1) {
      // One process at a time has the directory.
      const program = await startPlatformProgram(['--data-dir', dataDir, '--token', token]);
      const { url, organization_id: organization, seed } = program.ready;
      const change = async (): Promise<void> => {
        for (;;) {
          const name = `made-${(number += 1)}`;
          const [made, deployed] = await Promise.all([
            ask(url, `/organization/${organization}/project`, { name }),
            number % 5 === 0
              ? ask(url, `/container/${seed['container_id']}/deploy`, { image_tag: '2.4.1' })
              : undefined,
          ]);
          if (made.status === 201) acknowledged.projects.add(name);
          if (deployed?.status === 202 || deployed?.status === 200)
            acknowledged.deployments.add(String(deployed.body['deployment_request_id'] ?? deployed.body['id']));
        }
      };
      const enough = acknowledged.projects.size + 25;
      // It ends when the platform is gone in the middle of a change.
      const changing = Promise.allSettled([change(), change(), change()]);
      await expect.poll(() => acknowledged.projects.size, { interval: 5 }).toBeGreaterThan(enough);
      program.child.kill('SIGKILL');
      await Promise.all([program.ended, changing]);
    }
    const {
      ready: { url, organization_id: organization },
    } = await startPlatformProgram(['--data-dir', dataDir, '--token', token]);
    const events = await eventsOf(url, organization);
    const { body } = await ask(url, `/organization/${organization}/project`);
    const kept = (body['results'] as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name.startsWith('made-'));
    const created = events
      .filter(({ event_type: type, target_name: name }) => type === 'CREATE' && name.startsWith('made-'))
      .map(({ target_name }) => target_name);
    expect(kept).toEqual(expect.arrayContaining([...acknowledged.projects]));
    expect(created.toSorted()).toEqual(kept.toSorted());
    expect(acknowledged.deployments.size).toBeGreaterThan(5);
    expect(events.filter(({ event_type: type }) => type === 'TRIGGER_DEPLOY').length).toBeGreaterThanOrEqual(
      acknowledged.deployments.size,
    );
    const ends = events
      .filter(({ event_type: type }) => type === 'DEPLOYED' || type === 'DEPLOY_FAILED')
      .map(
        ({ change, target_id: id }) =>
          `${id} ${String((JSON.parse(change) as Record<string, unknown>)['deployment_id'])}`,
      );
    expect(new Set(ends).size).toBe(ends.length);
  },
);
