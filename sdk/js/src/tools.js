// Calls of tools: which handler answers, until when, and what is told meanwhile.

import { CardSdkError, isCardSdkError } from './errors.js'
import { errorText, shapedAnswer } from './result.js'

const progressGapMs = 250

/** Sends progress lines of one call, the newest of those that come too close. */
class Progress {
  #rpc
  #callId
  #next
  #busy = false
  #stopped = false

  constructor(rpc, callId) {
    this.#rpc = rpc
    this.#callId = callId
  }

  tell(text) {
    this.#next = Array.from(String(text)).slice(0, 200).join('')
    if (!this.#busy && this.#next !== '') void this.#run()
  }

  stop() {
    this.#next = undefined
    this.#stopped = true
  }

  async #run() {
    this.#busy = true
    while (this.#next && !this.#stopped) {
      const message = this.#next
      this.#next = undefined
      let wait = progressGapMs + 25
      try {
        await this.#rpc.request('tools.progress', { callId: this.#callId, message })
      } catch (error) {
        if (!isCardSdkError(error, 'RATE_LIMITED')) break
        wait = (error.retryAfterMs ?? 1000) + 25
        this.#next ??= message
      }
      await new Promise((resolve) => {
        setTimeout(resolve, wait).unref?.()
      })
    }
    this.#busy = false
  }
}

/** The tools of an extension. */
export class Tools {
  #rpc
  #log
  #announce
  #map
  #handlers = new Map()
  #waiting = new Map()
  #running = new Map()

  /**
   * announce: handlers are told to the host, which keeps calls until then. map makes
   * the answer that is sent of a handler's value.
   */
  constructor(rpc, { announce = true, map = shapedAnswer, log = () => {} } = {}) {
    this.#rpc = rpc
    this.#announce = announce
    this.#map = map
    this.#log = log
    rpc.on('tools.call', (call) => this.#called(call))
    rpc.on('tools.cancel', ({ callId, reason }) => this.#cancel(callId, reason))
    rpc.closed.then(() => {
      for (const callId of [...this.#running.keys()]) this.#cancel(callId, 'shutdown')
    })
  }

  /** The tools that have a handler. */
  get handled() {
    return [...this.#handlers.keys()]
  }

  /** Answers calls of a tool with fn(args, call), until the returned function is called. */
  handle(tool, fn) {
    if (typeof fn !== 'function') throw new TypeError(`the handler of ${tool} is not a function`)
    if (this.#handlers.has(tool)) throw new Error(`the tool ${tool} has a handler already`)
    this.#handlers.set(tool, fn)
    if (this.#announce) this.#tell('tools.register', tool)
    const kept = this.#waiting.get(tool) ?? []
    this.#waiting.delete(tool)
    for (const call of kept) this.#start(fn, call)
    return () => {
      if (this.#handlers.get(tool) !== fn) return
      this.#handlers.delete(tool)
      if (this.#announce) this.#tell('tools.unregister', tool)
    }
  }

  /** Adds a handler that the host was told of already. */
  adopt(tool, fn) {
    this.#handlers.set(tool, fn)
  }

  #tell(method, tool) {
    this.#rpc.request(method, { tool }).catch((error) => this.#log('error', error.message))
  }

  /** Hides or shows one of the declared tools. */
  async setEnabled(tool, enabled) {
    await this.#rpc.request('tools.setEnabled', { tool, enabled })
  }

  #called(call) {
    const fn = this.#handlers.get(call.tool)
    if (fn) return this.#start(fn, call)
    // It waits for its handler, and is forgotten at its deadline.
    const list = this.#waiting.get(call.tool) ?? []
    this.#waiting.set(call.tool, list)
    list.push(call)
    const left = call.deadline === undefined ? 30_000 : call.deadline - Date.now()
    setTimeout(() => this.#forget(call.callId), Math.max(0, left)).unref?.()
  }

  #forget(callId) {
    for (const [tool, list] of this.#waiting) {
      this.#waiting.set(
        tool,
        list.filter((call) => call.callId !== callId),
      )
    }
  }

  #cancel(callId, reason) {
    this.#forget(callId)
    const running = this.#running.get(callId)
    if (!running) return
    const late = reason === 'timeout' || (reason === undefined && Date.now() >= (running.deadline ?? Infinity))
    const code = late ? 'TIMEOUT' : 'USER_CANCELLED'
    running.abort.abort(new CardSdkError(code, late ? 'the call took too long' : `the call was cancelled${reason ? ` (${reason})` : ''}`))
  }

  #start(fn, { callId, tool, args, agent, deadline }) {
    const abort = new AbortController()
    const progress = new Progress(this.#rpc, callId)
    const call = Object.freeze({
      callId,
      tool,
      agent,
      deadline,
      signal: abort.signal,
      progress: (text) => {
        if (!abort.signal.aborted) progress.tell(text)
      },
    })
    let timer
    if (deadline !== undefined) {
      timer = setTimeout(() => this.#cancel(callId, 'timeout'), Math.max(0, deadline - Date.now()))
      timer.unref?.()
    }
    abort.signal.addEventListener('abort', () => progress.stop())
    this.#running.set(callId, { abort, deadline })
    void this.#answer(fn, args, call)
      .catch((error) => this.#log('error', `${tool}: ${errorText(error)}`))
      .finally(() => {
        progress.stop()
        clearTimeout(timer)
        this.#running.delete(callId)
      })
  }

  async #answer(fn, args, call) {
    let answer
    try {
      const value = await fn(args, call)
      answer = call.signal.aborted ? {} : this.#map(value)
    } catch (error) {
      if (!call.signal.aborted) this.#log('warn', `${call.tool}: ${error?.stack ?? error}`)
      answer = { error: errorText(error) }
    }
    if (call.signal.aborted) return
    try {
      await this.#rpc.request('tools.respond', { callId: call.callId, ...answer })
    } catch (error) {
      if (isCardSdkError(error, 'NOT_FOUND') || isCardSdkError(error, 'UNAVAILABLE')) return
      this.#log('warn', `the answer of ${call.tool} was refused: ${error.message}`)
      await this.#rpc.request('tools.respond', { callId: call.callId, error: errorText(error.hostMessage ?? error) }).catch(() => {})
    }
  }
}
