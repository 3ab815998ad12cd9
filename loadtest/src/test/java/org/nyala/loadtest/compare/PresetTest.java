package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPInterface;
import com.unboundid.ldif.LDIFReader;
import com.unboundid.util.json.JSONObject;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.jmh.BenchmarkServer;
import org.nyala.loadtest.jmh.StrategyChoice;
import org.nyala.loadtest.workload.Account;

/** The presets against Nyala, and one against slapd, with people who have what they ask for. */
class PresetTest {
  private static final int USERS = 20;
  private static final int FIRST_NUMBER = 10_000;

  @TempDir static Path folder;
  private static BenchmarkServer nyala;

  private final LoadTester tester = new LoadTester();

  @BeforeAll
  static void start() throws Exception {
    nyala = BenchmarkServer.start(StrategyChoice.create(DispatchStrategies.DEFAULT, 0), 1, 1);
    try (LDAPConnection root =
        new LDAPConnection(
            "127.0.0.1", nyala.address().getPort(), Account.ROOT.dn(), Account.ROOT.password())) {
      root.delete("uid=user.0,ou=People,dc=example,dc=com");
      add(root, entries());
    }
  }

  private static void add(LDAPInterface root, String ldif) throws Exception {
    try (LDIFReader reader = new LDIFReader(new java.io.BufferedReader(new StringReader(ldif)))) {
      for (var entry = reader.readEntry(); entry != null; entry = reader.readEntry()) {
        root.add(entry);
      }
    }
  }

  @AfterAll
  static void stop() throws Exception {
    nyala.stop();
  }

  private static String entries() {
    StringBuilder ldif = new StringBuilder(8192);
    for (int user = 0; user < USERS; user++) {
      ldif.append(
          """
          dn: uid=user.%1$d,ou=People,dc=example,dc=com
          objectClass: inetOrgPerson
          objectClass: posixAccount
          uid: user.%1$d
          cn: Person %1$d
          sn: Person
          mail: user.%1$d@example.com
          uidNumber: %2$d
          gidNumber: 100
          homeDirectory: /home/user.%1$d
          userPassword: password.%1$d

          """
              .formatted(user, FIRST_NUMBER + user));
    }
    return ldif.toString();
  }

  private int run(int port, String preset) {
    return tester.run(
        "plan",
        "--preset=" + preset,
        "--url=ldap://127.0.0.1:" + port,
        "--users=" + USERS,
        "--bind-dn=" + Account.ROOT.dn(),
        "--password=" + Account.ROOT.password(),
        "--constant=uidNumber={rand(10000,10019)}",
        "--seconds=1",
        "--warmup-seconds=0",
        "--allow-disturbed",
        "--json=" + folder.resolve("results.json"));
  }

  private static List<Integer> operations() throws Exception {
    JSONObject results = new JSONObject(Files.readString(folder.resolve("results.json")));
    JSONObject phase = (JSONObject) results.getFieldAsArray("phases").getFirst();
    return phase.getFieldAsArray("jobs").stream()
        .map(job -> ((JSONObject) job).getFieldAsInteger("operations"))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sssd", "keycloak", "mail"})
  void shouldAskNyala(String preset) throws Exception {
    int exit = run(nyala.address().getPort(), preset);

    assertThat(exit).as(tester.err() + tester.out()).isZero();
    assertThat(operations())
        .isEqualTo(
            switch (preset) {
              case "sssd" -> List.of(100, 40, 60, 40, 20, 5, 20);
              case "keycloak" -> List.of(100, 20, 50, 2);
              default -> List.of(200, 200, 50, 100, 40);
            });
  }

  /** Names, numbers and passwords of other people, and groups by the names of their members. */
  @Test
  void shouldAskForTheDataOfOthers() throws Exception {
    StringBuilder rows = new StringBuilder("dn;uid;uidNumber;password\n");
    for (int user = 0; user < USERS; user++) {
      rows.append("uid=user.%1$d,ou=People,dc=example,dc=com;user.%1$d;".formatted(user));
      rows.append(FIRST_NUMBER + user).append(";password.").append(user).append('\n');
    }
    int exit =
        tester.run(
            "plan",
            "--preset=sssd",
            "--url=ldap://127.0.0.1:" + nyala.address().getPort(),
            "--names=" + Files.writeString(folder.resolve("people.csv"), rows),
            "--base=dc=example,dc=com",
            "-cuser={uid}",
            "-cmember={dn}",
            "-cmemberName=member",
            "-cuidNumber={uidNumber}",
            "--seconds=1",
            "--warmup-seconds=0",
            "--allow-disturbed",
            "--json=" + folder.resolve("results.json"));

    assertThat(exit).as(tester.err() + tester.out()).isZero();
    assertThat(operations()).containsExactly(100, 40, 60, 40, 20, 5, 20);
  }

  @Test
  void shouldAskSlapd() throws Exception {
    assumeTrue(SlapdSetup.isInstalled(), "slapd is not installed");
    SlapdSetup setup = new SlapdSetup(Files.createDirectory(folder.resolve("slapd")));
    String tops =
        """
        dn: dc=example,dc=com
        objectClass: domain
        dc: example

        dn: ou=People,dc=example,dc=com
        objectClass: organizationalUnit
        ou: People

        """;
    setup.load(Files.writeString(folder.resolve("people.ldif"), tops + entries()));
    try (ServerProcess slapd = setup.start(2)) {
      int exit = run(slapd.address().getPort(), "sssd");

      assertThat(exit).as(tester.err() + tester.out()).isZero();
      assertThat(operations()).containsExactly(100, 40, 60, 40, 20, 5, 20);
    }
  }

  @Test
  void shouldPrintAPresetToBeChanged() {
    assertThat(tester.run("plan", "--preset=mail", "--print")).isZero();

    assertThat(tester.out()).contains("Postfix", "job = auth");
  }
}
