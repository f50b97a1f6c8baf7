package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

// numbers calls visit for every numeric setting of a struct, with its table
// and name in the file.
func numbers(of reflect.Value, table string, visit func(table, name string, value reflect.Value)) {
	for i := range of.NumField() {
		name, value := of.Type().Field(i).Tag.Get("toml"), of.Field(i)
		switch value.Kind() {
		case reflect.Struct:
			numbers(value, strings.TrimPrefix(table+"."+name, "."), visit)
		case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64:
			visit(table, name, value)
		default:
		}
	}
}

func TestLoad_ZeroInTheFile_IsKept(t *testing.T) {
	tried := 0
	numbers(reflect.ValueOf(config.Config{}), "", func(table, name string, empty reflect.Value) {
		tried++
		zero := "0"
		switch {
		case empty.Type() == reflect.TypeFor[config.Duration]():
			zero = `"0s"`
		case empty.Kind() == reflect.Float64:
			zero = "0.0"
		}
		text := fmt.Sprintf("%s = %s\n", name, zero)
		if table != "" {
			text = "[" + table + "]\n" + text
		}
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(file)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		numbers(reflect.ValueOf(c), "", func(inTable, named string, value reflect.Value) {
			if inTable == table && named == name && !value.IsZero() {
				t.Errorf("%s.%s = 0 arrives as %v", table, name, value)
			}
		})
	})
	if tried < 12 {
		t.Errorf("only %d settings were tried", tried)
	}
}

func TestCheck_NegativeNumber_IsAnError(t *testing.T) {
	t.Parallel()
	c, err := config.FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	c.Serve.ShutdownGrace = -1
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "serve.shutdown_grace") {
		t.Errorf("%v", err)
	}
}

func TestCheck_PercentAbove100_IsAnError(t *testing.T) {
	t.Parallel()
	c := config.Defaults()
	c.Limits.CommandMemoryPercent = 101
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "limits.command_memory_percent is 101") {
		t.Errorf("%v", err)
	}
}
