package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/dashboard/query"
)

// pricesInput are the parameters of the page of prices.
type pricesInput struct {
	Model    string `query:"model" maxLength:"400"`
	Provider string `query:"provider" maxLength:"200"`
	At       string `query:"at" maxLength:"64"`
	// Key is that of a price in the ledger: PROVIDER/MODEL|FROM|...
	Key string `query:"key" maxLength:"1000"`
}

// pricesPage shows what models cost.
type pricesPage struct {
	In pricesInput
	// Asked is the price of the model that was asked for; nil without one.
	Asked   *analytics.ModelPrices
	History []priceStep
	Used    []usedModel
	Missing []analytics.UnpricedName
	JSON    string
	// Table is the version and age of the table.
	Version, AsOf string
	AgeDays       int
	Zone          *time.Location
}

// usedModel is a model of the ledger with its list price.
type usedModel struct {
	Model string
	analytics.Numbers
	Price
	Link, Usage string
}

// Price is what a model costs in USD for a million tokens; empty is not given.
type Price struct {
	Provider, Input, Output, CacheRead, CacheWrite string
	// More tells of tiers, modes or windows beside it.
	More bool
	Own  bool
	// Sellers counts the providers that sell it.
	Sellers int
}

// priceStep is one price of the past.
type priceStep struct {
	From, To string
	Price
	Source string
}

// prices makes the page of prices.
func (s *Site) prices(ctx context.Context, r *http.Request, p prefs) (view, error) {
	page := &pricesPage{Zone: s.zoneOf(p)}
	in := &page.In
	if err := query.Read(r.URL.Query(), in); err != nil {
		return view{}, err
	}
	if name, _, _ := strings.Cut(in.Key, "|"); in.Model == "" && name != "" {
		in.Provider, in.Model, _ = strings.Cut(name, "/")
	}
	at, err := meterbridge.Instant(in.At, time.UTC)
	if err != nil {
		return view{}, err
	}
	if at.IsZero() {
		at = s.o.Now()
	}
	if in.Model != "" {
		s.addPrice(page, at)
	}
	if err := s.addUsed(ctx, page, at); err != nil {
		return view{}, err
	}
	if page.Missing, err = s.meter.Unpriced(ctx, page.Zone); err != nil {
		return view{}, err
	}
	return view{Page: "prices", Title: "Prices", Nav: "/prices", Data: page}, nil
}

// addPrice shows the model that was asked for, and what it cost before.
func (s *Site) addPrice(page *pricesPage, at time.Time) {
	in := page.In
	now := s.meter.ShowPrice(in.Model, in.Provider, at)
	page.Asked = &now
	v := url.Values{"model": {in.Model}}
	for name, value := range map[string]string{"provider": in.Provider, "at": in.At} {
		if value != "" {
			v.Set(name, value)
		}
	}
	page.JSON = "/api/v1/prices?" + v.Encode()
	if len(now.Rows) == 0 {
		return
	}
	page.History = s.history(in.Model, now, at)
}

// mostSteps bounds a history.
const mostSteps = 24

// history walks back from one price to the one before it.
func (s *Site) history(model string, now analytics.ModelPrices, at time.Time) []priceStep {
	var steps []priceStep
	provider := now.Rows[chosen(now)].Provider
	for range mostSteps {
		shown := s.meter.ShowPrice(model, provider, at)
		if len(shown.Rows) == 0 {
			break
		}
		row := shown.Rows[0]
		step := priceStep{Price: priceOf(shown), Source: row.Source}
		if row.To != nil {
			step.To = *row.To
		}
		if row.From == nil {
			return append(steps, step)
		}
		if step.From = *row.From; len(steps) > 0 && steps[len(steps)-1].From == step.From {
			break // the first price stands for the time before it
		}
		steps = append(steps, step)
		from, err := meterbridge.Instant(*row.From, time.UTC)
		if err != nil || !from.Before(at) {
			break
		}
		at = from.Add(-time.Second)
	}
	return steps
}

// chosen is the row that stands for a model sold by several: the user's own, then its vendor's.
func chosen(m analytics.ModelPrices) int {
	for _, kind := range []string{"user", "vendor"} {
		for i, row := range m.Rows {
			if row.Kind == kind || kind == "user" && row.Source == kind {
				return i
			}
		}
	}
	return 0
}

func priceOf(m analytics.ModelPrices) (p Price) {
	if len(m.Rows) == 0 {
		return p
	}
	row := m.Rows[chosen(m)]
	p.Provider, p.Sellers, p.Own = row.Provider, len(m.Rows), row.Source == "user"
	p.More = len(row.Tiers)+len(row.Modes)+len(row.Windows) > 0
	for _, c := range row.Classes {
		switch c.Class {
		case "input":
			p.Input = c.USDPerMillion
		case "output":
			p.Output = c.USDPerMillion
		case "cache_read":
			p.CacheRead = c.USDPerMillion
		case "cache_write_5m":
			p.CacheWrite = c.USDPerMillion
		}
	}
	return p
}

// addUsed lists the models of the ledger, the dearest first.
func (s *Site) addUsed(ctx context.Context, page *pricesPage, at time.Time) error {
	r, err := s.meter.Usage(ctx, analytics.UsageQuery{By: "model", Zone: page.Zone})
	if err != nil {
		return err
	}
	for _, row := range r.Rows {
		if row.Key == "" {
			continue
		}
		shown := s.meter.ShowPrice(row.Key, "", at)
		page.Version, page.AsOf, page.AgeDays = shown.TableVersion, shown.AsOf, shown.AgeDays
		page.Used = append(page.Used, usedModel{
			Model: row.Key, Numbers: row.Numbers, Price: priceOf(shown), Link: "/prices?model=" + url.QueryEscape(row.Key),
			Usage: "/usage?range=all&model=" + url.QueryEscape(row.Key),
		})
	}
	slices.SortStableFunc(page.Used, func(a, b usedModel) int {
		return cmp.Compare(measured(b.Numbers, "cost"), measured(a.Numbers, "cost"))
	})
	return nil
}
