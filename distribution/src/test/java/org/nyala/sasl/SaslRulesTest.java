package org.nyala.sasl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/**
 * Tests access rules about the mechanisms of SASL, and about acting as others, with Debian's
 * clients.
 */
class SaslRulesTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + BASE;
  private static final String BOB = "uid=bob," + BASE;
  private static final String DENIED = "(123)";
  private static final String REFUSED = "Insufficient access (50)";

  /** Ann acts as Bob by SCRAM alone, a process of this machine as both. */
  private static final String RULES =
      """
      to attributes userPassword
        anonymous may authenticate
      to entry "%s" attributes entry
        entry "%s" by SCRAM-SHA-256 may read, proxy
        below "cn=peercred,cn=external,cn=auth" from ldapi may read, proxy
        users may read
      to entry "%s" attributes entry
        below "cn=peercred,cn=external,cn=auth" by EXTERNAL may proxy
        users may read
      to attributes sn
        users by EXTERNAL may read
        users by PLAIN may nothing
        users by SCRAM-SHA-256 may read
      to all
        users may read
      """
          .formatted(BOB, ANN, ANN);

  @TempDir static Path folder;

  private static RunningServer server;

  @BeforeAll
  static void serve() throws Exception {
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path configuration =
        ServerProcess.configure(
            folder,
            """
            access.rules = access.rules
            listeners = ["ldap://127.0.0.1:0", "ldapi://%s"]
            sasl.map = [{ search = "ldap:///??sub?(uid=$1)" }]
            """
                .formatted(folder.resolve("socket")));
    server = LocalServer.startFrom(configuration, folder);
    byte[] keys =
        PasswordHash.create(
            Objects.requireNonNull(PasswordScheme.of("SCRAM-SHA-256")),
            "secret".getBytes(UTF_8),
            new Random(1));
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + BASE, "objectClass: domain", "dc: example");
      for (String uid : List.of("ann", "bob")) {
        root.add(
            "dn: uid=" + uid + "," + BASE, "objectClass: inetOrgPerson", "cn: " + uid, "sn: S");
      }
      root.modify(ANN, new Modification(ModificationType.REPLACE, "userPassword", keys));
    }
  }

  @AfterAll
  static void stop() {
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    server.close();
  }

  private static Processes.Result client(String program, String mechanism, String... more)
      throws Exception {
    boolean isLocal = mechanism.equals("EXTERNAL");
    List<String> command = new ArrayList<>(List.of(program, "-Q", "-Y", mechanism, "-H"));
    command.add(isLocal ? server.listeners().get(1) : server.listeners().getFirst());
    if (!isLocal) {
      command.addAll(List.of("-O", "none", "-U", "ann", "-w", "secret"));
    }
    command.addAll(List.of(more));
    return Processes.ldapClient(folder, command.toArray(String[]::new));
  }

  private static Processes.Result whoAmI(String mechanism, String authorizationId)
      throws Exception {
    return client("ldapwhoami", mechanism, "-X", authorizationId);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"dn:uid=bob,dc=example,dc=com", "dn: UID=Bob, DC=example,DC=com", "u:bob"})
  void shouldActAsOthersByTheMechanismThatTheRuleNames(String authorizationId) throws Exception {
    assertThat(whoAmI("SCRAM-SHA-256", authorizationId).shouldSucceed().out())
        .containsIgnoringCase("uid=bob");
    // The rules of names of users are not for EXTERNAL.
    if (authorizationId.startsWith("dn:")) {
      assertThat(whoAmI("EXTERNAL", authorizationId).shouldSucceed().out())
          .containsIgnoringCase("uid=bob");
    }
    assertThat(whoAmI("PLAIN", authorizationId).exitCode()).isNotZero();
  }

  @ParameterizedTest
  @CsvSource({
    "EXTERNAL, dn:cn=admin",
    "EXTERNAL, 'dn:dc=example,dc=com'",
    "EXTERNAL, 'dn:uid=none,dc=example,dc=com'",
    "EXTERNAL, u:none",
    "SCRAM-SHA-256, dn:cn=admin",
    "SCRAM-SHA-256, 'dn:dc=example,dc=com'",
    "PLAIN, 'dn:dc=example,dc=com'",
  })
  void shouldActAsNobodyElse(String mechanism, String authorizationId) throws Exception {
    Processes.Result result = whoAmI(mechanism, authorizationId);
    assertThat(result.exitCode()).as(result.err()).isNotZero();
    assertThat(result.err()).contains(REFUSED);
  }

  @ParameterizedTest
  @CsvSource({"PLAIN, false", "SCRAM-SHA-256, true", "EXTERNAL, true"})
  void shouldKnowTheMechanismOfTheClient(String mechanism, boolean mayRead) throws Exception {
    String out =
        client("ldapsearch", mechanism, "-LLL", "-b", BOB, "-s", "base").shouldSucceed().out();
    assertThat(out).contains("cn: bob");
    assertThat(out.contains("sn: S")).isEqualTo(mayRead);
  }

  /** The control {@code -e !authzid=}, after the bind. */
  @Test
  void shouldActAsOthersByTheControl() throws Exception {
    String[] asBob = {"-e", "!authzid=dn:" + BOB};
    assertThat(client("ldapwhoami", "SCRAM-SHA-256", asBob).shouldSucceed().out().strip())
        .isEqualTo("dn:" + BOB);
    assertThat(client("ldapwhoami", "EXTERNAL", asBob).shouldSucceed().out().strip())
        .isEqualTo("dn:" + BOB);
    assertThat(client("ldapwhoami", "PLAIN", asBob).err()).contains(DENIED);
  }
}
