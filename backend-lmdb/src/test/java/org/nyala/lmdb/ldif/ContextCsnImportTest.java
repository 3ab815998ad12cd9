package org.nyala.lmdb.ldif;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.lmdb.Exported;
import org.nyala.lmdb.ImportTestCase;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;

/** Change sequence numbers in LDIF, which become those of naming contexts. */
class ContextCsnImportTest extends ImportTestCase {
  private static final String ONE = "dc=one,dc=com";
  private static final String TWO = "dc=two,dc=com";

  private static final String REST = "#000000#001#000000";

  /** The first number that an import gives to an entry without one. */
  private static final String GENERATED = "20260304050607.000008Z#000000#000#000000";

  private static String top(String suffix, String... lines) {
    return "dn: "
        + suffix
        + "\nobjectClass: organization\nobjectClass: dcObject\no: x\ndc: "
        + suffix.substring(3, 6)
        + "\n"
        + String.join("\n", lines)
        + (lines.length == 0 ? "\n" : "\n\n");
  }

  private static String unit(String ou, String suffix, String... lines) {
    return "dn: ou="
        + ou
        + ","
        + suffix
        + "\nobjectClass: organizationalUnit\nou: "
        + ou
        + "\n"
        + String.join("\n", lines)
        + (lines.length == 0 ? "\n" : "\n\n");
  }

  private static String csn(int day, int server) {
    return "202601%02d120000.000000Z#000000#%03x#000000".formatted(day, server);
  }

  private static ImportSettings bothSuffixes() {
    return settings().with(draft -> draft.suffixes = List.of(TestStore.dn(ONE), TestStore.dn(TWO)));
  }

