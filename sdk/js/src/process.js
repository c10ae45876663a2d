// The transports of a process: lines on its standard streams, or on a socket.

import net from 'node:net'

/** One JSON object a line, in both directions. */
class Lines {
  #out
  #end
  #rest = ''

  constructor(input, output, end) {
    this.#out = output
    this.#end = end
    input.setEncoding('utf8')
    input.on('data', (text) => this.#hear(text))
    input.on('end', () => this.onClose?.('the host has closed the connection'))
    input.on('error', (error) => this.onClose?.(error.message))
    output.on('error', (error) => this.onClose?.(error.message))
  }

  #hear(text) {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()
    for (const line of lines) {
      if (line.trim() !== '') this.onMessage?.(JSON.parse(line))
    }
  }

  send(message) {
    this.#out.write(JSON.stringify(message) + '\n')
  }

  close() {
    this.#end()
  }
}

/**
 * The standard streams. What is printed goes to standard error from then on, as
 * standard output belongs to the protocol.
 */
export async function stdioTransport() {
  const { Console } = await import('node:console')
  globalThis.console = new Console(process.stderr, process.stderr)
  const transport = new Lines(process.stdin, process.stdout, () => process.stdin.destroy())
  transport.ends = (rpc, object) => {
    endsWith(rpc, object, () => process.exit(0))
    rpc.closed.then(() => process.exit(0))
  }
  return transport
}

/** A socket of Meterbridge, with a one-time token. */
export async function socketTransport(path, token) {
  const socket = net.connect(path)
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  const transport = new Lines(socket, socket, () => socket.end())
  transport.token = token
  transport.ends = (rpc, object) => endsWith(rpc, object, () => rpc.close())
  return transport
}

/** Lets the extension finish when the host says that it will end it. */
function endsWith(rpc, object, end) {
  const finish = async ({ graceMs = 1000 }) => {
    const all = Promise.allSettled([...object.ending].map(async (listener) => listener()))
    const late = new Promise((resolve) => {
      setTimeout(resolve, graceMs).unref?.()
    })
    await Promise.race([all, late])
    end()
  }
  rpc.on('lifecycle.suspend', finish)
  rpc.on('lifecycle.shutdown', finish)
}
