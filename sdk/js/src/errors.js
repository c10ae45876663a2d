// Errors that the host answers with.

const hints = {
  PERMISSION_DENIED: 'Name the permission in the manifest; the user grants it when the extension is installed.',
  NOT_CONNECTED: 'The user links the extension to the agent or terminal: meterbridge ext link NAME AGENT.',
  NOT_VISIBLE: 'This works only while the card is on screen.',
  NOT_READY: 'Wait for connect() before anything is asked.',
  PROTOCOL_MISMATCH: 'This extension needs a newer Meterbridge.',
  HOST_NOT_ALLOWED: 'Name the host under the permission network in the manifest.',
  BUDGET_PAUSED: 'The budget of the workspace is spent; its user raises it or waits.',
  FS_DENIED: 'Only files of the workspace can be reached, and not those that steer agents or builds.',
}

/** What the host, or the connection to it, answered instead of a result. */
export class CardSdkError extends Error {
  constructor(code, hostMessage, { method, data } = {}) {
    const hint = hints[code]
    super(`${method ? method + ': ' : ''}${hostMessage} (${code})${hint ? ' ' + hint : ''}`)
    this.name = 'CardSdkError'
    this.code = code
    this.hostMessage = hostMessage
    this.method = method
    this.data = data
    this.hint = hint
    this.retryAfterMs = data?.retryAfterMs
    this.permission = data?.permission
    this.issues = Array.isArray(data) ? data : data?.issues
  }
}

/** Tells whether an error is one of the host's, of that code where one is given. */
export function isCardSdkError(error, code) {
  return error instanceof Error && error.name === 'CardSdkError' && (code === undefined || error.code === code)
}
