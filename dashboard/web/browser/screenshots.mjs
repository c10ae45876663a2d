// Takes docs/screenshots anew: each page, dark and light, on a desktop and a phone.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "./daemon.mjs";

const out = process.argv[2] ?? join(process.env.METERBRIDGE_PAGES_ROOT, "docs/screenshots");
const site = await start({ fixtures: false, dir: join(tmpdir(), "meterbridge-demo") });
// Agents to look at: a terminal that has shown something, and one with a queue.
const context0 = await site.open();
const form = (path, values) => context0.request.post(site.origin + path, { form: values, headers: { Origin: site.origin }, maxRedirects: 0 });
const started = async (values) => (await form("/agents", { dir: site.home, ...values })).headers().location;
const shell = await started({ harness: "shell-bash", name: "storefront-dev" });
const lead = await started({ harness: "claude-code", name: "lead" });
await form(lead + "/prompts", { text: "When the build is green, write the release notes for the export.", whenBusy: "queue", at: "2099-01-01T08:00" });
const typing = await context0.newPage();
await typing.goto(site.origin + shell);
await typing.waitForSelector("meter-terminal[data-state=joined]");
await typing.click("meter-terminal");
writeFileSync(join(site.home, "check"), `printf '\\e[32mPASS\\e[0m  cart/totals        0.41s\\n\\e[32mPASS\\e[0m  cart/discounts     0.29s\\n\\e[31mFAIL\\e[0m  checkout/export    1.02s\\n'`);
await typing.keyboard.type("PS1='\\[\\e[32m\\]storefront\\[\\e[0m\\] $ '; clear\n");
await typing.keyboard.type("bash check\n");
await typing.waitForTimeout(1200);
await context0.close();
const list = (await site.api("sessions?limit=50")).sessions;
const session = list.filter((s) => s.subagents > 1).sort((a, b) => b.requests - a.requests)[0] ?? list[0];
const pages = {
  now: "/", usage: "/usage?range=30d&stack=model", sessions: "/sessions", session: `/sessions/${session.harness}:${session.session}`,
  agents: "/agents", agent: shell, tools: "/tools", links: "/links",
  prices: "/prices?model=claude-opus-4-5&provider=anthropic", health: "/health",
};
const looks = {
  "dark-desktop": { colorScheme: "dark", viewport: { width: 1360, height: 860 }, deviceScaleFactor: 1.5 },
  "light-desktop": { colorScheme: "light", viewport: { width: 1360, height: 860 }, deviceScaleFactor: 1.5 },
  "dark-phone": { colorScheme: "dark", viewport: { width: 390, height: 780 }, deviceScaleFactor: 2 },
  "light-phone": { colorScheme: "light", viewport: { width: 390, height: 780 }, deviceScaleFactor: 2 },
};
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [look, options] of Object.entries(looks)) {
  const context = await site.open({ ...options, reducedMotion: "reduce" });
  for (const [name, path] of Object.entries(pages)) {
    const page = await context.newPage();
    await page.goto(site.origin + path);
    await page.waitForTimeout(600);
    await page.waitForFunction(() => [...document.querySelectorAll("meter-terminal")].every((t) => t.dataset.state === "joined") && [...document.querySelectorAll("meter-timeline")].every((t) => t.dataset.drawn) && document.querySelector(".live-text")?.textContent === "Live");
    await page.screenshot({ path: join(out, `${name}-${look}.png`) });
    await page.close();
  }
  await context.close();
}
await site.stop();
