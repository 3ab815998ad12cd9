package org.nyala.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldif.LDIFReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SampleDirectoryTest {
  private static String ldif(int people, long seed) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new SampleDirectory(people, seed).writeTo(out);
    return out.toString(UTF_8);
  }

  private static List<Entry> entries(int people) throws Exception {
    List<Entry> entries = new ArrayList<>();
    byte[] bytes = ldif(people, SampleDirectory.DEFAULT_SEED).getBytes(UTF_8);
    try (LDIFReader reader = new LDIFReader(new ByteArrayInputStream(bytes))) {
      for (Entry entry = reader.readEntry(); entry != null; entry = reader.readEntry()) {
        entries.add(entry);
      }
    }
    return entries;
  }

  @Test
  void shouldWriteAsManyEntriesAsItSays() throws Exception {
    for (int people : new int[] {1, 2, 9, 10, 11, 700}) {
      assertThat(entries(people))
          .as("%d people", people)
          .hasSize(new SampleDirectory(people, 1).entries());
    }
  }

  @Test
  void shouldPutParentsBeforeChildrenAndNameNobodyTwice() throws Exception {
    List<Entry> entries = entries(300);
    List<String> seen = new ArrayList<>();
    for (Entry entry : entries) {
      String dn = entry.getParsedDN().toNormalizedString();
      assertThat(seen).doesNotContain(dn);
      if (!dn.equals(SampleDirectory.SUFFIX)) {
        assertThat(seen).contains(entry.getParentDN().toNormalizedString());
      }
      seen.add(dn);
    }
  }

  @Test
  void shouldGiveTheSamePeopleForTheSameSeed() throws IOException {
    assertThat(ldif(50, 7)).isEqualTo(ldif(50, 7)).isNotEqualTo(ldif(50, 8));
  }

  @Test
  void shouldBeginALargerSampleWithTheSmallerOne() throws IOException {
    String small = ldif(20, 7);
    String peopleOfSmall = small.substring(0, small.indexOf("dn: cn=team.0"));
    assertThat(ldif(40, 7)).startsWith(peopleOfSmall);
  }

  @Test
  void shouldLetEverybodyLogInWithTheDocumentedPassword() throws Exception {
    MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
    for (int n = 0; n < 20; n++) {
      String uid = "user." + n;
      Entry person =
          entries(20).stream()
              .filter(entry -> uid.equals(entry.getAttributeValue("uid")))
              .findAny()
              .orElseThrow();
      String stored = person.getAttributeValue("userPassword");
      assertThat(stored).startsWith("{SSHA}");
      byte[] digestAndSalt = Base64.getDecoder().decode(stored.substring("{SSHA}".length()));
      sha1.update(("password." + n).getBytes(UTF_8));
      byte[] expected = sha1.digest(Arrays.copyOfRange(digestAndSalt, 20, digestAndSalt.length));
      assertThat(Arrays.copyOf(digestAndSalt, 20)).isEqualTo(expected);
    }
  }

  @Test
  void shouldVaryNamesAndKeepGroupMembersReal() throws Exception {
    List<Entry> entries = entries(2000);
    List<Entry> people = entries.stream().filter(entry -> entry.hasAttribute("uid")).toList();
    assertThat(people).hasSize(2000);
    assertThat(people.stream().map(entry -> entry.getAttributeValue("sn")).distinct().count())
        .isGreaterThan(400);
    assertThat(people.stream().map(entry -> entry.getAttributeValue("cn")).distinct().count())
        .isGreaterThan(1900);
    var names = people.stream().map(entry -> entry.getDN()).collect(Collectors.toSet());
    List<Entry> groups =
        entries.stream().filter(entry -> entry.hasObjectClass("groupOfNames")).toList();
    assertThat(groups).hasSize(10);
    for (Entry group : groups) {
      assertThat(names).contains(group.getAttributeValues("member"));
    }
  }

  @Test
  void shouldWriteEntriesOfAnOrdinarySize() throws IOException {
    assertThat(ldif(1000, 7).length() / 1000).isBetween(600, 750);
  }

  @Test
  void shouldRefuseASampleOfNobody() {
    assertThatThrownBy(() -> new SampleDirectory(0, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
