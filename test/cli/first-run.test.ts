import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/built-program.ts';
import { renderScreen, runInTerminal } from './pseudo-terminal.ts';

const count = (text: string, part: string): number => text.split(part).length - 1;

describe('the server, started in a terminal', () => {
  test('says what it waits for and how to connect to it, explains typed text once, and ends on Ctrl-C', async () => {
    const { sent, exit, untyped } = await runInTerminal([], { INFRA_DATA_DIR: await temporaryDirectory() }, [
      [/^Ctrl-C ends it\.$/, 'hello\r'],
      [/how to go on\.$/, 'list my services\r'],
      [/^list my services$/, '{"jsonrpc":"2.0","id":1,"method":"ping"}\r'],
      [/^\{"result":\{\}.*"id":1\}$/, '\u0003'],
    ]);
    expect(untyped).toBe(0);
    expect(sent).toContain('waits for an MCP client on stdin');
    expect(sent).toContain('npm start -- init');
    expect(count(sent, 'not a message of the protocol')).toBe(1);
    // A person who types reads no errors of the protocol.
    expect(sent).not.toContain('-32700');
    expect(exit).toBe(0);
  });

  test.each([60, 80])('fits into %i columns, and keeps commands on one line', async (width) => {
    const { sent } = await runInTerminal(
      [],
      { INFRA_DATA_DIR: await temporaryDirectory() },
      [
        [/^Ctrl-C ends it\.$/, 'hello\r'],
        [/how to go on\.$/, '\u0003'],
      ],
      width,
    );
    const lines = renderScreen(sent, Infinity);
    expect(lines.filter((line) => line.length > width && !/^ {2}\S+ mcp add infra /.test(line))).toEqual([]);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(
      'Assistants start it themselves: there is nothing to type here.',
    );
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain('this is a server for MCP clients, not a shell.');
  });

  test('ends at the end of what is typed', async () => {
    const { exit, untyped } = await runInTerminal([], { INFRA_DATA_DIR: await temporaryDirectory() }, [
      [/^Ctrl-C ends it\.$/, '\u0004'],
    ]);
    expect({ exit, untyped }).toEqual({ exit: 0, untyped: 0 });
  });
});
