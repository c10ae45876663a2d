// The transport of programs that run outside of Meterbridge and of browsers.

import { CardSdkError } from './errors.js'

/** Connects to ws://HOST:PORT/ext with a one-time token of `meterbridge ext show NAME --token`. */
export function webSocketTransport(url, token) {
  if (typeof WebSocket === 'undefined') {
    throw new CardSdkError('UNAVAILABLE', 'this Node has no WebSocket; Node 22 and browsers have, and METERBRIDGE_EXT_SOCKET may name a Unix socket')
  }
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, 'meterbridge.ext.v1')
    const transport = {
      token,
      send: (message) => socket.send(JSON.stringify(message)),
      close: () => socket.close(),
    }
    socket.onopen = () => resolve(transport)
    socket.onmessage = ({ data }) => transport.onMessage?.(JSON.parse(data))
    socket.onclose = ({ reason }) => transport.onClose?.(reason || undefined)
    socket.onerror = () => reject(new CardSdkError('UNAVAILABLE', `no connection to ${url}`))
  })
}
