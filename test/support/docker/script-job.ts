import type { Json } from '../test-platform.ts';

/**
 * The configuration of a job that runs a script in busybox when it is deployed.
 * @param schedule default: at the start of its environment
 */
export const scriptJob = (registryId: string, script: string, schedule?: { readonly scheduled_at: string }): Json => {
  const command = { entrypoint: '/bin/sh', arguments: ['-c', script] };
  return {
    source: { image: { registry_id: registryId, image_name: 'shell', tag: '1' } },
    cpu: 100,
    memory: 64,
    max_nb_restart: 0,
    max_duration_seconds: 120,
    healthchecks: {},
    schedule: schedule ? { cronjob: { ...schedule, ...command } } : { on_start: command },
  };
};
