// <meter-chart data-chart="…">: stacked columns by uPlot. The columns lie at even
// distances; the server says how each is called and where it leads.
import uPlot from "uplot";
import { amount, axisAmount, Unit } from "./figures";

interface Data {
  unit: Unit;
  labels: string[];
  titles: string[];
  links: string[];
  totals: (number | null)[];
  partial: boolean[];
  series: { name: string; colour: number; values: number[] }[];
}

export class MeterChart extends HTMLElement {
  static observedAttributes = ["data-chart"];
  private plot?: uPlot;
  private data?: Data;
  private at = -1;
  private tip = document.createElement("div");
  private column = document.createElement("div");
  private said = document.createElement("span");
  private resize = new ResizeObserver(() => this.fit());
  private scheme = new MutationObserver(() => this.draw());
  private system = matchMedia("(prefers-color-scheme: dark)");
  private redraw = (): void => this.draw();

  connectedCallback(): void {
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.column.className = "column";
    this.column.hidden = true;
    this.said.className = "sr";
    this.said.setAttribute("aria-live", "polite");
    this.addEventListener("keydown", this.key);
    this.addEventListener("blur", () => this.show(-1));
    this.draw();
    this.resize.observe(this);
    this.scheme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.system.addEventListener("change", this.redraw);
  }

  disconnectedCallback(): void {
    this.resize.disconnect();
    this.scheme.disconnect();
    this.system.removeEventListener("change", this.redraw);
    this.removeEventListener("keydown", this.key);
    this.plot?.destroy();
    this.plot = undefined;
  }

  attributeChangedCallback(): void {
    if (this.plot) this.draw();
  }

  private draw(): void {
    const text = this.dataset.chart;
    if (!text || !this.isConnected) return;
    this.data = JSON.parse(text) as Data;
    this.plot?.destroy();
    this.replaceChildren();
    this.plot = new uPlot(this.options(this.data), stacked(this.data), this);
    this.plot.over.append(this.column);
    this.append(this.tip, this.said);
    this.at = -1;
  }

  private fit(): void {
    const width = this.clientWidth;
    if (this.plot && width > 0 && this.plot.width !== width) this.plot.setSize({ width, height: this.tall() });
  }

  private tall(): number {
    return this.clientWidth < 560 ? 200 : 260;
  }

  private options(d: Data): uPlot.Options {
    const style = getComputedStyle(this);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const most = Math.max(1, ...d.labels.map((_, i) => d.series.reduce((sum, s) => sum + s.values[i], 0)));
    const font = `12px ${style.fontFamily}`;
    const bars = uPlot.paths.bars!({ size: [0.72, 46], align: 0 });
    return {
      width: Math.max(200, this.clientWidth),
      height: this.tall(),
      legend: { show: false },
      padding: [8, 18, 0, 0],
      cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false, range: [-0.6, d.labels.length - 0.4] }, y: { range: [0, most * 1.06] } },
      axes: [
        {
          stroke: colour("--faint"), font, grid: { show: false }, ticks: { show: false }, gap: 8, size: 30,
          splits: (u) => ticks(d.labels.length, Math.max(2, Math.floor(u.bbox.width / devicePixelRatio / 72))),
          values: (_u, at) => at.map((i) => d.labels[i] ?? ""),
        },
        {
          stroke: colour("--faint"), font, gap: 8, size: 62, ticks: { show: false }, grid: { stroke: colour("--line"), width: 1 },
          splits: () => steps(most, d.unit), values: (_u, at) => at.map((v) => axisAmount(v, d.unit)),
        },
      ],
      series: [{}, ...[...d.series].reverse().map((s) => ({
        fill: colour("--c" + s.colour), stroke: "transparent", width: 0, paths: bars, points: { show: false },
      }))],
      hooks: {
        setCursor: [(u) => this.show(u.cursor.left! < 0 ? -1 : Math.round(u.posToVal(u.cursor.left!, "x")))],
        ready: [(u) => u.over.addEventListener("click", () => this.open())],
      },
    };
  }

  // show tells of one column; -1 is none.
  private show(i: number): void {
    const { plot, data } = this;
    if (!plot || !data || i === this.at) return;
    this.at = i >= 0 && i < data.labels.length ? i : -1;
    this.tip.hidden = this.column.hidden = this.at < 0;
    if (this.at < 0) return;
    const middle = plot.valToPos(i, "x");
    const width = Math.abs(plot.valToPos(1, "x") - plot.valToPos(0, "x"));
    this.column.style.left = `${middle - width / 2}px`;
    this.column.style.width = `${width}px`;
    this.tip.replaceChildren(...story(data, i));
    const left = plot.over.offsetLeft + middle;
    const wide = this.tip.offsetWidth;
    this.tip.style.left = `${left + 14 + wide > this.clientWidth ? left - wide - 14 : left + 14}px`;
    this.tip.style.top = "12px";
  }

  private open(): void {
    const link = this.data?.links[this.at];
    if (link) location.href = link;
  }

  private key = (e: KeyboardEvent): void => {
    const n = this.data?.labels.length ?? 0;
    const to = { ArrowLeft: this.at < 0 ? n - 1 : this.at - 1, ArrowRight: this.at + 1, Home: 0, End: n - 1 }[e.key];
    if (e.key === "Enter" && this.at >= 0) this.open();
    else if (e.key === "Escape") this.show(-1);
    else if (to !== undefined && n > 0) {
      e.preventDefault();
      this.show(Math.min(n - 1, Math.max(0, to)));
      const total = this.data!.totals[this.at];
      this.said.textContent = `${this.data!.titles[this.at]}: ${total === null ? "not reported" : amount(total, this.data!.unit)}`;
    }
  };
}

// stacked are the sums up to each part, the topmost first, so that each covers the one behind.
function stacked(d: Data): uPlot.AlignedData {
  const sums: number[][] = [];
  const below = d.labels.map(() => 0);
  for (const s of d.series) {
    s.values.forEach((v, i) => (below[i] += v));
    sums.push([...below]);
  }
  return [d.labels.map((_, i) => i), ...sums.reverse()];
}

function ticks(n: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(n / most));
  const out: number[] = [];
  for (let i = (n - 1) % every; i < n; i += every) out.push(i);
  return out;
}

// steps are round values of the axis.
function steps(most: number, unit: Unit): number[] {
  const raw = most / 4;
  const ten = 10 ** Math.floor(Math.log10(raw));
  let by = [1, 2, 2.5, 5, 10].find((m) => m * ten >= raw)! * ten;
  if (unit !== "usd") by = Math.max(1, Math.ceil(by));
  const out: number[] = [];
  for (let v = 0; v <= most * 1.06; v += by) out.push(v);
  return out;
}

function story(d: Data, i: number): HTMLElement[] {
  const head = document.createElement("strong");
  const name = document.createElement("span");
  name.textContent = d.titles[i];
  const sum = document.createElement("span");
  const total = d.totals[i];
  sum.textContent = total === null ? "–" : amount(total, d.unit) + (d.partial[i] && d.unit === "usd" ? "*" : "");
  head.append(name, sum);
  const list = document.createElement("ul");
  for (const s of d.series) {
    if (!s.values[i]) continue;
    const line = document.createElement("li");
    const swatch = document.createElement("span");
    swatch.className = "swatch c" + s.colour;
    const words = document.createElement("span");
    words.textContent = s.name;
    const value = document.createElement("b");
    value.textContent = amount(s.values[i], d.unit);
    line.append(swatch, words, value);
    list.append(line);
  }
  return [head, list];
}
