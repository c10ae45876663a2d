// What a timeline draws, out of the API's answer.
export interface Request {
  startedAt: number | null; endedAt: number; model?: string;
  inputTokens: number | null; outputTokens: number | null; cacheReadTokens: number | null; cacheWriteTokens: number | null;
  tools: string[] | null; subagent?: { id: string; name?: string };
}
export interface Tool { name: string; startedAt: number | null; endedAt: number | null; ok: boolean | null; subagent?: { id: string; name?: string } }
export interface Answer {
  requestTimes: string; truncated: boolean; usageReadable: boolean;
  requests: Request[]; statuses: { status: string; from: number; to: number | null }[];
  turns: { start: number; end: number | null; endedAs?: string; counted: boolean }[]; toolCalls?: Tool[];
}

export type Kind = "request" | "tool" | "turn" | "status";
export interface Item { kind: Kind; from: number; to: number; tick: boolean; request?: Request; tool?: Tool; text: string; tone: string }
export interface Lane { name: string; items: Item[]; tall: number }

// mostLanes of sub-agents have a lane of their own.
const mostLanes = 8;

export function lanes(a: Answer, now: number): Lane[] {
  const out: Lane[] = [];
  const turns = a.turns.map((t, i): Item => ({ kind: "turn", from: t.start, to: t.end ?? now, tick: false, text: `Turn ${i + 1}`, tone: t.end === null ? "open" : t.endedAs ?? "" }));
  if (turns.length) out.push({ name: "Turns", items: turns, tall: 20 });
  if (a.statuses.length) out.push({ name: "Status", tall: 8, items: a.statuses.map((s): Item => ({ kind: "status", from: s.from, to: s.to ?? now, tick: false, text: s.status, tone: s.status })) });
  const mine = a.requests.filter((r) => !r.subagent).map((r) => asked(r, "main"));
  out.push({ name: "Requests", items: mine, tall: 26 });
  const used = (a.toolCalls ?? []).filter((t) => !t.subagent).flatMap((t) => ran(t));
  if (used.length) out.push({ name: "Tools", items: used, tall: 16 });
  return out.concat(others(a));
}

// others are the lanes of sub-agents, those that began first by themselves.
function others(a: Answer): Lane[] {
  const of = new Map<string, Lane>();
  const lane = (s: { id: string; name?: string }): Lane => {
    let key = s.id;
    if (!of.has(key) && of.size >= mostLanes) key = "others";
    let one = of.get(key);
    if (!one) of.set(key, (one = { name: key === "others" ? "Other agents" : s.name ?? "Sub-agent", items: [], tall: 18 }));
    return one;
  };
  for (const r of a.requests) if (r.subagent) lane(r.subagent).items.push(asked(r, "sub"));
  for (const t of a.toolCalls ?? []) if (t.subagent) lane(t.subagent).items.push(...ran(t));
  for (const one of of.values()) one.items.sort((x, y) => x.from - y.from);
  return [...of.values()];
}

function asked(r: Request, tone: string): Item {
  return { kind: "request", from: r.startedAt ?? r.endedAt, to: r.endedAt, tick: r.startedAt === null, request: r, text: r.model ?? "model not logged", tone };
}

function ran(t: Tool): Item[] {
  const to = t.endedAt ?? t.startedAt;
  if (to === null) return [];
  return [{ kind: "tool", from: t.startedAt ?? to, to, tick: t.startedAt === null || t.endedAt === null, tool: t, text: t.name, tone: t.ok === false ? "failed" : "tool" }];
}

// Scale lays times out; where it folds, long silences are a fixed short length.
export class Scale {
  readonly pieces: { from: number; to: number; at: number }[] = [];
  readonly gaps: { from: number; to: number; at: number; long: number }[] = [];
  readonly length: number;

  constructor(list: Lane[], fold: boolean) {
    const busy = list.filter((l) => l.name !== "Turns" && l.name !== "Status").flatMap((l) => l.items).map((i): [number, number] => [i.from, i.to]);
    for (const turn of list.find((l) => l.name === "Turns")?.items ?? []) busy.push([turn.from, turn.from + 1000]);
    if (busy.length === 0) busy.push(...list.flatMap((l) => l.items).map((i) => [i.from, i.to] as [number, number]));
    busy.sort((x, y) => x[0] - y[0]);
    const runs: [number, number][] = [];
    for (const [from, to] of busy) {
      const last = runs.at(-1);
      if (last && from - last[1] <= (fold ? 60_000 : Infinity)) last[1] = Math.max(last[1], to);
      else runs.push([from, to]);
    }
    const active = runs.reduce((sum, [from, to]) => sum + to - from, 0);
    const short = Math.max(2_000, active * 0.025);
    let at = 0;
    runs.forEach(([from, to], i) => {
      if (i > 0) {
        this.gaps.push({ from: runs[i - 1][1], to: from, at, long: short });
        at += short;
      }
      this.pieces.push({ from, to, at });
      at += to - from;
    });
    this.length = Math.max(1, at);
  }

  // place is where a time lies, from 0 to length.
  place(t: number): number {
    for (const p of this.pieces) {
      if (t < p.from) {
        const gap = this.gaps.find((g) => t >= g.from && t < g.to);
        return gap ? gap.at + ((t - gap.from) / (gap.to - gap.from)) * gap.long : p.at;
      }
      if (t <= p.to) return p.at + t - p.from;
    }
    return this.length;
  }
}
