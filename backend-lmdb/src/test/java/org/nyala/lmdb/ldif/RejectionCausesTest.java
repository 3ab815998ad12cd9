package org.nyala.lmdb.ldif;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.lmdb.ImportTestCase;

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
}
