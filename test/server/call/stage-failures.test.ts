import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SharedDependencies } from '../../../src/server/protocol/shared-dependencies.ts';
import type { Intent, CallOutcome } from '../../../src/server/audit/call-records.ts';
import { ephemeralHighRiskCalls } from '../../../src/server/guard/storage/limits.ts';
import { ephemeralKeys } from '../../../src/server/context/keys.ts';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';
import { policyFrom } from '../../support/guard-fixture.ts';
import { startTestPlatform } from '../../support/test-platform.ts';
import { connectTampering, dependenciesFor } from '../../support/tampering-client.ts';

/** The platform's token: what the server is configured with. */
const secret = 'token-of-the-tests';

/** The function that throws; the modules below look here. */
const broken = vi.hoisted(() => ({ name: '' }));

/** A module's functions, each of which throws when its turn comes. */
const breakable = vi.hoisted(() => async (load: () => Promise<Record<string, unknown>>) => {
  const real = await load();
  const wrapped = Object.entries(real).map(([name, member]) => [
    name,
    typeof member === 'function' && !/^class\s/.test(Function.prototype.toString.call(member))
      ? (...given: unknown[]) => {
          if (broken.name === name) throw new Error('failed with token-of-the-tests');
          return (member as (...all: unknown[]) => unknown)(...given);
        }
      : member,
  ]);
  return Object.fromEntries(wrapped) as Record<string, unknown>;
});

vi.mock('../../../src/server/browse/resources/catalog.ts', breakable);
vi.mock('../../../src/server/call/descriptions.ts', breakable);
vi.mock('../../../src/server/call/handover.ts', breakable);
vi.mock('../../../src/server/call/read-ahead.ts', breakable);
vi.mock('../../../src/server/call/recording.ts', breakable);
vi.mock('../../../src/server/call/stages/names.ts', breakable);
vi.mock('../../../src/server/call/stand-in.ts', breakable);
vi.mock('../../../src/server/call/tool-context.ts', breakable);
vi.mock('../../../src/server/failure/failure.ts', breakable);
vi.mock('../../../src/server/guard/agreement.ts', breakable);
vi.mock('../../../src/server/guard/controls.ts', breakable);
vi.mock('../../../src/server/guard/guard.ts', breakable);
vi.mock('../../../src/server/guard/cluster-lock.ts', breakable);
vi.mock('../../../src/server/guard/no-op.ts', breakable);
vi.mock('../../../src/server/guard/scope/scope-resolver.ts', breakable);
vi.mock('../../../src/server/guard/plan.ts', breakable);
vi.mock('../../../src/server/guard/plan-text.ts', breakable);
vi.mock('../../../src/server/guard/policy/policy.ts', breakable);
vi.mock('../../../src/server/guard/policy/two-person.ts', breakable);
vi.mock('../../../src/server/guard/situations.ts', breakable);
vi.mock('../../../src/server/guard/confirmation/question.ts', breakable);
vi.mock('../../../src/server/guard/risk/named-target.ts', breakable);
vi.mock('../../../src/server/guard/risk/risk.ts', breakable);
vi.mock('../../../src/server/guard/same-environment.ts', breakable);
vi.mock('../../../src/server/output/failure-text.ts', breakable);
vi.mock('../../../src/server/output/fit.ts', breakable);
vi.mock('../../../src/server/output/reply.ts', breakable);
vi.mock('../../../src/server/resolve/resource-hierarchy.ts', breakable);
vi.mock('../../../src/server/tool/argument-names.ts', breakable);
vi.mock('../../../src/server/tool/arguments.ts', breakable);
vi.mock('../../../src/server/tool/lenient-arguments.ts', breakable);
vi.mock('../../../src/server/tool/list-items.ts', breakable);
vi.mock('../../../src/server/tool/references.ts', breakable);
vi.mock('../../../src/server/tool/schema.ts', breakable);

const room = join(import.meta.dirname, '../../../src/server/call');

/** What the stages, and what takes calls through them, import from elsewhere in the server, types aside. */
const imported = (): string[] => {
  const files = [
    'run-call.ts',
    ...readdirSync(join(room, 'stages'))
      .filter((name) => name !== 'stages.ts')
      .map((name) => join('stages', name)),
  ];
  const names = files.flatMap((file) =>
    [
      ...readFileSync(join(room, file), 'utf8').matchAll(
        /^import \{(?<names>[^}]+)\} from '\.{1,2}\/(?!(?:\.\.\/)+(?:contract|client)\/)/gm,
      ),
    ].flatMap(({ groups }) => groups!['names']!.split(',').map((name) => name.trim())),
  );
  return [...new Set(names.filter((name) => name !== '' && !name.startsWith('type ')))];
};

