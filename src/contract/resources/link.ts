import * as z from 'zod';
import { Uuid } from '../primitives.ts';
import { ServiceType } from './service.ts';

/** A public address of a service. Platforms use their own name in the name of the last member. */
export const Link = z.object({
  service_id: Uuid,
  service_type: ServiceType,
  url: z.string(),
  internal_port: z.int().optional(),
  external_port: z.int().optional(),
  is_default: z.boolean(),
  is_platform_domain: z.boolean().optional(),
});
