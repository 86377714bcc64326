import * as z from 'zod';
import { identity, Name, Pointer } from '../primitives.ts';

export const ProjectRequest = z.object({
  name: Name.describe('Unique in the organization.'),
  description: z.string().optional(),
});

export const Project = z.object({
  ...identity,
  name: Name,
  description: z.string().optional(),
  organization: Pointer,
  associated_environments_count: z.int(),
});
