import { expect, test } from 'vitest';
import { readConfig, settingsOf } from '../../src/cli/config/index.ts';
import { serviceLinksIn } from '../../src/cli/config/service-links.ts';

/** What Kubernetes sets in every container about a Service called infra-http with one named port. */
const links = {
  INFRA_HTTP_SERVICE_HOST: '10.96.0.12',
  INFRA_HTTP_SERVICE_PORT: '8080',
  INFRA_HTTP_SERVICE_PORT_MCP: '8080',
  INFRA_HTTP_PORT: 'tcp://10.96.0.12:8080',
  INFRA_HTTP_PORT_8080_TCP: 'tcp://10.96.0.12:8080',
  INFRA_HTTP_PORT_8080_TCP_PROTO: 'tcp',
  INFRA_HTTP_PORT_8080_TCP_PORT: '8080',
  INFRA_HTTP_PORT_8080_TCP_ADDR: '10.96.0.12',
};

test('variables that Kubernetes sets about a Service are no options, and one line says so', () => {
  const { config, warnings } = readConfig('http', {}, { ...links, INFRA_HTTP_HOST: '0.0.0.0', HOME: '/tmp' });
  expect(config.httpPort).toBe(readConfig('http', {}, { HOME: '/tmp' }).config.httpPort);
  expect(warnings).toHaveLength(1);
  for (const name of Object.keys(links)) expect(warnings[0]).toContain(name);
  expect(warnings[0]).toContain('enableServiceLinks');
  const shown = settingsOf('http', {}, links).filter(({ source }) => source !== undefined);
  expect(shown).toEqual([]);
});

test('options beside them count, also by a flag of the same option', () => {
  expect(readConfig('http', {}, { INFRA_HTTP_PORT: '9000', HOME: '/tmp' }).config.httpPort).toBe(9000);
  expect(readConfig('http', { port: '9001' }, { ...links, HOME: '/tmp' }).config.httpPort).toBe(9001);
  expect(serviceLinksIn({ DOCKER_HOST: 'tcp://127.0.0.1:2375', INFRA_ENGINE: 'tcp://10.0.0.7:2376' }).size).toBe(0);
  expect(serviceLinksIn({ INFRA_HTTP_PORT: '8080', INFRA_HTTP_SERVICE_HOST: 'x' }).size).toBe(0);
});