/** What can't fail by itself: constants, plain helpers, and what the last resort is itself made of. */
const harmless = [
  'fail',
  'delimited',
  'wholeRows',
  'countRequests',
  'isPlatformFailure',
  'reasonUnreadable',
  'reasonUnusable',
  'protectLog',
  'isRecord',
  'omit',
  'pick',
  'withheldText',
  'withheldCode',
  'createReader',
  'send',
  'stages',
  'lookupFor',
  'failureOf',
  'unrecorded',
  'operationText',
  'CallFailure',
  'shownName',
  'at',
  'withAt',
  'isAboutOne',
  'OutdatedNames',
  'isDenied',
  'readableAmong',
  'targetAndTouched',
  'targetAndTouchedNow',
  // What is the same for all calls of a tool is derived once.
  'memoised',
  'pointsAt',
  'referencesInRows',
  'referencesInside',
];

let platform: Awaited<ReturnType<typeof startTestPlatform>>;
let calls: ReturnType<typeof toolCallsOn>;
beforeAll(async () => {
  platform = await startTestPlatform();
  calls = toolCallsOn(platform);
});
afterAll(() => platform.close());

const opened: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  broken.name = '';
  for (const one of opened.splice(0).toReversed()) await one.close();
});

/** A server that holds a secret, and a caller of it who agrees to everything. */
async function serve(change: (parts: SharedDependencies) => Partial<SharedDependencies> = () => ({})) {
  const recorded: (Intent | CallOutcome)[] = [];
  const recorder = {
    intent: async (one: Intent) => void recorded.push(one),
    outcome: async (one: CallOutcome) => void recorded.push(one),
  };
  const { parts, client, log } = dependenciesFor({
    url: platform.url,
    token: platform.token,
    policy: await policyFrom('unattended: [disruptive]'),
    guard: { keys: ephemeralKeys(), recorder, highRiskCalls: ephemeralHighRiskCalls() },
  });
  const changed: SharedDependencies = { ...parts, loadDependencies: async () => changed, ...change(parts) };
  const user = userAnswering(agree);
  const caller = await connectTampering({ parts: changed, user });
  opened.push(client, caller);
  return { ...caller, recorded, log, asked: user.questions };
}

const id = String.raw`[0-9a-f]{8}-[0-9a-f-]{27}`;
const plainError = new RegExp(`under request ${id}\\.`);

const fail = (): never => {
  throw new Error(`failed with ${secret}`);
};

/** Calls that between them take every stage. */
const stageCalls: readonly (readonly [tool: string, more: Record<string, unknown>])[] = [
  ['restart_services', {}],
  ['restart_services', { dry_run: true }],
  ['unlock_cluster', { dry_run: true }],
  ['create_project', {}],
  ['create_project', { name: 'shop' }],
  ['list_projects', {}],
  ['list_projects', { nonsense: 1 }],
  ['get_service', {}],
  ['create_api_token', {}],
];

async function callAll(call: Awaited<ReturnType<typeof connectTampering>>['call']) {
  const results = [];
  // One after the other, as each is to have its own record.
  for (const [tool, more] of stageCalls)
    results.push(
      await call(tool, {
        ...(tool === 'unlock_cluster' ? { cluster_id: platform.seed['cluster_id'] } : calls[tool]!()),
        ...more,
      }),
    );
  return results;
}

describe('where a stage throws an error that holds a secret', () => {
  test.each(imported().filter((name) => !harmless.includes(name)))(
    '%s: the caller sees a plain error, the record is written, and the log has no secret',
    async (name) => {
      const { call, recorded, log, asked } = await serve();
      broken.name = name;
      const results = await callAll(call);
      broken.name = '';
      const failed = results.filter((result) => plainError.test(textOf(result)));
      expect(failed.length).toBeGreaterThan(0);
      for (const result of failed) expect(result.isError).toBe(true);
      for (const shown of [results, recorded, asked, log.lines]) expect(JSON.stringify(shown)).not.toContain(secret);
      if (name !== 'recordOutcome')
        expect(recorded.filter((one) => 'outcome' in one).length).toBeGreaterThanOrEqual(stageCalls.length);
    },
  );
});

