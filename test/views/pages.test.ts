import { afterEach, describe, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { viewMimeType, viewNames, viewUri } from '../../src/views/index.ts';
import { connections, showing } from '../support/view-clients.ts';
import { closeTestServers } from '../transport/test-server.ts';

afterEach(closeTestServers);

/** The largest page, in bytes. */
const largest = 40_000;

interface Contents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
  readonly _meta: unknown;
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const part = (page: string, name: string): string => {
  const parts = page.split(`<${name}>`).slice(1);
  expect(parts, name).toHaveLength(1);
  return parts[0]!.split(`</${name}>`)[0]!;
};

describe.each(connections)('a client of the %s revision', (_, connect) => {
  test.each(viewNames)('reads the view %s: one small page that reaches nothing', async (name) => {
    const { client, close } = await connect(showing);
    const { contents } = await client.readResource({ uri: viewUri(name) });
    await close();
    expect(contents).toHaveLength(1);
    const { uri, mimeType, text, _meta: meta } = contents[0] as Contents;
    expect({ uri, mimeType, meta }).toEqual({
      uri: viewUri(name),
      mimeType: viewMimeType,
      meta: { ui: { csp: {}, prefersBorder: true } },
    });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(largest);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)![1]!;
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(part(text, 'script'))}`,
      `style-src ${hashOf(part(text, 'style'))}`,
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(text).not.toMatch(/(?:src|href)="|url\(|@import|\bfetch\(|XMLHttpRequest|WebSocket/);
  });
});
