import * as z from 'zod';
import { identity, Name, Pointer, resourceOf } from '../primitives.ts';

export const ProjectRequest = z.object({
  name: Name.describe('Unique in the organization.'),
  description: z.string().optional(),
});

export const Project = resourceOf('project', z.object({
  ...identity,
  name: Name,
  description: z.string().optional(),
  organization: Pointer,
  associated_environments_count: z.int(),
}));
