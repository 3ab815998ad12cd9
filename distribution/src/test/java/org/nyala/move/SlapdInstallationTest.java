package org.nyala.move;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the installation that others are moved from is one that slapd serves. */
class SlapdInstallationTest {
  @TempDir Path folder;

  @Test
  void shouldServeBothSuffixesByEitherConfiguration() throws Exception {
    try (SlapdInstallation slapd = SlapdInstallation.make(folder)) {
      assertThat(slapd.entries(1)).isBetween(590, 620);
      assertThat(slapd.entries(2)).isBetween(58, 62);
      slapd.start();
      shouldServe(slapd);
      slapd.stop();
      slapd.startByFolder();
      shouldServe(slapd);
      slapd.stop();
    }
  }

  private static void shouldServe(SlapdInstallation slapd) throws Exception {
    try (LDAPConnection root = slapd.client(SlapdInstallation.EXAMPLE_ROOT)) {
      // With a referral, which is no entry of the answer, and an alias.
      assertThat(count(root, SlapdInstallation.EXAMPLE)).isEqualTo(slapd.entries(1) - 1);
      SearchResultEntry person = root.getEntry(SlapdInstallation.person(0));
      assertThat(person.getAttributeValueBytes("jpegPhoto")).hasSizeGreaterThan(2000);
      assertThat(person.hasAttribute("cn;lang-ja")).isTrue();
      assertThat(person.hasAttribute("userCertificate;binary")).isTrue();
    }
    try (LDAPConnection root = slapd.client(SlapdInstallation.PARTNERS_ROOT)) {
      assertThat(count(root, SlapdInstallation.PARTNERS)).isEqualTo(slapd.entries(2));
    }
  }

  private static int count(LDAPConnection client, String suffix) throws LDAPException {
    return client.search(suffix, SearchScope.SUB, "(objectClass=*)", "1.1").getEntryCount();
  }

  @Test
  void shouldHaveAPasswordOfEveryScheme() throws Exception {
    try (SlapdInstallation slapd = SlapdInstallation.make(folder)) {
      slapd.start();
      Map<StoredSecret, ResultCode> expected = new TreeMap<>();
      Map<StoredSecret, ResultCode> codes = new TreeMap<>();
      for (int number = 0; number < StoredSecret.values().length; number++) {
        StoredSecret secret = StoredSecret.of(number);
        expected.put(
            secret, secret.isUsable() ? ResultCode.SUCCESS : ResultCode.INVALID_CREDENTIALS);
        codes.put(secret, code(slapd, SlapdInstallation.person(number)));
      }
      assertThat(codes).isEqualTo(expected);
      assertThat(code(slapd, SlapdInstallation.person(21)))
          .as("locked")
          .isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
  }

  private static ResultCode code(SlapdInstallation slapd, String dn) {
    try (LDAPConnection _ = slapd.client(dn)) {
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  @Test
  void shouldDumpWhatAnEmptyOneLoadsAgain() throws Exception {
    Path there = Files.createDirectory(folder.resolve("there"));
    Path back = Files.createDirectory(folder.resolve("back"));
    try (SlapdInstallation slapd = SlapdInstallation.make(there);
        SlapdInstallation other = SlapdInstallation.empty(back)) {
      for (int database = 1; database <= 2; database++) {
        Path dump = slapd.slapcat(database);
        assertThat(Files.readString(dump))
            .contains("entryCSN: ", "entryUUID: ", "contextCSN: ", "#001#");
        other.slapadd(database, dump);
        assertThat(other.slapcat(database)).hasSameTextualContentAs(dump);
      }
    }
  }
}
