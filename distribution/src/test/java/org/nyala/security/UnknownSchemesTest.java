package org.nyala.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.UnverifiableHash;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Tests passwords that begin with the name of a scheme that the server does not know. */
class UnknownSchemesTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String NAME = "uid=joe," + BASE;

  private static final List<String> UNKNOWN =
      List.of(
          "{SASL}joe@EXAMPLE.COM",
          "{sasl}joe@X",
          "{KERBEROS}joe@EXAMPLE.COM",
          "{PBKDF2_SHA256}AAAIAGhpZGRlbg==",
          "{NTHASH}0CB6948805F797BF2A82807973B89537",
          "{SHA3-256}abc",
          "{x-sun-md5}abc",
          "{APR1}$apr1$x$y",
          "{SSHA-512}abc",
          "{SCRAM-SHA-1}4096:a$b:c",
          "{TOTP1}GEZDGNBVGY3TQOJQ");

  /** Nothing that could be a name stands in braces, or no brace closes it. */
  private static final List<String> CLEAR =
      List.of(
          "{}secret",
          "{hello world}x",
          "{a{b}c",
          "{SSHA",
          "x{SSHA}y",
          "{é}x",
          "{" + "a".repeat(33) + "}x");

  @TempDir Path folder;

  private static void add(LDAPConnection root, String password) throws LDAPException {
    root.add(
        NAME,
        new Attribute("objectClass", "account", "simpleSecurityObject"),
        new Attribute("uid", "joe"),
        new Attribute("userPassword", password));
  }

  private static String stored(LDAPConnection root) throws LDAPException {
    return root.getEntry(NAME, "userPassword").getAttributeValue("userPassword");
  }

  private static void shouldNotLogIn(RunningServer server, String password) throws LDAPException {
    try (LDAPConnection client = LocalServer.connect(server)) {
      assertThatThrownBy(() -> client.bind(NAME, password))
          .as(password)
          .isInstanceOfSatisfying(
              LDAPException.class,
              e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.INVALID_CREDENTIALS));
    }
  }

  private static void shouldLogIn(RunningServer server, String password) throws LDAPException {
    try (LDAPConnection client = LocalServer.connect(server)) {
      client.bind(NAME, password);
    }
  }

  @Test
  void shouldStoreThemAsTheyAreAndMatchNothing() throws Exception {
    try (RunningServer server =
            LocalServer.start(
                folder,
                "guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0"
                    + " }");
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add(BASE, new Attribute("objectClass", "domain"), new Attribute("dc", "example"));
      for (String value : UNKNOWN) {
        assertThat(UnverifiableHash.scheme(value.getBytes(StandardCharsets.UTF_8))).isNotNull();
        add(root, value);
        assertThat(stored(root)).isEqualTo(value);
        shouldNotLogIn(server, value);
        root.modify(NAME, new Modification(ModificationType.REPLACE, "userPassword", "secret"));
        shouldLogIn(server, "secret");
        root.modify(NAME, new Modification(ModificationType.REPLACE, "userPassword", value));
        assertThat(stored(root)).isEqualTo(value);
        shouldNotLogIn(server, value);
        root.delete(NAME);
      }
    }
  }

  @Test
  void shouldTakeOtherValuesForClearText() throws Exception {
    try (RunningServer server = LocalServer.start(folder, "");
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add(BASE, new Attribute("objectClass", "domain"), new Attribute("dc", "example"));
      for (String value : CLEAR) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        assertThat(PasswordHash.parse(bytes).isClearText()).as(value).isTrue();
        assertThat(UnverifiableHash.scheme(bytes)).as(value).isNull();
        add(root, value);
        assertThat(stored(root)).startsWith("{").isNotEqualTo(value);
        shouldLogIn(server, value);
        root.delete(NAME);
      }
    }
  }

  /** The operation for it takes clear text only; a modify could lock its user out. */
  @Test
  void shouldNotBeChosenByUsersByAccident() throws Exception {
    try (RunningServer server = LocalServer.start(folder, "");
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add(BASE, new Attribute("objectClass", "domain"), new Attribute("dc", "example"));
      add(root, "secret");
      try (LDAPConnection client = LocalServer.connect(server)) {
        client.bind(NAME, "secret");
        Modification own = new Modification(ModificationType.REPLACE, "userPassword", "{SASL}joe");
        assertThatThrownBy(() -> client.modify(NAME, own))
            .isInstanceOfSatisfying(
                LDAPException.class,
                e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.CONSTRAINT_VIOLATION));
        assertThat(
                client
                    .processExtendedOperation(
                        new PasswordModifyExtendedRequest("secret", "{SASL}joe"))
                    .getResultCode())
            .isEqualTo(ResultCode.SUCCESS);
      }
      shouldLogIn(server, "{SASL}joe");
    }
  }
}
