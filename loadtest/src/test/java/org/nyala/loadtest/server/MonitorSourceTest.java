package org.nyala.loadtest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.sdk.Entry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadTestException;

/** Figures over LDAP. */
class MonitorSourceTest {
  @TempDir Path folder;

  @Test
  void shouldReadTheMonitorOfSlapd() throws Exception {
    assumeTrue(RealSlapd.isInstalled(), "slapd is not installed");
    try (RealSlapd slapd = RealSlapd.start(folder, "")) {
      Metric searches = new Metric("Operations/Search monitorOpCompleted", true);
      try (MonitorSource source =
          new MonitorSource(RealSlapd.settings(slapd.address(), Account.ROOT), "")) {
        Map<Metric, Double> before = source.read();
        assertThat(before)
            .containsKey(searches)
            .containsKey(new Metric("Statistics/Bytes monitorCounter", true))
            .containsEntry(new Metric("Connections/Current monitorCounter", false), 1.0)
            .containsKey(new Metric("Threads/Max monitoredInfo", false));
        assertThat(before.keySet()).extracting(Metric::name).noneMatch(x -> x.contains("numSub"));
        assertThat(source.read().get(searches)).isGreaterThan(before.get(searches));
      }
      try (MonitorSource source =
          new MonitorSource(RealSlapd.settings(slapd.address(), Account.ANONYMOUS), "")) {
        assertThatThrownBy(source::read)
            .isInstanceOf(LoadTestException.class)
            .hasMessageStartingWith("it shows no figures below cn=Monitor (the server answered ")
            .hasMessageEndingWith("; --monitor-dn names who may read them");
      }
    }
  }

  /** A server that shows what the documentation of 389 Directory Server describes. */
  @Test
  void shouldReadTheMonitorsOf389() throws Exception {
    InMemoryDirectoryServerConfig config =
        new InMemoryDirectoryServerConfig("cn=monitor", "cn=config");
    config.setSchema(null);
    config.setListenerConfigs(
        InMemoryListenerConfig.createLDAPConfig("389", InetAddress.getLoopbackAddress(), 0, null));
    config.setRootDSEEntry(new Entry("dn:", "objectClass: top", "vendorName: 389 Project"));
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.add(
        "dn: cn=monitor",
        "objectClass: top",
        "version: 389-Directory/3.1.1 B2024.001.0000",
        "threads: 16",
        "connection: 64:20240101000000Z:1:1:-:cn=a:0:0:0:1",
        "currentconnections: 3",
        "opscompleted: 1000",
        "dtablesize: 1024",
        "currenttime: 20240101000000Z");
    server.add("dn: cn=snmp,cn=monitor", "objectClass: top", "searchops: 700");
    server.add("dn: cn=config", "objectClass: top");
    server.add("dn: cn=plugins,cn=config", "objectClass: top");
    server.add("dn: cn=ldbm database,cn=plugins,cn=config", "objectClass: top");
    server.add("dn: cn=userRoot,cn=ldbm database,cn=plugins,cn=config", "objectClass: top");
    server.add(
        "dn: cn=monitor,cn=userRoot,cn=ldbm database,cn=plugins,cn=config",
        "objectClass: top",
        "cn: monitor",
        "entrycachehits: 50",
        "entrycachehitratio: 98",
        "currententrycachesize: 4096");
    server.startListening();
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getListenPort());
    try (MonitorSource source =
        new MonitorSource(RealSlapd.settings(address, Account.ANONYMOUS), "")) {
      Map<Metric, Double> figures = source.read();
      assertThat(figures)
          .containsEntry(new Metric("opscompleted", true), 1000.0)
          .containsEntry(new Metric("currentconnections", false), 3.0)
          .containsEntry(new Metric("threads", false), 16.0)
          .containsEntry(new Metric("snmp searchops", true), 700.0);
      String database = "config/plugins/ldbm database/userRoot/monitor ";
      assertThat(figures)
          .containsEntry(new Metric(database + "entrycachehits", true), 50.0)
          .containsEntry(new Metric(database + "currententrycachesize", false), 4096.0);
      assertThat(figures.keySet())
          .extracting(Metric::name)
          .noneMatch(name -> name.contains("ratio") || name.contains("time"));
    } finally {
      server.close();
    }
  }
}
