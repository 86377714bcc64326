// Preloaded into a measured process. On a message from the parent, collects garbage and sends the used heap size in bytes.
process.on('message', () => {
  globalThis.gc();
  process.send(process.memoryUsage().heapUsed);
});
process.channel.unref();