  private List<String> vector(String suffix) {
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, TestStore.SETTINGS);
        ReadTransaction read = backend.beginRead()) {
      return read.contextCsns(read.find(TestStore.dn(suffix))).csns().stream()
          .map(Csn::toString)
          .toList();
    }
  }

  private static List<String> contextCsns(String ldif) {
    return ldif.lines().filter(line -> line.startsWith("contextCSN")).toList();
  }

  @Test
  void shouldTakeTheLargestOfEachServerAndNamingContext() throws IOException {
    load(
        bothSuffixes(),
        top(ONE, "entryCSN: " + csn(5, 1), "contextCSN: " + csn(9, 2), "contextCSN: " + csn(4, 1))
            + unit("a", ONE, "entryCSN: " + csn(6, 1))
            + unit("b", ONE, "entryCSN: " + csn(8, 2))
            + top(TWO, "entryCSN: " + csn(3, 0xabc), "contextCSN: " + csn(20, 1))
            + unit("a", TWO, "entryCSN: " + csn(2, 0xabc), "contextCSN: " + csn(1, 7))
            + unit("c", ONE, "entryCSN: " + csn(7, 1)));
    assertSound();
    assertThat(vector(ONE)).containsExactly(csn(7, 1), csn(9, 2));
    assertThat(vector(TWO)).containsExactly(csn(20, 1), csn(1, 7), csn(3, 0xabc));
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, TestStore.SETTINGS);
        WriteTransaction write = backend.beginWrite()) {
      assertThat(write.largestCsns().csns().stream().map(Csn::toString))
          .containsExactly(csn(20, 1), csn(9, 2), csn(1, 7), csn(3, 0xabc));
    }
  }

  @Test
  void shouldGiveThemToTheExportAndNotToEntries() throws IOException {
    String ldif =
        top(ONE, "entryCSN: " + csn(5, 1), "contextCSN: " + csn(9, 1))
            + unit("a", ONE, "entryCSN: " + csn(6, 2));
    load(settings(), ldif);
    String exported = Exported.ldif(data);
    assertThat(contextCsns(exported))
        .containsExactly("contextCSN: " + csn(9, 1), "contextCSN: " + csn(6, 2));
    load(settings().with(draft -> draft.replace = true), exported);
    assertThat(Exported.ldif(data)).isEqualTo(exported);
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, TestStore.SETTINGS);
        ReadTransaction read = backend.beginRead()) {
      var view = new org.nyala.core.entry.EntryView();
      assertThat(read.read(read.find(TestStore.dn(ONE)), view)).isTrue();
      int id = read.attributes().id(AttributeDescription.parse(SCHEMA, "contextCSN"));
      for (int i = 0; i < view.attributeCount() && id != AttributeTable.ABSENT; i++) {
        assertThat(view.attributeId(i)).isNotEqualTo(id);
      }
    }
  }

  @Test
  void shouldTakeTheLargestOfManyEntriesWhateverThreadPreparesThem() throws IOException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    StringBuilder ldif = new StringBuilder(top(ONE, "entryCSN: " + csn(1, 0)));
    ldif.append(top(TWO, "entryCSN: " + csn(1, 0)));
    List<TreeMap<String, String>> expected = List.of(new TreeMap<>(), new TreeMap<>());
    expected.forEach(each -> each.put("000", csn(1, 0)));
    for (int i = 0; i < 8000; i++) {
      Csn csn = new Csn(random.nextLong(1L << 50), random.nextInt(9), random.nextInt(40), 0);
      int suffix = random.nextInt(2);
      ldif.append(unit("u" + i, suffix == 0 ? ONE : TWO, "entryCSN: " + csn));
      String text = csn.toString();
      expected
          .get(suffix)
          .merge(text.substring(30, 33), text, (a, b) -> a.compareTo(b) > 0 ? a : b);
    }
    load(bothSuffixes(), ldif.toString());
    assertThat(vector(ONE)).as("seed %d", seed).containsExactlyElementsOf(expected.get(0).values());
    assertThat(vector(TWO)).as("seed %d", seed).containsExactlyElementsOf(expected.get(1).values());
  }

  @Test
  void shouldReplaceNumbersWithoutATime() throws IOException {
    ImportResult result =
        load(
            settings(),
            top(ONE, "entryCSN: " + csn(5, 1), "contextCSN: 20261301000000.000000Z" + REST)
                + unit("a", ONE, "entryCSN: 20269901000000.000000Z" + REST)
                + unit("b", ONE, "entryCSN: " + csn(6, 1)));
    assertThat(vector(ONE)).containsExactly(GENERATED, csn(6, 1));
    assertSound();
    assertThat(result.warnings())
        .singleElement()
        .asString()
        .startsWith("2 change sequence numbers not used, ")
        .contains("the first, line 7 of ");
  }

  @Test
  void shouldReplaceNumbersThatAreFarAhead() throws IOException {
    String last = "99991231235959.999999Z#000000#002#000000";
    String dayAhead = "20260305050607.000008Z#000000#003#000000";
    String moreAhead = "20260305050607.000009Z#000000#004#000000";
    ImportResult result =
        load(
            settings().with(draft -> draft.suffixes = List.of(TestStore.dn(ONE))),
            unit("a", ONE, "entryCSN: " + last)
                + top(ONE, "entryCSN: " + dayAhead, "contextCSN: " + last)
                + unit("b", ONE, "entryCSN: " + moreAhead));
    assertThat(vector(ONE)).containsExactly("20260304050607.000008Z#000001#000#000000", dayAhead);
    assertSound();
    assertThat(result.warnings())
        .singleElement()
        .asString()
        .startsWith("3 change sequence numbers not used, ");
  }

  @Test
  void shouldRejectTheNumbersOfMoreServersThanANamingContextHolds() throws IOException {
    List<String> lines = new ArrayList<>(List.of("entryCSN: " + csn(5, 0)));
    for (int server = 1; server < LargestCsns.MAXIMUM_SERVERS; server++) {
      lines.add("contextCSN: " + csn(4, server));
    }
    ImportResult result =
        load(
            bothSuffixes(),
            top(ONE, lines.toArray(String[]::new))
                + unit("a", ONE, "entryCSN: " + csn(6, LargestCsns.MAXIMUM_SERVERS))
                + unit("b", ONE, "entryCSN: " + csn(7, LargestCsns.MAXIMUM_SERVERS - 1))
                + top(TWO, "entryCSN: " + csn(6, LargestCsns.MAXIMUM_SERVERS)));
    assertThat(result.firstRejections())
        .singleElement()
        .asString()
        .contains("more than 128 servers in one naming context");
    assertThat(vector(ONE)).hasSize(LargestCsns.MAXIMUM_SERVERS).endsWith(csn(7, 127));
    assertThat(vector(TWO)).containsExactly(csn(6, LargestCsns.MAXIMUM_SERVERS));
    assertSound();
  }

  @Test
  void shouldRejectWhatIsNoNumber() throws IOException {
    ImportResult result = load(settings(), top(ONE) + unit("a", ONE, "contextCSN: tomorrow"));
    assertThat(result.entriesRejected()).isEqualTo(1);
  }
}
