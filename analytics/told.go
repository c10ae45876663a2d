package analytics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"meterbridge"
)

// Telemetry tells of requests that a log tells of too, or will, or never does.
// Where both do, the log's row counts; what it does not say it takes from the
// telemetry, and the row that stood for it until then goes, whichever of the two
// came first. They are found by the provider's id of the request: the row of
// telemetry by its identity, which is made of that id, the row of a log by a
// search: near the time that telemetry tells, and in the whole ledger only where
// that time is not the time of day. What an agent does now would else have all of
// a large ledger searched for nothing, at each of its requests.

// KindTelemetry is the Checkpoint.Kind of sources that are no logs but what
// harnesses told.
const KindTelemetry = "telemetry"

// requestKey is a request by the provider's id of it.
type requestKey struct{ harness, request string }

// toldMillis is how far the end of a request may lie from the time that
// telemetry tells, for the first search.
const toldMillis = 3_600_000

// Receive commits what telemetry tells, in one transaction. It may be called
// while a scan is running, and beside one.
func (l *Ledger) Receive(ctx context.Context, units []meterbridge.Unit) error {
	if err := l.beginReceipt(ctx); err != nil {
		return err
	}
	return l.Commit(ctx, units)
}

// beginReceipt gives what comes between passes a scan of its own, so that the
// time at which it was first seen is true. A scan that is running is joined.
func (l *Ledger) beginReceipt(ctx context.Context) error {
	l.write.Lock()
	defer l.write.Unlock()
	if l.scan.open && (l.passing || l.opts.Now().Sub(l.scan.startedAt) < passSpan) {
		return nil
	}
	return l.beginScan(ctx)
}

// toldIDs are the ids of rows of telemetry that records of logs may stand for.
func (c *commit) toldIDs() (ids []meterbridge.ID) {
	if !c.l.mem.has["told"] {
		return nil
	}
	for _, u := range c.units {
		for i := range u.Batch.Requests {
			if r := &u.Batch.Requests[i]; r.RequestID != "" && !r.FromTelemetry() {
				ids = append(ids, toldID(r))
			}
		}
	}
	return ids
}

func toldID(r *meterbridge.Request) meterbridge.ID {
	return meterbridge.NewID(r.Harness, r.Store, meterbridge.TelemetryID(r.RequestID))
}

// loadLogged reads the logs' rows of the requests that the units' telemetry tells of.
func (c *commit) loadLogged() error {
	wanted := map[requestKey]*meterbridge.Request{}
	for _, u := range c.units {
		for i := range u.Batch.Requests {
			if r := &u.Batch.Requests[i]; r.FromTelemetry() {
				wanted[requestKey{r.Harness, r.RequestID}] = r
				// A row that is there already was searched for when it came.
				if c.requests[r.ID()] != nil {
					delete(wanted, requestKey{r.Harness, r.RequestID})
				}
			}
		}
		c.l.mem.has["told"] = c.l.mem.has["told"] || u.Checkpoint.Kind == KindTelemetry
	}
	if !c.l.mem.has["told"] {
		return nil
	}
	c.logged = map[requestKey]*requestState{}
	for _, near := range []bool{true, false} {
		if len(wanted) == 0 || !c.l.mem.has["request"] {
			break
		}
		if err := c.searchLogged(wanted, near); err != nil {
			return fmt.Errorf("look for requests that telemetry tells of: %w", err)
		}
		maps.DeleteFunc(wanted, func(_ requestKey, r *meterbridge.Request) bool {
			return c.l.opts.Now().Sub(r.EndedAt).Abs().Milliseconds() < toldMillis
		})
	}
	return nil
}

// searchLogged reads the logs' rows of the wanted requests, and takes those off
// that it found. near bounds the search by their times.
func (c *commit) searchLogged(wanted map[requestKey]*meterbridge.Request, near bool) error {
	first, last := int64(1)<<62, int64(-1)<<62
	texts := make([]string, 0, len(wanted))
	for key, r := range wanted {
		texts = append(texts, quote(key.request))
		first, last = min(first, milli(r.EndedAt)), max(last, milli(r.EndedAt))
	}
	slices.Sort(texts)
	where := "request_id IN (" + strings.Join(texts, ", ") + ")"
	if near {
		where = fmt.Sprintf("ended_at BETWEEN %d AND %d AND ", first-toldMillis, last+toldMillis) + where
	}
	err := c.l.each(c.ctx, "SELECT "+requestColumns+" FROM request WHERE "+where, c.scanRequest)
	if err != nil {
		return err
	}
	for _, row := range c.requests {
		if !row.r.FromTelemetry() {
			delete(wanted, requestKey{row.r.Harness, row.r.RequestID})
		}
	}
	return c.l.each(c.ctx, selectSighting+"id IN (SELECT id FROM request WHERE "+where+")", c.scanSighting)
}

// indexLogged notes the rows of logs by the provider's ids.
func (c *commit) indexLogged() error {
	for _, row := range c.requests {
		c.noteLogged(row)
	}
	return nil
}

// noteLogged notes a row of a log; of several with one id always the same.
func (c *commit) noteLogged(row *requestState) {
	if c.logged == nil || row.r.RequestID == "" || row.r.FromTelemetry() {
		return
	}
	key := requestKey{row.r.Harness, row.r.RequestID}
	if old := c.logged[key]; old == nil || c.requests[old.id] != old || string(row.id[:]) < string(old.id[:]) {
		c.logged[key] = row
	}
}

// knownFromLog lays what telemetry tells of a request over the log's row of it;
// false when there is none.
func (c *commit) knownFromLog(u *unit, i int) bool {
	r := &u.Batch.Requests[i]
	if c.logged == nil || !r.FromTelemetry() {
		return false
	}
	row := c.logged[requestKey{r.Harness, r.RequestID}]
	if row == nil || c.requests[row.id] != row {
		return false
	}
	c.replaceTold(row, u.requests[i])
	c.complete(row, r)
	u.requests[i] = row.id
	return true
}

// nowLogged puts a log's row in the place of the row that telemetry made of the
// same request.
func (c *commit) nowLogged(row *requestState, store string) {
	if c.logged == nil || row == nil || row.r.RequestID == "" || row.r.FromTelemetry() {
		return
	}
	c.noteLogged(row)
	c.replaceTold(row, meterbridge.NewID(row.r.Harness, store, meterbridge.TelemetryID(row.r.RequestID)))
}

func (c *commit) replaceTold(row *requestState, id meterbridge.ID) {
	old := c.requests[id]
	if old == nil || old == row {
		return
	}
	c.complete(row, old.r)
	delete(c.requests, id)
	c.l.mem.touchSession(old.session.id)
	if old.stored {
		c.mirrors.replaced = append(c.mirrors.replaced, old)
	}
}

// complete fills in what the row does not say and telemetry does.
func (c *commit) complete(row *requestState, told *meterbridge.Request) {
	if r := meterbridge.Completed(*row.r, *told); r.Speed != row.r.Speed || !r.StartedAt.Equal(row.r.StartedAt) {
		row.r = &r
	}
}
