// Tools for coding agents: what an extension of Meterbridge is written with.

export { connect, version } from './connect.js'
export { CardSdkError, isCardSdkError } from './errors.js'
export { quote } from './quote.js'
export { toolError } from './result.js'
export { webSocketTransport } from './websocket.js'
