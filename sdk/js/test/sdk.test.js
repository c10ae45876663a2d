import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import test from 'node:test'

import { connect, isCardSdkError, quote, toolError } from '../src/index.js'
import { cardEnvelope, Rpc } from '../src/rpc.js'
import { createMockHost } from '../src/testing.js'

const manifest = {
  name: 'ticket-desk',
  version: '1.2.0',
  permissions: ['agents.read', 'terminals.write'],
  tools: [{ name: 'open_ticket' }, { name: 'close_ticket' }],
}

const lead = { id: 'ag-7', name: 'Lead' }

test('what a handler gives is what the agent gets', async () => {
  const cases = JSON.parse(fs.readFileSync(new URL('../../testdata/results.json', import.meta.url), 'utf8'))
  for (const { name, value, absent, toolError: failed, throws, want } of cases) {
    const mock = createMockHost({ manifest })
    const host = await mock.connect()
    host.tools.handle('open_ticket', () => {
      if (throws !== undefined) throw new Error(throws)
      if (failed !== undefined) return toolError(failed)
      return absent ? undefined : value
    })
    const got = await mock.callTool('open_ticket', {}, { agent: lead })
    assert.deepEqual(JSON.parse(JSON.stringify(got)), want, name)
  }
})

test('a call before its handler waits, and a handler can be removed', async () => {
  const mock = createMockHost({ manifest })
  const host = await mock.connect()
  const early = mock.callTool('open_ticket', { title: 'a' })
  const off = host.tools.handle('open_ticket', ({ title }, call) => `${title} by ${call.agent.name}`)
  assert.equal((await early).result.content[0].text, 'a by Agent')
  assert.throws(() => host.tools.handle('open_ticket', () => {}), /has a handler already/)
  off()
  await host.permissions.list() // the removal has arrived
  const late = mock.callTool('open_ticket', { title: 'b' }, { timeoutMs: 50 })
  await assert.rejects(late, { code: 'TIMEOUT' })
})

test('a cancelled call is told by its signal, and nothing is sent any more', async () => {
  const mock = createMockHost({ manifest })
  const host = await mock.connect()
  const begun = Promise.withResolvers?.() ?? deferred()
  const aborted = deferred()
  host.tools.handle('open_ticket', async (_, call) => {
    begun.resolve()
    await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
    aborted.resolve(call.signal.reason)
    call.progress('too late')
    return 'too late'
  })
  const stop = new AbortController()
  const call = mock.callTool('open_ticket', {}, { signal: stop.signal })
  await begun.promise
  stop.abort()
  await assert.rejects(call, { code: 'USER_CANCELLED' })
  assert.equal((await aborted.promise).code, 'USER_CANCELLED')
  await host.permissions.list()
  assert.equal(mock.calls.filter(({ method }) => method === 'tools.respond' || method === 'tools.progress').length, 0)
})

function deferred() {
  const d = {}
  d.promise = new Promise((resolve) => (d.resolve = resolve))
  return d
}

test('progress lines that come too close give way to the newest', async () => {
  const mock = createMockHost({ manifest })
  const host = await mock.connect()
  host.tools.handle('open_ticket', async (_, call) => {
    for (let i = 1; i <= 50; i++) call.progress(`step ${i}`)
    while (mock.progress.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
  })
  await mock.callTool('open_ticket')
  assert.deepEqual(
    mock.progress.map(({ message }) => message),
    ['step 1', 'step 50'],
  )
})

test('errors of the host tell code, method and what to do', async () => {
  const agents = [{ id: 't1', name: 'Tests', kind: 'shell', status: 'idle', harness: 'shell-bash', connected: false }]
  const mock = createMockHost({ manifest, agents })
  const host = await mock.connect()
  await assert.rejects(host.agents.usage('t1', { since: 0 }), (error) => {
    assert.ok(isCardSdkError(error) && isCardSdkError(error, 'PERMISSION_DENIED') && !isCardSdkError(error, 'TIMEOUT'))
    assert.equal(error.permission, 'usage.read')
    assert.equal(error.method, 'agents.usage')
    assert.match(error.hint, /manifest/)
    return true
  })
  await assert.rejects(host.terminals.run('t1', 'ls'), { code: 'NOT_CONNECTED', hostMessage: 'Tests is not linked' })
  assert.ok(!isCardSdkError(new Error('PERMISSION_DENIED')))
  assert.ok(host.host.supports('terminals.run') && !host.host.supports('ui.toast'))
})

test('subscriptions begin with the first listener and end with the last', async () => {
  const mock = createMockHost({ manifest })
  const host = await mock.connect()
  const heard = []
  const off = [host.agents.onStatus((e) => heard.push(e.status)), host.agents.onStatus((e) => heard.push('mine'), 'ag-7')]
  await host.permissions.list()
  mock.emit('agents.status', { agentId: 'ag-1', status: 'working', at: 1 })
  mock.emit('agents.status', { agentId: 'ag-7', status: 'idle', at: 2 })
  await host.permissions.list()
  assert.deepEqual(heard, ['working', 'idle', 'mine'])
  off.forEach((remove) => remove())
  await host.permissions.list()
  assert.equal(mock.emit('agents.status', { agentId: 'ag-1', status: 'working', at: 3 }), false)
  const topics = mock.calls.filter(({ method }) => method.startsWith('events.')).map(({ method }) => method)
  assert.deepEqual(topics, ['events.subscribe', 'events.unsubscribe'])
})

test('quote keeps every argument one argument', () => {
  assert.equal(quote(['go', 'test', './...', '-run', 'A|B']), "go test ./... -run 'A|B'")
  const nasty = ['$(touch x)', "it's", '', '`id`', 'a b', '\\', "\\'", 'new\nline', '-n', '~', '*', '$HOME', '!!', 'ü', '#', '"']
  for (const shell of ['bash', 'sh']) {
    const out = spawnSync(shell, ['-c', `for a in ${quote(nasty)}; do printf '%s\\0' "$a"; done`]).stdout.toString()
    assert.deepEqual(out.split('\0').slice(0, -1), nasty)
  }
  assert.throws(() => quote(['a\0b']), /NUL/)
  assert.throws(() => quote('ls'), /list/)
})

test('requests beyond 64 wait for their turn', async () => {
  let open = 0
  let most = 0
  const transport = {
    send(message) {
      most = Math.max(most, ++open)
      setImmediate(() => {
        open--
        transport.onMessage({ ns: 'nscard', v: 1, kind: 'res', id: message.id, ok: true, result: message.params })
      })
    },
    close() {},
  }
  const rpc = new Rpc(transport, cardEnvelope)
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => rpc.request('storage.get', { n })))
  assert.deepEqual(answers.map(({ n }) => n), Array.from({ length: 200 }, (_, n) => n))
  assert.equal(most, 64)
  rpc.close()
  await assert.rejects(rpc.request('storage.get'), { code: 'UNAVAILABLE' })
})

