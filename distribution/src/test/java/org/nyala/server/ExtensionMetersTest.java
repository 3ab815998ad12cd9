package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.process.LocalServer;

/** The meters of an extension in all views, after changes that it has refused. */
class ExtensionMetersTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String NAME = "constraint refused changes";

  @TempDir Path folder;

  @Test
  void shouldShowWhatAnExtensionCountsInEveryView() throws Exception {
    try (RunningServer server =
            LocalServer.start(
                folder,
                "management.http = \"127.0.0.1:0\"\n"
                    + "constraint.rules = [{ attributes = [description], maximumBytes = 2 }]");
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example", "description: ab");
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(
                () ->
                    root.add(
                        "dn: ou=x," + TOP,
                        "objectClass: organizationalUnit",
                        "ou: x",
                        "description: abc"))
            .isInstanceOf(LDAPException.class);
      }
      assertThat(ShownMetrics.of(server))
          .containsEntry("ldap_extension_constraint_refused_changes_total", 3.0);
      assertThat(server.served().features().get().extensionNumbers()).isEqualTo(Map.of(NAME, 3L));
      requireMonitored(root);
      requireManaged(server);
    }
  }

  private static void requireMonitored(LDAPConnection root) throws LDAPException {
    List<SearchResultEntry> shown =
        root.search(
                "cn=Overlays,cn=Monitor",
                SearchScope.SUB,
                "(|(cn=refused changes)(monitoredInfo=constraint))",
                "*",
                "+")
            .getSearchEntries();
    assertThat(shown).hasSize(3);
    SearchResultEntry overlay = shown.get(1);
    assertThat(overlay.getAttributeValue("description"))
        .isEqualTo("The work of slapd's overlay constraint");
    assertThat(shown.getLast().getDN()).isEqualTo("cn=refused changes," + overlay.getDN());
    assertThat(shown.getLast().getAttributeValueAsLong("monitorCounter")).isEqualTo(3);
    assertThat(shown.getLast().getAttributeValue("description"))
        .isEqualTo("Changes that a constraint has refused.");
  }

  private static void requireManaged(RunningServer server) throws Exception {
    MBeanServer registry = MBeanServerFactory.newMBeanServer();
    try (ManagementBeans _ = server.register(registry)) {
      ServerMXBean bean =
          JMX.newMXBeanProxy(registry, new ObjectName(ServerMXBean.NAME), ServerMXBean.class);
      assertThat(bean.getExtensionMeters()).isEqualTo(Map.of(NAME, 3L));
    }
  }
}
