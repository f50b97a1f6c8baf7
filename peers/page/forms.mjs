// An MCP server whose tools ask the user: "form" for values, "page" to open a page,
// "both" two questions at the same time.
import { createInterface } from 'node:readline'

const send = (m) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\n')
const asks = {
  form: {
    mode: 'form', message: 'Which deployment?', requestedSchema: {
      type: 'object', required: ['env', 'sure'], properties: {
        env: { type: 'string', title: 'Environment', description: 'Where to deploy', enum: ['dev', 'prod'] },
        sure: { type: 'boolean', title: 'Restart' },
        count: { type: 'integer', title: 'Machines', minimum: 1, maximum: 9, default: 3 },
        days: { type: 'array', title: 'Days', items: { anyOf: [{ const: 'mo', title: 'Monday' }, { const: 'tu', title: 'Tuesday' }] } },
        mail: { type: 'string', title: 'Report to', format: 'email' },
      },
    },
  },
  page: { mode: 'url', message: 'Log in', elicitationId: 'e1', url: 'https://login.example/?session=1' },
  secret: { mode: 'form', message: 'Key?', requestedSchema: { type: 'object', properties: { api_key: { type: 'string' } } } },
}
asks.both = { ...asks.page, elicitationId: 'e2', message: 'Log in first' }
const tools = Object.keys(asks).map((name) => ({ name, inputSchema: { type: 'object' } }))
createInterface({ input: process.stdin }).on('line', (line) => {
  const m = JSON.parse(line)
  if (m.method === 'initialize') send({ id: m.id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'forms', version: '1' } } })
  else if (m.method === 'tools/list') send({ id: m.id, result: { tools } })
  else if (m.method === 'tools/call') {
    send({ id: `for ${m.id}`, method: 'elicitation/create', params: asks[m.params.name] })
    if (m.params.name === 'both') send({ id: 'other', method: 'elicitation/create', params: asks.form })
  } else if (m.id === 'other') return
  else if (!m.method) send({ id: Number(String(m.id).slice(4)), result: { content: [{ type: 'text', text: JSON.stringify(m.result ?? m.error) }] } })
  else if (m.id !== undefined) send({ id: m.id, error: { code: -32601, message: 'no such method' } })
})
