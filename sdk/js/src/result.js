// What a handler returns, as the agent gets it.

const failure = Symbol.for('meterbridge.toolError')

/** An answer that says what went wrong; the agent reads the text. */
export function toolError(text) {
  return { content: [{ type: 'text', text: String(text) }], isError: true, [failure]: true }
}

/** Tells whether a value was made by toolError. */
export function isToolError(value) {
  return typeof value === 'object' && value !== null && value[failure] === true
}

function textOf(text) {
  return { content: [{ type: 'text', text }] }
}

/** The shape in which a handler's value is sent. */
export function shaped(value) {
  if (value === undefined) return textOf('OK')
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'object' && value !== null && Array.isArray(value.content)) return value
  const text = JSON.stringify(value, null, 2)
  if (text === undefined) throw new TypeError(`a tool cannot answer with a ${typeof value}`)
  return textOf(text)
}

/** The answer of a tool whose host takes content only. */
export function shapedAnswer(value) {
  return { result: shaped(value) }
}

/** The answer of a tool whose host takes any value. */
export function rawAnswer(value) {
  if (isToolError(value)) return { error: value.content[0].text }
  return value === undefined ? {} : { result: value }
}

/** The text of an error for an agent, at most 4,000 characters. */
export function errorText(error) {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return Array.from(text).slice(0, 4000).join('')
}
