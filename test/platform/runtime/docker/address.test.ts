import { describe, expect, test } from 'vitest';
import {
  DockerAddressError,
  createDockerClient,
  dockerInfo,
  parseDockerAddress,
} from '../../../../src/platform/runtime/docker/api/index.ts';
import { rejectionOf } from './fake-engine.ts';

const tls = { ca: '/nowhere/ca.pem', cert: '/nowhere/cert.pem', key: '/nowhere/key.pem' };

describe('the address of an engine', () => {
  test.each([
    ['unix:///var/run/docker.sock', undefined, { kind: 'unix', path: '/var/run/docker.sock' }],
    ['UNIX:///run/a b.sock', undefined, { kind: 'unix', path: '/run/a b.sock' }],
    ['tcp://127.0.0.1:2375', undefined, { kind: 'tcp', host: '127.0.0.1', port: 2375 }],
    ['tcp://localhost:80', undefined, { kind: 'tcp', host: 'localhost', port: 80 }],
    ['tcp://[::1]:2375/', undefined, { kind: 'tcp', host: '::1', port: 2375 }],
    ['tcp://engine.example:2376', tls, { kind: 'tcp', host: 'engine.example', port: 2376, tls }],
  ])('%s', (text, files, expected) => {
    expect(parseDockerAddress(text, files)).toEqual(expected);
  });

  test.each([
    ['', undefined, 'has no scheme'],
    ['/var/run/docker.sock', undefined, 'has no scheme'],
    ['unix://docker.sock', undefined, 'is not absolute'],
    ['unix://', undefined, 'is not absolute'],
    [`unix:///${'x'.repeat(200)}`, undefined, 'longer than 107 bytes'],
    ['unix:///var/run/docker.sock', tls, 'takes no TLS files'],
    ['ssh://root@engine.example', undefined, "can't be reached by ssh://"],
    ['npipe:////./pipe/docker_engine', undefined, "can't be reached by npipe://"],
    ['tcp://127.0.0.1', undefined, 'no host or no port'],
    ['tcp://:2375', undefined, 'no host or no port'],
    ['tcp://127.0.0.1:0', undefined, 'no host or no port'],
    ['tcp://127.0.0.1:99999', undefined, 'no host or no port'],
    ['tcp://127.0.0.1:2375/v1.41', undefined, 'something after its port'],
    ['tcp://127.0.0.1:2375?x', undefined, 'something after its port'],
    ['tcp://engine.example:2375', undefined, 'has no TLS files'],
    ['tcp://127.0.0.1.example:2375', undefined, 'has no TLS files'],
    ['tcp://0.0.0.0:2375', undefined, 'has no TLS files'],
  ])('%s is refused', (text, files, message) => {
    expect(() => parseDockerAddress(text, files)).toThrow(DockerAddressError);
    expect(() => parseDockerAddress(text, files)).toThrow(message);
  });

  test('with a password is refused without showing it', () => {
    const address = 'tcp://admin:hidden-word@127.0.0.1:2375';
    expect(() => parseDockerAddress(address)).toThrow('has a user name or a password');
    expect(() => parseDockerAddress(address)).not.toThrow('hidden-word');
  });

  test('with a TLS file that is missing: the first request says which', async () => {
    const docker = createDockerClient(parseDockerAddress('tcp://127.0.0.1:1', tls));
    expect(String(await rejectionOf(dockerInfo(docker)))).toContain(
      'The TLS file "ca" can\'t be read: /nowhere/ca.pem (ENOENT: there is no such file)',
    );
    await docker.close();
  });
});
