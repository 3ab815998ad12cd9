package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.ldif.LdifLimits;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSettings;

/** Imports of entries that come before their parents. */
class ImportOrderTest extends ImportTestCase {
  private static final String SUFFIX = "dc=example,dc=com";

  @Test
  void shouldTakeADeepTreeFromTheLeafUp() throws IOException {
    List<String> records = new ArrayList<>(List.of(TOP));
    String dn = SUFFIX;
    for (int i = 3; i <= 128; i++) {
      dn = "ou=level" + i + "," + dn;
      records.add("dn: " + dn + "\nobjectClass: organizationalUnit\n\n");
    }
    ImportResult result = load(suffixed(), String.join("", records.reversed()));
    assertThat(result.firstRejections()).isEmpty();
    assertThat(result.entriesRead()).isEqualTo(127);
    assertThat(result.entriesImported()).isEqualTo(127);
    assertThat(Exported.names(data)).contains("dn: " + dn);
    assertSound();
    assertNothingLeft();
  }

  @Test
  void shouldImportTheSameFromAnyOrder() throws IOException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    load(settings(), randomDirectory(random, 3000));
    String exported = Exported.ldif(data);
    List<String> records = new ArrayList<>(records(exported));
    for (int threads : new int[] {1, 3}) {
      Collections.shuffle(records, random);
      ImportSettings settings =
          suffixed()
              .with(draft -> draft.replace = true)
              .with(draft -> draft.threads = threads)
              .with(draft -> draft.memoryBytes = 1 << 18)
              .with(draft -> draft.limits = new LdifLimits(1 << 20, 0, 1000));
      ImportResult result = load(settings, String.join("", records));
      assertThat(result.firstRejections()).as("seed %d", seed).isEmpty();
      assertThat(result.entriesImported()).as("seed %d", seed).isEqualTo(3001);
      assertThat(sorted(Exported.ldif(data))).as("seed %d", seed).isEqualTo(sorted(exported));
      assertSound();
    }
    assertNothingLeft();
  }

  @Test
  void shouldKeepLargeValuesOfEntriesThatWait() throws IOException {
    StringBuilder mail = new StringBuilder();
    for (int i = 0; i < 500; i++) {
      mail.append("mail: ").append(i).append("@example.com\n");
    }
    String below = person("below", mail.toString()).replace("uid=below", "uid=below,ou=late");
    assertThat(load(suffixed(), TOP + below + unit("ou=late")).firstRejections()).isEmpty();
    assertThat(Exported.ldif(data).lines().filter(line -> line.startsWith("mail:"))).hasSize(500);
    assertSound();
  }

  @Test
  void shouldRejectOrphansWithTheirOwnLinesAndSources() throws IOException {
    Path rejects = directory.resolve("rejects.ldif");
    String first = person("first", "").replace("uid=first", "uid=first,ou=nowhere");
    String below = person("below", "").replace("uid=below", "uid=below,uid=first,ou=nowhere");
    String waits = person("waits", "").replace("uid=waits", "uid=waits,ou=late");
    ImportResult result =
        load(
            suffixed().with(draft -> draft.rejectFile = rejects),
            below + TOP + waits,
            first + person("bad", "shoeSize: 9\n") + unit("ou=late"));
    String missing = "'ou=nowhere," + SUFFIX + "' is missing or was rejected, above .*";
    assertThat(result.entriesRead()).isEqualTo(6);
    assertThat(result.entriesImported()).isEqualTo(3);
    assertThat(result.firstRejections())
        .satisfiesExactly(
            r ->
                assertThat(r)
                    .matches("line 12 of .*: the schema has no attribute type for 'shoeSize'"),
            r -> assertThat(r).matches("line 1 of .*: the parent entry does not exist: " + missing),
            r ->
                assertThat(r).matches("line 1 of .*: the parent entry does not exist: " + missing));
    assertThat(Files.readString(rejects))
        .contains("'; the nearest above it is '" + SUFFIX + "'\n" + below)
        .contains("'; the nearest above it is '" + SUFFIX + "'\n" + first);
    assertSound();
    assertNothingLeft();
  }

  @Test
  void shouldRejectADuplicateOfAnEntryThatWaits() throws IOException {
    String waits = person("waits", "").replace("uid=waits", "uid=waits,ou=late");
    ImportResult result = load(suffixed(), TOP + waits + waits + unit("ou=late"));
    assertThat(result.firstRejections())
        .containsExactly("line 14: an entry of this name exists already");
    assertThat(result.entriesImported()).isEqualTo(3);
    assertSound();
  }

  @Test
  void shouldLeaveNothingOfAnImportThatFails() throws IOException {
    String orphan = person("a", "").replace("uid=a", "uid=a,ou=nowhere");
    assertThatThrownBy(() -> load(suffixed(), orphan.repeat(2)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("all 2 records were rejected; line 1: the parent entry");
    assertNothingLeft();
  }

  private ImportSettings suffixed() {
    return settings().with(draft -> draft.suffixes = List.of(TestStore.dn(SUFFIX)));
  }

  private static String unit(String rdn) {
    return "dn: " + rdn + "," + SUFFIX + "\nobjectClass: organizationalUnit\n\n";
  }

  private static List<String> records(String ldif) {
    return Arrays.stream(ldif.split("\n\n")).map(record -> record + "\n\n").toList();
  }

  private static List<String> sorted(String ldif) {
    return records(ldif).stream().sorted().toList();
  }

  private void assertNothingLeft() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files.map(Path::toString))
          .noneMatch(name -> name.endsWith(".tmp") || name.contains(".importing-"));
    }
  }
}
