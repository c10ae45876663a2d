// <meter-terminal data-agent=ID>: an agent's terminal, live. Output and keys are
// bytes; sizes are messages of text.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { quietDocument, quietly } from "./quiet_document";

export class MeterTerminal extends HTMLElement {
  private term?: Terminal;
  private fit = new FitAddon();
  private socket?: WebSocket;
  private resize = new ResizeObserver(() => this.fitted());
  private tries = 0;
  private gone = false;

  connectedCallback(): void {
    const dark = { background: "#0b0f12", foreground: "#d9e2e7", cursor: "#2fd6a3", selectionBackground: "#2fd6a344", black: "#20282e", brightBlack: "#7f8e97", red: "#f27d78", green: "#2fd6a3", yellow: "#e8b04b", blue: "#5aa9f2", magenta: "#a78bfa", cyan: "#6fd3e3" };
    this.term = new Terminal({
      documentOverride: quietDocument(), theme: dark, fontSize: 13, lineHeight: 1.25, cursorBlink: false, scrollback: 5000, screenReaderMode: true,
      fontFamily: getComputedStyle(this).getPropertyValue("--mono"), allowProposedApi: false,
    });
    this.term.loadAddon(this.fit);
    quietly(() => this.term!.open(this));
    this.term.attachCustomKeyEventHandler((e) => {
      // A terminal takes every key; this one leads out of it.
      if (e.type !== "keydown" || e.key !== "Escape" || !e.shiftKey) return true;
      (this.closest("section")?.querySelector("button, a") as HTMLElement | null)?.focus();
      return false;
    });
    this.term.onData((text) => this.send(new TextEncoder().encode(text)));
    this.term.onBinary((text) => this.send(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    this.term.onResize(({ cols, rows }) => this.say({ type: "resize", cols, rows }));
    this.fit.fit();
    this.resize.observe(this);
    this.join();
  }

  disconnectedCallback(): void {
    this.gone = true;
    this.resize.disconnect();
    this.socket?.close();
    this.term?.dispose();
  }

  private fitted(): void {
    if (this.clientWidth > 0) this.fit.fit();
  }

  private join(): void {
    const { cols, rows } = this.term!;
    const base = location.origin.replace(/^http/, "ws");
    const socket = new WebSocket(`${base}/api/v1/agents/${encodeURIComponent(this.dataset.agent!)}/attach?cols=${cols}&rows=${rows}`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    let ended = false;
    socket.onopen = () => {
      this.term!.reset();
      this.tries = 0;
      this.dataset.state = "joined";
    };
    socket.onmessage = (e: MessageEvent<ArrayBuffer | string>) => {
      if (typeof e.data !== "string") this.term!.write(new Uint8Array(e.data));
      else {
        ended = true;
        const how = JSON.parse(e.data) as { exitCode: number | null; signal: string | null };
        this.term!.write(`\r\n\x1b[90m[ended${how.exitCode === null ? (how.signal ? ", " + how.signal : "") : ", exit code " + how.exitCode}]\x1b[0m\r\n`);
      }
    };
    socket.onclose = () => {
      this.dataset.state = ended ? "ended" : "apart";
      if (!ended && !this.gone && this.tries++ < 5) setTimeout(() => !this.gone && this.join(), 800 * this.tries);
    };
  }

  private send(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(bytes);
  }

  private say(note: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(note));
  }
}
