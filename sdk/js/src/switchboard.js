#!/usr/bin/env node
// Runs the handlers of a Switchboard extension: a module whose default export has
// mcpTools, by tool id. A module that cannot be loaded ends the process; tools
// without a handler are the host's to refuse.

import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { connect } from './connect.js'
import { rawAnswer } from './result.js'

/** The handlers of a module. */
export function handlersOf(module) {
  const tools = (module.default ?? module).mcpTools
  if (typeof tools !== 'object' || tools === null) {
    throw new Error('the module exports no mcpTools: export default { mcpTools: { "tool-id": (args, ctx) => ... } }')
  }
  for (const [id, fn] of Object.entries(tools)) {
    if (typeof fn !== 'function') throw new Error(`the handler of ${id} is not a function`)
  }
  return tools
}

/** A handler as the SDK calls it; connected resolves to the host object. */
export function wrapped(fn, connected) {
  return async (args, call) => {
    const host = await connected
    const { callId, agent, deadline, signal, progress } = call
    return fn(args, { callId, agent, deadline, signal, progress, log: host.log, settings: host.settings })
  }
}

async function main([file]) {
  const { Console } = await import('node:console')
  globalThis.console = new Console(process.stderr, process.stderr)
  if (!file) throw new Error('usage: switchboard.js MODULE')
  const tools = handlersOf(await import(pathToFileURL(path.resolve(file)).href))
  let made
  const connected = new Promise((resolve) => {
    made = resolve
  })
  const handlers = Object.fromEntries(Object.entries(tools).map(([id, fn]) => [id, wrapped(fn, connected)]))
  made(await connect({ handlers, map: rawAnswer }))
}

if (process.argv[1] && import.meta.url === pathToFileURL(await realPath(process.argv[1])).href) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error?.stack ?? error}\n`)
    process.exit(1)
  })
}

async function realPath(file) {
  const { realpath } = await import('node:fs/promises')
  return realpath(file).catch(() => file)
}
