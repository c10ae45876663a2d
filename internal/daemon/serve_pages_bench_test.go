package daemon

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"meterbridge/dashboard/web"
)

// BenchmarkPages asks for each page over a ledger as large as that of
// BenchmarkHTTP and prints p50 and the slowest in ms.
func BenchmarkPages(b *testing.B) {
	size, err := strconv.Atoi(os.Getenv(benchSize))
	if err != nil {
		b.Skip(benchSize + " says how many requests the ledger has")
	}
	site, err := benchMeter(b, size).Pages(web.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := httptest.NewServer(site)
	defer s.Close()
	id := url.PathEscape(benchSession(size/perSession/2, size/perSession).Batch.Sessions[0].ID)
	for name, path := range map[string]string{
		"now": "/", "now-figures": "/now/today", "usage-30-days": "/usage", "usage-all-by-month": "/usage?range=all",
		"usage-by-project": "/usage?range=12m&stack=project", "sessions": "/sessions", "session": "/sessions/" + id, "prices": "/prices", "health": "/health",
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				got, err := http.Get(s.URL + path)
				if err != nil {
					b.Fatal(err)
				}
				body, err := io.ReadAll(got.Body)
				got.Body.Close()
				if err != nil || got.StatusCode != http.StatusOK {
					b.Fatalf("%d %s %v", got.StatusCode, body, err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
