package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.BindResult;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.experimental.DraftBeheraLDAPPasswordPolicy10ErrorType;
import com.unboundid.ldap.sdk.experimental.DraftBeheraLDAPPasswordPolicy10RequestControl;
import com.unboundid.ldap.sdk.experimental.DraftBeheraLDAPPasswordPolicy10ResponseControl;
import com.unboundid.ldif.LDIFReader;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Serves policies and the state of accounts as slapcat of OpenLDAP 2.5 has written them. */
@Timeout(300)
class MigratedPolicyTest {
  private static final String TOP = "dc=example,dc=com";
  private static final Control ASKS = new DraftBeheraLDAPPasswordPolicy10RequestControl();

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private Path ldif;
  private Path configuration;
  private RunningServer server;

  @BeforeEach
  void serve() throws Exception {
    ldif = folder.resolve("policies.ldif");
    try (InputStream stored = getClass().getResourceAsStream("password-policies.ldif")) {
      Files.copy(stored, ldif);
    }
    String more = "passwordPolicy.default = \"cn=default," + TOP + "\"";
    configuration = ServerProcess.configure(folder, more);
    assertThat(nyala("import", ldif.toString())).as(commands.err()).isEqualTo(ExitCode.OK);
    server = LocalServer.start(folder, more);
  }

  @AfterEach
  void stop() {
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    server.close();
  }

  private int nyala(String... line) {
    return commands.run(configuration, line);
  }

  private BindResult bind(LDAPConnection client, String user, String password)
      throws LDAPException {
    try {
      return client.bind(new SimpleBindRequest("uid=" + user + "," + TOP, password, ASKS));
    } catch (LDAPException e) {
      return new BindResult(e);
    }
  }

  private static DraftBeheraLDAPPasswordPolicy10ErrorType error(BindResult result)
      throws LDAPException {
    return DraftBeheraLDAPPasswordPolicy10ResponseControl.get(result).getErrorType();
  }

  @Test
  void shouldApplyThem() throws Exception {
    try (LDAPConnection client = LocalServer.connect(server)) {
      assertThat(bind(client, "ben", "first1").getResultCode())
          .isEqualTo(ResultCode.INVALID_CREDENTIALS);
      BindResult expired = bind(client, "cleo", "first1");
      assertThat(expired.getResultCode()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      assertThat(error(expired))
          .isEqualTo(DraftBeheraLDAPPasswordPolicy10ErrorType.PASSWORD_EXPIRED);
      BindResult reset = bind(client, "dora", "given11");
      assertThat(reset.getResultCode()).isEqualTo(ResultCode.SUCCESS);
      assertThat(error(reset))
          .isEqualTo(DraftBeheraLDAPPasswordPolicy10ErrorType.CHANGE_AFTER_RESET);
      assertThat(change(client, "dora", "first1")).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      assertThat(change(client, "dora", "mine11")).isEqualTo(ResultCode.SUCCESS);
      assertThat(bind(client, "ada", "third33").getResultCode()).isEqualTo(ResultCode.SUCCESS);
      for (String former : List.of("first1", "second2", "third33")) {
        assertThat(change(client, "ada", former)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      }
      assertThat(change(client, "ada", "fourth4")).isEqualTo(ResultCode.SUCCESS);
    }
  }

  private static ResultCode change(LDAPConnection client, String user, String password)
      throws LDAPException {
    try {
      return client
          .modify(
              new ModifyRequest(
                  "uid=" + user + "," + TOP,
                  new Modification(ModificationType.REPLACE, "userPassword", password)))
          .getResultCode();
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  @Test
  void shouldGiveThemBackAsTheyWere() throws Exception {
    Path exported = folder.resolve("exported.ldif");
    assertThat(nyala("export", "-o", exported.toString())).isEqualTo(ExitCode.OK);
    List<Entry> before = LDIFReader.readEntries(ldif.toString());
    List<Entry> after = LDIFReader.readEntries(exported.toString());
    assertThat(after).hasSameSizeAs(before);
    for (Entry entry : before) {
      Entry now =
          after.stream()
              .filter(each -> each.getDN().equals(entry.getDN()))
              .findFirst()
              .orElseThrow();
      entry
          .getAttributes()
          .forEach(
              each ->
                  assertThat(now.getAttributeValues(each.getName()))
                      .as("%s of %s", each.getName(), entry.getDN())
                      .containsExactlyInAnyOrder(each.getValues()));
    }
  }
}
