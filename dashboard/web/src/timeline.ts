// <meter-timeline data-src="…/timeline">: requests, tools, turns and sub-agents on
// a canvas. Bars have a start and an end; ticks are ends whose start is not logged.
import { Answer, Item, Lane, lanes, Scale } from "./timeline_data";
import { span } from "./figures";
import { paced } from "./live";

const left = 104;
const top = 26;
const gap = 8;

export class MeterTimeline extends HTMLElement {
  static observedAttributes = ["data-src"];
  private canvas = document.createElement("canvas");
  private tip = document.createElement("div");
  private said = document.createElement("p");
  private note = document.createElement("p");
  private folding = document.createElement("button");
  private answer?: Answer;
  private rows: Lane[] = [];
  private scale?: Scale;
  private view: [number, number] = [0, 1];
  private moved = false;
  private fold = true;
  private chosen?: Item;
  private drag?: { x: number; view: [number, number] };
  private resize = new ResizeObserver(() => this.draw());
  private scheme = new MutationObserver(() => this.draw());
  private frame = 0;
  private again = paced(() => void this.load());

  connectedCallback(): void {
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.said.className = "sr";
    this.said.setAttribute("aria-live", "polite");
    this.note.className = "quiet";
    this.folding.type = "button";
    this.folding.className = "button fold-idle";
    this.folding.addEventListener("click", () => this.refold());
    this.canvas.addEventListener("pointermove", (e) => this.move(e));
    this.canvas.addEventListener("pointerleave", () => this.tell(undefined));
    this.canvas.addEventListener("pointerdown", (e) => { this.drag = { x: e.offsetX, view: [...this.view] }; this.canvas.setPointerCapture(e.pointerId); });
    this.canvas.addEventListener("pointerup", () => (this.drag = undefined));
    this.canvas.addEventListener("wheel", (e) => { if (!e.ctrlKey && !e.shiftKey && Math.abs(e.deltaX) < Math.abs(e.deltaY)) { e.preventDefault(); this.zoom(e.deltaY > 0 ? 1.18 : 1 / 1.18, e.offsetX); } else { e.preventDefault(); this.pan((e.deltaX || e.deltaY) / this.wide()); } }, { passive: false });
    this.addEventListener("keydown", this.key);
    this.replaceChildren(this.folding, this.canvas, this.tip, this.note, this.said);
    this.resize.observe(this);
    this.scheme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    document.body.addEventListener("mb:usage", this.again);
    void this.load();
  }

  disconnectedCallback(): void {
    this.resize.disconnect();
    this.scheme.disconnect();
    document.body.removeEventListener("mb:usage", this.again);
    this.removeEventListener("keydown", this.key);
  }

  attributeChangedCallback(_name: string, old: string | null): void {
    if (old !== null) void this.load();
  }

  private async load(): Promise<void> {
    const answer = await fetch(this.dataset.src!, { headers: { Accept: "application/json" } });
    if (!answer.ok) {
      this.note.textContent = "The timeline could not be read.";
      return;
    }
    this.answer = (await answer.json()) as Answer;
    this.layout();
  }

  private layout(): void {
    if (!this.answer) return;
    this.rows = lanes(this.answer, Date.now());
    this.scale = new Scale(this.rows, this.fold);
    if (!this.moved) this.view = [0, this.scale.length];
    const notes = [];
    if (!this.answer.usageReadable || this.answer.requests.length === 0) notes.push("There is no request that could be drawn.");
    if (this.answer.truncated) notes.push("Only the newest 2,000 requests are drawn.");
    if (this.answer.requestTimes === "end" && this.answer.requests.length > 0) notes.push("This log has no starts: a tick is the end of a request.");
    this.note.textContent = notes.join(" ");
    this.folding.hidden = this.scale.gaps.length === 0 && this.fold;
    this.folding.textContent = this.fold ? "Show idle time" : "Fold idle time";
    this.draw();
  }

  private refold(): void {
    this.fold = !this.fold;
    this.moved = false;
    this.layout();
  }

  private wide(): number {
    return Math.max(80, this.clientWidth - left - 6);
  }

