package api

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/dashboard/query"
)

func joined(list []string) string { return strings.Join(list, ", ") }

type usageInput struct {
	By string `query:"by" enum:"day,week,month,hour,session,project,model,harness,agent,block" default:"day" doc:"What a row stands for."`
	query.Report
}

// ofTheMoment: a block is active or not.
func (in *usageInput) ofTheMoment() bool { return in.By == "block" }

func (s *server) reports(h huma.API) {
	ask(s, h, operation("usage", "/usage", "Tokens and cost by day, session, model, ...",
		"The answer of `meterbridge usage --json`. `by` is the report's key; the other parameters are the command's flags.", 404, 409),
		func(ctx context.Context, in *usageInput) (analytics.UsageReport, error) {
			return s.usage(ctx, in.By, in.Report)
		})
	look(s, h, operation("blocks", "/blocks", "Usage by five-hour block",
		"The answer of `meterbridge usage blocks --json`.", 404, 409),
		func(ctx context.Context, in *query.Report) (analytics.UsageReport, error) {
			return s.usage(ctx, "block", *in)
		})
	look(s, h, operation("budgets", "/budgets", "How budgets and providers' limits stand",
		"The budgets of the configuration, and under `limits` what logs tell of the providers' own."), s.budgets)
	look(s, h, operation("prices", "/prices", "What a model costs",
		"The answer of `meterbridge pricing show --json`. Without a provider: every provider that sells exactly this id. `rows` is empty and `reason` says why where there is no price."),
		s.prices)
	ask(s, h, operation("prices-missing", "/prices/missing", "Models without a price, and what they used",
		"The answer of `meterbridge pricing missing --json`."),
		s.missing)
}

func (s *server) usage(ctx context.Context, by string, in query.Report) (analytics.UsageReport, error) {
	q, err := in.Usage(by, s.meter.Period())
	if err != nil {
		return analytics.UsageReport{}, err
	}
	if err := s.harness(in.Harness); err != nil {
		return analytics.UsageReport{}, err
	}
	return s.meter.Usage(ctx, q)
}

type calendarInput struct {
	Timezone  string `query:"timezone" maxLength:"64" doc:"IANA time zone in which days are formed (default: that of the configuration, else the system's)." example:"Europe/Berlin"`
	WeekStart string `query:"weekStart" maxLength:"16" doc:"First day of a week (default: monday)."`
}

func (s *server) budgets(ctx context.Context, in *calendarInput) (dashboard.BudgetList, error) {
	p, err := s.period(query.Period{Timezone: in.Timezone, WeekStart: in.WeekStart})
	if err != nil {
		return dashboard.BudgetList{}, err
	}
	return s.meter.BudgetStates(ctx, p.Zone, p.WeekStart)
}

type priceInput struct {
	Model    string `query:"model" required:"true" minLength:"1" maxLength:"400" doc:"Model id as logged." example:"claude-sonnet-4-5"`
	Provider string `query:"provider" maxLength:"200" doc:"Provider as a harness names it."`
	At       string `query:"at" maxLength:"64" doc:"Day or instant (default: now)."`
}

func (s *server) prices(_ context.Context, in *priceInput) (analytics.ModelPrices, error) {
	at, err := instantOf(in.At)
	if err != nil {
		return analytics.ModelPrices{}, err
	}
	if at.IsZero() {
		at = s.o.Now()
	}
	return s.meter.ShowPrice(in.Model, in.Provider, at), nil
}

type missingInput struct {
	Timezone string `query:"timezone" maxLength:"64" doc:"IANA time zone of firstDay."`
}

// MissingPrices is the answer of `pricing missing`.
type MissingPrices struct {
	// Rows come before the version, as the command has them.
	Rows          []analytics.UnpricedName `json:"rows"`
	SchemaVersion int                      `json:"schemaVersion"`
}

func (s *server) missing(ctx context.Context, in *missingInput) (MissingPrices, error) {
	p, err := s.period(query.Period{Timezone: in.Timezone})
	if err != nil {
		return MissingPrices{}, err
	}
	rows, err := s.meter.Unpriced(ctx, p.Zone)
	return MissingPrices{Rows: rows, SchemaVersion: analytics.SchemaVersion}, err
}
