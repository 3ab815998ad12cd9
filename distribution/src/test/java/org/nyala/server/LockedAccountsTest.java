package org.nyala.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Imports accounts as slapcat writes them, and has them log in to a server without policies. */
@Timeout(300)
class LockedAccountsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final String BOB = "uid=bob," + TOP;

  @TempDir Path folder;

  private RunningServer imported(String... more) throws Exception {
    Path file =
        ServerProcess.configure(
            folder, "sasl.map = [{ match = \"(.*)\", dn = \"uid=$1,dc=example,dc=com\" }]");
    String ldif =
        """
        dn: dc=example,dc=com
        objectClass: domain
        dc: example

        dn: uid=ann,dc=example,dc=com
        objectClass: inetOrgPerson
        cn: Ann
        sn: A
        %s

        dn: uid=bob,dc=example,dc=com
        objectClass: inetOrgPerson
        cn: Bob
        sn: B
        userPassword: other
        """
            .formatted(String.join("\n", more));
    Path data = Files.writeString(folder.resolve("data.ldif"), ldif);
    new LocalCommands().shouldSucceed(file, "import", data.toString());
    return LocalServer.startFrom(file, folder);
  }

  private static LDAPResult bind(RunningServer server, BindRequest request) throws LDAPException {
    try (LDAPConnection client = LocalServer.connect(server)) {
      return client.bind(request);
    } catch (LDAPException e) {
      return e.toLDAPResult();
    }
  }

  private static ResultCode changes(LDAPConnection client, String password) throws LDAPException {
    return client
        .processExtendedOperation(new PasswordModifyExtendedRequest(ANN, password, "new"))
        .getResultCode();
  }

  @ParameterizedTest
  @ValueSource(strings = {"000001010000Z", "00000101000000Z", "20200101000000Z"})
  void shouldKeepOutImportedAccountsThatAreLocked(String time) throws Exception {
    // Keys of SCRAM serve the other logins, too.
    byte[] keys =
        PasswordHash.create(PasswordScheme.SCRAM_SHA256, "secret".getBytes(UTF_8), new Random(7));
    try (RunningServer server =
            imported("userPassword: " + new String(keys, UTF_8), "pwdAccountLockedTime: " + time);
        LDAPConnection root = LocalServer.connectAsRoot(server);
        LDAPConnection ann = LocalServer.connect(server)) {
      List<BindRequest> logins =
          List.of(
              new SimpleBindRequest(ANN, "secret"),
              new PLAINBindRequest("ann", "secret"),
              new SCRAMSHA256BindRequest("ann", "secret"));
      String wrong = bind(server, new SimpleBindRequest(BOB, "wrong")).getDiagnosticMessage();
      for (BindRequest login : logins) {
        LDAPResult refused = bind(server, login);
        assertThat(refused.getResultCode()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
        assertThat(refused.getDiagnosticMessage()).isEqualTo(wrong);
      }
      // Each was refused for the lock alone.
      root.modify(ANN, new Modification(ModificationType.DELETE, "pwdAccountLockedTime"));
      for (BindRequest login : logins) {
        assertThat(bind(server, login).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      }
      // One who is there already cannot prove the old password while the account is locked.
      ann.bind(ANN, "secret");
      root.modify(ANN, new Modification(ModificationType.ADD, "pwdAccountLockedTime", time));
      assertThat(changes(ann, "secret")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
      root.modify(ANN, new Modification(ModificationType.DELETE, "pwdAccountLockedTime"));
      assertThat(changes(ann, "secret")).isEqualTo(ResultCode.SUCCESS);
    }
  }

  /** slapd likewise: a lock to come is the end of the account. */
  @Test
  void shouldLetInUntilTheTimeOfALockToCome() throws Exception {
    byte[] keys =
        PasswordHash.create(PasswordScheme.SCRAM_SHA256, "secret".getBytes(UTF_8), new Random(7));
    try (RunningServer server =
            imported(
                "userPassword: " + new String(keys, UTF_8),
                "pwdAccountLockedTime: 29990101000000Z");
        LDAPConnection root = LocalServer.connectAsRoot(server);
        LDAPConnection ann = LocalServer.connect(server)) {
      for (BindRequest login :
          List.of(
              new SimpleBindRequest(ANN, "secret"),
              new PLAINBindRequest("ann", "secret"),
              new SCRAMSHA256BindRequest("ann", "secret"))) {
        assertThat(bind(server, login).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      }
      assertThat(bind(server, new SimpleBindRequest(ANN, "wrong")).getResultCode())
          .isEqualTo(ResultCode.INVALID_CREDENTIALS);
      ann.bind(ANN, "secret");
      assertThat(changes(ann, "secret")).isEqualTo(ResultCode.SUCCESS);
      assertThat(
              root.getEntry(ANN, "pwdAccountLockedTime").getAttributeValue("pwdAccountLockedTime"))
          .isEqualTo("29990101000000Z");
    }
  }

  /** Hashes of Debian's crypt(3) serve simple binds and PLAIN. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "$y$j9T$LdJMENpBABJJ3hIHjB1Bi.$hLaZXcKh6m7JYeftf3YBX9tUkp4CF5Pqe06e1mb9bt8",
        "$gy$j9T$LdJMENpBABJJ3hIHjB1Bi.$r41AzsfP3gpwYoksYlEKqT6A8M9WLe8Riqz.bqxrR/5"
      })
  void shouldLogInWithHashesOfDebian(String hash) throws Exception {
    try (RunningServer server = imported("userPassword: {CRYPT}" + hash)) {
      assertThat(bind(server, new SimpleBindRequest(ANN, "secret")).getResultCode())
          .isEqualTo(ResultCode.SUCCESS);
      assertThat(bind(server, new PLAINBindRequest("ann", "secret")).getResultCode())
          .isEqualTo(ResultCode.SUCCESS);
      assertThat(bind(server, new SimpleBindRequest(ANN, "Secret")).getResultCode())
          .isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
  }

  @Test
  void shouldTellAtTheEndOfAnImportWhichPasswordsNobodyCanUse() throws Exception {
    Path file = ServerProcess.configure(folder, "");
    Path ldif =
        Files.writeString(
            folder.resolve("data.ldif"),
            """
            dn: dc=example,dc=com
            objectClass: domain
            objectClass: simpleSecurityObject
            dc: example
            userPassword: {SASL}ann@EXAMPLE
            """);
    LocalCommands nyala = new LocalCommands();
    nyala.shouldSucceed(file, "import", ldif.toString());
    assertThat(nyala.err())
        .contains("1 password lets nobody in: {SASL} is not supported. First: " + TOP)
        .doesNotContain("ann@EXAMPLE");
  }
}
