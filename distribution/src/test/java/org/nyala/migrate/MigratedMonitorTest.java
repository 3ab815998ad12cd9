package org.nyala.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.core.TestCertificates;
import org.nyala.error.Installation;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.SlapdProcess;
import org.nyala.server.RunningServer;

/**
 * Compares who reads what of {@code cn=Monitor} with Debian's slapd and with the server that its
 * configuration makes.
 */
class MigratedMonitorTest {
  private static final String ROOT = "cn=admin,dc=example,dc=com";
  private static final String CONFIGURATION =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      moduleload back_monitor
      TLSCertificateFile FOLDER/server.pem
      TLSCertificateKeyFile FOLDER/server.pem
      GLOBAL
      database mdb
      suffix "dc=example,dc=com"
      rootdn "cn=admin,dc=example,dc=com"
      rootpw admin
      directory FOLDER/data
      access to attrs=userPassword by anonymous auth
      access to * by users read
      database monitor
      MONITOR
      """;

  private static final String RULES =
      """
      access to dn.subtree="cn=Operations,cn=Monitor" attrs=monitorOpCompleted
        by group="cn=watchers,dc=example,dc=com" read by * none
      access to dn.subtree="cn=Operations,cn=Monitor" attrs=monitorOpInitiated
        by dn.exact="uid=bob,dc=example,dc=com" read by users search by * none
      access to dn.subtree="cn=Operations,cn=Monitor" by users read
      access to dn.base="cn=Monitor" by users search by * disclose
      access to dn.subtree="cn=Time,cn=Monitor" filter="(cn=Uptime)" by users read by * none
      access to dn.subtree="cn=Waiters,cn=Monitor"
        by dn.exact="uid=bob,dc=example,dc=com" read by * none
      access to dn.one="cn=Statistics,cn=Monitor" by anonymous read
      access to * by dn.exact="uid=eve,dc=example,dc=com" write
      """;

  private static final List<String[]> ENTRIES =
      List.of(
          new String[] {"dn: dc=example,dc=com", "objectClass: domain", "dc: example"},
          person("ann"),
          person("bob"),
          person("eve"),
          new String[] {
            "dn: cn=watchers,dc=example,dc=com",
            "objectClass: groupOfNames",
            "cn: watchers",
            "member: uid=ann,dc=example,dc=com"
          });

  private static final List<String> CONTAINERS =
      List.of("Operations", "Waiters", "Time", "Statistics", "Nothing");

  /** Entries that slapd does not have. */
  private static final String SHAPES = ",cn=shapes,cn=monitor";

  @TempDir Path folder;

  private static String[] person(String uid) {
    return new String[] {
      "dn: uid=" + uid + ",dc=example,dc=com",
      "objectClass: account",
      "objectClass: simpleSecurityObject",
      "uid: " + uid,
      "userPassword: secret"
    };
  }

  @BeforeEach
  void certify() throws Exception {
    Files.createDirectory(folder.resolve("data"));
    Path _ =
        TestCertificates.make(folder, "localhost", "-keyalg RSA -keysize 2048")
            .pem(folder.resolve("server.pem"));
  }

  private static String answer(LDAPConnection client, String base, SearchScope scope, String filter)
      throws Exception {
    try {
      Map<String, TreeSet<String>> found = new TreeMap<>();
      for (SearchResultEntry entry :
          client
              .search(
                  base,
                  scope,
                  filter,
                  "cn",
                  "objectClass",
                  "monitorOpCompleted",
                  "monitorOpInitiated",
                  "monitorCounter",
                  "monitorTimestamp")
              .getSearchEntries()) {
        TreeSet<String> names = new TreeSet<>();
        for (Attribute attribute : entry.getAttributes()) {
          names.add(attribute.getName());
        }
        String name = entry.getDN().toLowerCase(Locale.ROOT);
        if (!name.endsWith(SHAPES)) {
          found.put(name, names);
        }
      }
      return found.toString();
    } catch (LDAPSearchException e) {
      return e.getResultCode().getName();
    }
  }

  /** Returns the answers, by what was asked; entries that number connections are left out. */
  private static Map<String, String> answers(int port) throws Exception {
    try (LDAPConnection root = new LDAPConnection("127.0.0.1", port, ROOT, "admin")) {
      for (String[] entry : ENTRIES) {
        root.add(entry);
      }
    }
    Map<String, String> answers = new TreeMap<>();
    for (String user : List.of("", "ann", "bob", "eve")) {
      try (LDAPConnection client = new LDAPConnection("127.0.0.1", port)) {
        if (!user.isEmpty()) {
          client.bind("uid=" + user + ",dc=example,dc=com", "secret");
        }
        String asked = user + " asks ";
        answers.put(asked, answer(client, "cn=Monitor", SearchScope.BASE, "(objectClass=*)"));
        answers.put(
            asked + "all",
            answer(client, "cn=Monitor", SearchScope.SUB, "(|(cn=Bind)(cn=Uptime)(cn=Read))"));
        for (String container : CONTAINERS) {
          String base = "cn=" + container + ",cn=Monitor";
          for (SearchScope scope : List.of(SearchScope.BASE, SearchScope.ONE, SearchScope.SUB)) {
            for (String filter :
                List.of(
                    "(objectClass=*)",
                    "(monitorOpCompleted=*)",
                    "(!(monitorOpCompleted=*))",
                    "(&(monitorOpInitiated=*)(cn=Bind))",
                    "(cn=Uptime)")) {
              answers.put(
                  asked + base + " " + scope + " " + filter, answer(client, base, scope, filter));
            }
          }
        }
      }
    }
    return answers;
  }

  private Path configuration(String global, String monitor) throws Exception {
    return Files.writeString(
        folder.resolve("slapd.conf"),
        CONFIGURATION
            .replace("FOLDER", folder.toString())
            .replace("GLOBAL", global)
            .replace("MONITOR", monitor));
  }

  private Map<String, String> ofSlapd(Path conf) throws Exception {
    try (SlapdProcess slapd = SlapdProcess.start(folder, conf)) {
      return answers(URI.create(slapd.urls().getFirst()).getPort());
    }
  }

  private Map<String, String> ofNyala(Path conf, LocalCommands nyala) throws Exception {
    Path target = folder.resolve("etc");
    int code =
        nyala.run(
            "migrate",
            conf.toString(),
            "--to=" + target,
            "--data=" + folder.resolve("nyala"),
            "--write");
    assertThat(code).as(nyala.out() + nyala.err()).isZero();
    Path made = target.resolve("nyala.conf");
    Files.writeString(
        made,
        Files.readString(made)
            .replaceFirst("listeners = .*", "listeners = [\"ldap://127.0.0.1:0\"]"));
    try (RunningServer server =
        RunningServer.start(ConfigurationFile.read(made, folder), Installation.current())) {
      return answers(LocalServer.port(server));
    }
  }

  @Test
  void shouldLetThoseReadWhomSlapdLets() throws Exception {
    Path conf = configuration("", RULES);

    Map<String, String> expected = ofSlapd(conf);

    assertThat(expected).containsEntry(" asks ", "insufficient access rights");
    assertThat(expected.get("eve asks all")).isNotEqualTo(expected.get("ann asks all"));
    assertThat(new TreeSet<>(expected.values())).hasSizeGreaterThan(10);
    assertThat(ofNyala(conf, new LocalCommands())).isEqualTo(expected);
  }

  @Test
  void shouldOpenItToTheRulesOfAllDatabasesOnlyWhereItHasRulesOfItsOwn() throws Exception {
    String own = "access to dn.subtree=\"cn=Time,cn=Monitor\" by anonymous read by * break";
    Path conf = configuration("access to * by users read", own);

    Map<String, String> expected = ofSlapd(conf);

    assertThat(ofNyala(conf, new LocalCommands())).isEqualTo(expected);
  }

  /** Without any rule slapd lets everybody read; here nobody asked for that. */
  @Test
  void shouldTellThatSlapdLetsOthersReadWithoutRulesOfItsOwn() throws Exception {
    for (String global : List.of("", "access to * by users read")) {
      Path own = Files.createDirectory(folder.resolve("run" + global.length()));
      Path conf = configuration(global, "");
      Map<String, String> slapd;
      try (SlapdProcess started = SlapdProcess.start(own, conf)) {
        slapd = monitorOnly(URI.create(started.urls().getFirst()).getPort());
      }
      LocalCommands nyala = new LocalCommands();

      assertThat(slapd.get(""))
          .isEqualTo(global.isEmpty() ? "{cn=monitor=[cn, objectClass]}" : "no such object");
      assertThat(slapd.get(ROOT)).isEqualTo("{cn=monitor=[cn, objectClass]}");
      int _ = nyala.run("migrate", conf.toString(), "--to=" + own.resolve("etc"), "--data=" + own);
      assertThat(nyala.out() + nyala.err())
          .containsIgnoringWhitespaces(
              global.isEmpty()
                  ? "slapd lets everybody read it"
                  : "slapd lets those read it whom the rules of all databases let");
    }
  }

  private static Map<String, String> monitorOnly(int port) throws Exception {
    Map<String, String> found = new TreeMap<>();
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", port)) {
      found.put("", answer(client, "cn=Monitor", SearchScope.BASE, "(objectClass=*)"));
      client.bind(ROOT, "admin");
      found.put(ROOT, answer(client, "cn=Monitor", SearchScope.BASE, "(objectClass=*)"));
    }
    return found;
  }
}
