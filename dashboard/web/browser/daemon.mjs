// A real daemon over a home folder of its own, and a browser that opened its link.
import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { showcase } from "./showcase.mjs";

const cache = process.env.METERBRIDGE_PAGES_CACHE;
const root = process.env.METERBRIDGE_PAGES_ROOT;
export const need = createRequire(join(cache, "index.js"));
const { chromium } = need("playwright-core");

const settings = `[report]
timezone = "Europe/Berlin"

[[budget]]
name = "Day"
scope = "all"
window = "day"
max_usd = "25"
action = "notify"

[[budget]]
name = "Opus, this month"
scope = "model"
match = "claude-opus-4-5"
window = "month"
max_usd = "120"
action = "hold"

[[budget]]
name = "Tokens this week"
scope = "all"
window = "week"
max_tokens = 90000000
action = "notify"
`;

// start runs a daemon; fixtures adds the example logs to those of the showcase.
export async function start({ fixtures = true, now = Date.now(), dir } = {}) {
  if (dir) {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir);
  }
  dir ??= mkdtempSync(join(tmpdir(), "meterbridge-pages-"));
  const home = join(dir, "home");
  mkdirSync(home);
  mkdirSync(join(dir, "data"));
  if (fixtures) cpSync(join(root, "internal/demo/home"), home, { recursive: true });
  showcase(home, now);
  writeFileSync(join(dir, "data", "config.toml"), settings);
  // A program in the harness's place: the pages are tested, not the harness.
  mkdirSync(join(dir, "bin"));
  writeFileSync(join(dir, "bin", "claude"), "#!/bin/bash\nprintf '\\033[1mAn agent that waits\\033[0m\\r\\n> '\nexec cat\n");
  chmodSync(join(dir, "bin", "claude"), 0o755);
  const env = { PATH: join(dir, "bin") + ":" + process.env.PATH, HOME: home, METERBRIDGE_HOME: join(dir, "data"), TZ: "Europe/Berlin" };
  const child = spawn(join(cache, "meterbridge"), ["serve", "--addr", "127.0.0.1:0"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const link = await new Promise((found, failed) => {
    const read = (text) => {
      said += text;
      const line = said.match(/http:\/\/\S+\/login\?token=\S+/);
      if (line) found(line[0]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", (code) => failed(new Error(`the daemon ended with ${code}: ${said}`)));
  });
  const origin = new URL(link).origin;
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--force-color-profile=srgb", "--font-render-hinting=none"] });
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(link);
  await page.waitForURL(origin + "/");
  const state = await first.storageState();
  await first.close();
  const site = { dir, home, origin, browser, state, child };
  site.open = (options = {}) => browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark", storageState: state, ...options });
  site.api = async (path) => {
    const context = await site.open();
    const answer = await context.request.get(origin + "/api/v1/" + path);
    const body = await answer.json();
    await context.close();
    return body;
  };
  await until(async () => (await site.api("health")).status === "ok");
  site.stop = async () => {
    await browser.close();
    const gone = new Promise((end) => child.once("exit", end));
    child.kill("SIGTERM");
    await gone;
    rmSync(dir, { recursive: true, force: true });
  };
  return site;
}

// until asks until the answer is true.
export async function until(ask, patience = 20_000) {
  const end = Date.now() + patience;
  while (!(await ask())) {
    if (Date.now() > end) throw new Error("it did not happen: " + ask);
    await new Promise((go) => setTimeout(go, 50));
  }
}
