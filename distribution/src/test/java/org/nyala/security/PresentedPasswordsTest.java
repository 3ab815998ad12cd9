package org.nyala.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.controls.PermissiveModifyRequestControl;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * Guesses passwords by changes, as an account that may write them and read none: each guess is an
 * attempt at the account, as a bind is.
 */
class PresentedPasswordsTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String WRITER = "uid=op," + BASE;
  private static final String SECRET = "secret";
  private static final Control NO_OP = new Control("1.3.6.1.4.1.4203.666.5.2", true);

  /** The answer to a change that would have been made. */
  private static final int NOT_DONE = 16654;

  /** At least as many as a machine has processors; the same in the server. */
  private static final int NAME = Math.max(4, Runtime.getRuntime().availableProcessors());

  @TempDir Path folder;
  private RunningServer server;
  private LDAPConnection writer;

  /** A way to try a change without that anything is changed, or nearly so. */
  enum Way {
    PLAIN,
    NO_OP,
    PERMISSIVE,
    TRANSACTION
  }

  @BeforeEach
  void serve() throws Exception {
    start("");
  }

  private void start(String more) throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            access.writers = ["%s"]
            security.minimumStrength.simpleBind = 0
            password.scheme = SSHA
            guessing { failuresPerSource = %d, failuresPerName = %d, failuresPerKnownSource = %d
              refillSeconds = 86400 }
            %s
            """
                .formatted(WRITER, 100 * NAME, NAME, NAME, more));
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      if (root.getEntry(BASE) == null) {
        root.add("dn: " + BASE, "objectClass: domain", "dc: example");
        for (String uid : List.of("op", "ann", "ben")) {
          String stored = uid.equals("ben") ? unsalted(SECRET) : SECRET;
          root.add(
              "dn: " + name(uid),
              "objectClass: inetOrgPerson",
              "uid: " + uid,
              "cn: " + uid,
              "sn: " + uid,
              "userPassword: " + stored);
        }
      }
    }
    writer = new LDAPConnection("127.0.0.1", LocalServer.port(server), WRITER, SECRET);
  }

  @AfterEach
  void stop() {
    writer.close();
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    server.close();
  }

  private static String name(String uid) {
    return "uid=" + uid + ',' + BASE;
  }

  private static String unsalted(String password) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-1").digest(password.getBytes(UTF_8));
    return "{SHA}" + Base64.getEncoder().encodeToString(digest);
  }

  private int modify(Way way, ModificationType how, String uid, String value) throws Exception {
    Control[] controls =
        switch (way) {
          case PLAIN -> new Control[0];
          case NO_OP -> new Control[] {NO_OP};
          case PERMISSIVE -> new Control[] {NO_OP, new PermissiveModifyRequestControl(true)};
          case TRANSACTION -> new Control[] {transaction()};
        };
    ModifyRequest request =
        new ModifyRequest(
            name(uid), new Modification[] {new Modification(how, "userPassword", value)}, controls);
    int code = code(request);
    if (way == Way.TRANSACTION) {
      // The transaction is not ended.
      writer.close();
      writer = new LDAPConnection("127.0.0.1", LocalServer.port(server), WRITER, SECRET);
    }
    return code;
  }

  private int code(ModifyRequest request) {
    try {
      return writer.modify(request).getResultCode().intValue();
    } catch (LDAPException e) {
      return e.getResultCode().intValue();
    }
  }

  private Control transaction() throws LDAPException {
    ExtendedResult begun = writer.processExtendedOperation(new StartTransactionExtendedRequest());
    return new TransactionSpecificationRequestControl(
        ((StartTransactionExtendedResult) begun).getTransactionID());
  }

  private int bind(String uid) throws LDAPException {
    try (LDAPConnection client = LocalServer.connect(server)) {
      return client.bind(name(uid), SECRET).getResultCode().intValue();
    } catch (LDAPException e) {
      return e.getResultCode().intValue();
    }
  }

  private long logged(String reason) throws Exception {
    return LoggedBinds.lines(folder).stream()
        .filter(line -> line.contains(" reason=" + reason + ' '))
        .filter(line -> line.contains("operation=modify identity=\"" + WRITER + '"'))
        .count();
  }

  private void shouldBeLogged(String reason, long times) throws Exception {
    eventually(times + " lines say " + reason, () -> logged(reason) == times);
  }

  @ParameterizedTest
  @EnumSource
  void shouldCountEachPasswordThatIsDeletedByItsValue(Way way) throws Exception {
    int answer = way == Way.PERMISSIVE ? NOT_DONE : 16;
    for (int i = 0; i < NAME; i++) {
      assertThat(modify(way, ModificationType.DELETE, "ann", "guess" + i)).isEqualTo(answer);
    }
    assertThat(modify(way, ModificationType.DELETE, "ann", SECRET))
        .isEqualTo(ResultCode.BUSY_INT_VALUE);
    // One budget, whatever way the password is looked at.
    assertThat(bind("ann")).isEqualTo(ResultCode.BUSY_INT_VALUE);
    shouldBeLogged("wrong-password", NAME);
    shouldBeLogged("too-many-failures", 1);
  }

  @Test
  void shouldCountSeveralPasswordsOfARequest() throws Exception {
    for (int i = 0; i < NAME; i += 2) {
      ModifyRequest request =
          new ModifyRequest(
              name("ann"),
              new Modification[] {
                new Modification(ModificationType.DELETE, "userPassword", "a" + i),
                new Modification(ModificationType.DELETE, "userPassword", "b" + i)
              },
              new Control[] {NO_OP, new PermissiveModifyRequestControl(true)});
      assertThat(code(request)).isEqualTo(NOT_DONE);
    }
    assertThat(bind("ann")).isEqualTo(ResultCode.BUSY_INT_VALUE);
  }

  /** The hash of an unsalted password is as good as the password itself. */
  @Test
  void shouldCountHashesThatAreDeletedByTheirValue() throws Exception {
    for (int i = 0; i < NAME; i++) {
      assertThat(modify(Way.NO_OP, ModificationType.DELETE, "ben", unsalted("guess" + i)))
          .isEqualTo(16);
    }
    assertThat(modify(Way.NO_OP, ModificationType.DELETE, "ben", unsalted(SECRET)))
        .isEqualTo(ResultCode.BUSY_INT_VALUE);
    shouldBeLogged("wrong-password", NAME);
  }

  @Test
  void shouldNotTellIfAnAddedPasswordIsThere() throws Exception {
    for (String guess : List.of(SECRET, "guess", unsalted(SECRET), unsalted("guess"))) {
      assertThat(modify(Way.NO_OP, ModificationType.ADD, "ben", guess))
          .as(guess)
          .isEqualTo(NOT_DONE);
    }
    for (String guess : List.of(unsalted("guess"), unsalted(SECRET), SECRET)) {
      assertThat(modify(Way.PLAIN, ModificationType.ADD, "ben", guess)).as(guess).isZero();
    }
    shouldBeLogged("wrong-password", 0);
  }

  @Test
  void shouldNotTellAboutPasswordsInClearText() throws Exception {
    stop();
    start("password.hashClearText = false");
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.modify(name("ann"), new Modification(ModificationType.REPLACE, "userPassword", SECRET));
    }
    assertThat(modify(Way.NO_OP, ModificationType.ADD, "ann", SECRET)).isEqualTo(NOT_DONE);
    for (int i = 0; i < NAME; i++) {
      assertThat(modify(Way.NO_OP, ModificationType.DELETE, "ann", "guess" + i)).isEqualTo(16);
    }
    assertThat(modify(Way.NO_OP, ModificationType.DELETE, "ann", SECRET))
        .isEqualTo(ResultCode.BUSY_INT_VALUE);
  }

  /** As clients do that change a password without Password Modify. */
  @Test
  void shouldGiveBackWhatRightPasswordsTake() throws Exception {
    String present = SECRET;
    for (int i = 0; i < 2 * NAME; i++) {
      writer.modify(
          name("ann"),
          List.of(
              new Modification(ModificationType.DELETE, "userPassword", present),
              new Modification(ModificationType.ADD, "userPassword", "new" + i)));
      present = "new" + i;
    }
    writer.modify(name("ann"), new Modification(ModificationType.DELETE, "userPassword", present));
    assertThat(bind("ann")).isEqualTo(ResultCode.INVALID_CREDENTIALS_INT_VALUE);
  }

  /** A lock keeps out who logs in, not those who set another password because of it. */
  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"PLAIN", "PERMISSIVE"})
  void shouldReplaceThePasswordOfALockedAccount(Way way) throws Exception {
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.modify(
          new ModifyRequest(
              new String[] {
                "dn: " + name("ann"),
                "changetype: modify",
                "replace: pwdAccountLockedTime",
                "pwdAccountLockedTime: 000001010000Z"
              }));
      assertThat(bind("ann")).isEqualTo(49);
      Control[] controls =
          way == Way.PERMISSIVE
              ? new Control[] {new PermissiveModifyRequestControl(true)}
              : new Control[0];
      ModifyRequest change =
          new ModifyRequest(
              name("ann"),
              new Modification[] {
                new Modification(ModificationType.DELETE, "userPassword", SECRET),
                new Modification(ModificationType.ADD, "userPassword", "better"),
                new Modification(ModificationType.REPLACE, "pwdAccountLockedTime")
              },
              controls);
      assertThat(root.modify(change).getResultCode().intValue()).isZero();
    }
    assertThat(bind("ann")).isEqualTo(49);
    try (LDAPConnection client = LocalServer.connect(server)) {
      assertThat(client.bind(name("ann"), "better").getResultCode().intValue()).isZero();
    }
  }
}