/** The parts with a redactor that fails where it is asked for this. */
const breaking =
  (part: 'text' | 'value' | 'echo' | 'agreement' | 'mention' | 'forCall') =>
  (parts: SharedDependencies): Partial<SharedDependencies> => ({
    redaction: {
      ...parts.redaction,
      forCall: (recipient) => {
        if (part === 'forCall') fail();
        const redactor = parts.redaction.forCall(recipient);
        return {
          ...redactor,
          ...(part === 'agreement'
            ? { agreement: { sent: fail, present: fail, called: fail, oddities: fail } }
            : { [part]: fail }),
          // The same, of what is large.
          ...(part === 'value' && { valueInPieces: async () => fail() }),
        };
      },
    },
  });

describe('where masking itself fails', () => {
  test.each(['text', 'value', 'echo', 'agreement', 'mention', 'forCall'] as const)(
    'in %s: the answer is withheld, and the record is written',
    async (part) => {
      const { call, recorded, log } = await serve(breaking(part));
      const results = [
        ...(await callAll(call)),
        await call('get_environment', { environment_id: 'shop/nothing' }),
        await call('get_environment', { environment_id: platform.seed['job_id'] }),
      ];
      expect(results.filter((result) => plainError.test(textOf(result))).length).toBeGreaterThan(0);
      for (const shown of [results, recorded, log.lines]) expect(JSON.stringify(shown)).not.toContain(secret);
      expect(recorded.filter((one) => 'outcome' in one).length).toBeGreaterThanOrEqual(results.length);
    },
  );

  test('of records: they are written without names', async () => {
    const { call, recorded } = await serve((parts) => ({ redaction: { ...parts.redaction, value: fail } }));
    await call('restart_services', { ...calls['restart_services']!(), dry_run: true });
    expect(recorded).toEqual([
      expect.objectContaining({
        outcome: 'planned',
        target: { kind: 'environment', id: platform.seed['environment_id'], mode: 'STAGING' },
      }),
    ]);
  });
});

describe('where the record fails', () => {
  test('with an error that holds a secret, nobody is told it', async () => {
    const { call, log } = await serve((parts) => ({
      recorder: { intent: async () => fail(), outcome: fail },
      redaction: parts.redaction,
    }));
    const results = await callAll(call);
    expect(failureIn(results[0]!)?.kind).toBe('not_recorded');
    expect((await call('list_projects', {})).isError).toBeFalsy();
    expect(JSON.stringify(results)).not.toContain(secret);
    expect(log.lines.map(({ message }) => message)).toContain('outcome not recorded');
  });
});

describe('other ways out', () => {
  const request = { uri: 'infra://projects' };

  test('resources, prompts, completion: a plain error with the id of the request', async () => {
    const { client, log } = await serve(({ log: opening }) => ({
      startupLog: opening,
      loadDependencies: async () => fail(),
    }));
    const told = await Promise.all(
      [
        client.readResource({ uri: request.uri }),
        client.complete({
          ref: { type: 'ref/resource', uri: 'infra://project/{project}' },
          argument: { name: 'project', value: '' },
        }),
        client.callTool({ name: 'list_projects', arguments: {} }),
      ].map((answer) =>
        answer.then(
          (result) => JSON.stringify(result),
          (error: unknown) => String(error),
        ),
      ),
    );
    for (const text of told) {
      expect(text).toMatch(plainError);
      expect(text).not.toContain(secret);
    }
    expect(log.lines.filter(({ message }) => message === 'answer withheld')).toHaveLength(3);
  });

  test('a resource whose address breaks what reads it', async () => {
    const { client } = await serve();
    broken.name = 'resourceAt';
    const text = await client.readResource({ uri: request.uri }).catch((error: unknown) => String(error));
    expect(text).toMatch(plainError);
    expect(text).not.toContain(secret);
  });

  test('changes: what breaks is not watched', async () => {
    const { client, log } = await serve();
    const { watchFor } = await import('../../../src/server/browse/resources/watch-resource.ts');
    const { parts } = dependenciesFor({ url: platform.url, token: platform.token });
    broken.name = 'resourceAt';
    expect(await watchFor(() => parts, { principal: 'ann' })('infra://projects', () => undefined)).toBeUndefined();
    await expect(client.listResources()).resolves.toBeDefined();
    expect(JSON.stringify(log.lines)).not.toContain(secret);
  });
});
