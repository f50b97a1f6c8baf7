package laws_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

// differences returns the fields in which two values differ, with a
// description. Times, ids and heads of logs differ between scenes, so only their
// presence is compared.
func differences(path string, got, want reflect.Value) map[string]string {
	found := map[string]string{}
	differ := func() { found[path] = text(got) + ", not " + text(want) }
	switch want.Interface().(type) {
	case time.Time, bellcord.TurnID, bellcord.SessionID, bellcord.LogHead:
		if got.IsZero() != want.IsZero() {
			differ()
		}
		return found
	}
	switch want.Kind() {
	case reflect.Pointer:
		if got.IsNil() != want.IsNil() {
			differ()
		} else if !got.IsNil() {
			maps.Copy(found, differences(path, got.Elem(), want.Elem()))
		}
	case reflect.Struct:
		for i := range want.NumField() {
			name := strings.TrimPrefix(path+"."+want.Type().Field(i).Name, ".")
			maps.Copy(found, differences(name, got.Field(i), want.Field(i)))
		}
	case reflect.Slice:
		if got.Len() != want.Len() {
			differ()
			break
		}
		for i := range want.Len() {
			maps.Copy(found, differences(fmt.Sprintf("%s[%d]", path, i), got.Index(i), want.Index(i)))
		}
	default:
		if got.Interface() != want.Interface() {
			differ()
		}
	}
	return found
}

func text(v reflect.Value) string {
	encoded, err := json.Marshal(v.Interface())
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

// The comparison must cover every field of a receipt: a field that it skips
// would not be tested by any law.
func TestDifferences_AnyReceiptField_IsReported(t *testing.T) {
	t.Parallel()
	full := bellcord.Receipt{}
	fill(t, reflect.ValueOf(&full).Elem())
	empty := bellcord.Receipt{}
	for i := range reflect.TypeFor[bellcord.Receipt]().NumField() {
		changed := full
		reflect.ValueOf(&changed).Elem().Field(i).SetZero()
		name := reflect.TypeFor[bellcord.Receipt]().Field(i).Name
		found := differences("", reflect.ValueOf(changed), reflect.ValueOf(full))
		for field := range found {
			if field != name && !strings.HasPrefix(field, name+".") && !strings.HasPrefix(field, name+"[") {
				t.Errorf("%s was changed, %s differs", name, field)
			}
		}
		if len(found) == 0 {
			t.Errorf("%s was changed, and nothing differs", name)
		}
	}
	if found := differences("", reflect.ValueOf(full), reflect.ValueOf(full)); len(found) > 0 {
		t.Errorf("the same differs: %v", found)
	}
	if found := differences("", reflect.ValueOf(empty), reflect.ValueOf(empty)); len(found) > 0 {
		t.Errorf("nothing differs from nothing: %v", found)
	}
}

// fill sets every field to a non-zero value.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(1, 0)))
		return
	case bellcord.Hash:
		v.Set(reflect.ValueOf(bellcord.Hash{1}))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("a receipt has a kind of field that is new: %s", v.Kind())
	}
}
