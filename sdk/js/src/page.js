// The transport of a card: the port that the page around it hands over.

import { CardSdkError } from './errors.js'

/** Waits for the port; the first one counts. */
export function pageTransport(withinMs) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      window.removeEventListener('message', take)
      reject(new CardSdkError('UNAVAILABLE', 'the page around this card did not open a connection'))
    }, withinMs)
    function take(event) {
      const { source, data, ports } = event
      if (source !== window.parent || data?.ns !== 'nscard' || data.type !== 'connect' || typeof data.protocol !== 'number' || !ports[0]) return
      clearTimeout(timer)
      window.removeEventListener('message', take)
      resolve(portTransport(ports[0]))
    }
    window.addEventListener('message', take)
  })
}

/** Objects over a MessagePort, in the envelope of the card protocol. */
export function portTransport(port) {
  const transport = {
    envelope: 'card',
    send: (message) => port.postMessage(message),
    close: () => port.close(),
    ends(rpc, object) {
      rpc.on('lifecycle.suspend', () => {
        for (const listener of object.ending) void listener()
      })
    },
  }
  port.onmessage = (event) => transport.onMessage?.(event.data)
  port.start()
  return transport
}