  private x(t: number): number {
    return left + ((this.scale!.place(t) - this.view[0]) / (this.view[1] - this.view[0])) * this.wide();
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    if (!this.scale || this.clientWidth === 0) return;
    const began = performance.now();
    const height = top + this.rows.reduce((sum, l) => sum + l.tall + gap, 0);
    const ratio = devicePixelRatio || 1;
    this.canvas.width = this.clientWidth * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.width = `${this.clientWidth}px`;
    this.canvas.style.height = `${height}px`;
    const style = getComputedStyle(this);
    const ink = (name: string): string => style.getPropertyValue("--" + name).trim();
    const c = this.canvas.getContext("2d")!;
    c.scale(ratio, ratio);
    c.font = `11.5px ${style.fontFamily}`;
    c.textBaseline = "middle";
    this.paintScale(c, ink, height);
    let y = top;
    for (const lane of this.rows) {
      c.fillStyle = ink("muted");
      c.textAlign = "left";
      c.fillText(lane.name.length > 15 ? lane.name.slice(0, 14) + "…" : lane.name, 0, y + lane.tall / 2);
      c.save();
      c.beginPath();
      c.rect(left, y - 2, this.wide() + 4, lane.tall + 4);
      c.clip();
      for (const item of lane.items) this.paintItem(c, ink, item, y, lane.tall);
      c.restore();
      y += lane.tall + gap;
    }
    this.dataset.drawn = String(Math.ceil(performance.now() - began));
  }

  private paintItem(c: CanvasRenderingContext2D, ink: (n: string) => string, item: Item, y: number, tall: number): void {
    const from = this.x(item.from);
    const to = this.x(item.to);
    if (to < left - 4 || from > left + this.wide() + 4) return;
    const wide = Math.max(item.tick ? 2 : 1.5, to - from);
    const colours: Record<string, string> = { main: ink("accent"), sub: ink("c2"), tool: ink("c0"), failed: ink("danger"), working: ink("accent"), "needs-input": ink("warn") };
    c.fillStyle = item.kind === "turn" ? ink("raised") : colours[item.tone] ?? ink("line-strong");
    c.beginPath();
    c.roundRect(from, item.tick && item.kind === "request" ? y + tall * 0.25 : y, wide, item.tick && item.kind === "request" ? tall * 0.75 : tall, Math.min(3, wide / 2));
    c.fill();
    if (item.kind === "turn") {
      c.fillStyle = item.tone === "interrupted" ? ink("warn") : ink("accent");
      c.fillRect(from, y, 2, tall);
      if (wide > 46) {
        c.fillStyle = ink("muted");
        c.textAlign = "left";
        c.fillText(item.text, from + 8, y + tall / 2 + 0.5);
      }
    }
    if (item === this.chosen) {
      c.strokeStyle = ink("text");
      c.lineWidth = 1.5;
      c.stroke();
    }
  }

  // paintScale draws the times, and the silences that were folded.
  private paintScale(c: CanvasRenderingContext2D, ink: (n: string) => string, height: number): void {
    const scale = this.scale!;
    const perPixel = (this.view[1] - this.view[0]) / this.wide();
    const step = [1e3, 5e3, 15e3, 30e3, 6e4, 3e5, 9e5, 18e5, 36e5, 108e5, 216e5, 864e5].find((s) => s >= perPixel * 88) ?? 864e5 * Math.ceil((perPixel * 88) / 864e5);
    const zone = this.dataset.zone === "Local" ? undefined : this.dataset.zone;
    const words = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", ...(step < 6e4 ? { second: "2-digit" } : {}) });
    const days = new Intl.DateTimeFormat("en-GB", { timeZone: zone, day: "numeric", month: "short" });
    let lastX = -1e9;
    let lastDay = "";
    c.textAlign = "center";
    for (const p of scale.pieces) {
      for (let t = Math.ceil(p.from / step) * step, first = true; t <= p.to || first; t += step, first = false) {
        const at = first && t > p.to ? p.from : t;
        const x = this.x(at);
        if (x < left || x > left + this.wide() - 10) continue;
        if (x - lastX < 84) continue;
        lastX = x;
        c.fillStyle = ink("line");
        c.fillRect(x, top - 6, 1, height);
        c.fillStyle = ink("faint");
        const day = days.format(at);
        c.fillText(day === lastDay ? words.format(at) : `${day}, ${words.format(at)}`, Math.max(left + 34, x), 8);
        lastDay = day;
      }
    }
    for (const g of scale.gaps) {
      if (!this.fold) continue;
      const from = left + ((g.at - this.view[0]) / (this.view[1] - this.view[0])) * this.wide();
      const to = from + (g.long / (this.view[1] - this.view[0])) * this.wide();
      if (to < left || from > left + this.wide()) continue;
      c.fillStyle = ink("line");
      c.globalAlpha = 0.5;
      for (let x = Math.max(left, from) + 2; x < to - 1; x += 5) c.fillRect(x, top - 4, 1, height);
      c.globalAlpha = 1;
    }
  }

