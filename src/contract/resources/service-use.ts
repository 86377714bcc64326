import * as z from 'zod';
import { listOf, Uuid } from '../primitives.ts';

/** A service that uses a resource of the organization, such as a registry. */
const ServiceUse = z.object({
  service_id: Uuid,
  service_name: z.string(),
  service_type: z.string(),
  environment_id: Uuid,
  environment_name: z.string(),
  project_id: Uuid,
  project_name: z.string().optional(),
});

/** The services that use a resource of the organization. */
export const ServiceUses = listOf(ServiceUse).omit({ pagination: true });
