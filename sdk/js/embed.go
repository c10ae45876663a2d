// Package js holds the JavaScript SDK as files, for the daemon to put beside the
// extensions that it runs: there Node finds it under its name, @meterbridge/sdk,
// and the runner of Switchboard modules lies in it. It imports nothing.
package js

import "embed"

// Files are the npm package: package.json and src.
//
//go:embed package.json src
var Files embed.FS

// Runner is the module that runs Switchboard modules, a path in Files.
const Runner = "src/switchboard.js"
