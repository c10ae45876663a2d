// A host for tests: it takes an extension's requests, keeps its storage, plays
// agents and terminals, and calls its tools.

import { connect } from './connect.js'
import { rawAnswer } from './result.js'
import { handlersOf, wrapped } from './switchboard.js'

const granted = (manifest) => (manifest.permissions ?? []).map((p) => (typeof p === 'string' ? { id: p } : p)).map((p) => p.id)

const implied = { 'agents.output': 'agents.read', 'agents.prompt': 'agents.read', 'terminals.write': 'agents.read', 'fs.write': 'fs.read' }

const needs = {
  'agents.list': 'agents.read',
  'agents.get': 'agents.read',
  'agents.readScreen': 'agents.output',
  'agents.lastReply': 'agents.output',
  'agents.prompt': 'agents.prompt',
  'agents.usage': 'usage.read',
  'agents.timeline': 'usage.read',
  'usage.summary': 'usage.read',
  'terminals.run': 'terminals.write',
  'terminals.write': 'terminals.write',
  'fs.stat': 'fs.read',
  'fs.list': 'fs.read',
  'fs.read': 'fs.read',
  'fs.watch': 'fs.read',
  'fs.unwatch': 'fs.read',
  'fs.write': 'fs.write',
  'fs.mkdir': 'fs.write',
  'fs.trash': 'fs.write',
}

function fault(code, message, data) {
  return Object.assign(new Error(message), { code, data })
}

/** The tools that a manifest of any dialect declares, by name. */
function declaredTools(manifest) {
  const list = manifest.adds?.mcpTools ?? manifest.tools ?? []
  return new Map(list.map((tool) => [tool.name ?? tool.id, tool]))
}

class MockHost {
  calls = []
  logs = []
  progress = []
  agents = []
  storage = { instance: new Map(), package: new Map() }
  enabled = new Map()
  prompts = []
  files = new Map()
  responses = new Map()
  commands = []
  #manifest
  #tools
  #permissions
  #answers = new Map()
  #registered = new Set()
  #held = []
  #topics = new Set()
  #last = 0
  #settings
  #methods = {}
  #transport

  constructor({ manifest, settings = {}, agents = [], methods = {}, permissions }) {
    this.#manifest = manifest
    this.#tools = declaredTools(manifest)
    const list = permissions ?? granted(manifest)
    this.#permissions = new Set(list.flatMap((id) => [id, implied[id]].filter(Boolean)))
    this.#settings = { values: settings, secrets: {} }
    this.agents = agents
    this.#methods = methods
    this.#transport = {
      send: (message) => queueMicrotask(() => this.#hear(structuredClone(message))),
      close: () => this.#transport.onClose?.(),
    }
    this.transport = this.#transport
  }

