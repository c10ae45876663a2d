// Writes a home folder with made-up logs of two months of work up to a time, the
// same for the same time: what the pages are shown and tested with.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const projects = ["/srv/work/atlas-api", "/srv/work/storefront", "/srv/work/ledger-sync", "/srv/work/design-system", "/srv/work/infra"];
const tasks = [
  "Fix the flaky checkout test", "Add cursor pagination to the orders API", "Why does the nightly import stall?", "Refactor the session cache",
  "Upgrade the router and its types", "Write a migration for invoices", "Make the date picker keyboard friendly", "Trace the memory growth of the worker",
  "Review the retry policy", "Split the settings page", "Speed up the search index", "Document the webhook signatures",
  "Replace the moment helpers", "Find the slow query behind reports", "Add dark colours to the charts", "Harden the upload endpoint",
];
const tools = ["Read", "Edit", "Bash", "Grep", "Glob", "Write", "TodoWrite"];

// chance is a small generator of numbers that are the same each time.
function chance(seed) {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const iso = (at) => new Date(at).toISOString();
const hex = (n, width) => n.toString(16).padStart(width, "0");

export function showcase(home, now, days = 62) {
  const r = chance(7);
  const pick = (list) => list[Math.floor(r() * list.length)];
  const index = [];
  let n = 0;
  for (let day = days; day >= 0; day--) {
    const at = new Date(now - day * 86_400_000);
    const weekend = [0, 6].includes(at.getUTCDay());
    const count = Math.floor((weekend ? 1.4 : 5.5) * (0.5 + r()) * (1.25 - day / (days * 2)));
    for (let i = 0; i < count; i++) {
      n++;
      const start = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), 7) + Math.floor(r() * 11 * 3_600_000);
      if (start > now - 2 * 3_600_000) continue;
      const job = { n, r, pick, home, now, start, project: projects[Math.floor(r() * r() * projects.length)], task: pick(tasks) };
      if (r() < 0.68) claude(job);
      else codex(job, index);
    }
  }
  // One that is at work as the pages are looked at.
  claude({ n: n + 1, r, pick, home, now, start: now - 33 * 60_000, project: projects[0], task: "Make the export resumable", live: true });
  codex({ n: n + 2, r, pick, home, now, start: now - 25 * 60_000, project: projects[1], task: "Tighten the cart's types", live: true }, index);
  writeFileSync(join(home, ".codex", "session_index.jsonl"), index.map((l) => JSON.stringify(l) + "\n").join(""));
}

