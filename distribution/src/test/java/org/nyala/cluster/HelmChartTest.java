package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The chart, linted and rendered by Helm itself, which the tests have as a library. */
class HelmChartTest {
  private static final Path CHART =
      Path.of("src/packaging/conf/container/helm/nyala").toAbsolutePath();
  private static final String PEERS = "ldap-peers.people.svc.cluster.local";

  private static TemplateCommand template() {
    return new Helm(CHART).template().withName("ldap").withNamespace("people");
  }

  /** Returns the objects by kind and name. */
  private static Map<String, Object> rendered(TemplateCommand template) {
    Map<String, Object> objects = new LinkedHashMap<>();
    new Load(LoadSettings.builder().build())
        .loadAllFromString(template.call())
        .forEach(each -> objects.put(at(each, "kind") + " " + at(each, "metadata", "name"), each));
    return objects;
  }

  /** Returns what is at a path of keys and numbers. */
  private static Object at(Object from, Object... path) {
    Object there = from;
    for (Object each : path) {
      there =
          each instanceof Integer number
              ? ComposeFile.list(there).get(number)
              : ComposeFile.map(there).get(each.toString());
    }
    return there;
  }

  private static Map<String, String> environment(Object container) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (Object each : ComposeFile.list(at(container, "env"))) {
      environment.put(
          at(each, "name").toString(), String.valueOf(ComposeFile.map(each).get("value")));
    }
    return environment;
  }

  private static Object pod(Map<String, Object> objects) {
    return at(objects.get("StatefulSet ldap"), "spec", "template", "spec");
  }

  @Test
  void shouldPassTheLint() {
    LintResult result = new Helm(CHART).lint().strict().call();
    assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
  }

  @Test
  void shouldHaveMembersThatFindEachOtherByNameAndFoundNothingUnlessToldSo() {
    Map<String, Object> objects = rendered(template());
    assertThat(objects)
        .containsOnlyKeys(
            "PodDisruptionBudget ldap",
            "ConfigMap ldap",
            "Service ldap-peers",
            "Service ldap",
            "StatefulSet ldap");
    Object set = at(objects.get("StatefulSet ldap"), "spec");
    assertThat(at(set, "replicas")).isEqualTo(3);
    assertThat(at(set, "podManagementPolicy")).isEqualTo("Parallel");
    assertThat(at(set, "serviceName")).isEqualTo("ldap-peers");
    assertThat(at(objects.get("Service ldap-peers"), "spec", "clusterIP")).isEqualTo("None");
    assertThat(at(objects.get("Service ldap-peers"), "spec", "publishNotReadyAddresses"))
        .isEqualTo(true);
    assertThat(ComposeFile.map(at(objects.get("Service ldap"), "spec")))
        .doesNotContainKey("publishNotReadyAddresses");
    assertThat(at(objects.get("PodDisruptionBudget ldap"), "spec", "maxUnavailable")).isEqualTo(1);
    Map<String, String> environment = environment(at(pod(objects), "containers", 0));
    List<String> members = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      members.add("ldap-" + i + "." + PEERS + ":7389");
    }
    assertThat(environment)
        .containsEntry("NYALA_CLUSTER_MEMBERS", String.join(" ", members))
        .containsEntry("NYALA_CLUSTER_ADDRESS", "$(POD)." + PEERS + ":7389")
        .containsEntry("NYALA_CLUSTER_FOUND", "false")
        .doesNotContainKey("NYALA_ROOT_DN");
    // Only the word true is a permission.
    assertThat(founds(template().set("cluster.found", "true"))).isEqualTo("true");
    assertThat(founds(template().set("cluster.found", "yes"))).isEqualTo("false");
    assertThatThrownBy(() -> template().set("cluster.members", 2).call())
        .hasMessageContaining("cluster.members: expected 3 or 5");
    Object five = rendered(template().set("cluster.members", 5)).get("StatefulSet ldap");
    assertThat(at(five, "spec", "replicas")).isEqualTo(5);
    assertThat(
            environment(at(five, "spec", "template", "spec", "containers", 0))
                .get("NYALA_CLUSTER_MEMBERS")
                .split(" "))
        .hasSize(5)
        .endsWith("ldap-4." + PEERS + ":7389");
  }

  private static String founds(TemplateCommand template) {
    return environment(at(pod(rendered(template)), "containers", 0)).get("NYALA_CLUSTER_FOUND");
  }

  @Test
  void shouldProbeDrainAndSpread() {
    Map<String, Object> objects = rendered(template());
    Object container = at(pod(objects), "containers", 0);
    assertThat(at(container, "command"))
        .isEqualTo(List.of("/opt/nyala/conf/container/cluster-member"));
    assertThat(at(container, "livenessProbe", "httpGet", "path")).isEqualTo("/live");
    assertThat(at(container, "startupProbe", "httpGet", "path")).isEqualTo("/live");
    assertThat(at(container, "readinessProbe", "httpGet", "path")).isEqualTo("/ready");
    // A drain, and the operations that run, within the time before the kill.
    assertThat((Integer) at(pod(objects), "terminationGracePeriodSeconds")).isGreaterThan(40);
    assertThat(at(container, "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
    assertThat(at(pod(objects), "securityContext", "runAsNonRoot")).isEqualTo(true);
    assertThat(
            at(
                pod(objects),
                "affinity",
                "podAntiAffinity",
                "requiredDuringSchedulingIgnoredDuringExecution",
                0,
                "topologyKey"))
        .isEqualTo("kubernetes.io/hostname");
    Object set = at(objects.get("StatefulSet ldap"), "spec");
    assertThat(at(set, "volumeClaimTemplates", 0, "metadata", "name")).isEqualTo("data");
    assertThat(at(set, "persistentVolumeClaimRetentionPolicy", "whenDeleted")).isEqualTo("Retain");
    assertThat(at(set, "persistentVolumeClaimRetentionPolicy", "whenScaled")).isEqualTo("Retain");
  }

  @Test
  void shouldTakeCertificatesAndPasswordsFromSecrets() {
    Map<String, Object> objects =
        rendered(
            template()
                .set("issuer", "members")
                .set("root.dn", "cn=admin")
                .set("root.passwordSecret", "nyala-root"));
    assertThat(at(objects.get("Certificate nyala-cluster"), "spec", "dnsNames"))
        .isEqualTo(List.of("*." + PEERS));
    assertThat(environment(at(pod(objects), "containers", 0)))
        .containsEntry("NYALA_ROOT_DN", "cn=admin")
        .containsEntry("NYALA_ROOT_PASSWORD_FILE", "/etc/nyala/root/password")
        .noneSatisfy((name, value) -> assertThat(name).endsWith("PASSWORD"));
    Map<String, Object> secrets = new LinkedHashMap<>();
    for (Object each : ComposeFile.list(at(pod(objects), "volumes"))) {
      if (ComposeFile.map(each).get("secret") != null) {
        secrets.put(at(each, "name").toString(), at(each, "secret", "secretName"));
      }
    }
    assertThat(secrets)
        .isEqualTo(
            Map.of(
                "certificates",
                "nyala-cluster",
                "client-certificates",
                "nyala-cluster",
                "root",
                "nyala-root"));
    assertThatThrownBy(() -> template().set("root.dn", "cn=admin").call())
        .hasMessageContaining("root: expected both of dn and passwordSecret, or none");
  }
}
