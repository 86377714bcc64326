// Loaded into a measured process: tells, when asked over the channel to its parent, what the heap holds once all that can go is gone.
process.on('message', () => {
  globalThis.gc();
  process.send(process.memoryUsage().heapUsed);
});
process.channel.unref();