function claude(job) {
  const { r, pick } = job;
  const id = `5e551000-0000-4000-8000-${hex(job.n, 12)}`;
  const dir = join(job.home, ".claude", "projects", job.project.replaceAll("/", "-"));
  const model = r() < 0.62 ? "claude-sonnet-4-5-20250929" : r() < 0.9 ? "claude-opus-4-5" : "claude-nova-preview";
  const base = { userType: "external", cwd: job.project, sessionId: id, version: "2.1.332", gitBranch: pick(["main", "feature/export", "fix/cache"]) };
  const lines = [];
  let at = job.start, k = 0, prev = null;
  const push = (o) => { const uuid = `${id}-${k++}`; lines.push({ parentUuid: prev, isSidechain: false, ...base, ...o, uuid }); prev = uuid; };
  lines.push({ type: "ai-title", aiTitle: job.task, sessionId: id });
  const prompts = job.live ? 40 : 1 + Math.floor(r() * 4);
  let context = 14_000 + Math.floor(r() * 9_000);
  for (let p = 0; p < prompts && at < job.now; p++) {
    push({ type: "user", promptId: `p${p}`, promptSource: "typed", turnOrigin: "human", origin: { kind: "human" }, message: { role: "user", content: p ? pick(["Now the tests", "Good, go on", "Also the docs, please", "That still fails, look again"]) : job.task }, timestamp: iso(at) });
    const calls = 3 + Math.floor(r() * 9);
    for (let c = 0; c < calls && at < job.now; c++) {
      const sent = at + 400 + Math.floor(r() * 700);
      const took = 1_800 + Math.floor(r() * r() * 26_000);
      at = sent + took;
      if (at >= job.now) break;
      const ref = `ar-${job.n}-${k}`;
      const fresh = 400 + Math.floor(r() * 2_600);
      const usage = { input_tokens: 4 + Math.floor(r() * 30), cache_creation_input_tokens: c || p ? fresh : context, cache_read_input_tokens: c || p ? context : 0, output_tokens: 90 + Math.floor(r() * r() * 2_400), service_tier: "standard", cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: c || p ? fresh : context } };
      context += fresh + usage.output_tokens;
      if (context > 90_000) context = 16_000;
      lines.push({ type: "api-request", sessionId: id, id: ref, timestamp: iso(sent), version: base.version, querySource: "repl_main_thread", params: { model } });
      const last = c === calls - 1;
      const tool = last ? null : c === 1 && r() < 0.4 ? "Task" : pick(tools);
      const content = tool ? [{ type: "tool_use", id: `toolu_${job.n}_${k}`, name: tool, input: {} }] : [{ type: "text", text: "Done: the change is in, and the tests pass." }];
      push({ type: "assistant", requestId: `req_${job.n}_${k}`, requestRef: ref, apiBlockIndex: 0, message: { id: `msg_${job.n}_${k}`, type: "message", role: "assistant", model, content, stop_reason: tool ? "tool_use" : "end_turn", stop_sequence: null, usage }, timestamp: iso(at) });
      if (!tool) continue;
      const used = tool === "Bash" ? 800 + Math.floor(r() * 9_000) : 30 + Math.floor(r() * 400);
      const length = tool === "Task" ? subagent(job, id, base, dir, at) : used;
      at += length;
      push({ type: "user", promptId: `p${p}`, message: { role: "user", content: [{ type: "tool_result", tool_use_id: content[0].id, content: "ok", is_error: r() < 0.06 }] }, timestamp: iso(Math.min(at, job.now)) });
    }
    at += 15_000 + Math.floor(r() * (job.live ? 60_000 : 900_000));
  }
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, id + ".jsonl"), lines.filter((l) => !l.timestamp || Date.parse(l.timestamp) <= job.now).map((l) => JSON.stringify(l) + "\n").join(""));
}

// subagent writes one and says how long it ran.
function subagent(job, id, base, dir, from) {
  const { r } = job;
  const agentId = hex(job.n * 16 + Math.floor(r() * 16), 6);
  const lines = [{ parentUuid: null, isSidechain: true, ...base, type: "user", agentId, message: { role: "user", content: "Look through the repository" }, uuid: `${agentId}-0`, timestamp: iso(from) }];
  let at = from;
  for (let i = 1; i <= 3 + Math.floor(r() * 4); i++) {
    at += 1_500 + Math.floor(r() * 7_000);
    if (at >= job.now) break;
    lines.push({ parentUuid: `${agentId}-${i - 1}`, isSidechain: true, ...base, type: "assistant", agentId, attributionAgent: "Explore", requestId: `req_${agentId}_${i}`, message: { id: `msg_${agentId}_${i}`, type: "message", role: "assistant", model: "claude-haiku-4-5-20251001", content: [{ type: "text", text: "Looking." }], stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 8, cache_creation_input_tokens: 1_200, cache_read_input_tokens: 5_000 * i, output_tokens: 120 + Math.floor(r() * 500), service_tier: "standard", cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 1_200 } } }, uuid: `${agentId}-${i}`, timestamp: iso(at) });
  }
  const sub = join(dir, id, "subagents");
  mkdirSync(sub, { recursive: true });
  writeFileSync(join(sub, `agent-${agentId}.jsonl`), lines.map((l) => JSON.stringify(l) + "\n").join(""));
  writeFileSync(join(sub, `agent-${agentId}.meta.json`), JSON.stringify({ agentType: "Explore", description: "Look through the repository" }));
  return at - from;
}