  // under is what lies at a point.
  private under(px: number, py: number): Item | undefined {
    let y = top;
    for (const lane of this.rows) {
      if (py >= y - 2 && py <= y + lane.tall + 2) {
        let best: Item | undefined;
        let near = 5;
        for (const item of lane.items) {
          const from = this.x(item.from);
          const to = Math.max(from + 2, this.x(item.to));
          const off = px < from ? from - px : px > to ? px - to : 0;
          if (off < near || (off === 0 && near === 0)) {
            near = off;
            best = item;
          }
        }
        return best;
      }
      y += lane.tall + gap;
    }
    for (const g of this.fold ? this.scale?.gaps ?? [] : []) {
      if (px >= this.x(g.from) && px <= this.x(g.to)) return { kind: "status", from: g.from, to: g.to, tick: false, text: "idle", tone: "" };
    }
    return undefined;
  }

  private move(e: PointerEvent): void {
    if (this.drag) {
      const by = ((this.drag.x - e.offsetX) / this.wide()) * (this.drag.view[1] - this.drag.view[0]);
      this.look(this.drag.view[0] + by, this.drag.view[1] + by);
      return;
    }
    this.tell(this.under(e.offsetX, e.offsetY), e.offsetX, e.offsetY);
  }

  private tell(item: Item | undefined, x = 0, y = 0): void {
    this.tip.hidden = !item;
    if (item !== this.chosen) {
      this.chosen = item;
      this.draw();
    }
    if (!item) return;
    this.tip.replaceChildren(...story(item, this.dataset.zone));
    const wide = this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, x + 16 + wide > this.clientWidth ? x - wide - 16 : x + 16)}px`;
    this.tip.style.top = `${y + this.canvas.offsetTop + 16}px`;
  }

  private look(from: number, to: number): void {
    const all = this.scale?.length ?? 1;
    const wide = Math.min(all, Math.max(500, to - from));
    const begin = Math.min(all - wide, Math.max(0, from));
    this.view = [begin, begin + wide];
    this.moved = wide < all;
    this.draw();
  }

  private zoom(by: number, px = left + this.wide() / 2): void {
    const [from, to] = this.view;
    const at = from + ((Math.max(left, px) - left) / this.wide()) * (to - from);
    this.look(at - (at - from) * by, at + (to - at) * by);
  }

  private pan(part: number): void {
    const wide = this.view[1] - this.view[0];
    this.look(this.view[0] + wide * part, this.view[1] + wide * part);
  }

  private key = (e: KeyboardEvent): void => {
    if (e.target !== this || !this.scale) return;
    const act: Record<string, () => void> = {
      ArrowLeft: () => this.choose(-1), ArrowRight: () => this.choose(1), "+": () => this.zoom(1 / 1.4), "=": () => this.zoom(1 / 1.4), "-": () => this.zoom(1.4),
      "0": () => this.look(0, this.scale!.length), Home: () => this.pan(-1), End: () => this.pan(1), f: () => this.refold(), Escape: () => this.tell(undefined),
    };
    if (!act[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    act[e.key]();
  };

  // choose goes to the next request in time.
  private choose(by: number): void {
    const all = this.rows.flatMap((l) => l.items.filter((i) => i.kind === "request")).sort((a, b) => a.from - b.from);
    if (all.length === 0) return;
    const here = this.chosen ? all.indexOf(this.chosen) : -1;
    const next = all[here < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, here + by))];
    const place = this.scale!.place(next.from);
    const wide = this.view[1] - this.view[0];
    if (place < this.view[0] || place > this.view[1]) this.look(place - wide / 2, place + wide / 2);
    this.tell(next, this.x(next.from), top + 30);
    this.said.textContent = this.tip.textContent;
  }
}

function story(item: Item, zone?: string): HTMLElement[] {
  const words = new Intl.DateTimeFormat("en-GB", { timeZone: zone === "Local" ? undefined : zone, hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const head = document.createElement("strong");
  head.append(cell(item.text), cell(item.tick ? "start not logged" : span(item.to - item.from)));
  const list = document.createElement("ul");
  const add = (name: string, value: string): void => {
    const line = document.createElement("li");
    const b = document.createElement("b");
    b.textContent = value;
    line.append(cell(""), cell(name), b);
    list.append(line);
  };
  add("Time", item.tick ? words.format(item.to) : `${words.format(item.from)} – ${words.format(item.to)}`);
  const r = item.request;
  if (r) {
    const n = (v: number | null): string => (v === null ? "not reported" : v.toLocaleString("en-US"));
    add("Input", n(r.inputTokens));
    add("Output", n(r.outputTokens));
    add("Cache read", n(r.cacheReadTokens));
    add("Cache write", n(r.cacheWriteTokens));
    if (r.tools?.length) add("Tools", r.tools.join(", "));
    if (r.subagent) add("Sub-agent", r.subagent.name ?? r.subagent.id);
  }
  if (item.tool) add("Result", item.tool.ok === null ? "not logged" : item.tool.ok ? "ok" : "failed");
  return [head, list];
}

function cell(text: string): HTMLSpanElement {
  const s = document.createElement("span");
  s.textContent = text;
  return s;
}
