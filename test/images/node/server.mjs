// Arguments: its version, and the status of its health. Of gRPC it has the health service alone, of WebSockets short frames of text alone.
import { createHash } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';

const [version = 'one', status = 'SERVING'] = process.argv.slice(2);
console.log(`version ${version}`);
process.on('SIGTERM', () => process.exit());

const grpc = createHttp2Server();
grpc.on('stream', (stream, headers) => {
  stream.on('error', () => undefined).resume();
  const isWatch = headers[':path'].endsWith('/Watch');
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'x-version': version },
    { waitForTrailers: true },
  );
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.write(Buffer.from([0, 0, 0, 0, 2, 8, status === 'SERVING' ? 1 : 2]));
  // A watch goes on for as long as the server.
  if (!isWatch) stream.end();
});
grpc.listen(50051);

const web = createHttpServer((request, response) => response.end(`${version}\n`));
web.on('upgrade', (request, socket) => {
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket
    .on('error', () => undefined)
    .on('data', (frame) => {
      const length = frame[1] & 0x7f;
      const text = frame.subarray(6, 6 + length).map((byte, index) => byte ^ frame[2 + (index % 4)]);
      if ((frame[0] & 0x0f) === 1) socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
      else socket.end();
    });
});
web.listen(8080);
