package org.nyala.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Tests the form in which passwords are stored. */
class StoredPasswordsTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String USER = "uid=jo," + BASE;

  /** The password "secret", hashed by slapd's own program. */
  private static final String BY_SLAPPASSWD =
      "{ARGON2}$argon2i$v=19$m=4096,t=3,p=1$/svbBDlujaf2D7LUTMGEXw"
          + "$2bwajlLE7XKiSmmHqnTixEROjqEO9KaDMZ6hX53EMRY";

  @TempDir Path folder;
  private RunningServer server;

  @AfterEach
  void stop() {
    server.close();
  }

  private LDAPConnection start(String more) throws Exception {
    server = LocalServer.start(folder, more);
    LDAPConnection root = LocalServer.connectAsRoot(server);
    root.add("dn: " + BASE, "objectClass: domain", "dc: example");
    return root;
  }

  private static void add(LDAPConnection root, String... passwords) throws LDAPException {
    root.add(
        USER,
        new Attribute("objectClass", "inetOrgPerson"),
        new Attribute("uid", "jo"),
        new Attribute("cn", "Jo"),
        new Attribute("sn", "Jo"),
        new Attribute("userPassword", passwords));
  }

  private boolean binds(String password) throws LDAPException {
    try (LDAPConnection user = LocalServer.connect(server)) {
      return user.bind(USER, password).getResultCode() == ResultCode.SUCCESS;
    } catch (LDAPException e) {
      assertThat(e.getResultCode()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      return false;
    }
  }

  private static List<String> stored(LDAPConnection root) throws LDAPException {
    String[] values = root.getEntry(USER, "userPassword").getAttributeValues("userPassword");
    return values == null ? List.of() : List.of(values);
  }

  private static void modify(
      LDAPConnection root, ModificationType how, String attribute, String... values)
      throws LDAPException {
    root.modify(USER, new Modification(how, attribute, values));
  }

  /** The schemes to try; that of PBKDF2 takes long without the JVM's second compiler. */
  static List<String> schemes() {
    return List.of(
        System.getProperty("nyala.password.schemes", "ARGON2,SSHA512,SCRAM-SHA-512").split(","));
  }

  @ParameterizedTest
  @MethodSource("schemes")
  void shouldHashClearText(String scheme) throws Exception {
    try (LDAPConnection root = start("password.scheme = " + scheme)) {
      add(root, "first");
      assertThat(stored(root)).singleElement().asString().startsWith("{" + scheme + "}");
      assertThat(binds("first")).isTrue();
      modify(root, ModificationType.ADD, "2.5.4.35", "second", "third");
      assertThat(stored(root)).hasSize(3).allMatch(value -> value.startsWith("{" + scheme + "}"));
      assertThat(binds("third")).isTrue();
      modify(root, ModificationType.DELETE, "userpassword", "second");
      assertThat(stored(root)).hasSize(2);
      assertThat(binds("second")).isFalse();
      assertThat(binds("first")).isTrue();
      modify(root, ModificationType.REPLACE, "userPassword", "last");
      assertThat(binds("first")).isFalse();
      assertThat(binds("last")).isTrue();
    }
  }

  private static void shouldRefuse(ResultCode code, ThrowingCallable change) {
    assertThatThrownBy(change)
        .isInstanceOfSatisfying(
            LDAPException.class, e -> assertThat(e.getResultCode()).isEqualTo(code));
  }

  /** The stored passwords are of slow schemes, and new ones are not. */
  @Test
  void shouldDeleteEveryHashOfAPassword() throws Exception {
    try (LDAPConnection root = start("password.scheme = SSHA")) {
      add(root, "secret", BY_SLAPPASSWD, "{CLEARTEXT}secret", "other");
      modify(root, ModificationType.DELETE, "userPassword", "secret");
      assertThat(stored(root)).singleElement().asString().startsWith("{SSHA}");
      assertThat(binds("secret")).isFalse();
      assertThat(binds("other")).isTrue();
    }
  }

  @Test
  void shouldNotStoreAPasswordTwice() throws Exception {
    try (LDAPConnection root = start("password.scheme = ARGON2")) {
      shouldRefuse(ResultCode.ATTRIBUTE_OR_VALUE_EXISTS, () -> add(root, "first", "first"));
      add(root, "first");
      shouldRefuse(
          ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
          () -> modify(root, ModificationType.REPLACE, "userPassword", "new", "new"));
      assertThat(stored(root)).hasSize(1);
      assertThat(binds("first")).isTrue();
    }
  }

  /** It would tell whoever adds one if the entry has it. */
  @Test
  void shouldNotCompareAddedPasswordsWithStoredOnes() throws Exception {
    try (LDAPConnection root = start("password.scheme = SSHA")) {
      add(root, "first");
      modify(root, ModificationType.ADD, "userPassword", "first");
      assertThat(stored(root)).hasSize(2).doesNotHaveDuplicates();
      assertThat(binds("first")).isTrue();
      modify(root, ModificationType.DELETE, "userPassword", "first");
      assertThat(stored(root)).isEmpty();
      // Root sees what is stored.
      modify(root, ModificationType.ADD, "userPassword", BY_SLAPPASSWD);
      shouldRefuse(
          ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
          () -> modify(root, ModificationType.ADD, "userPassword", BY_SLAPPASSWD));
    }
  }

  @Test
  void shouldTakeNoPasswordIntoAName() throws Exception {
    try (LDAPConnection root = start("")) {
      shouldRefuse(
          ResultCode.NAMING_VIOLATION,
          () ->
              root.add(
                  "dn: uid=jo+userPassword=secret," + BASE,
                  "objectClass: inetOrgPerson",
                  "cn: Jo",
                  "sn: Jo"));
      add(root, "first");
      shouldRefuse(
          ResultCode.NAMING_VIOLATION,
          () -> root.modifyDN(USER, "uid=jo+userPassword=secret", false));
    }
  }

  @Test
  void shouldCompareWithSomeStoredPasswordsOnly() throws Exception {
    try (LDAPConnection root = start("")) {
      String[] many =
          IntStream.range(0, 17).mapToObj(i -> "{CLEARTEXT}" + i).toArray(String[]::new);
      add(root, many);
      shouldRefuse(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          () -> modify(root, ModificationType.DELETE, "userPassword", "16"));
      modify(root, ModificationType.REPLACE, "userPassword", "16");
      assertThat(binds("16")).isTrue();
    }
  }

  @Test
  void shouldRefuseToDeleteAPasswordThatIsNotThere() throws Exception {
    try (LDAPConnection root = start("password.scheme = ARGON2")) {
      add(root, "first");
      shouldRefuse(
          ResultCode.NO_SUCH_ATTRIBUTE,
          () -> modify(root, ModificationType.DELETE, "userPassword", "other"));
      assertThat(stored(root)).singleElement().asString().startsWith("{ARGON2}$argon2id$v=19$");
    }
  }

  @Test
  void shouldKeepWhatNamesAScheme() throws Exception {
    try (LDAPConnection root = start("password.scheme = ARGON2")) {
      add(root, BY_SLAPPASSWD, "{CLEARTEXT}plain");
      assertThat(stored(root)).containsExactlyInAnyOrder(BY_SLAPPASSWD, "{CLEARTEXT}plain");
      assertThat(binds("secret")).isTrue();
      assertThat(binds("plain")).isTrue();
      assertThat(binds(BY_SLAPPASSWD)).isFalse();
    }
  }

  @Test
  void shouldHashInTransactions() throws Exception {
    try (LDAPConnection root = start("password.scheme = ARGON2")) {
      add(root, "first");
      StartTransactionExtendedResult begun =
          (StartTransactionExtendedResult)
              root.processExtendedOperation(new StartTransactionExtendedRequest());
      Control member = new TransactionSpecificationRequestControl(begun.getTransactionID());
      ModifyRequest change =
          new ModifyRequest(
              USER,
              new Modification[] {
                new Modification(ModificationType.REPLACE, "userPassword", "second")
              },
              new Control[] {member});
      assertThat(root.modify(change).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      assertThat(binds("first")).isTrue();
      assertThat(
              root.processExtendedOperation(
                      new EndTransactionExtendedRequest(begun.getTransactionID(), true))
                  .getResultCode())
          .isEqualTo(ResultCode.SUCCESS);
      assertThat(binds("second")).isTrue();
      assertThat(stored(root)).singleElement().asString().startsWith("{ARGON2}");
    }
  }

  @Test
  void shouldBoundTheNumberOfPasswords() throws Exception {
    try (LDAPConnection root = start("password.scheme = SSHA")) {
      String[] many = IntStream.range(0, 17).mapToObj(i -> "password" + i).toArray(String[]::new);
      shouldRefuse(ResultCode.ADMIN_LIMIT_EXCEEDED, () -> add(root, many));
      assertThat(root.getEntry(USER)).isNull();
    }
  }

  @Test
  void shouldKeepClearTextIfToldTo() throws Exception {
    try (LDAPConnection root = start("password.hashClearText = false")) {
      add(root, "first");
      assertThat(stored(root)).containsExactly("first");
      assertThat(binds("first")).isTrue();
    }
  }
}
