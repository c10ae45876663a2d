// The pages in a real browser against a real daemon: the numbers are the API's,
// changes appear by themselves, keys are enough, and nothing is wrong on the side.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { need, start } from "./daemon.mjs";

let site;
let session;
before(async () => {
  site = await start();
  session = (await site.api("sessions?limit=50")).sessions.find((s) => s.subagents > 0);
});
after(async () => site?.stop());

const paths = () => [
  "/", "/usage", "/usage?range=all&by=month&stack=model", "/usage?by=session&range=7d", "/usage?range=30d&stack=project&measure=tokens", "/sessions", "/sessions?search=no-such-thing",
  `/sessions/${session.harness}:${session.session}`, "/explain/2026-10-05", "/prices", "/prices?model=claude-opus-4-5&provider=anthropic", "/health", "/agents", "/links", "/tools", "/tools?tool=meter_usage", "/queue",
  ...(process.env.METERBRIDGE_PAGES_MORE ?? "").split(" ").filter(Boolean),
];

// watched is a page that remembers what went wrong in it.
async function watched(options) {
  const context = await site.open(options);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && wrong.push(m.text()));
  page.on("pageerror", (e) => wrong.push(String(e)));
  await page.addInitScript(() => addEventListener("securitypolicyviolation", (e) => console.error("policy: " + e.violatedDirective + " " + e.sourceFile)));
  return { page, wrong, context };
}

async function settle(page) {
  await page.waitForLoadState("load");
  await page.waitForFunction(() => !document.querySelector(".htmx-request") && [...document.querySelectorAll("meter-chart")].every((c) => c.querySelector("canvas")) && [...document.querySelectorAll("meter-timeline")].every((c) => c.dataset.drawn));
}

