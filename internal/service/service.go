// Package service makes the daemon a service of the user: a systemd user unit, a
// launchd agent, a Windows service. It writes the definitions and leaves the
// rest to the service library. cmd/meterbridge calls it; it imports nothing of
// the project.
package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kardianos/service"
)

// Name is the service's name to systemd and Windows, Label the one to launchd.
const (
	Name  = "meterbridge"
	Label = "dev.meterbridge.daemon"
)

const (
	displayName = "Meterbridge"
	description = "Usage and cost of coding agents"
)

// Definition is what a service runs.
type Definition struct {
	// Executable is the absolute path of the program, Arguments what it is started with.
	Executable string
	Arguments  []string
	// Env are the variables that it needs, as NAME=VALUE: a service has none of a
	// shell's.
	Env []string
	// Home is the user's home folder.
	Home string
}

// ErrText says that a definition holds text that a service manager would take
// for something else.
var ErrText = errors.New("a path or a variable of the service cannot be written into its definition")

// check refuses line breaks, and braces that the library takes for a template.
func (d Definition) check() error {
	for _, text := range append(append([]string{d.Executable, d.Home}, d.Arguments...), d.Env...) {
		if strings.ContainsAny(text, "\n\r\x00") || strings.Contains(text, "{{") {
			return fmt.Errorf("%w: %q", ErrText, text)
		}
	}
	return nil
}

// Install makes the service known to the system's manager and starts it.
func Install(d Definition) error {
	s, err := d.service()
	if err != nil {
		return err
	}
	if err := s.Install(); err != nil {
		return fmt.Errorf("install the service with %s: %w", service.Platform(), err)
	}
	if err := s.Start(); err != nil {
		return fmt.Errorf("start the service with %s: %w", service.Platform(), err)
	}
	return nil
}

// Uninstall stops the service and removes its definition.
func Uninstall(d Definition) error {
	s, err := d.service()
	if err != nil {
		return err
	}
	_ = s.Stop() // it may not run
	if err := s.Uninstall(); err != nil {
		return fmt.Errorf("remove the service from %s: %w", service.Platform(), err)
	}
	return nil
}

func (d Definition) service() (service.Service, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	s, err := service.New(&program{}, d.config())
	if err != nil {
		return nil, fmt.Errorf("find the system's service manager: %w", err)
	}
	return s, nil
}

// config is the definition as the library has it; on Windows it is all there is.
func (d Definition) config() *service.Config {
	name := Name
	if service.Platform() == "darwin-launchd" {
		name = Label
	}
	env := map[string]string{}
	for _, variable := range d.Env {
		key, value, _ := strings.Cut(variable, "=")
		env[key] = value
	}
	return &service.Config{
		Name: name, DisplayName: displayName, Description: description,
		Executable: d.Executable, Arguments: d.Arguments, EnvVars: env,
		Option: service.KeyValue{
			"UserService": true, "RunAtLoad": true, "SystemdScript": Unit(d), "LaunchdConfig": Plist(d),
			"StartType": "automatic", "OnFailure": "restart",
		},
	}
}

// program runs the daemon under a service manager that wants to be answered.
type program struct {
	serve func(context.Context) error
	stop  context.CancelFunc
	ended chan error
}

// Start implements service.Interface.
func (p *program) Start(service.Service) error {
	ctx, stop := context.WithCancel(context.Background())
	p.stop, p.ended = stop, make(chan error, 1)
	go func() { p.ended <- p.serve(ctx) }()
	return nil
}

// Stop implements service.Interface.
func (p *program) Stop(service.Service) error {
	p.stop()
	return <-p.ended
}

// Run runs serve until ctx ends, or under Windows' service manager until that
// says so.
func Run(ctx context.Context, serve func(context.Context) error) error {
	if service.Interactive() || service.Platform() != "windows-service" {
		return serve(ctx)
	}
	s, err := service.New(&program{serve: serve}, &service.Config{Name: Name})
	if err != nil {
		return fmt.Errorf("answer the service manager: %w", err)
	}
	return s.Run()
}
