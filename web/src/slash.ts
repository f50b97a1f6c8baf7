// Commands of the page. The server refuses every other message that begins like
// a command (internal/front/slash): the rule is written there.

export interface Command { name: string; rest: string }

/** commands are the words that the page carries out itself, and what they do. */
export const commands: [string, string][] = [
  ['/stop', 'stop the running turn and hold queued prompts; /stop all discards them'],
  ['/clear', 'stop the running turn, discard queued prompts and clear the conversation'],
  ['/model NAME', 'change the model'],
  ['/mode NAME', 'change the permissions: read-only, ask, auto-edit or full'],
  ['/help', 'show this list'],
]

/** commandIn returns the page's command that a message is, if it is one. */
export function commandIn(message: string): Command | undefined {
  const found = /^\/(stop|clear|model|mode|help)(?:\s+([^]*))?$/i.exec(message)
  return found ? { name: found[1]!.toLowerCase(), rest: (found[2] ?? '').trim() } : undefined
}

/** escaped returns the message that the server turns back into text. */
export const escaped = (text: string) => (text.startsWith('/') ? '/' + text : text)

/** trimmed removes blanks around a message, except the one that makes a slash text. */
export function trimmed(message: string): string {
  const text = message.trimEnd()
  return /^\s+\//.test(text) ? text : text.trimStart()
}