  /** Connects the code under test. */
  connect(options = {}) {
    return connect({ transport: this.#transport, ...options })
  }

  /** Loads a Switchboard module as its runner does. */
  async load(module) {
    let made
    const connected = new Promise((resolve) => {
      made = resolve
    })
    const handlers = Object.fromEntries(Object.entries(handlersOf(module)).map(([id, fn]) => [id, wrapped(fn, connected)]))
    const missing = [...this.#tools.keys()].filter((id) => !(id in handlers))
    if (missing.length > 0) throw fault('HANDLER_MISSING', `no handler for ${missing.join(', ')}`)
    const host = await this.connect({ handlers, map: rawAnswer })
    made(host)
    return host
  }

  /**
   * Calls a tool and gives what the agent would get: { result } or { error }. A call
   * without a handler waits for it.
   */
  callTool(tool, args = {}, { agent = { id: 'ag-1', name: 'Agent' }, timeoutMs = 5000, signal } = {}) {
    if (!this.#tools.has(tool)) throw fault('NOT_FOUND', `the manifest declares no tool ${tool}`)
    const callId = `c-${++this.#last}`
    const call = { callId, tool, args, agent, deadline: Date.now() + timeoutMs }
    return new Promise((resolve, reject) => {
      const finish = (code) => {
        if (!this.#answers.delete(callId)) return
        this.#held = this.#held.filter((one) => one.callId !== callId)
        this.#event('tools.cancel', { callId, reason: code === 'TIMEOUT' ? 'timeout' : 'cancelled' })
        reject(fault(code, `${tool} was not answered`))
      }
      const timer = setTimeout(() => finish('TIMEOUT'), timeoutMs)
      signal?.addEventListener('abort', () => finish('USER_CANCELLED'))
      this.#answers.set(callId, (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      if (this.#registered.has(tool)) this.#event('tools.call', call)
      else this.#held.push(call)
    })
  }

  /** Changes settings and tells the extension. */
  setSettings(values, secrets = {}) {
    this.#settings = { values: { ...this.#settings.values, ...values }, secrets: { ...this.#settings.secrets, ...secrets } }
    this.#event('settings.changed', this.#settings)
  }

  /** Tells the extension of an event, if it subscribed where that is needed. */
  emit(event, data) {
    if (event.startsWith('agents.') && !this.#topics.has(event)) return false
    this.#event(event, data)
    return true
  }

  #event(method, params) {
    queueMicrotask(() => this.#transport.onMessage?.({ jsonrpc: '2.0', method, params: structuredClone(params) }))
  }

  async #hear({ id, method, params }) {
    this.calls.push({ method, params })
    let reply
    try {
      reply = { jsonrpc: '2.0', id, result: (await this.#answer(method, params)) ?? null }
    } catch (error) {
      const data = { code: error.code ?? 'INTERNAL', ...error.data }
      reply = { jsonrpc: '2.0', id, error: { code: -32000, message: error.message, data } }
    }
    this.#transport.onMessage?.(structuredClone(reply))
    if (method === 'host.ready' && reply.result) this.#register(params.handlers ?? [])
  }

  #register(tools) {
    for (const tool of tools) this.#registered.add(tool)
    const ready = this.#held.filter((call) => this.#registered.has(call.tool))
    this.#held = this.#held.filter((call) => !this.#registered.has(call.tool))
    for (const call of ready) this.#event('tools.call', call)
  }

  #agent(agentId, kind) {
    const agent = this.agents.find((one) => one.id === agentId)
    if (!agent || (kind && agent.kind !== kind)) throw fault('NOT_FOUND', `there is no such ${kind === 'shell' ? 'terminal' : 'agent'} ${agentId}`)
    return agent
  }

  #linked(agentId, kind) {
    const agent = this.#agent(agentId, kind)
    if (!agent.connected) throw fault('NOT_CONNECTED', `${agent.name} is not linked`)
    return agent
  }

  #answer(method, params) {
    const permission = needs[method]
    if (permission && !this.#permissions.has(permission)) {
      throw fault('PERMISSION_DENIED', `${method} needs the permission ${permission}`, { permission })
    }
    if (this.#methods[method]) return this.#methods[method](params, this)
    const own = this.#own[method]
    if (!own) throw fault('METHOD_NOT_FOUND', `the mock host has no ${method}; give it one in methods`)
    return own(params)
  }

  #fileStat(path) {
    if (!this.files.has(path)) throw fault('NOT_FOUND', `there is no ${path}`)
    return { path, type: 'file', size: this.files.get(path).length, mtimeMs: 0 }
  }

  #declared(tool) {
    if (!this.#tools.has(tool)) throw fault('NOT_FOUND', `the manifest declares no tool ${tool}`)
    return tool
  }

  #own = {
    'host.ready': () => ({
      protocol: 1,
      appVersion: 'mock',
      instance: { instanceId: 'mock', name: this.#manifest.name ?? this.#manifest.id, version: this.#manifest.version, dev: true },
      workspace: null,
      settings: this.#settings,
      permissions: [...this.#permissions].map((id) => ({ id, granted: true, optional: false })),
      limits: {},
      launch: 'created',
    }),
    'host.pong': () => {},
    'host.capabilities': () => ({ protocol: 1, methods: [...Object.keys(this.#own), ...Object.keys(this.#methods)], events: [] }),
    'host.log': (line) => void this.logs.push(line),
    'tools.register': ({ tool }) => {
      if (this.#registered.has(this.#declared(tool))) throw fault('BAD_REQUEST', `${tool} has a handler already`)
      queueMicrotask(() => this.#register([tool]))
    },
    'tools.unregister': ({ tool }) => void this.#registered.delete(tool),
    'tools.respond': ({ callId, result, error }) => {
      const answer = this.#answers.get(callId)
      if (!answer) throw fault('NOT_FOUND', 'nobody waits for this call any more')
      this.#answers.delete(callId)
      answer(error === undefined ? { result } : { error })
    },
    'tools.progress': ({ callId, message }) => void this.progress.push({ callId, message }),
    'tools.setEnabled': ({ tool, enabled }) => void this.enabled.set(this.#declared(tool), enabled),
    'events.subscribe': ({ topics }) => {
      const told = topics.filter((topic) => topic === 'storage.changed' || this.#permissions.has(topic === 'agents.output' ? topic : 'agents.read'))
      for (const topic of told) this.#topics.add(topic)
      return { topics: told }
    },
    'events.unsubscribe': ({ topics }) => topics.forEach((topic) => this.#topics.delete(topic)),
    'settings.get': () => this.#settings,
    'settings.set': ({ values }) => {
      this.setSettings(values)
      return this.#settings
    },
    'storage.get': ({ scope, key }) => ({ exists: this.storage[scope].has(key), value: this.storage[scope].get(key) ?? null }),
    'storage.set': ({ scope, key, value }) => void this.storage[scope].set(key, value),
    'storage.delete': ({ scope, key }) => void this.storage[scope].delete(key),
    'storage.clear': ({ scope }) => void this.storage[scope].clear(),
    'storage.keys': ({ scope, prefix = '' }) => ({ keys: [...this.storage[scope].keys()].filter((key) => key.startsWith(prefix)).sort() }),
    'storage.usage': ({ scope }) => ({ bytes: JSON.stringify([...this.storage[scope]]).length, quota: 5 << 20, keys: this.storage[scope].size }),
    'permissions.list': () => [...this.#permissions].map((id) => ({ id, granted: true, optional: false })),
    'workspace.get': () => null,
    'agents.list': () => this.agents,
    'agents.get': ({ agentId }) => this.#agent(agentId),
    'agents.prompt': (prompt) => {
      this.#linked(prompt.agentId, 'ai')
      this.prompts.push(prompt)
      return { delivered: prompt.submit === false ? 'inserted' : 'sent' }
    },
    'terminals.run': (run) => {
      this.#linked(run.agentId, 'shell')
      this.commands.push(run)
      return { exitCode: 0, output: '', truncated: false, timedOut: false }
    },
    'net.fetch': (request) => {
      if (!this.#permissions.has('network') && !this.#permissions.has('network.local')) {
        throw fault('PERMISSION_DENIED', 'net.fetch needs the permission network', { permission: 'network' })
      }
      const answer = this.responses.get(request.url)
      if (!answer) throw fault('HOST_NOT_ALLOWED', `the mock host has no answer for ${request.url}; put one into responses`)
      return { requestId: request.requestId ?? 'f-1', status: 200, statusText: 'OK', headers: {}, url: request.url, ...answer }
    },
    'net.abort': () => {},
    'fs.stat': ({ path }) => this.#fileStat(path),
    'fs.list': ({ path = '' }) => ({
      entries: [...this.files.keys()]
        .filter((name) => path === '' || name.startsWith(path + '/'))
        .sort()
        .map((name) => ({ path: name, type: 'file', size: this.files.get(name).length })),
      truncated: false,
    }),
    'fs.read': ({ path }) => {
      const { size } = this.#fileStat(path)
      return { data: this.files.get(path), encoding: 'utf8', size, truncated: false }
    },
    'fs.write': ({ path, data }) => {
      this.files.set(path, data)
      return this.#fileStat(path)
    },
    'fs.trash': ({ path }) => {
      this.#fileStat(path)
      this.files.delete(path)
    },
    'terminals.write': (keys) => {
      this.#linked(keys.agentId, 'shell')
      this.commands.push(keys)
    },
  }
}

/** Makes a host for the extension of a manifest. */
export function createMockHost(options) {
  return new MockHost(options)
}
