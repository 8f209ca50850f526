// A trick on the official TypeScript SDK that answers everything as an event stream.
import { createServer } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

function makeServer() {
    const server = new McpServer({ name: 'peer', version: '1.0.0' });
    server.registerTool(
        'echo',
        { title: 'Echo', description: 'Says it again.', inputSchema: z.object({ text: z.string() }) },
        async ({ text }) => ({ content: [{ type: 'text', text }], structuredContent: { text } })
    );
    server.registerTool('broken', { description: 'Fails.', inputSchema: z.object({}) }, async () => {
        throw new Error('the reason');
    });
    return server;
}

const handler = toNodeHandler(createMcpHandler(makeServer, { responseMode: 'sse' }));
const listener = createServer((request, response) => handler(request, response));
listener.listen(0, '127.0.0.1', () => console.log('PORT', listener.address().port));
