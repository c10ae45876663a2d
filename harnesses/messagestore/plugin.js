// Made by Meterbridge: tells it what the agent is doing. It never throws into its
// host and waits for nothing.
const COMMAND = null; // the program that takes a fact, of a plugin that a user installed
const HARNESS = null; // the id of the program that it runs in, and its name
const NAME = null;
const ASK_DELAY = 700; // ms: with --auto every question is answered within milliseconds
const POST_TIME = 2000; // ms

export const Meterbridge = async (host) => {
  const env = process.env;
  if (COMMAND ? env.METERBRIDGE_AGENT : !env.METERBRIDGE_HOOK_URL) return {};
  const directory = host?.directory ?? "";
  const parents = new Map(); // child session -> the session that started it
  const busy = new Set(); // sessions that work
  const turns = new Map(); // root session -> id of the prompt of its turn
  const prompts = new Map(); // root session -> the prompt that has not begun
  const ends = new Map(); // session -> how its turn ended, if not well
  const asks = new Map(); // id of a question -> { timer } or { told: true }
  let last = Promise.resolve();

  const run = (text) =>
    new Promise(async (done) => {
      const { spawn } = await import("node:child_process");
      const child = spawn(COMMAND, { shell: true, stdio: ["pipe", "ignore", "ignore"], timeout: POST_TIME });
      child.on("error", done);
      child.on("exit", done);
      child.stdin.on("error", () => {});
      child.stdin.end(text);
    });
  const send = (text) =>
    COMMAND
      ? run(text)
      : fetch(env.METERBRIDGE_HOOK_URL + "/" + HARNESS, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: "Bearer " + env.METERBRIDGE_HOOK_TOKEN },
          body: text,
          signal: AbortSignal.timeout(POST_TIME),
        });
  const tell = (fact) => {
    const text = JSON.stringify({ at: Date.now(), directory, ...fact });
    last = last.then(() => send(text)).catch(() => {});
  };

  const root = (id) => {
    for (let n = 0; n < 16 && parents.has(id); n++) id = parents.get(id);
    return id;
  };
  const short = (text) => String(text ?? "").split(/\s+/).join(" ").trim().slice(0, 300);
  const became = (id, works) => {
    if (!id || busy.has(id) === works) return;
    works ? busy.add(id) : busy.delete(id);
    const top = root(id);
    if (top !== id) return tell({ event: works ? "subagent-start" : "subagent-stop", session: top, id });
    if (works) {
      const prompt = prompts.get(id);
      prompts.delete(id);
      turns.set(id, prompt?.id ?? "");
      return tell({ event: "working", session: id, turn: prompt?.id, prompt: prompt?.text });
    }
    const end = ends.get(id);
    ends.delete(id);
    tell({ event: "finished", session: id, turn: turns.get(id), ...end });
  };
  const ask = (id, session, detail) => {
    if (!id || asks.has(id)) return;
    const top = root(session);
    const from = top === session ? "" : "Subagent: ";
    const timer = setTimeout(() => {
      asks.set(id, { told: true, top });
      tell({ event: "needs-input", session: top, turn: turns.get(top), detail: short(from + detail) });
    }, ASK_DELAY);
    asks.set(id, { timer, top });
  };
  const answered = (id) => {
    const open = asks.get(id);
    if (!open) return;
    asks.delete(id);
    clearTimeout(open.timer);
    if (open.told) tell({ event: "answered", session: open.top, turn: turns.get(open.top) });
  };
  const wanted = (p) => {
    const m = p.metadata ?? {};
    const what = m.command ?? m.filepath ?? m.filePath ?? m.path ?? m.url ?? (p.patterns ?? []).join(", ");
    return NAME + " needs your permission: " + (p.permission ?? p.type ?? "") + (what ? " — " + what : "");
  };

  const on = {
    "session.created": (p) => {
      const info = p.info ?? {};
      if (info.parentID) parents.set(info.id, info.parentID);
      else tell({ event: "session", session: info.id });
    },
    "session.status": (p) => {
      const status = p.status ?? {};
      if (status.type === "busy") became(p.sessionID, true);
      if (status.type === "idle") became(p.sessionID, false);
      if (status.type === "retry") tell({ event: "retry", session: root(p.sessionID), detail: short(status.message), next: status.next });
    },
    "session.idle": (p) => became(p.sessionID, false),
    "session.error": (p) => {
      const name = p.error?.name ?? "unknown";
      if (p.sessionID && root(p.sessionID) === p.sessionID)
        ends.set(p.sessionID, name === "MessageAbortedError" ? { interrupted: true } : { error: name, detail: short(p.error?.data?.message) });
    },
    "permission.asked": (p) => ask(p.id, p.sessionID, wanted(p)),
    "permission.replied": (p) => answered(p.requestID ?? p.permissionID),
    "question.asked": (p) => ask(p.id, p.sessionID, NAME + " is asking: " + (p.questions?.[0]?.question ?? "")),
    "question.replied": (p) => answered(p.requestID),
    "question.rejected": (p) => answered(p.requestID),
  };

  return {
    event: async ({ event }) => {
      try {
        on[event.type.replace(".v2.", ".")]?.(event.properties ?? {});
      } catch {}
    },
    "chat.message": async (input, output) => {
      try {
        const id = output?.message?.id ?? input?.messageID ?? "";
        const text = (output?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("").slice(0, 4000);
        const session = input.sessionID;
        if (root(session) !== session) return;
        if (busy.has(session)) tell({ event: "queued", session, turn: turns.get(session), prompt: text });
        else prompts.set(session, { id, text });
      } catch {}
    },
  };
};
