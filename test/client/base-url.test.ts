import { describe, expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/client/base-url.ts';

describe('a base URL', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com', ''],
    ['  https://api.example.com:8443/v1/ ', 'https://api.example.com:8443', '/v1'],
    ['https://api.example.com/a/b//', 'https://api.example.com', '/a/b'],
    ['http://localhost:3000', 'http://localhost:3000', ''],
    ['http://platform.localhost', 'http://platform.localhost', ''],
    ['http://127.1.2.3:80/x', 'http://127.1.2.3', '/x'],
    ['http://127.1', 'http://127.0.0.1', ''],
    ['http://[::1]:9', 'http://[::1]:9', ''],
  ])('%s is taken', (text, origin, prefix) => {
    expect(parseBaseUrl(text)).toEqual({ origin, prefix });
  });

  test.each([
    ['http://api.example.com', 'https://'],
    ['http://10.0.0.1', 'https://'],
    ['http://127.0.0.1.example.com', 'https://'],
    ['http://localhost.example.com', 'https://'],
    ['http://0.0.0.0', 'https://'],
    ['ftp://localhost', 'ftp://'],
    ['https://api.example.com?x=1', 'query'],
    ['https://api.example.com#x', 'fragment'],
    ['https://ann@api.example.com', 'user name'],
    ['api.example.com', 'not a URL'],
    ['', 'not a URL'],
  ])('%s is refused, saying why', (text, why) => {
    expect(() => parseBaseUrl(text)).toThrow(why);
  });

  test('is not repeated where it holds a password', () => {
    expect(() => parseBaseUrl('https://ann:hunter2@api.example.com')).toThrow(/^(?!.*hunter2).*password/);
    expect(() => parseBaseUrl('hunter2@@:nonsense')).toThrow(/^(?!.*hunter2)/);
  });
});
