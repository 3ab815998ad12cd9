package org.nyala.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.Patience.eventuallyHolds;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Looks at the live pages of a provider and of its copy in a real browser. */
class CopyPageTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String HTTP = "management.http = \"127.0.0.1:0\"";

  @TempDir Path folder;

  private static void open(PageBrowser browser, RunningServer server) {
    int port = server.httpAddress().orElseThrow().getPort();
    browser.open("http://127.0.0.1:" + port + "/", 1400, 1000, false);
    browser.awaitLive();
  }

  private RunningServer start(String name, String more) throws Exception {
    return LocalServer.start(Files.createDirectory(folder.resolve(name)), HTTP + '\n' + more);
  }

  @Test
  void shouldShowBothSides() throws Exception {
    MBeanServer registry = MBeanServerFactory.newMBeanServer();
    try (PageBrowser browser = PageBrowser.start(folder)) {
      RunningServer provider = start("provider", "");
      try (LDAPConnection root = LocalServer.connectAsRoot(provider)) {
        root.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      }
      String url = "ldap://127.0.0.1:" + LocalServer.port(provider);
      String replication =
          """
          replication { provider = "%s", bind { dn = "cn=admin", password = admin }
            retrySeconds = 1, maximumRetrySeconds = 1 }
          """
              .formatted(url);
      try (RunningServer copy = start("copy", replication);
          ManagementBeans _ = copy.register(registry)) {
        SyncMXBean bean =
            JMX.newMXBeanProxy(registry, new ObjectName(SyncMXBean.NAME), SyncMXBean.class);
        eventually("it follows", () -> bean.getCopies().getFirst().phase().equals("following"));
        open(browser, provider);
        eventuallyHolds(
            () -> {
              assertThat(browser.facts("now-list")).containsEntry("Followers", "1");
              assertThat(browser.rows("followers"))
                  .singleElement()
                  .satisfies(row -> assertThat(row.getFirst()).isEqualTo("cn=admin"));
            });
        open(browser, copy);
        eventuallyHolds(() -> assertShown(browser, bean.getCopies().getFirst(), "yes"));
        assertThat(browser.facts("now-list")).containsEntry("Copies", "1 ready of 1");
        provider.close();
        eventuallyHolds(
            () -> {
              SyncMXBean.Copy now = bean.getCopies().getFirst();
              assertThat(now.error()).isNotEmpty();
              assertShown(browser, now, "yes");
            });
        assertThat(browser.complaints()).isEmpty();
      } finally {
        provider.close();
      }
    }
  }

  private static void assertShown(PageBrowser browser, SyncMXBean.Copy copy, String ready) {
    assertThat(browser.rows("copied"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.subList(0, 3))
                  .isEqualTo(List.of(copy.suffix(), copy.provider(), copy.phase()));
              assertThat(row.get(4)).isEqualTo(ready);
              assertThat(row.getLast()).isEqualTo(copy.error().isEmpty() ? "none" : copy.error());
            });
  }
}
