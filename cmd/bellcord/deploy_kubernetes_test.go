//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kinds returns the documents in deploy/kubernetes by their kind.
func kinds(t *testing.T) map[string]yamlMap {
	t.Helper()
	all := map[string]yamlMap{}
	files, err := filepath.Glob(filepath.Join(deployDir, "kubernetes", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files for Kubernetes")
	}
	versions := map[string]string{
		"ConfigMap": "v1", "PersistentVolumeClaim": "v1", "Service": "v1", "Deployment": "apps/v1", "PodDisruptionBudget": "policy/v1",
	}
	for _, file := range files {
		for _, m := range manifests(t, "kubernetes/"+filepath.Base(file)) {
			kind := wordAt(t, m, "kind")
			if got := wordAt(t, m, "apiVersion"); got != versions[kind] {
				t.Errorf("%s: %s of %s", file, kind, got)
			}
			if wordAt(t, m, "metadata", "name") == "bellcord-stops" {
				kind = "Service for stops"
			}
			if all[kind] != nil {
				t.Errorf("%s: a second %s", file, kind)
			}
			all[kind] = m
		}
	}
	if len(all) != len(versions)+1 {
		t.Errorf("there are %d kinds", len(all))
	}
	return all
}

// podOf returns the specification of the nodes' pods, and that of their container.
func podOf(t *testing.T, all map[string]yamlMap) (pod, container any) {
	t.Helper()
	pod = at(t, all["Deployment"], "spec", "template", "spec")
	return pod, at(t, pod, "containers", 0)
}

// pod starts the node that the Deployment describes, with the secrets of a compose service.
func (s *site) pod(service string) *daemon {
	s.t.Helper()
	all := kinds(s.t)
	_, container := podOf(s.t, all)
	var env []string
	for _, one := range at(s.t, container, "env").([]any) {
		name := wordAt(s.t, one, "name")
		if one.(yamlMap)["value"] != nil {
			env = append(env, name+"="+wordAt(s.t, one, "value"))
			continue
		}
		key := wordAt(s.t, one, "valueFrom", "secretKeyRef", "key")
		for _, pair := range s.environment(service) {
			if secret, is := strings.CutPrefix(pair, key+"="); is {
				env = append(env, name+"="+secret)
			}
		}
	}
	toml := strings.ReplaceAll(wordAt(s.t, all["ConfigMap"], "data", "config.toml"), "/etc/bellcord-nats", filepath.Join(s.dir, "certs"))
	return s.start(wordsAt(s.t, container, "args"), s.localEnv(env, toml))
}

// probed runs the probes of the Deployment and compares their statuses.
func (s *daemon) probed(ready, live int) {
	s.t.Helper()
	_, container := podOf(s.t, kinds(s.t))
	for probe, want := range map[string]int{"readinessProbe": ready, "livenessProbe": live} {
		get := at(s.t, container, probe, "httpGet")
		if header := wordAt(s.t, get, "httpHeaders", 0, "name"); header != "Host" {
			s.t.Errorf("%s sends %s", probe, header)
		}
		if got := s.hails(wordAt(s.t, get, "path"), wordAt(s.t, get, "httpHeaders", 0, "value")); got != want {
			s.t.Errorf("%s: %d", probe, got)
		}
		if port := wordAt(s.t, get, "port"); port != wordAt(s.t, container, "ports", 0, "name") {
			s.t.Errorf("%s asks at %s", probe, port)
		}
	}
}

// The test fails for every reference to a name that does not exist.
func TestDeploy_KubernetesManifests_ReferenceExistingNames(t *testing.T) {
	t.Parallel()
	all := kinds(t)
	pod, container := podOf(t, all)
	labels := fmt.Sprint(at(t, all["Deployment"], "spec", "template", "metadata", "labels"))
	for what, selector := range map[string]any{
		"Deployment": at(t, all["Deployment"], "spec", "selector", "matchLabels"),
		"Service":    at(t, all["Service"], "spec", "selector"),
		"stops":      at(t, all["Service for stops"], "spec", "selector"),
		"budget":     at(t, all["PodDisruptionBudget"], "spec", "selector", "matchLabels"),
		"spread":     at(t, pod, "topologySpreadConstraints", 0, "labelSelector", "matchLabels"),
	} {
		if fmt.Sprint(selector) != labels {
			t.Errorf("%s selects %v, pods are %s", what, selector, labels)
		}
	}
	for _, service := range []string{"Service", "Service for stops"} {
		if wordAt(t, all[service], "spec", "ports", 0, "targetPort") != wordAt(t, container, "ports", 0, "name") {
			t.Errorf("the %s leads to no port", service)
		}
	}
	var volumes, mounts []string
	for i := range at(t, pod, "volumes").([]any) {
		volumes = append(volumes, wordAt(t, pod, "volumes", i, "name"))
	}
	for i := range at(t, container, "volumeMounts").([]any) {
		mounts = append(mounts, wordAt(t, container, "volumeMounts", i, "name"))
	}
	slices.Sort(volumes)
	slices.Sort(mounts)
	if !slices.Equal(volumes, mounts) {
		t.Errorf("volumes %v, mounts %v", volumes, mounts)
	}
	text := deployFile(t, "kubernetes/settings.yaml")
	for i, one := range at(t, container, "env").([]any) {
		if one.(yamlMap)["valueFrom"] == nil {
			continue
		}
		ref := at(t, container, "env", i, "valueFrom", "secretKeyRef")
		if !regexp.MustCompile(`create secret generic ` + wordAt(t, ref, "name") + ` .*--from-literal=` + wordAt(t, ref, "key") + `=`).MatchString(text) {
			t.Errorf("nobody is told to make %v", ref)
		}
	}
}
