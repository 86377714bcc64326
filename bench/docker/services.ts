import { setTimeout as pause } from 'node:timers/promises';
import { relativeTo, type Figure } from '../figure.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { residentMemory } from '../process-memory.ts';
import { cpuShares, processesWith } from '../process-cpu.ts';
import { startPlatformOnEngine, untilDeployed } from './platform-on-engine.ts';

const services100 = 100;
/** How long CPU is measured, and how long the machine is left alone before, in milliseconds. */
const [watched, settling] = [30_000, 20_000];

async function measure({ program: build, repetitions: times, log }: BenchContext): Promise<Figure[]> {
  const machine = await startPlatformOnEngine(await build());
  const { engine, platform, direct, environmentId } = machine;
  const count = times(services100);
  try {
    await pause(settling);
    const [idleCpu] = await cpuShares([[platform.pid]], watched);
    const idleMemory = await residentMemory(platform.pid);
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1) ids.push(await machine.createContainer(`bench-${number}`));
    const began = performance.now();
    await direct.call('deploy_environment', { environment_id: environmentId });
    for (const id of ids) await untilDeployed(machine, id);
    log(`${count} services are deployed after ${Math.round((performance.now() - began) / 1000)} s`);
    const afterwards = await residentMemory(platform.pid);
    await pause(settling);
    const engineProcesses = processesWith(`${engine.directory}/`);
    const [cpu, engineCpu] = await cpuShares([[platform.pid], engineProcesses], watched);
    const memory = await residentMemory(platform.pid);
    platform.child.kill('SIGSTOP');
    const [engineAlone] = await cpuShares([engineProcesses], watched);
    platform.child.kill('SIGCONT');
    const [idle, alone]: Figure[] = [
      { name: 'platform, no service: memory', value: idleMemory, unit: 'MB' },
      { name: 'engine, 100 services, platform halted: CPU', value: engineAlone!, unit: '%' },
    ];
    const idleShare: Figure = { name: 'platform, no service: CPU of one core', value: idleCpu!, unit: '%' };
    return [
      idle!,
      relativeTo(idle!, { name: 'platform, 100 services just deployed: memory', value: afterwards, unit: 'MB' }),
      relativeTo(idle!, { name: 'platform, 100 services: memory', value: memory, unit: 'MB' }),
      idleShare,
      relativeTo(idleShare, { name: 'platform, 100 services: CPU of one core', value: cpu!, unit: '%' }),
      alone!,
      relativeTo(alone!, { name: 'engine, 100 services: CPU', value: engineCpu!, unit: '%' }),
    ];
  } finally {
    platform.child.kill('SIGCONT');
    await machine.end();
  }
}

export const services: Measurement = {
  name: 'services',
  about: 'Memory and CPU of the platform that looks at 100 running services, and of their engine.',
  measure,
};
