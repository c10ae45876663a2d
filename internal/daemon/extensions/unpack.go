package extensions

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unpack puts the package at path, an archive or a folder, into a folder of ours.
func unpack(ctx context.Context, path, into string, l limits) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	w, err := newWriter(into, l)
	if err != nil {
		return err
	}
	defer w.root.Close()
	lower := strings.ToLower(path)
	switch {
	case info.IsDir():
		return w.copyFolder(ctx, path)
	case !info.Mode().IsRegular():
		return refused("%s is neither a folder nor a file", path)
	case info.Size() > l.archive:
		return refused("the archive is larger than %d MiB", l.archive>>20)
	case strings.HasSuffix(lower, ".zip"):
		return w.unzip(ctx, path)
	case strings.HasSuffix(lower, ".tgz"), strings.HasSuffix(lower, ".tar.gz"):
		return w.untar(ctx, path)
	}
	return refused("%s is neither a folder nor a .tgz or .zip", filepath.Base(path))
}

// untar unpacks a .tgz.
func (w *writer) untar(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, err := gzip.NewReader(io.LimitReader(f, w.limits.archive+1))
	if err != nil {
		return refused("%s is no gzip archive: %v", filepath.Base(path), err)
	}
	// Headers and padding count too: an archive may be nothing else.
	most := &io.LimitedReader{R: plain, N: w.limits.unpacked + int64(w.limits.files)*4096}
	in := tar.NewReader(most)
	for ctx.Err() == nil {
		h, err := in.Next()
		switch {
		case errors.Is(err, io.EOF) && most.N > 0:
			return nil
		case most.N <= 0:
			return refused("it is larger than %d MiB when it is unpacked", w.limits.unpacked>>20)
		case err != nil:
			return fmt.Errorf("%w: %w", ErrPackage, err)
		}
		if err := w.entry(h, in); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// entry takes one entry of a tar.
func (w *writer) entry(h *tar.Header, in io.Reader) error {
	// `tar -C FOLDER -czf PACKAGE .` writes ./ before each path.
	name := strings.TrimPrefix(h.Name, "./")
	switch h.Typeflag {
	case tar.TypeDir:
		if name == "" || name == "." {
			return nil
		}
		return w.dir(strings.TrimSuffix(name, "/"))
	case tar.TypeReg:
		return w.file(name, h.FileInfo().Mode()&0o100 != 0, in)
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeSymlink, tar.TypeLink:
		return refused("%q is a link", h.Name)
	}
	return refused("%q is neither a file nor a folder", h.Name)
}

// unzip unpacks a .zip.
func (w *writer) unzip(ctx context.Context, path string) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPackage, err)
	}
	defer z.Close()
	if len(z.File) > 2*w.limits.files {
		return refused("it has more than %d files", w.limits.files)
	}
	for _, f := range z.File {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.member(f); err != nil {
			return err
		}
	}
	return nil
}

// member takes one entry of a zip. What its header says of sizes is not believed.
func (w *writer) member(f *zip.File) error {
	mode := f.Mode()
	switch {
	case mode&fs.ModeSymlink != 0:
		return refused("%q is a link", f.Name)
	case mode.IsDir():
		return w.dir(strings.TrimSuffix(f.Name, "/"))
	case !mode.IsRegular():
		return refused("%q is neither a file nor a folder", f.Name)
	}
	in, err := f.Open()
	if err != nil {
		return fmt.Errorf("%w: %q: %w", ErrPackage, f.Name, err)
	}
	return errors.Join(w.file(f.Name, mode&0o100 != 0, in), in.Close())
}

// copyFolder copies a folder but for the history of its versions.
func (w *writer) copyFolder(ctx context.Context, path string) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%w: %w", ErrPackage, err)
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".":
			return nil
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case e.IsDir():
			return w.dir(name)
		case e.Type()&fs.ModeSymlink != 0:
			return refused("%q is a link", name)
		case !e.Type().IsRegular():
			return refused("%q is neither a file nor a folder", name)
		}
		return w.copyFile(root, name, e)
	})
}

// copyFile copies the file that was looked at, not what may have taken its place.
func (w *writer) copyFile(root *os.Root, name string, e fs.DirEntry) error {
	before, err := e.Info()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPackage, err)
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPackage, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !os.SameFile(before, info) || !info.Mode().IsRegular() {
		return refused("%q changed while it was read", name)
	}
	return w.file(name, info.Mode()&0o100 != 0, f)
}
