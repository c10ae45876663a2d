// Prints the messages that tokscale's core finds below HOME.
const core = require("@tokscale/core");
const [sources, since, until] = process.argv.slice(2);
const found = core.parseLocalSources({
  homeDir: process.env.HOME, sources: sources.split(","), since: since || undefined, until: until || undefined,
});
console.log(JSON.stringify(found.messages));
