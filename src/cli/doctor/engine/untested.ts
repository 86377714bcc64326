import { untestedDatabases } from '../../../platform/runtime/docker/index.ts';
import { findingBuilder } from '../finding.ts';

/** Databases whose images were never run in the tests of this program. */
export const databasesFinding = findingBuilder('databases').note(`databases of the types ${untestedDatabases.join(' and ')} are untested here`, 'Try one, with a restart and a new version, before you rely on it.');
