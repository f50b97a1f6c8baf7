package autostart

import (
	"errors"
	"strings"

	"github.com/kardianos/service"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc/mgr"
)

const serviceName = "bellcord"

// handle returns the library's handle of the service. program is nil except in
// Host.
func (s scm) handle(program service.Interface) (service.Service, error) {
	return service.New(program, &service.Config{
		Name: serviceName, DisplayName: "Bellcord", Description: s.description,
		Executable: s.program, Arguments: s.arguments,
		UserName: `NT AUTHORITY\LocalService`, // agents must not have the rights of the system
		Option:   service.KeyValue{service.OnFailure: service.OnFailureRestart, service.OnFailureDelayDuration: "1s"},
	})
}

// control performs an operation on a service that is not this process.
func (s scm) control(do func(service.Service) error) error {
	handle, err := s.handle(nil)
	if err != nil {
		return err
	}
	return do(handle)
}

func (s scm) create() error { return s.control(service.Service.Install) }
func (s scm) start() error  { return s.control(service.Service.Start) }
func (s scm) remove() error { return s.control(service.Service.Uninstall) }

func (s scm) stop() error {
	if runs, _, err := s.running(); err != nil || !runs {
		return err
	}
	return s.control(service.Service.Stop)
}

func (s scm) running() (yes bool, words string, err error) {
	err = s.control(func(handle service.Service) error {
		status, err := handle.Status()
		yes, words = status == service.StatusRunning, "stopped"
		if yes {
			words = "running"
		}
		return err
	})
	return yes, words, err
}

// found identifies records of this package by the marker in their description.
func (s scm) found() (exists, own bool, err error) {
	manager, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT)
	if err != nil {
		return false, false, err
	}
	name, err := windows.UTF16PtrFromString(serviceName)
	if err != nil {
		return false, false, errors.Join(err, windows.CloseServiceHandle(manager))
	}
	opened, err := windows.OpenService(manager, name, windows.SERVICE_QUERY_CONFIG)
	if errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST) {
		return false, false, windows.CloseServiceHandle(manager)
	} else if err != nil {
		return false, false, errors.Join(err, windows.CloseServiceHandle(manager))
	}
	entry := &mgr.Service{Name: serviceName, Handle: opened}
	c, err := entry.Config()
	return true, strings.Contains(c.Description, marker), errors.Join(err, entry.Close(), windows.CloseServiceHandle(manager))
}

// reachable is checked before changes, which require an administrator.
func (scm) reachable() (yes bool, words string, err error) {
	manager, err := mgr.Connect()
	if err != nil {
		return false, "run the command as administrator", err
	}
	return true, "", manager.Disconnect()
}
