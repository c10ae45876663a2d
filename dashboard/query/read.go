package query

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Read fills a struct of parameters, such as Report, from the values of an
// address: the API's framework reads the same tags. Names that the struct lacks
// are left alone; the error is a *problem.Problem.
func Read(values url.Values, into any) error { return read(values, reflect.ValueOf(into).Elem()) }

func read(values url.Values, to reflect.Value) error {
	for i := range to.NumField() {
		field := to.Type().Field(i)
		if field.Anonymous {
			if err := read(values, to.Field(i)); err != nil {
				return err
			}
			continue
		}
		name := field.Tag.Get("query")
		if name == "" {
			continue
		}
		text := values.Get(name)
		if text == "" {
			text = field.Tag.Get("default")
		}
		if err := check(field.Tag, text); err != nil {
			return Invalid(name, err.Error(), "docs/openapi.json names the parameters and their values")
		}
		if err := set(to.Field(i), text); err != nil {
			return Invalid(name, err.Error(), "docs/openapi.json names the parameters and their values")
		}
	}
	return nil
}

// check holds a text to what its tag allows.
func check(tag reflect.StructTag, text string) error {
	if list := tag.Get("enum"); list != "" && text != "" && !slices.Contains(strings.Split(list, ","), text) {
		return fmt.Errorf("is none of %s", strings.ReplaceAll(list, ",", ", "))
	}
	if most, err := strconv.Atoi(tag.Get("maxLength")); err == nil && len(text) > most {
		return fmt.Errorf("is longer than %d characters", most)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil
	}
	if least, err := strconv.Atoi(tag.Get("minimum")); err == nil && n < least {
		return fmt.Errorf("is less than %d", least)
	}
	if most, err := strconv.Atoi(tag.Get("maximum")); err == nil && n > most {
		return fmt.Errorf("is more than %d", most)
	}
	return nil
}

func set(to reflect.Value, text string) error {
	switch to.Kind() {
	case reflect.String:
		to.SetString(text)
	case reflect.Bool:
		on, err := strconv.ParseBool(text)
		if err != nil && text != "" {
			return fmt.Errorf("is neither true nor false")
		}
		to.SetBool(on)
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil && text != "" {
			return fmt.Errorf("is no number")
		}
		to.SetInt(int64(n))
	default:
		return fmt.Errorf("cannot be read")
	}
	return nil
}
