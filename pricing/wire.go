package pricing

import "encoding/json"

// The types of this file are the schema agent-prices/1 as it is written. A
// class that a rate does not give is nil.

type wireModel struct {
	Aliases      []string   `json:"aliases,omitempty"`
	Canonical    string     `json:"canonical,omitempty"`
	Released     string     `json:"released,omitempty"`
	Status       string     `json:"status,omitempty"`
	Floating     bool       `json:"floating,omitempty"`
	PlanIncluded bool       `json:"plan_included,omitempty"`
	Unpriced     string     `json:"unpriced,omitempty"`
	Rates        []wireRate `json:"rates,omitempty"`
}

type wireClasses struct {
	Input        *int64 `json:"input,omitempty"`
	Output       *int64 `json:"output,omitempty"`
	CacheRead    *int64 `json:"cache_read,omitempty"`
	CacheWrite5m *int64 `json:"cache_write_5m,omitempty"`
	CacheWrite1h *int64 `json:"cache_write_1h,omitempty"`
	Reasoning    *int64 `json:"reasoning,omitempty"`
}

type wireRate struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	wireClasses
	Tiers          []wireTier          `json:"tiers,omitempty"`
	Modes          map[string]wireMode `json:"modes,omitempty"`
	Windows        []wireWindow        `json:"windows,omitempty"`
	Scheduled      bool                `json:"scheduled,omitempty"`
	Observed       bool                `json:"observed,omitempty"`
	ObservedChange string              `json:"observed_change,omitempty"`
	Disputed       json.RawMessage     `json:"disputed,omitempty"`
	Free           bool                `json:"free,omitempty"`
	FreeUnverified bool                `json:"free_unverified,omitempty"`
	Seen           string              `json:"seen,omitempty"`
	Src            string              `json:"src,omitempty"`
	Note           string              `json:"note,omitempty"`
}

type wireTier struct {
	Above int64 `json:"above"`
	wireClasses
}

type wireMode struct {
	wireClasses
	To string `json:"to,omitempty"`
}

type wireWindow struct {
	UTC  [][2]string `json:"utc"`
	Days []int       `json:"days,omitempty"`
	wireClasses
}

// given turns the classes into the form that is calculated with.
func (c wireClasses) given() partial {
	return Classes{c.Input, c.Output, c.CacheRead, c.CacheWrite5m, c.CacheWrite1h, c.Reasoning}.given()
}
