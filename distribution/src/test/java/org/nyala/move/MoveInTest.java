package org.nyala.move;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldif.LDIFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Moves an installation of slapd in as the migration page has it, compares, and moves it back. */
@Timeout(300)
class MoveInTest {
  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldMoveInAndBack(boolean byFolder) throws Exception {
    Path old = Files.createDirectory(folder.resolve("old"));
    try (SlapdInstallation slapd = SlapdInstallation.make(old)) {
      Path configuration = byFolder ? slapd.configurationFolder() : slapd.configuration();
      Path example = slapd.slapcat(1);
      Path partners = slapd.slapcat(2);
      Path target = migrate(configuration, example, partners);
      Path conf = target.resolve("nyala.conf");

      shouldImport(conf, example, partners);
      shouldBeEqual(conf, example, SlapdInstallation.EXAMPLE, slapd.entries(1));
      shouldBeEqual(conf, partners, SlapdInstallation.PARTNERS, slapd.entries(2));
      slapd.start();
      try (RunningServer server = LocalServer.startFrom(conf, folder)) {
        shouldServeTheSame(slapd, server);
        change(server);
        Files.createDirectory(folder.resolve("back"));
        nyala.shouldSucceed(
            conf, "export", "--split=" + folder.resolve("back"), "--member-of=computed");
      }
    }
    shouldMoveBack();
  }

  private Path migrate(Path slapd, Path example, Path partners) throws IOException {
    Path target = folder.resolve("etc");
    int code =
        nyala.run(
            "migrate",
            slapd.toString(),
            example.toString(),
            partners.toString(),
            "--to=" + target,
            "--data=" + folder.resolve("data"),
            "--write");

    // Some of it has no counterpart, and some entries are in conflict with others.
    assertThat(code).as(nyala.out() + nyala.err()).isEqualTo(ExitCode.REJECTED);
    shouldReport(nyala.out());
    Path conf = target.resolve("nyala.conf");
    String text = Files.readString(conf);
    assertThat(text).contains("rootAccounts = [").doesNotContain("anchor");
    Files.writeString(
        conf, text.replaceFirst("listeners = .*", "listeners = [\"ldap://127.0.0.1:0\"]"));
    return target;
  }

  private static void shouldReport(String report) {
    assertThat(report)
        .doesNotContain("CANNOT BE USED")
        .contains("naming contexts: dc=example,dc=com and o=partners")
        .contains("overlay valsort: values come in no order")
        .contains("sshPublicKey")
        .contains("{SASL}")
        .contains("pwdAccountLockedTime")
        .contains("mail");
    assertThat(report.lines())
        .noneMatch(line -> line.contains("not known here") || line.contains("olcOverlay: "));
  }

  private void shouldImport(Path conf, Path example, Path partners) {
    int code =
        nyala.run(
            conf,
            "import",
            example.toString(),
            partners.toString(),
            "--reject=" + folder.resolve("rejected.ldif"));
    assertThat(code).as(nyala.out() + nyala.err()).isEqualTo(ExitCode.OK);
    nyala.shouldSucceed(conf, "verify", "--schema");
  }

  private void shouldBeEqual(Path conf, Path ldif, String suffix, int entries) {
    int code =
        nyala.run(
            conf,
            "compare",
            ldif.toString(),
            folder.resolve("data").toString(),
            "--base=" + suffix,
            "--operational",
            "--except=memberOf");
    assertThat(code).as(nyala.out() + nyala.err()).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).contains(Integer.toString(entries));
  }

  private static void shouldServeTheSame(SlapdInstallation slapd, RunningServer server) {
    Map<String, ResultCode> before = new TreeMap<>();
    Map<String, ResultCode> after = new TreeMap<>();
    for (int number = 0; number < StoredSecret.values().length + 2; number++) {
      String dn = SlapdInstallation.person(number);
      boolean isFirst = number < StoredSecret.values().length;
      String key = isFirst ? StoredSecret.of(number).name() : dn;
      before.put(key, code(slapd, dn));
      after.put(key, code(server, dn));
    }
    // The report has told the former; the latter, slapd would take for another password.
    before.put(StoredSecret.CRYPT_SCRYPT.name(), ResultCode.INVALID_CREDENTIALS);
    before.put(StoredSecret.CLEARTEXT.name(), ResultCode.SUCCESS);
    assertThat(after).isEqualTo(before);
    assertThat(code(server, SlapdInstallation.EXAMPLE_ROOT)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(server, SlapdInstallation.PARTNERS_ROOT)).isEqualTo(ResultCode.SUCCESS);
  }

  private static ResultCode code(SlapdInstallation slapd, String dn) {
    try (LDAPConnection _ = slapd.client(dn)) {
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private static ResultCode code(RunningServer server, String dn) {
    try (LDAPConnection _ = client(server, dn)) {
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private static LDAPConnection client(RunningServer server, String dn) throws LDAPException {
    return new LDAPConnection("127.0.0.1", LocalServer.port(server), dn, StoredSecret.PASSWORD);
  }

  private static void change(RunningServer server) throws LDAPException, LDIFException {
    try (LDAPConnection root = client(server, SlapdInstallation.EXAMPLE_ROOT)) {
      root.modify(
          SlapdInstallation.person(0),
          new Modification(ModificationType.REPLACE, "description", "moved"));
    }
    try (LDAPConnection root = client(server, SlapdInstallation.PARTNERS_ROOT)) {
      root.add("dn: ou=new,o=partners", "objectClass: organizationalUnit", "ou: new");
    }
  }

  private void shouldMoveBack() throws Exception {
    List<String> suffixes = List.of(SlapdInstallation.EXAMPLE, SlapdInstallation.PARTNERS);
    Path again = Files.createDirectory(folder.resolve("again"));
    try (SlapdInstallation slapd = SlapdInstallation.empty(again)) {
      for (int number = 1; number <= 2; number++) {
        Path ldif = folder.resolve("back").resolve(suffixes.get(number - 1) + ".ldif");
        slapd.slapadd(number, ldif);
        Path dump = slapd.slapcat(number);
        int code = nyala.run("compare", ldif.toString(), dump.toString(), "--operational");
        assertThat(code).as(nyala.out() + nyala.err()).isEqualTo(ExitCode.OK);
      }
      slapd.start();
      try (LDAPConnection root = slapd.client(SlapdInstallation.EXAMPLE_ROOT)) {
        assertThat(root.getEntry(SlapdInstallation.person(0)).getAttributeValue("description"))
            .isEqualTo("moved");
      }
      try (LDAPConnection root = slapd.client(SlapdInstallation.PARTNERS_ROOT)) {
        assertThat(root.getEntry("ou=new,o=partners")).isNotNull();
      }
    }
  }

  @Test
  void shouldWriteNothingWithoutBeingAskedTo() throws Exception {
    try (SlapdInstallation slapd = SlapdInstallation.empty(folder)) {
      Path target = folder.resolve("etc");

      nyala.run("migrate", slapd.configuration().toString(), "--to=" + target);

      assertThat(nyala.out()).contains("--write would write " + target.resolve("nyala.conf"));
      assertThat(target).doesNotExist();
    }
  }
}