function codex(job, index) {
  const { r, pick } = job;
  const id = `01a30000-0000-7000-8000-${hex(job.n, 12)}`;
  const day = iso(job.start);
  const dir = join(job.home, ".codex", "sessions", day.slice(0, 4), day.slice(5, 7), day.slice(8, 10));
  const model = r() < 0.7 ? "gpt-5.1-codex" : "gpt-5-codex";
  const lines = [{ timestamp: day, type: "session_meta", payload: { id, timestamp: day, cwd: job.project, originator: "codex_cli_rs", cli_version: "0.53.0", instructions: null, source: "cli", model_provider: "openai", git: { commit_hash: "0".repeat(40), branch: "main", repository_url: "git@example.invalid:work.git" } } }];
  let at = job.start + 900;
  const sum = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0, total_tokens: 0 };
  let context = 9_000 + Math.floor(r() * 6_000);
  for (let p = 0; p < (job.live ? 40 : 1 + Math.floor(r() * 3)) && at < job.now; p++) {
    const text = p ? pick(["Go on", "Run it again", "Now the other file"]) : job.task;
    lines.push({ timestamp: iso(at), type: "event_msg", payload: { type: "user_message", message: text, kind: "plain" } });
    lines.push({ timestamp: iso(at + 1), type: "turn_context", payload: { cwd: job.project, approval_policy: "on-request", sandbox_policy: { mode: "workspace-write" }, model, effort: "medium", summary: "auto" } });
    const calls = 2 + Math.floor(r() * 7);
    for (let c = 0; c < calls; c++) {
      at += 2_500 + Math.floor(r() * 15_000);
      if (at >= job.now) break;
      const last = { input_tokens: context, cached_input_tokens: c || p ? Math.floor(context * 0.9) : 0, output_tokens: 80 + Math.floor(r() * 1_500), reasoning_output_tokens: Math.floor(r() * 60) };
      last.total_tokens = last.input_tokens + last.output_tokens;
      for (const key of Object.keys(sum)) sum[key] += last[key];
      context += 600 + Math.floor(r() * 2_500);
      if (context > 110_000) context = 12_000;
      if (c < calls - 1) {
        lines.push({ timestamp: iso(at - 5), type: "response_item", payload: { type: "function_call", name: "shell", arguments: "{}", call_id: `call_${job.n}_${p}_${c}` } });
        lines.push({ timestamp: iso(at + 700), type: "response_item", payload: { type: "function_call_output", call_id: `call_${job.n}_${p}_${c}`, output: "{\"output\":\"ok\",\"metadata\":{\"exit_code\":0}}" } });
      }
      const used = 8 + Math.round(((at / 3_600_000) % 5) * 14);
      lines.push({ timestamp: iso(at), type: "event_msg", payload: { type: "token_count", info: { total_token_usage: { ...sum }, last_token_usage: last, model_context_window: 272_000 }, rate_limits: { primary: { used_percent: used, window_minutes: 300, resets_at: Math.floor(at / 1000) + 7_200 }, secondary: { used_percent: 31, window_minutes: 10_080, resets_at: Math.floor(at / 1000) + 260_000 }, plan_type: "pro" } } });
    }
    at += 20_000 + Math.floor(r() * (job.live ? 60_000 : 600_000));
  }
  mkdirSync(dir, { recursive: true });
  lines.sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  const kept = lines.filter((l) => Date.parse(l.timestamp) <= job.now);
  writeFileSync(join(dir, `rollout-${day.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`), kept.map((l) => JSON.stringify(l) + "\n").join(""));
  index.push({ id, thread_name: job.task, updated_at: iso(Math.min(at, job.now)) });
}
