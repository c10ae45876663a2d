package daemon

import (
	"meterbridge/dashboard/web"
	"meterbridge/harnesses/all"
)

// Pages are the dashboard; put them behind a guard. Unless o says otherwise,
// version, harnesses and clock are the meter's own.
func (m *Meter) Pages(o web.Options) (*web.Site, error) {
	if o.Version == "" {
		o.Version = m.opts.Version
	}
	if o.Now == nil {
		o.Now = m.opts.Now
	}
	if o.Harnesses == nil {
		o.Harnesses = map[string]string{}
		for _, h := range all.Harnesses() {
			o.Harnesses[h.ID] = h.Name
		}
	}
	return web.New(m, o)
}
