// Commands of the page. The server rejects every other message that starts like
// a command (internal/front/slash); the rule is defined there.

export interface Command { name: string; rest: string }

/** commands lists the commands that the page executes itself, with their descriptions. */
export const commands: [string, string][] = [
  ['/stop', 'stop the running turn and hold queued prompts; /stop all discards them'],
  ['/compact [WHAT TO KEEP]', 'replace the conversation with a summary for the model; you can still see all of it'],
  ['/clear', 'stop the running turn, discard queued prompts and clear the conversation'],
  ['/model NAME', 'change the model'],
  ['/mode NAME', 'change the permissions: read-only, ask, auto-edit or full'],
  ['/help', 'show this list'],
]

/** commandIn returns the page's command in a message, if the message is one. */
export function commandIn(message: string): Command | undefined {
  const found = /^\/(stop|compact|clear|model|mode|help)(?:\s+([^]*))?$/i.exec(message)
  return found ? { name: found[1]!.toLowerCase(), rest: (found[2] ?? '').trim() } : undefined
}

/** escaped returns the message with an escape that the server turns back into text. The text of a task is never escaped. */
export const escaped = (text: string, task?: string) => (text.startsWith('/') && !task ? '/' + text : text)

/** compactText returns the text of a turn that replaces the conversation with a summary. */
export const compactText = (keep: string) => `/compact ${keep}`.trim()

/** trimmed removes spaces around a message, except a leading one that makes a slash plain text. */
export function trimmed(message: string): string {
  const text = message.trimEnd()
  return /^\s+\//.test(text) ? text : text.trimStart()
}
