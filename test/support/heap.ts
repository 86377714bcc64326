import { once } from 'node:events';

/** What the heap of a process holds after everything that can go is gone, in MB. @param inspector its WebSocket address */
export async function heapUsed(inspector: string): Promise<number> {
  const socket = new WebSocket(inspector);
  await once(socket, 'open');
  const ask = async (id: number, method: string): Promise<{ usedSize: number }> => {
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const [{ data }] = (await once(socket, 'message')) as [{ data: string }];
      const answer = JSON.parse(data) as { id?: number; result: { usedSize: number } };
      if (answer.id === id) return answer.result;
    }
  };
  await ask(1, 'HeapProfiler.collectGarbage');
  const { usedSize } = await ask(2, 'Runtime.getHeapUsage');
  socket.close();
  return usedSize / 1024 / 1024;
}
