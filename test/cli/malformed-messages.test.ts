import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { maxLineLength } from '../../src/transport/stdio-transport.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { spawnInTest } from '../support/started-program.ts';

const ping = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
const last = 'the last request';

/**
 * Sends bytes to a server over stdio.
 * @returns what it answered before it answered a request that is sent last, and its stderr.
 */
async function exchange(bytes: string | Buffer): Promise<{ answers: unknown[]; stderr: string; code: number | null }> {
  const { child, output, ended } = spawnInTest(commandLine([], { INFRA_DATA_DIR: await temporaryDirectory() }));
  const lines = createInterface(child.stdout);
  const answers: unknown[] = [];
  lines.on('line', (line) => answers.push(JSON.parse(line)));
  child.stdin.write(bytes);
  child.stdin.write(`\n${ping(last)}\n`);
  while (!answers.some((answer) => (answer as { id: unknown }).id === last)) {
    // Each line may be the awaited one.
    const more = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
    if (more === undefined) throw new Error(`The server ended before it answered: ${output.stderr}`);
  }
  child.stdin.end();
  const { code } = await ended;
  return { answers: answers.slice(0, -1), stderr: output.stderr, code };
}

const error = (id: unknown, code: number, says: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.stringContaining(says) as unknown },
});

describe('over stdio', () => {
  test.for([
    ['text that is not JSON', 'hello', error(null, -32700, 'not valid JSON')],
    ['half a message', '{"jsonrpc":"2.0",', error(null, -32700, 'not valid JSON')],
    ['a value that is no object', '42', error(null, -32600, 'JSON object')],
    ['a request without its version', '{"id":2,"method":"ping"}', error(2, -32600, '"jsonrpc"')],
    ['a request of another version', '{"jsonrpc":"1.0","id":"a","method":"ping"}', error('a', -32600, '"jsonrpc"')],
    ['a method that is no text', '{"jsonrpc":"2.0","id":4,"method":5}', error(4, -32600, '"method"')],
    ['a request without a method', '{"jsonrpc":"2.0","id":4}', error(4, -32600, '"method"')],
    [
      'parameters that are no object',
      '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[1]}',
      error(5, -32600, '"params"'),
    ],
    [
      'metadata that is no object',
      '{"jsonrpc":"2.0","id":9,"method":"ping","params":{"_meta":5}}',
      error(9, -32600, '"_meta"'),
    ],
    ['an unknown member', '{"jsonrpc":"2.0","id":9,"method":"ping","extra":1}', error(9, -32600, 'member')],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', error(null, -32600, '"id"')],
    ['an id with a fraction', '{"jsonrpc":"2.0","id":7.5,"method":"ping"}', error(null, -32600, '"id"')],
    ['an empty batch', '[]', error(null, -32600, 'batch')],
    ['bytes that are no text', Buffer.from([0xc3, 0xff, 0x00, 0x80]), error(null, -32700, 'not valid JSON')],
  ] as const)('%s is answered with an error, and one short line on stderr', async ([, bytes, expected]) => {
    const { answers, stderr, code } = await exchange(bytes);
    expect(answers).toEqual([expected]);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]!.length).toBeLessThan(300);
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 40, code: expected.error.code });
    expect(code).toBe(0);
  });

  test.for([
    ['a response that is none', '{"jsonrpc":"2.0","id":77,"result":5}'],
    [
      'a notification with parameters that are no object',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}',
    ],
  ] as const)('%s is logged, and never answered', async ([, bytes]) => {
    const { answers, stderr } = await exchange(bytes);
    expect(answers).toEqual([]);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('blank lines and line ends of Windows are no faults', async () => {
    const { answers, stderr } = await exchange(`\r\n\n  \n${ping(1)}\r\n`);
    expect({ answers, stderr }).toEqual({ answers: [{ jsonrpc: '2.0', id: 1, result: {} }], stderr: '' });
  });

  test('a batch is taken message by message, and a malformed one among them is answered alone', async () => {
    const { answers } = await exchange(`[${ping(1)}, {"id": 2}, ${ping(3)}]`);
    expect(answers).toHaveLength(3);
    expect(answers).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 1, result: {} },
        error(2, -32600, '"jsonrpc"'),
        { jsonrpc: '2.0', id: 3, result: {} },
      ]),
    );
  });

  test('a line that is too long is answered without being kept, and the next one is read', async () => {
    const { answers, stderr, code } = await exchange(
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'a'.repeat(maxLineLength)}"}}`,
    );
    expect(answers).toEqual([error(null, -32600, `longer than ${maxLineLength} bytes`)]);
    expect(stderr.length).toBeLessThan(300);
    expect(code).toBe(0);
  });

  test('a message may arrive in parts, also in the middle of a character', async () => {
    const { child, output } = spawnInTest(commandLine([], { INFRA_DATA_DIR: await temporaryDirectory() }));
    const bytes = Buffer.from(`${ping('grün')}\n`);
    const middle = bytes.indexOf('ü') + 1;
    child.stdin.write(bytes.subarray(0, middle));
    await new Promise((resolve) => setImmediate(resolve));
    child.stdin.write(bytes.subarray(middle));
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 'grün', result: {} });
    expect(output.stderr).toBe('');
  });
});
