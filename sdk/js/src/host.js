// What an extension may ask of the host, as one object.

import { isCardSdkError } from './errors.js'
import { Tools } from './tools.js'

/** Counts log lines: 49 a second, then the number of those that were dropped. */
class Log {
  #rpc
  #second = 0
  #sent = 0
  #dropped = 0

  constructor(rpc) {
    this.#rpc = rpc
  }

  write(level, message) {
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#second) {
      const dropped = this.#dropped
      this.#second = second
      this.#sent = 0
      this.#dropped = 0
      if (dropped > 0) this.write('warn', `${dropped} log lines were dropped`)
    }
    if (this.#sent >= 49) {
      this.#dropped++
      return
    }
    this.#sent++
    const text = Array.from(String(message)).slice(0, 2000).join('')
    this.#rpc.request('host.log', { level, message: text }).catch(() => {})
  }
}

/** Subscribes to a topic with its first listener and ends that with the last. */
class Topics {
  #rpc
  #log
  #counts = new Map()

  constructor(rpc, log) {
    this.#rpc = rpc
    this.#log = log
  }

  listen(topic, listener) {
    const off = this.#rpc.on(topic, listener)
    const count = this.#counts.get(topic) ?? 0
    this.#counts.set(topic, count + 1)
    if (count === 0) this.#ask('events.subscribe', { topics: [topic] }, topic)
    let removed = false
    return () => {
      if (removed) return
      removed = true
      off()
      const left = this.#counts.get(topic) - 1
      this.#counts.set(topic, left)
      if (left === 0) this.#ask('events.unsubscribe', { topics: [topic] }, topic)
    }
  }

  #ask(method, params, topic) {
    this.#rpc.request(method, params).then(
      (answer) => {
        if (method === 'events.subscribe' && !answer?.topics?.includes(topic)) {
          this.#log.write('warn', `${topic} is not told: the manifest lacks the permission, or the user did not grant it`)
        }
      },
      (error) => {
        if (!isCardSdkError(error, 'UNAVAILABLE')) this.#log.write('warn', error.message)
      },
    )
  }
}

/** The listeners of agents' output, and the ids that they want. */
class Outputs {
  #rpc
  #log
  #wanted = new Map()

  constructor(rpc, log) {
    this.#rpc = rpc
    this.#log = log
  }

