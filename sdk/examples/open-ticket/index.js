// A Switchboard extension: each tool is a function of its arguments and a context.

let last = 11

export default {
  mcpTools: {
    'open-ticket': ({ title }, ctx) => {
      if (title.trim() === '') throw new Error('A ticket needs a title that is more than blanks.')
      ctx.progress('opening the ticket')
      return { key: `DESK-${++last}`, title, by: ctx.agent.name }
    },
  },
}
