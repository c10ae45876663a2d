// How an extension finds its host: standard streams, a socket, or the page around it.

import { CardSdkError } from './errors.js'
import { hostObject } from './host.js'
import { webSocketTransport } from './websocket.js'
import { shapedAnswer } from './result.js'
import { cardEnvelope, jsonRpc, Rpc } from './rpc.js'

export const version = '0.1.0'

const readyMs = 10_000

/**
 * Connects to the host. Without options that is the standard streams of a process
 * that Meterbridge started, the socket of METERBRIDGE_EXT_SOCKET, or the page that
 * holds the card.
 */
export async function connect(options = {}) {
  const inPage = typeof window !== 'undefined' && window.parent !== window
  const transport = options.transport ?? (inPage ? await (await import('./page.js')).pageTransport(readyMs) : await processTransport())
  const page = transport.envelope === 'card'
  const rpc = new Rpc(transport, page ? cardEnvelope : jsonRpc)
  answerPings(rpc)
  const hello = { sdkVersion: version, protocol: 1 }
  if (options.handlers && !page) hello.handlers = Object.keys(options.handlers)
  if (transport.token) hello.token = transport.token
  // Calls may come at once after the answer, so whoever takes them is there before.
  let context
  const early = []
  const offCall = rpc.on('tools.call', (call) => early.push(['tools.call', call]))
  try {
    context = await rpc.request('host.ready', hello, { timeoutMs: readyMs })
  } catch (error) {
    rpc.close()
    throw error
  }
  offCall()
  const object = hostObject(rpc, context, { announce: !page, map: options.map ?? shapedAnswer })
  for (const [tool, fn] of Object.entries(options.handlers ?? {})) object.tools.adopt(tool, fn)
  for (const [event, data] of early) rpc.replay(event, data)
  transport.ends?.(rpc, object)
  await object.known
  delete object.known
  return object
}

function answerPings(rpc) {
  rpc.on('host.ping', ({ seq }) => {
    rpc.request('host.pong', { seq }).catch(() => {})
  })
}

async function processTransport() {
  if (typeof process === 'undefined') {
    throw new CardSdkError('UNAVAILABLE', 'this page is not inside a host; createMockHost of @meterbridge/sdk/testing stands in for one')
  }
  const { METERBRIDGE_EXT_SOCKET: socket, METERBRIDGE_EXT_TOKEN: token } = process.env
  if (socket?.startsWith('ws')) return webSocketTransport(socket, token)
  const { socketTransport, stdioTransport } = await import('./process.js')
  return socket ? socketTransport(socket, token) : stdioTransport()
}
