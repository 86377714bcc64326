/** Thrown if a row has changed since it was read, or the lease is lost. Nothing of the change is written. */
export class Superseded extends Error {
  constructor(deploymentId: string) {
    super(`Deployment ${deploymentId} has moved on.`);
    this.name = 'Superseded';
  }
}