  listen(ids, listener) {
    const key = Symbol('output')
    const off = this.#rpc.on('agents.output', (event) => {
      if (ids.includes(event.agentId)) listener(event)
    })
    this.#wanted.set(key, ids)
    this.#update()
    return () => {
      off()
      if (this.#wanted.delete(key)) this.#update()
    }
  }

  #update() {
    const agentIds = [...new Set([...this.#wanted.values()].flat())]
    const asked =
      agentIds.length === 0
        ? this.#rpc.request('events.unsubscribe', { topics: ['agents.output'] })
        : this.#rpc.request('events.subscribe', { topics: ['agents.output'], agentIds })
    asked.catch((error) => this.#log.write('warn', error.message))
  }
}

function listenerAndTarget(a, b) {
  const [listener, target] = typeof a === 'function' ? [a, b] : [b, a]
  if (typeof listener !== 'function') throw new TypeError('a listener must be a function')
  return [listener, target]
}

function agentsOf(rpc, topics, outputs) {
  const filtered = (topic) => (a, b) => {
    const [listener, agentId] = listenerAndTarget(a, b)
    return topics.listen(topic, (event) => {
      if (agentId === undefined || event.agentId === agentId) listener(event)
    })
  }
  return {
    list: () => rpc.request('agents.list'),
    get: (agentId) => rpc.request('agents.get', { agentId }),
    readScreen: (agentId, options = {}) => rpc.request('agents.readScreen', { agentId, ...options }),
    lastReply: (agentId) => rpc.request('agents.lastReply', { agentId }),
    prompt: (agentId, text, options = {}) => rpc.request('agents.prompt', { agentId, text, ...options }),
    usage: (agentId, window) => rpc.request('agents.usage', { agentId, ...window }),
    timeline: (agentId, window) => rpc.request('agents.timeline', { agentId, ...window }),
    onStatus: filtered('agents.status'),
    onTurn: filtered('agents.turn'),
    onChanged: (listener) => topics.listen('agents.changed', listener),
    onOutput(a, b) {
      const [listener, ids] = listenerAndTarget(a, b)
      return outputs.listen([ids].flat(), listener)
    },
  }
}

function storageOf(rpc, topics) {
  const scoped = (scope) => ({
    get: async (key) => (await rpc.request('storage.get', { scope, key })).value,
    has: async (key) => (await rpc.request('storage.get', { scope, key })).exists,
    set: (key, value) => rpc.request('storage.set', { scope, key, value }),
    delete: (key) => rpc.request('storage.delete', { scope, key }),
    clear: () => rpc.request('storage.clear', { scope }),
    keys: async (prefix) => (await rpc.request('storage.keys', prefix === undefined ? { scope } : { scope, prefix })).keys,
    usage: () => rpc.request('storage.usage', { scope }),
    onChanged: (listener) =>
      topics.listen('storage.changed', (event) => {
        if (event.scope === scope) listener(event)
      }),
  })
  return { ...scoped('instance'), instance: scoped('instance'), package: scoped('package') }
}

function netOf(rpc) {
  let last = 0
  return {
    fetch: (url, options = {}) => rpc.request('net.fetch', { url, ...options }),
    abort: (requestId) => rpc.request('net.abort', { requestId }),
    /** Hears the answer piece by piece; resolves when it has ended. */
    async stream(url, options, onChunk) {
      const requestId = options.requestId ?? `stream-${++last}`
      let off
      const ended = new Promise((resolve, reject) => {
        off = rpc.on('net.chunk', (event) => {
          if (event.requestId !== requestId) return
          if (event.chunk !== '') onChunk(event)
          if (!event.done) return
          if (event.error) reject(Object.assign(new Error(event.error.message), { code: event.error.code }))
          else resolve()
        })
      })
      ended.catch(() => {}) // it is told below, or the request itself failed
      try {
        const answer = await rpc.request('net.fetch', { url, ...options, requestId, responseType: 'stream' })
        await ended
        return answer
      } finally {
        off()
      }
    },
  }
}

function filesOf(rpc) {
  return {
    stat: (path) => rpc.request('fs.stat', { path }),
    list: (path = '', options = {}) => rpc.request('fs.list', { path, ...options }),
    read: (path, options = {}) => rpc.request('fs.read', { path, ...options }),
    write: (path, data, options = {}) => rpc.request('fs.write', { path, data, ...options }),
    mkdir: (path) => rpc.request('fs.mkdir', { path }),
    trash: (path) => rpc.request('fs.trash', { path }),
    /** Tells of changes until the function that it resolves to is called. */
    async watch(path, listener, options = {}) {
      const early = []
      let watchId
      const off = rpc.on('fs.changed', (event) => {
        if (watchId === undefined) early.push(event)
        else if (event.watchId === watchId) listener(event)
      })
      try {
        watchId = (await rpc.request('fs.watch', { path, ...options })).watchId
      } catch (error) {
        off()
        throw error
      }
      early.filter((event) => event.watchId === watchId).forEach(listener)
      return () => {
        off()
        return rpc.request('fs.unwatch', { watchId })
      }
    },
  }
}

/** Makes the object that connect() returns. */
export function hostObject(rpc, context, { announce, map }) {
  const log = new Log(rpc)
  const topics = new Topics(rpc, log)
  const write = (level) => (message) => log.write(level, message)
  const capabilities = rpc.request('host.capabilities').catch(() => ({ methods: [], events: [] }))
  const methods = new Set()
  const known = capabilities.then((told) => told.methods.forEach((name) => methods.add(name)))
  let settings = context.settings ?? { values: {}, secrets: {} }
  rpc.on('settings.changed', (changed) => {
    settings = changed
  })
  const ending = new Set()
  return {
    context,
    tools: new Tools(rpc, { announce, map, log: (level, message) => log.write(level, message) }),
    host: {
      /** Tells whether the host knows a method; true answers need connect() to have returned. */
      supports: (method) => methods.has(method),
      capabilities: () => capabilities,
    },
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    settings: {
      get values() {
        return settings.values
      },
      get secrets() {
        return settings.secrets
      },
      get: () => rpc.request('settings.get'),
      set: (values) => rpc.request('settings.set', { values }),
      onChanged: (listener) => rpc.on('settings.changed', listener),
    },
    storage: storageOf(rpc, topics),
    permissions: { list: () => rpc.request('permissions.list') },
    workspace: { get: () => rpc.request('workspace.get') },
    agents: agentsOf(rpc, topics, new Outputs(rpc, log)),
    usage: { summary: (period) => rpc.request('usage.summary', { period }) },
    terminals: {
      run: (agentId, command, options = {}) => rpc.request('terminals.run', { agentId, command, ...options }),
      write: (agentId, text, options = {}) => rpc.request('terminals.write', { agentId, text, ...options }),
    },
    net: netOf(rpc),
    fs: filesOf(rpc),
    request: (method, params) => rpc.request(method, params),
    on: (event, listener) => rpc.on(event, listener),
    /** Runs before the extension is suspended or ended; what it returns is waited for. */
    onSuspend(listener) {
      ending.add(listener)
      return () => ending.delete(listener)
    },
    closed: rpc.closed,
    close: () => rpc.close(),
    known,
    ending,
  }
}
