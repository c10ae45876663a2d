// Requests, answers and events over a transport, in one of two envelopes.

import { CardSdkError } from './errors.js'

/** JSON-RPC 2.0, for processes and sockets. */
export const jsonRpc = {
  request: (id, method, params) => ({ jsonrpc: '2.0', id, method, params }),
  read(message) {
    if (message.method !== undefined) return { event: message.method, data: message.params }
    if (message.error) {
      const { code, issues, ...rest } = message.error.data ?? {}
      const data = issues ?? (Object.keys(rest).length > 0 ? rest : undefined)
      return { id: message.id, error: { code: code ?? 'INTERNAL', message: message.error.message, data } }
    }
    return { id: message.id, result: message.result }
  },
}

/** The envelope of the card protocol, for pages. */
export const cardEnvelope = {
  request: (id, method, params) => ({ ns: 'nscard', v: 1, kind: 'req', id, method, params }),
  read(message) {
    if (message?.ns !== 'nscard' || typeof message.v !== 'number') return {}
    if (message.kind === 'evt') return { event: message.event, data: message.data }
    if (message.kind !== 'res') return {}
    if (message.ok) return { id: message.id, result: message.result }
    return { id: message.id, error: message.error ?? { code: 'INTERNAL', message: 'the host gave no reason' } }
  },
}

const mostInFlight = 64

/** One connection to the host. */
export class Rpc {
  #transport
  #envelope
  #last = 0
  #open = new Map()
  #queue = []
  #listeners = new Map()
  #closed

  constructor(transport, envelope) {
    this.#transport = transport
    this.#envelope = envelope
    this.closed = new Promise((resolve) => {
      this.#closed = resolve
    })
    transport.onMessage = (message) => this.#hear(message)
    transport.onClose = (why) => this.#end(why)
  }

  /** Asks the host; more than 64 requests at once wait for their turn. */
  request(method, params = {}, { timeoutMs } = {}) {
    return new Promise((resolve, reject) => {
      const ask = { method, params, resolve, reject, timeoutMs }
      if (this.ended) return reject(this.ended)
      if (this.#open.size >= mostInFlight) return this.#queue.push(ask)
      this.#send(ask)
    })
  }

  #send(ask) {
    const id = ++this.#last
    this.#open.set(id, ask)
    if (ask.timeoutMs) {
      ask.timer = setTimeout(() => {
        const late = new CardSdkError('TIMEOUT', `no answer within ${ask.timeoutMs} ms`, { method: ask.method })
        this.#settle(id, () => ask.reject(late))
      }, ask.timeoutMs)
      ask.timer.unref?.()
    }
    try {
      this.#transport.send(this.#envelope.request(id, ask.method, ask.params))
    } catch (error) {
      this.#settle(id, () => ask.reject(new CardSdkError('BAD_REQUEST', String(error?.message ?? error), { method: ask.method })))
    }
  }

  #settle(id, finish) {
    const ask = this.#open.get(id)
    if (!ask) return
    this.#open.delete(id)
    clearTimeout(ask.timer)
    finish(ask)
    while (this.#queue.length > 0 && this.#open.size < mostInFlight) this.#send(this.#queue.shift())
  }

  /** Hears of an event; returns what ends that. */
  on(event, listener) {
    const list = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, list)
    list.add(listener)
    return () => list.delete(listener)
  }

  /** Tells the listeners of an event. */
  replay(event, data) {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(data ?? {})
  }

  #hear(message) {
    const { id, error, result, event, data } = this.#envelope.read(message)
    if (event !== undefined) return this.replay(event, data)
    this.#settle(id, (ask) => {
      if (error) ask.reject(new CardSdkError(error.code, error.message, { method: ask.method, data: error.data }))
      else ask.resolve(result ?? undefined)
    })
  }

  #end(why) {
    if (this.ended) return
    this.ended = new CardSdkError('UNAVAILABLE', why ?? 'the connection to the host has ended')
    const asks = [...this.#open.values(), ...this.#queue]
    this.#open.clear()
    this.#queue = []
    for (const ask of asks) {
      clearTimeout(ask.timer)
      ask.reject(this.ended)
    }
    this.#closed()
  }

  close() {
    this.#transport.close()
    this.#end()
  }
}
