package analytics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ExportQuery says what is exported and where to.
type ExportQuery struct {
	// Format is "parquet", "csv" or "json" (an array of objects).
	Format string
	// Table is the name of a view ("requests" when both are empty); SQL is one
	// SELECT instead.
	Table, SQL string
	// Dest is the file to make. An existing one is only replaced with Force.
	Dest  string
	Force bool
}

// ExportResult tells what was written.
type ExportResult struct {
	SchemaVersion int    `json:"schemaVersion"`
	Path          string `json:"path"`
	Format        string `json:"format"`
	Rows          int64  `json:"rows"`
	Bytes         int64  `json:"bytes"`
}

// ErrExists means that the file is there already.
var ErrExists = errors.New("the file is there already")

// copyOptions are the options of DuckDB's COPY for each format.
func copyOptions(format string) (string, bool) {
	options, ok := map[string]string{
		"parquet": "FORMAT parquet, COMPRESSION zstd",
		"csv":     "FORMAT csv, HEADER true",
		"json":    "FORMAT json, ARRAY true",
	}[format]
	return options, ok
}

// Export writes a view or the answer of a SELECT to a file. DuckDB may write
// only below ExportDir; the finished file is moved from there, so Dest is
// either whole or not there.
func (l *Ledger) Export(ctx context.Context, q ExportQuery) (ExportResult, error) {
	r := ExportResult{SchemaVersion: SchemaVersion, Path: q.Dest, Format: q.Format}
	options, ok := copyOptions(q.Format)
	if !ok {
		return r, &HintError{Err: fmt.Errorf("export: format %q: %w", q.Format, ErrUnknown), Hint: "the formats are parquet, csv and json"}
	}
	if _, err := os.Lstat(q.Dest); err == nil && !q.Force {
		return r, exists(q.Dest)
	}
	if err := l.listRates(ctx); err != nil {
		return r, fmt.Errorf("export: %w", err)
	}
	if err := os.MkdirAll(l.ExportDir(), 0o700); err != nil {
		return r, fmt.Errorf("export: %w", err)
	}
	dir, err := os.MkdirTemp(l.ExportDir(), "export-")
	if err != nil {
		return r, fmt.Errorf("export: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "rows."+q.Format)
	err = l.reading(ctx, func(c *sql.Conn) error {
		r.Rows, err = copyTo(ctx, c, q, file, options)
		return err
	})
	if err != nil {
		return r, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return r, fmt.Errorf("export: %w", err)
	}
	r.Bytes = info.Size()
	return r, moveTo(file, q.Dest, q.Force)
}

func exists(dest string) error {
	return &HintError{Err: fmt.Errorf("export to %s: %w", dest, ErrExists), Hint: "--force replaces it"}
}

func copyTo(ctx context.Context, c *sql.Conn, q ExportQuery, file, options string) (int64, error) {
	text, err := q.statement()
	if err != nil {
		return 0, err
	}
	kind, err := statementType(c, text)
	if err != nil {
		return 0, err
	}
	if kind != selectType {
		return 0, notSelect()
	}
	if q.Format == "parquet" {
		if text, err = exactly(ctx, c, text); err != nil {
			return 0, err
		}
	}
	result, err := c.ExecContext(ctx, "COPY ("+text+"\n) TO "+quote(file)+" ("+options+")")
	if err != nil {
		return 0, sqlError(err)
	}
	return result.RowsAffected()
}

// statement is the SELECT of the export, without the semicolon at its end.
func (q ExportQuery) statement() (string, error) {
	if q.SQL != "" {
		return strings.TrimRight(q.SQL, "; \t\r\n"), nil
	}
	table := q.Table
	if table == "" {
		table = "requests"
	}
	if !slices.Contains(viewNames(), table) {
		return "", &HintError{Err: fmt.Errorf("export: view %q: %w", table, ErrView), Hint: "the views are " + strings.Join(viewNames(), ", ")}
	}
	return "SELECT * FROM " + table, nil
}

// exactly turns 128-bit columns into decimals: Parquet has no such integers, and
// DuckDB would write them as floating point.
func exactly(ctx context.Context, c *sql.Conn, text string) (string, error) {
	rows, err := c.QueryContext(ctx, "SELECT column_name FROM (DESCRIBE "+text+"\n) WHERE column_type IN ('HUGEINT', 'UHUGEINT')")
	if err != nil {
		return "", sqlError(err)
	}
	defer rows.Close()
	var casts []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", sqlError(err)
		}
		name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		casts = append(casts, name+"::DECIMAL(38,0) AS "+name)
	}
	if len(casts) == 0 {
		return text, sqlError(rows.Err())
	}
	return "SELECT * REPLACE (" + strings.Join(casts, ", ") + ") FROM (" + text + "\n)", sqlError(rows.Err())
}

// moveTo moves a finished file. A hard link refuses an existing name in one
// step; across file systems the bytes are copied beside the destination first.
func moveTo(file, dest string, force bool) error {
	var err error
	if force {
		err = os.Rename(file, dest)
	} else {
		err = os.Link(file, dest)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist) && !force:
		return exists(dest)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("export to %s: %w", dest, err)
	}
	return copyBeside(file, dest, force)
}

func copyBeside(file, dest string, force bool) error {
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer in.Close()
	tmp, err := os.CreateTemp(filepath.Dir(dest), ".export-*")
	if err != nil {
		return fmt.Errorf("export to %s: %w", dest, err)
	}
	defer os.Remove(tmp.Name())
	_, err = io.Copy(tmp, in)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("export to %s: %w", dest, err)
	}
	if force {
		return os.Rename(tmp.Name(), dest)
	}
	if err = os.Link(tmp.Name(), dest); errors.Is(err, fs.ErrExist) {
		return exists(dest)
	}
	if err == nil {
		return nil
	}
	// No hard links here: the name is taken first, then filled.
	f, err := os.OpenFile(dest, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return exists(dest)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("export to %s: %w", dest, err)
	}
	return os.Rename(tmp.Name(), dest)
}
