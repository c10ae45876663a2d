package web

import (
	"net/http"
	"net/url"
	"strings"

	"meterbridge"
	"meterbridge/dashboard/query"
)

// prefs are what the person at the browser chose; empty is the settings' own.
type prefs struct {
	// Theme is dark, light, or empty for the system's.
	Theme string
	// Zone is an IANA name, Week a weekday in English.
	Zone, Week string
}

// The cookies that keep preferences. They hold nothing secret.
const (
	themeCookie = "meterbridge-theme"
	zoneCookie  = "meterbridge-zone"
	weekCookie  = "meterbridge-week"
)

// keptFor is how long a preference lasts, in seconds.
const keptFor = 400 * 24 * 3600

func readPrefs(r *http.Request) prefs {
	p := prefs{Theme: cookie(r, themeCookie), Zone: cookie(r, zoneCookie), Week: cookie(r, weekCookie)}
	if p.Theme != "dark" && p.Theme != "light" {
		p.Theme = ""
	}
	if _, err := meterbridge.Zone(p.Zone); err != nil {
		p.Zone = ""
	}
	if _, err := meterbridge.Weekday(p.Week); err != nil {
		p.Week = ""
	}
	return p
}

func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	text, err := url.QueryUnescape(c.Value)
	if err != nil {
		return ""
	}
	return text
}

// over gives a period the person's zone and week where the address names none.
func (p prefs) over(in *query.Period) {
	if in.Timezone == "" {
		in.Timezone = p.Zone
	}
	if in.WeekStart == "" {
		in.WeekStart = p.Week
	}
}

// choose keeps preferences and leads back to the page that asked.
func (s *Site) choose(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, query.Invalid("form", "cannot be read", ""))
		return
	}
	for field, name := range map[string]string{"theme": themeCookie, "zone": zoneCookie, "week": weekCookie} {
		if !r.PostForm.Has(field) {
			continue
		}
		text := strings.TrimSpace(r.PostForm.Get(field))
		if err := usable(field, text); err != nil {
			s.fail(w, r, err)
			return
		}
		http.SetCookie(w, &http.Cookie{
			Name: name, Value: url.QueryEscape(text), Path: "/", MaxAge: keptFor, HttpOnly: true,
			SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
		})
	}
	http.Redirect(w, r, backTo(r.PostForm.Get("back")), http.StatusSeeOther)
}

// usable refuses a preference that no page could use.
func usable(field, text string) error {
	if text == "" {
		return nil
	}
	switch field {
	case "zone":
		if _, err := meterbridge.Zone(text); err != nil {
			return query.Invalid("timezone", err.Error(), "use an IANA name such as Europe/Berlin or UTC")
		}
	case "week":
		if _, err := meterbridge.Weekday(text); err != nil {
			return query.Invalid("weekStart", err.Error(), "use monday, sunday, ...")
		}
	case "theme":
		if text != "dark" && text != "light" {
			return query.Invalid("theme", "is neither dark nor light", "")
		}
	}
	return nil
}

// backTo is a path of this site and nothing else.
func backTo(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.Contains(text, `\`) {
		return "/"
	}
	return u.String()
}