for (const [name, options] of [["desktop, dark", {}], ["phone, light", { viewport: { width: 390, height: 844 }, colorScheme: "light" }]]) {
  test(`every page is sound (${name})`, async () => {
    const { page, wrong, context } = await watched(options);
    for (const path of paths()) {
      const answer = await page.goto(site.origin + path);
      assert.equal(answer.status(), 200, path);
      assert.doesNotMatch(answer.headers()["content-security-policy"], /unsafe/);
      await settle(page);
      const faults = await page.evaluate(`${readFileSync(need.resolve("axe-core/axe.min.js"), "utf8")}; axe.run({ resultTypes: ["violations"] })`);
      const bad = faults.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html + " " + n.any.map((a) => a.message).join("; ")).join(" | ")}`);
      assert.deepEqual(bad, [], path);
      const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= seen, `${path} is ${wide} wide in a window of ${seen}`);
      assert.deepEqual(wrong, [], path);
    }
    await context.close();
  });
}

test("a stranger is told how to come in, and nothing else", async () => {
  const context = await site.browser.newContext();
  const page = await context.newPage();
  const answer = await page.goto(site.origin + "/usage");
  assert.equal(answer.status(), 401);
  const text = await page.textContent("body");
  assert.match(text, /meterbridge status --link/);
  assert.doesNotMatch(text, /Sessions|Up to date|Berlin/);
  await context.close();
});

test("the usage table has the API's numbers", async () => {
  const { page, context } = await watched();
  for (const by of ["day", "month", "model", "harness", "project"]) {
    const want = await site.api(`usage?by=${by}`);
    await page.goto(`${site.origin}/usage?range=all&by=${by}`);
    const got = await page.$$eval("table.rows tbody tr", (rows) => Object.fromEntries(rows.map((r) => [r.dataset.key, [...r.cells].map((c) => c.innerText.trim())])));
    assert.equal(Object.keys(got).length, want.rows.length, by);
    const n = (v) => (v === null ? "–\nnot reported" : v.toLocaleString("en-US"));
    for (const row of want.rows) {
      const cells = got[row[by] ?? ""].map((c) => c.replace("–not", "–\nnot"));
      const figures = [n(row.requests), n(row.prompts), n(row.inputTokens), n(row.outputTokens), n(row.reasoningTokens), n(row.cacheReadTokens), n(row.cacheWriteTokens), n(row.totalTokens)];
      assert.deepEqual(cells.slice(4), figures, `${by} ${row[by]}`);
    }
    const exact = await page.$eval("#total-cost data", (d) => d.value);
    assert.equal(exact, String(want.totals.costMicroUsd), by);
  }
  await context.close();
});

test("a session has the API's numbers, its timeline is drawn, and its records are listed", async () => {
  const { page, context, wrong } = await watched();
  const id = `${session.harness}:${session.session}`;
  const want = (await site.api(`sessions/${encodeURIComponent(id)}`)).usage;
  await page.goto(`${site.origin}/sessions/${id}`);
  await settle(page);
  assert.equal(await page.$eval("#session-cost data", (d) => d.value), String(want.costMicroUsd));
  assert.equal(await page.$eval("#session-tokens data", (d) => d.value), String(want.totalTokens));
  assert.equal(await page.$eval("#session-requests data", (d) => d.value), String(want.requests));
  const drawn = await page.$eval("meter-timeline", (t) => t.dataset.drawn);
  console.log(`the timeline was drawn in ${drawn} ms`);
  await page.waitForSelector("#explain table");
  assert.match(await page.textContent("#explain"), /adds up to the report/);
  assert.match(await page.textContent("#explain code"), /:\d+$/);
  assert.deepEqual(wrong, []);
  await context.close();
});

test("what an agent does appears by itself", async () => {
  const { page, context, wrong } = await watched();
  await page.goto(site.origin + "/");
  await settle(page);
  await page.waitForFunction(() => document.querySelector(".live-text").textContent === "Live");
  const file = join(site.home, ".claude/projects/-srv-demo-shop/aaaa1111-0000-4000-8000-000000000002.jsonl");
  const took = [];
  for (let i = 0; i < 4; i++) {
    const had = Number(await page.$eval("#today-requests data", (d) => d.value));
    const seen = page.waitForFunction((n) => Number(document.querySelector("#today-requests data").value) === n, had + 1, { polling: 5 });
    const at = new Date();
    appendFileSync(file, JSON.stringify({ parentUuid: null, isSidechain: false, userType: "external", cwd: "/srv/demo-shop", sessionId: "aaaa1111-0000-4000-8000-000000000002", version: "2.1.332", type: "assistant", requestId: `req_live_${i}`, message: { id: `msg_live_${i}`, type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [{ type: "text", text: "ok" }], stop_reason: "end_turn", usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 } }, uuid: `live-${i}`, timestamp: at.toISOString() }) + "\n");
    await seen;
    took.push(Date.now() - at);
    await new Promise((go) => setTimeout(go, 900)); // the next one comes to a page at rest
  }
  console.log(`from the append to the page: ${took.join(", ")} ms`);
  const today = await site.api(`usage?by=day&since=${new Date().toLocaleDateString("sv", { timeZone: "Europe/Berlin" })}`);
  assert.equal(await page.$eval("#today-cost data", (d) => d.value), String(today.totals.costMicroUsd));
  assert.deepEqual(wrong, []);
  await context.close();
});

test("keys are enough", async () => {
  const { page, context, wrong } = await watched();
  await page.goto(site.origin + "/");
  await settle(page);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await page.keyboard.press("g");
  await page.keyboard.press("2");
  await page.waitForURL(/\/usage$/);
  await settle(page);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.name), "since");
  await page.focus("select[name=measure]");
  await page.keyboard.press("ArrowDown");
  await page.waitForURL(/measure=tokens/);
  await page.waitForFunction(() => document.querySelector("#chart-title").textContent.startsWith("Tokens"));
  await page.focus("meter-chart");
  await page.keyboard.press("ArrowLeft");
  assert.ok(await page.isVisible("meter-chart .tip"));
  await page.keyboard.press("Enter");
  await page.waitForURL(/by=hour/);
  await settle(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\?/);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\/[^?]/);
  await settle(page);
  await page.focus("meter-timeline");
  await page.keyboard.press("ArrowRight");
  assert.ok(await page.isVisible("meter-timeline .tip"));
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  assert.ok(await page.isVisible("#keys"));
  await page.keyboard.press("Escape");
  await page.keyboard.press("t");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  assert.deepEqual(wrong, []);
  await context.close();
});

test("an agent is started, typed to and stopped from its page", async () => {
  const { page, context, wrong } = await watched();
  await page.goto(site.origin + "/agents");
  await page.selectOption("select[name=harness]", "shell-bash");
  await page.fill("input[name=dir]", site.home);
  await page.fill("input[name=name]", "bench");
  await page.click("text=Start >> nth=-1");
  await page.waitForURL(/\/agents\/ag-/);
  await page.waitForSelector("meter-terminal[data-state=joined]");
  await page.click("meter-terminal");
  await page.keyboard.type("printf '\\033[38;2;250;120;80mwarm\\033[0m %s\\n' $((40+2))\n");
  await page.waitForFunction(() => document.querySelector(".xterm-rows").innerText.includes("warm 42"));
  await page.keyboard.press("Shift+Escape");
  assert.equal(await page.evaluate(() => document.activeElement.closest("meter-terminal")), null);
  const path = new URL(page.url()).pathname;
  const shown = (await site.api("agents")).rows.find((a) => a.name === "bench");
  assert.equal("/agents/" + shown.id, path);
  await page.click("text=Stop");
  await Promise.all([page.waitForNavigation(), page.click("text=Stop bench")]);
  await page.waitForFunction(() => document.querySelector("#agent-figures").textContent.includes("exited"));
  assert.deepEqual(wrong, []);
  await context.close();
});

test("prompts are queued, put in order, edited and removed", async () => {
  const { page, context, wrong } = await watched();
  await page.goto(site.origin + "/agents");
  await page.selectOption("select[name=harness]", "claude-code");
  await page.fill("input[name=dir]", site.home);
  await page.fill("input[name=name]", "lead");
  await page.click("text=Start >> nth=-1");
  await page.waitForURL(/\/agents\/ag-/);
  for (const text of ["First, the tests", "Then the docs"]) {
    await page.fill("#prompt-text", text);
    await page.fill("input[name=at]", "2099-01-01T08:00");
    await Promise.all([page.waitForNavigation(), page.click(".ask .button")]);
  }
  const list = () => page.$$eval(".queue .prompt", (all) => all.map((p) => p.textContent));
  assert.deepEqual(await list(), ["First, the tests", "Then the docs"]);
  await Promise.all([page.waitForNavigation(), page.click(".queue li:nth-child(2) [aria-label='Move up']")]);
  assert.deepEqual(await list(), ["Then the docs", "First, the tests"]);
  await page.click(".queue li:nth-child(1) summary");
  await page.fill(".queue li:nth-child(1) textarea", "Then the guide");
  await Promise.all([page.waitForNavigation(), page.click(".queue li:nth-child(1) .drop .primary")]);
  assert.deepEqual(await list(), ["Then the guide", "First, the tests"]);
  await Promise.all([page.waitForNavigation(), page.click(".queue li:nth-child(1) >> text=Remove")]);
  assert.deepEqual(await list(), ["First, the tests"]);
  assert.deepEqual(wrong, []);
  await page.goto(site.origin + "/queue");
  assert.deepEqual(await list(), ["First, the tests"]);
  await context.close();
});

test("the zone and the week of the person are kept", async () => {
  const { page, context } = await watched();
  await page.goto(site.origin + "/usage?by=week");
  await page.click(".prefs summary");
  await page.fill(".prefs input[name=zone]", "America/New_York");
  await page.selectOption(".prefs select[name=week]", "Sunday");
  await Promise.all([page.waitForNavigation(), page.click(".prefs button")]);
  assert.match(page.url(), /\/usage\?by=week/);
  assert.match(await page.textContent(".head .sub"), /America\/New_York/);
  const want = await site.api("usage?by=week&timezone=America/New_York&weekStart=Sunday");
  const got = await page.$$eval("table.rows tbody tr", (rows) => rows.map((r) => r.dataset.key));
  assert.ok(got.length > 0 && got.every((key) => want.rows.some((r) => r.week === key)), got.join());
  await context.close();
});
