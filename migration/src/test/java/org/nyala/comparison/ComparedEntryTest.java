package org.nyala.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries as they are compared, and their digests. */
class ComparedEntryTest {
  private static final String CANARY = "canary-7c1f";
  private static final String UUID_TEXT = "0f3ac5f0-0000-1000-8000-000000000001";

  private static ComparedEntry entry(String dn, Attribute... attributes) {
    List<Attribute> all = new ArrayList<>(List.of(attributes));
    all.add(new Attribute("entryUUID", UUID_TEXT));
    return ComparedEntry.of(new SearchResultEntry(new Entry(dn, all)), Set.of());
  }

  private static List<String> differences(Attribute one, Attribute other) {
    return entry("cn=a", one).differences(entry("cn=a", other));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "userPassword",
        "2.5.4.35",
        "authPassword;x-a",
        "pwdHistory",
        "sambaNTPassword",
        "krbPrincipalKey",
        "krb5Key",
        "unicodePwd",
        "olcRootPW"
      })
  void noSecretIsShown(String name) {
    assertThat(differences(new Attribute(name, CANARY), new Attribute(name, "{SSHA}" + CANARY)))
        .singleElement()
        .asString()
        .endsWith(" differs")
        .doesNotContain(CANARY);
  }

  @Test
  void textIsReadableAndHarmless() {
    assertThat(
            differences(
                new Attribute("cn", "Zoë 山"), new Attribute("cn", "\u001b[2J\n\u202eforged")))
        .singleElement()
        .asString()
        .matches("cn: Zoë 山 \\| \\?\\[2J\\?\\?forged \\(14 bytes, SHA-256 [0-9a-f]{16}\\)");
    assertThat(differences(new Attribute("cn", "{a}"), new Attribute("cn", "b")))
        .containsExactly("cn: {a} | b");
  }

  @Test
  void digestsTellBoundariesAndNumbersOfValuesApart() {
    EntryDigests.Digest one = entry("cn=a", new Attribute("a", "1", "b", "c")).digest();
    assertThat(entry("cn=a", new Attribute("a", "1"), new Attribute("b", "c")).digest())
        .isNotEqualTo(one);
    assertThat(entry("CN=A", new Attribute("a", "c", "b", "1")).digest()).isEqualTo(one);
    assertThat(entry("cn=a", new Attribute("cn;b;a", "x")).digest())
        .isEqualTo(entry("cn=a", new Attribute("CN;a;b", "x")).digest());
    assertThat(entry("cn=a", new Attribute("cn", "X")).digest())
        .isNotEqualTo(entry("cn=a", new Attribute("cn", "x")).digest());
  }

  @Test
  void digestsAreFoundAndTakenOnce() {
    EntryDigests digests = new EntryDigests();
    SplittableRandom random = new SplittableRandom(7);
    List<UUID> uuids = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      uuids.add(new UUID(random.nextLong(), random.nextLong()));
      digests.add(uuids.get(i), new EntryDigests.Digest(i, -i));
    }
    digests.add(uuids.get(3), new EntryDigests.Digest(0, 0));
    digests.sort();
    List<UUID> repeated = new ArrayList<>();
    digests.repeated(repeated::add);
    assertThat(repeated).containsExactly(uuids.get(3));
    assertThat(digests.find(new UUID(1, 1))).isNegative();
    for (int i = 0; i < uuids.size(); i++) {
      int at = digests.find(uuids.get(i));
      assertThat(digests.isLeft(uuids.get(i))).isTrue();
      assertThat(digests.take(at)).isTrue();
      if (i != 3) {
        assertThat(digests.digest(at)).isEqualTo(new EntryDigests.Digest(i, -i));
      }
      assertThat(digests.areLeft()).isEqualTo(i + 1 < uuids.size());
    }
    assertThat(digests.take(digests.find(uuids.get(5)))).isFalse();
  }
}
