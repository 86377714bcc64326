import { expect, test } from 'vitest';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';

const doctorOf = async (address: string): Promise<string> =>
  (await runProgram(['doctor', 'platform', '--json'], { DOCKER_HOST: address })).stdout;

test('the engine of DOCKER_HOST is looked at, and refused in words if it can not be', async () => {
  expect(await doctorOf('unix:///nowhere/docker.sock')).toContain('/nowhere/docker.sock');
  const refused = await doctorOf('ssh://root@engine.example');
  expect(refused).toContain(
    "Engines can't be reached by ssh://. Write unix:///path/to/docker.sock, or tcp://host:port.",
  );
  expect(refused).toContain('else from DOCKER_HOST if that is set');
});

test('a platform is not started on an engine by ssh', async () => {
  const { code, stderr } = await runProgram(
    ['platform', '--runtime', 'docker', '--data-dir', await temporaryDirectory()],
    { DOCKER_HOST: 'ssh://root@engine.example' },
  );
  expect(code).toBe(1);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    "Engines can't be reached by ssh://. Write unix:///path/to/docker.sock, or tcp://host:port. Its address is from --engine or INFRA_ENGINE, else from DOCKER_HOST",
  );
});

test.each([
  [['--engine', 'ssh://root@engine.example'], "Engines can't be reached by ssh://"],
  [['--registry', 'puller:hidden-word@registry.example'], '--registry must be the host of a registry'],
])('%o is refused with exit code 1', async (args, says) => {
  const { code, stdout } = await runProgram(['doctor', 'platform', ...args]);
  expect(code).toBe(1);
  expect(stdout).toContain(says);
  expect(stdout).not.toContain('hidden-word');
});
