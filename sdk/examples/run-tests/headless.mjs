// The card without its page: the same tool, answered by a process.

import { connect, isCardSdkError, quote, toolError } from '@meterbridge/sdk'

const card = await connect()

card.tools.handle('run_tests', async ({ filter }, call) => {
  const terminal = (await card.agents.list()).find((agent) => agent.kind === 'shell' && agent.connected)
  if (!terminal) return toolError('No terminal is linked to this card. Ask the user to link one.')

  // What an agent wrote stays one argument.
  const command = card.settings.values.command + (filter ? ' ' + quote(['-run', filter]) : '')
  call.progress(`running ${command} in ${terminal.name}`)
  call.signal.addEventListener('abort', () => {
    card.terminals.write(terminal.id, '\u0003').catch(() => {}) // Ctrl-C: nobody waits for it any more
  })

  try {
    const timeoutMs = Math.min(Math.max((call.deadline ?? Date.now() + 30_000) - Date.now() - 500, 1000), 120_000)
    const { exitCode, output, timedOut } = await card.terminals.run(terminal.id, command, { timeoutMs })
    if (timedOut) return toolError(`The tests did not finish within ${Math.round(timeoutMs / 1000)} s. The end of what they printed:\n${tail(output)}`)
    if (exitCode === 0) return 'All tests passed.'
    return toolError(`The tests failed with exit code ${exitCode}:\n${tail(output)}`)
  } catch (error) {
    if (isCardSdkError(error, 'BUSY')) return toolError('The terminal is busy with another command.')
    throw error
  }
})

function tail(text) {
  return text.split('\n').slice(-200).join('\n')
}
