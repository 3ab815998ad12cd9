package org.nyala.lmdb.ldif;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.lmdb.ImportTestCase;
import org.nyala.lmdb.rejection.RejectionCauses;

/** The causes of rejections that an import counts. */
class RejectionCausesTest extends ImportTestCase {
  @Test
  void shouldCountRejectionsByCauseWithTheFirstEntriesOfEach() throws IOException {
    StringBuilder ldif = new StringBuilder(TOP);
    for (int i = 0; i < 30; i++) {
      ldif.append(person("o" + i, "").replace("uid=o" + i, "uid=o" + i + ",ou=nowhere"));
    }
    for (int i = 0; i < 2; i++) {
      ldif.append(person("n" + i, "uidNumber: n" + i + "\n"));
    }
    ldif.append("dn:: dWlkPVhlLAo=\ncn: x\n\nno record\n\n");

    ImportResult result = load(settings(), ldif.toString());

    assertThat(result.rejectionCauses())
        .satisfiesExactly(
            cause ->
                assertThat(cause)
                    .isEqualTo(
                        "30 x the parent entry does not exist:"
                            + " 'uid=o0,ou=nowhere,dc=example,dc=com' (line 8),"
                            + " 'uid=o1,ou=nowhere,dc=example,dc=com' (line 14),"
                            + " 'uid=o2,ou=nowhere,dc=example,dc=com' (line 20), ..."),
            cause ->
                assertThat(cause)
                    .startsWith("2 x a value of uidNumber is not a valid INTEGER: 'uid=n0,dc="),
            cause -> assertThat(cause).startsWith("1 x invalid DN").contains("'uid=Xe,?' (line"),
            cause -> assertThat(cause).startsWith("1 x expected \"dn:\": line "));
  }

  @Test
  void shouldKeepABoundedNumberOfCauses() throws IOException {
    StringBuilder ldif = new StringBuilder(TOP);
    for (int i = 0; i < 80; i++) {
      ldif.append(
          person("t" + i, "type" + (char) ('a' + i / 26) + (char) ('a' + i % 26) + ": 1\n"));
    }

    List<String> causes = load(settings(), ldif.toString()).rejectionCauses();

    assertThat(causes).hasSize(51).first().asString().startsWith("30 x other reasons: 'uid=t50,");
  }

  @Test
  void shouldCountWhatDiffersInNamesPathsAndNumbersAsOneCause() throws IOException {
    StringBuilder ldif = new StringBuilder(TOP);
    for (int i = 0; i < 60; i++) {
      ldif.append(person("a" + i, "jpegPhoto:< file:///photos/u" + i + ".jpg\n"));
      ldif.append(person("b" + i, "jpegPhoto:< http://photos/u" + i + ".jpg\n"));
      ldif.append(person("c" + i, "jpegPhoto:< file://photos/u" + i + ".jpg\n"));
      ldif.append(person("d" + i, "").replaceFirst("\n", "\nchangetype: d" + i + "\n"));
      ldif.append(person("x".repeat(i) + "<", ""));
      ldif.append(person("f" + i, "displayName: x\ndisplayName: y" + i + "\n"));
      ldif.append(person("g" + i, "displayName: x\n".repeat(i % 2) + numbers(i + 2)));
      ldif.append(person("h" + i, "preferredLanguage:: /w==\n"));
      ldif.append("x" + i + ": y\n\n");
    }

    List<String> causes = load(settings(), ldif.toString()).rejectionCauses();

    assertThat(causes).noneMatch(cause -> cause.contains("other reasons"));
    assertThat(causes.stream().map(cause -> cause.replaceAll(": ['l].*", "")))
        .containsExactlyInAnyOrder(
            "60 x no such file",
            "60 x only file URLs are read",
            "60 x not a file URL",
            "60 x a change and not an entry",
            "60 x invalid DN: a character that must be escaped",
            "120 x displayName has one value, not more",
            "60 x a value of preferredLanguage is not a valid Directory String",
            "60 x expected \"dn:\"");
  }

  private static String numbers(int count) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      lines.append("displayName: n").append(i).append('\n');
    }
    return lines.toString();
  }

  @Test
  void shouldBoundTheLengthOfACause() {
    RejectionCauses causes = new RejectionCauses();
    causes.add("\u202e" + "x".repeat(10_000), () -> "line 1");

    assertThat(causes.lines()).containsExactly("1 x ?" + "x".repeat(199) + "...: line 1");
  }

  @Test
  void shouldNameEntriesWhoseDnIsInCapitalsOrEndsInABlank() throws IOException {
    String ldif =
        TOP
            + person("a", "type: 1\n").replace("dn: ", "DN: ")
            + person("b", "type: 1\n").replace(",dc=com", ",dc=com\\ ")
            + person("c", "").replace("uid=c", "uid=c,ou=nowhere").replace("dn: ", "Dn: ");

    assertThat(load(settings(), ldif).rejectionCauses())
        .containsExactlyInAnyOrder(
            "2 x the schema has no attribute type for 'type': 'uid=a,dc=example,dc=com' (line 13),"
                + " 'uid=b,dc=example,dc=com\\ ' (line 20)",
            "1 x the parent entry does not exist: 'uid=c,ou=nowhere,dc=example,dc=com' (line 22)");
  }
}
