package org.nyala.loadtest.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.sdk.Entry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.loadtest.engine.ReadConnection;
import org.nyala.loadtest.jmh.BenchmarkServer;
import org.nyala.loadtest.jmh.StrategyChoice;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.People;

/** The settings that servers show. */
class ServerFactsTest {
  @TempDir Path folder;

  private static ReadConnection.Entry entry(String... namesAndValues) {
    Map<String, List<byte[]>> attributes = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      attributes.put(namesAndValues[i], List.of(namesAndValues[i + 1].getBytes(UTF_8)));
    }
    return new ReadConnection.Entry("", attributes);
  }

  private static ServerFacts read(InetSocketAddress server, Account account) throws Exception {
    return ServerFacts.read(RealSlapd.settings(server, account));
  }

  @Test
  void shouldReadTheConfigurationOfSlapd() throws Exception {
    assumeTrue(RealSlapd.isInstalled(), "slapd is not installed");
    try (RealSlapd slapd = RealSlapd.start(folder, "dbnosync")) {
      ServerFacts facts = read(slapd.address(), Account.ROOT);

      assertThat(facts.identity())
          .startsWith("OpenLDAP slapd at ")
          .endsWith(":" + slapd.address().getPort());
      assertThat(facts.passwordHash()).isEqualTo("{SSHA}");
      assertThat(facts.durability())
          .isEqualTo(
              "changes may not be on disk when they are answered (olcDbNoSync: TRUE,"
                  + " olcDbEnvFlags: nosync)");

      ServerFacts ofAnybody = read(slapd.address(), Account.ANONYMOUS);
      assertThat(ofAnybody.identity()).isEqualTo(facts.identity());
      assertThat(ofAnybody.passwordHash()).isEqualTo(ServerFacts.NOT_READABLE);
      assertThat(ofAnybody.durability()).isEqualTo(ServerFacts.NOT_READABLE);
    }
  }

  @Test
  void shouldJudgeTheDurabilityOfTheDatabaseOfThePeople() {
    ReadConnection.Entry other = entry("olcsuffix", "dc=example,dc=org", "olcdbnosync", "TRUE");
    ReadConnection.Entry own = entry("olcsuffix", "DC=example, dc=com");
    assertThat(ServerFacts.durabilityOfSlapd(List.of(other, own), People.DEFAULT_PARENT))
        .isEqualTo("changes are on disk when they are answered (olcDbNoSync: FALSE)");
    assertThat(ServerFacts.durabilityOfSlapd(List.of(other), People.DEFAULT_PARENT))
        .isEqualTo(ServerFacts.NOT_READABLE);
    ReadConnection.Entry loose =
        entry("olcsuffix", "dc=com", "olcdbnosync", "FALSE", "olcdbenvflags", "nometasync");
    assertThat(ServerFacts.durabilityOfSlapd(List.of(loose), People.DEFAULT_PARENT))
        .isEqualTo(
            "changes may not be on disk when they are answered (olcDbNoSync: FALSE,"
                + " olcDbEnvFlags: nometasync)");
  }

  @Test
  void shouldKnowTheDefaultHashOfSlapd() {
    ReadConnection.Entry frontend = entry("olcdatabase", "{-1}frontend");
    assertThat(ServerFacts.hashOfSlapd(List.of(frontend))).isEqualTo("{SSHA} (the default)");
    assertThat(ServerFacts.hashOfSlapd(List.of())).isEqualTo(ServerFacts.NOT_READABLE);
  }

  /** A server that shows what the documentation of 389 Directory Server describes. */
  @Test
  void shouldReadTheConfigurationOf389() throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("cn=config");
    config.setSchema(null);
    config.setListenerConfigs(
        InMemoryListenerConfig.createLDAPConfig("389", InetAddress.getLoopbackAddress(), 0, null));
    config.setRootDSEEntry(
        new Entry(
            "dn:",
            "objectClass: top",
            "vendorName: 389 Project",
            "vendorVersion: 389-Directory/3.1.1"));
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.add("dn: cn=config", "objectClass: top", "passwordStorageScheme: PBKDF2-SHA512");
    server.add("dn: cn=plugins,cn=config", "objectClass: top");
    server.add("dn: cn=ldbm database,cn=plugins,cn=config", "objectClass: top");
    server.add("dn: cn=config,cn=ldbm database,cn=plugins,cn=config", "objectClass: top");
    server.add(
        "dn: cn=bdb,cn=config,cn=ldbm database,cn=plugins,cn=config",
        "objectClass: top",
        "nsslapd-db-durable-transaction: on");
    server.startListening();
    try {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getListenPort());
      ServerFacts facts = read(address, Account.ANONYMOUS);

      assertThat(facts.text())
          .startsWith("389 Project 389-Directory/3.1.1 at ")
          .endsWith(
              "; password hash: PBKDF2-SHA512; durability: changes are on disk when they are"
                  + " answered (nsslapd-db-durable-transaction: on)");
    } finally {
      server.close();
    }
  }

  @Test
  void shouldNameNyala() throws Exception {
    BenchmarkServer nyala =
        BenchmarkServer.start(StrategyChoice.create(DispatchStrategies.DEFAULT, 0), 1, 1);
    try {
      assertThat(read(nyala.address(), Account.ANONYMOUS).identity())
          .startsWith("Nyala ")
          .doesNotStartWith("Nyala Nyala")
          .endsWith(":" + nyala.address().getPort());
    } finally {
      nyala.stop();
    }
  }

  @Test
  void shouldNameNobodyByTheAddress() throws Exception {
    // Held, without a listener.
    try (Socket held = new Socket()) {
      held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      InetSocketAddress nobody = (InetSocketAddress) held.getLocalSocketAddress();
      assertThat(read(nobody, Account.ANONYMOUS).text())
          .isEqualTo(
              nobody.getHostString()
                  + ":"
                  + nobody.getPort()
                  + "; password hash: not readable; durability: not readable");
    }
  }

  @Test
  void shouldSayTheVendorOnce() {
    assertThat(ServerFacts.vendor(entry("vendorname", "Example", "vendorversion", "1.0")))
        .isEqualTo("Example 1.0");
    assertThat(ServerFacts.vendor(entry("vendorname", "Example", "vendorversion", "Example 1.0")))
        .isEqualTo("Example 1.0");
    assertThat(ServerFacts.vendor(entry("vendorname", "Example"))).isEqualTo("Example");
    assertThat(ServerFacts.vendor(entry())).isEmpty();
  }
}
