// Shell lines made of arguments.

/**
 * Builds a line for a POSIX shell (bash, zsh, fish take it too) out of a program
 * and its arguments, so that what an agent or a file put into an argument stays
 * one argument. A NUL cannot be part of one.
 */
export function quote(argv) {
  if (!Array.isArray(argv)) throw new TypeError('quote takes a list: the program and its arguments')
  return argv
    .map((arg) => {
      const text = String(arg)
      if (text.includes('\0')) throw new TypeError('an argument cannot hold a NUL')
      if (/^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/.test(text)) return text
      // A backslash means something between fish's quotes, so it stands outside of them.
      return "'" + text.replace(/['\\]/g, (c) => `'\\${c}'`) + "'"
    })
    .join(' ')
}
