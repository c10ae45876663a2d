// A desk of tickets in the storage that the host keeps for an extension.

import { connect, toolError } from '@meterbridge/sdk'

const desk = await connect()

const tickets = async () => (await desk.storage.get('tickets')) ?? {}

async function keep(all) {
  await desk.storage.set('tickets', all)
  // Where nothing is open there is nothing to close.
  await desk.tools.setEnabled('close_ticket', Object.keys(all).length > 0)
}

desk.tools.handle('open_ticket', async ({ title }, call) => {
  call.progress('opening the ticket')
  const last = (await desk.storage.get('last')) ?? 0
  const key = `DESK-${last + 1}`
  await desk.storage.set('last', last + 1)
  await keep({ ...(await tickets()), [key]: { title, by: call.agent.name } })
  return key
})

desk.tools.handle('list_tickets', async () => {
  const all = Object.entries(await tickets())
  return all.length === 0 ? 'No ticket is open.' : all.map(([key, { title, by }]) => `${key} ${title} (${by})`).join('\n')
})

desk.tools.handle('close_ticket', async ({ key }) => {
  const { [key]: found, ...rest } = await tickets()
  if (!found) return toolError(`There is no open ticket ${key}.`)
  await keep(rest)
  return `${key} is closed.`
})
