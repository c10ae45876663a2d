// The stream of events: each kind is told to the page as mb:KIND, at once and
// then not more often than a page can be swapped.
const rest = 400;

type Kind = "usage" | "scan" | "budget" | "prices" | "health" | "reset" | "agents" | "agent-status" | "agent-turn" | "agent-changed" | "prompt";

export function listen(): void {
  const kinds: Kind[] = ["usage", "scan", "budget", "prices", "health", "reset", "agent-status", "agent-turn", "agent-changed", "prompt"];
  const source = new EventSource("/api/v1/events");
  const tell = new Map<Kind, () => void>();
  for (const kind of kinds) {
    tell.set(kind, paced(() => announce(kind)));
    source.addEventListener(kind, (e) => {
      if (kind === "scan") scanning((e as MessageEvent<string>).data);
      if (kind === "reset") {
        for (const each of tell.values()) each();
        return;
      }
      tell.get(kind)?.();
    });
  }
  source.onopen = () => state("", "Live");
  source.onerror = () => state("off", "Not connected");
  addEventListener("pagehide", () => source.close());
}

function announce(kind: Kind): void {
  if (kind.startsWith("agent-")) kind = "agents";
  document.body.dispatchEvent(new CustomEvent("mb:" + kind));
}

function scanning(text: string): void {
  const scan = JSON.parse(text) as { running: boolean; error: string | null };
  if (scan.error) state("off", "Cannot read logs");
  else if (scan.running) state("busy", "Reading logs…");
  else state("", "Live");
}

function state(mark: string, text: string): void {
  const line = document.getElementById("live");
  if (!line) return;
  line.className = "live " + mark;
  const words = line.querySelector(".live-text");
  if (words && words.textContent !== text) words.textContent = text;
}

// paced calls at once, and once more at the end of the rest if it was asked again.
export function paced(call: () => void): () => void {
  let waiting = false;
  let again = false;
  const run = (): void => {
    call();
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (again) {
        again = false;
        run();
      }
    }, rest);
  };
  return () => {
    if (waiting) again = true;
    else run();
  };
}
