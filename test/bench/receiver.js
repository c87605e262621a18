import { createServer } from 'node:http';

// Takes mails and events, in a process of its own: it is not to slow down the client that measures. A message names how
// many to expect; another one answers it with the milliseconds from the first to the last.
let expected = 0;
let taken = 0;
let firstAt = 0;

process.on('message', (count) => {
  expected = count;
  taken = 0;
});
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(202).end();
    if (taken === 0) firstAt = performance.now();
    taken += 1;
    if (taken === expected) process.send({ ms: performance.now() - firstAt });
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
