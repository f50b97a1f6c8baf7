import type { Event } from './words'

/**
 * Spending is the cost of a session, and how full the model's context is. The
 * cost never decreases: estimates are not counted, and a turn that ends counts
 * at least what its steps have cost.
 */
export class Spending {
  /** tokens in the context after the last step; 0 if it is not known. */
  context = 0
  /** size of the context, if the agent reports it. */
  size = 0
  /** model of the last step. */
  model = ''
  /** cost in billionths of a dollar. */
  cost = 0

  private turns = new Map<string, number>()
  private price?: { [kind: string]: number }

  constructor(private least = 0) { this.cost = least }

  add(ev: Event) {
    const b = ev.body
    switch (ev.kind) {
      case 'step_started':
        this.model = b.model ?? this.model
        this.price = b.price
        this.context = b.estimated_input_tokens || this.context
        break
      case 'step_ended':
        if (!b.usage) break
        this.context = b.usage.input_tokens + b.usage.output_tokens || this.context
        this.raise(ev.turn!, (this.turns.get(ev.turn!) ?? 0) + (b.usage.cost_nano_usd || costOf(b.usage, this.price)))
        break
      case 'usage_reported':
        if (b.context) { this.context = b.context.used_tokens; this.size = b.context.size_tokens }
        break
      case 'turn_ended': this.raise(ev.turn!, b.receipt.usage.cost_nano_usd ?? 0); break
      case 'conversation_cleared': case 'conversation_compacted': this.context = 0; break
    }
  }

  private raise(turn: string, cost: number) {
    this.turns.set(turn, Math.max(cost, this.turns.get(turn) ?? 0))
    let sum = 0
    for (const c of this.turns.values()) sum += c
    this.cost = Math.max(this.least, sum)
  }
}

function costOf(u: { [kind: string]: number }, price?: { [kind: string]: number }): number {
  if (!price) return 0
  const read = u.cache_read_tokens ?? 0
  const write = u.cache_write_tokens ?? 0
  return (u.input_tokens! - read - write) * price.input_nano_usd! + read * price.cache_read_nano_usd! + write * price.cache_write_nano_usd! + u.output_tokens! * price.output_nano_usd!
}