test('a Switchboard module answers with any value, and a missing handler is named', async () => {
  const desk = { id: 'com.example.things', version: '1.0.0', adds: { mcpTools: [{ id: 'add-todo', title: 'Add' }] } }
  const mock = createMockHost({ manifest: desk })
  await mock.load({ default: { mcpTools: { 'add-todo': ({ text }, ctx) => ({ text, by: ctx.agent.name, signal: ctx.signal.aborted }) } } })
  assert.deepEqual(await mock.callTool('add-todo', { text: 'x' }), { result: { text: 'x', by: 'Agent', signal: false } })
  await assert.rejects(createMockHost({ manifest: desk }).load({ default: { mcpTools: {} } }), { code: 'HANDLER_MISSING' })
})

test('without a host connect says what to do', async () => {
  await assert.rejects(connect({ transport: { send() {}, close() {}, get onMessage() {}, set onMessage(f) { setImmediate(() => f({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'newer', data: { code: 'PROTOCOL_MISMATCH' } } })) } } }), {
    code: 'PROTOCOL_MISMATCH',
    hint: 'This extension needs a newer Meterbridge.',
  })
})

test('requests and files of the host, each under its name', async () => {
  const manifest = { name: 'net', permissions: ['network', 'fs.write'], tools: [] }
  const mock = createMockHost({ manifest })
  const host = await mock.connect()
  mock.responses.set('https://example.com/', { status: 304 })
  assert.equal((await host.net.fetch('https://example.com/', { method: 'POST', headers: { a: '{{secret:k}}' } })).status, 304)
  await assert.rejects(host.net.fetch('https://other.example.com/'), { code: 'HOST_NOT_ALLOWED' })
  const pieces = []
  const streamed = host.net.stream('https://example.com/', {}, ({ chunk }) => pieces.push(chunk))
  await new Promise(setImmediate)
  const { requestId } = mock.calls.at(-1).params
  for (const chunk of ['a', 'b']) mock.emit('net.chunk', { requestId, chunk, encoding: 'text', done: false })
  mock.emit('net.chunk', { requestId: 'other', chunk: 'x', encoding: 'text', done: true })
  mock.emit('net.chunk', { requestId, chunk: '', encoding: 'text', done: true })
  assert.equal((await streamed).status, 304)
  assert.deepEqual(pieces, ['a', 'b'])
  assert.equal((await host.fs.write('a.txt', 'hello')).size, 5)
  assert.equal((await host.fs.read('a.txt')).data, 'hello')
  assert.equal((await host.fs.stat('a.txt')).type, 'file')
  assert.deepEqual((await host.fs.list()).entries.map(({ path }) => path), ['a.txt'])
  await host.fs.trash('a.txt')
  await assert.rejects(host.fs.read('a.txt'), { code: 'NOT_FOUND' })
  await assert.rejects(createMockHost({ manifest: { name: 'x', tools: [] } }).connect().then((h) => h.fs.read('a')), { code: 'PERMISSION_DENIED', permission: 'fs.read' })
})
