package org.nyala.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.limits.ServerLimits.RequestLimits;
import org.nyala.error.Installation;

/** Comparisons of content: what is held, shown, and changes meanwhile. */
class ContentComparisonTest {
  private static final String ENTRY = "dn: cn=a\nobjectClass: groupOfNames\ncn: a\n";

  @TempDir Path folder;

  private final List<String> lines = new ArrayList<>();

  private static EntryAssembly assembly() throws IOException {
    return new EntryAssembly(
        Installation.current().schema(), RequestLimits.DEFAULT, false, List.of());
  }

  private EntrySource ldif(String name, String text) throws IOException {
    return new LdifSource(Files.writeString(folder.resolve(name), text), assembly(), null);
  }

  /** A place that has other entries each time that it is read. */
  private record Changing(Iterator<EntrySource> states) implements EntrySource {
    @Override
    public String label() {
      return "changing";
    }

    @Override
    public void read(Consumer<ComparedEntry> reader) throws IOException {
      states.next().read(reader);
    }
  }

  private static String members(int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append("member: cn=").append(i).append("\n");
    }
    return text.toString();
  }

  @Test
  void onlySomeValuesAreShown() throws IOException {
    EntrySource one = ldif("one", ENTRY + members(3));
    EntrySource other = ldif("other", ENTRY + members(103));
    new ContentComparison(one, other, 1, lines::add).run();
    assertThat(lines).hasSize(2).first().isEqualTo("differs: cn=a");
    assertThat(lines.getLast()).startsWith("  member: - | cn=10, ").endsWith(", and 80 more");
  }

  @Test
  void entriesTooLargeToBeHeldAreSummedUp() throws IOException {
    EntrySource one = ldif("one", ENTRY + members(3));
    EntrySource other = ldif("other", ENTRY + members(5));
    new ContentComparison(one, other, 1, lines::add, 10, 10_000).run();
    assertThat(lines).hasSize(2);
    assertThat(lines.getLast())
        .matches("  member: 3 values of SHA-256 \\p{XDigit}{16} \\| 5 values of .*");
  }

  @Test
  void whatIsHeldOfManyAttributesIsBounded() throws IOException {
    StringBuilder many = new StringBuilder(ENTRY);
    for (int i = 0; i < 1500; i++) {
      many.append("x-").append(i).append(": 1\n");
    }
    EntrySource one = ldif("one", ENTRY);
    EntrySource other = ldif("other", many.toString());
    new ContentComparison(one, other, 1, lines::add).run();
    assertThat(lines).hasSize(1002).last().isEqualTo("  and 500 more attributes");
    lines.clear();
    new ContentComparison(other, one, 1, lines::add, 10, 10).run();
    assertThat(lines).hasSize(2).first().isEqualTo("differs: cn=a");
    assertThat(lines.getLast())
        .matches("  attributes: 1502 of SHA-256 \\p{XDigit}{32} \\| 2 of SHA-256 \\p{XDigit}{32}");
  }

  @Test
  void differencesBeyondWhatIsHeldAreCounted() throws IOException {
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      values.append("x-").append(i / 20).append(": ").append("a".repeat(60)).append(i).append('\n');
    }
    StringBuilder less = new StringBuilder();
    StringBuilder more = new StringBuilder();
    for (int i = 0; i < 12; i++) {
      less.append("\ndn: cn=").append(i).append("\nobjectClass: device\n");
      more.append("\ndn: cn=").append(i).append("\nobjectClass: device\n").append(values);
    }
    EntrySource one = ldif("one", less.toString());
    EntrySource other = ldif("other", more.toString());
    ContentComparison comparison = new ContentComparison(one, other, 100, lines::add);
    comparison.run();
    assertThat(comparison.different()).isEqualTo(12);
    assertThat(comparison.unshown()).isBetween(1L, 11L);
    assertThat(lines.stream().filter(line -> line.startsWith("differs: ")))
        .hasSize((int) (12 - comparison.unshown()));
    assertThat(lines.stream().mapToLong(String::length).sum()).isLessThan(20 << 20);
  }

  @Test
  void namesCountAsMemory() throws IOException {
    String name = "a".repeat(4000);
    List<ComparedEntry> entries = new ArrayList<>();
    ldif("names", "dn: cn=" + name + "\nx-" + name + ": 1\n").read(entries::add);
    assertThat(entries.getFirst().bytes()).isGreaterThan(3 * 2 * 4000);
  }

  /** A reader of the output may pause for ever, and no snapshot is to be held then. */
  @Test
  void differencesAreShownWhenNothingIsRead() throws IOException {
    boolean[] isReading = {false};
    List<Boolean> whileReading = new ArrayList<>();
    EntrySource one = new Watched(ldif("one", ENTRY + members(3)), isReading);
    EntrySource other =
        new Watched(ldif("other", ENTRY + "\ndn: cn=b\ncn: b\n\n" + ENTRY), isReading);
    new ContentComparison(one, other, 9, _ -> whileReading.add(isReading[0])).run();
    new ContentComparison(other, one, 9, _ -> whileReading.add(isReading[0])).run();
    assertThat(whileReading).hasSizeGreaterThan(4).containsOnly(false);
  }

  private record Watched(EntrySource source, boolean[] isReading) implements EntrySource {
    @Override
    public String label() {
      return source.label();
    }

    @Override
    public void read(Consumer<ComparedEntry> reader) throws IOException {
      isReading[0] = true;
      source.read(reader);
      isReading[0] = false;
    }
  }

  @Test
  void valuesThatDifferDoNotLookAlike() throws IOException {
    String cut = "x-cut: " + "a".repeat(70);
    EntrySource one =
        ldif("one", ENTRY + cut + "b\nx-binary:: /wAB\nx-space: a\nx-control:: YQE=\n");
    EntrySource other =
        ldif("other", ENTRY + cut + "c\nx-binary:: /wAC\nx-space:: YSA=\nx-control:: YQI=\n");
    new ContentComparison(one, other, 1, lines::add).run();
    String hex = "\\p{XDigit}{16}";
    assertThat(lines).hasSize(5);
    assertThat(lines.get(1))
        .matches(
            "  x-binary: \\(3 bytes, SHA-256 "
                + hex
                + "\\) \\| \\(3 bytes, SHA-256 "
                + hex
                + "\\)");
    assertThat(lines.get(2)).contains(": a? (2 bytes, SHA-256 ");
    assertThat(lines.get(3)).contains("aaa... (71 bytes, SHA-256 ");
    assertThat(lines.get(4)).matches("  x-space: a \\| a  \\(2 bytes, SHA-256 " + hex + "\\)");
    for (String line : lines.subList(1, 5)) {
      int middle = line.indexOf(" | ");
      assertThat(line.substring(line.indexOf(": ") + 2, middle))
          .isNotEqualTo(line.substring(middle + 3));
    }
  }

  @Test
  void namesWithABitStringAreNames() throws IOException {
    String group = "dn: cn=a\nobjectClass: groupOfUniqueNames\ncn: a\nuniqueMember: ";
    EntrySource one = ldif("one", group + "cn=b,dc=c#'0101'B\nuniqueMember: cn=d\n");
    EntrySource other = ldif("other", group + "CN=B, dc=C#'0101'B\nuniqueMember: 2.5.4.3=D\n");
    EntrySource third = ldif("third", group + "cn=b,dc=c#'0111'B\nuniqueMember: cn=d\n");
    ContentComparison same = new ContentComparison(one, other, 1, lines::add);
    same.run();
    assertThat(lines).isEmpty();
    assertThat(same.equal()).isEqualTo(1);
    ContentComparison different = new ContentComparison(one, third, 1, lines::add);
    different.run();
    assertThat(different.different()).isEqualTo(1);
  }

  @Test
  void entriesThatBecomeEqualDoNotDiffer() throws IOException {
    EntrySource before = ldif("before", ENTRY);
    EntrySource after = ldif("after", ENTRY + members(1) + "\ndn: cn=b\ncn: b\n");
    EntrySource changing = new Changing(List.of(before, after).iterator());
    ContentComparison comparison = new ContentComparison(after, changing, 9, lines::add);
    comparison.run();
    assertThat(lines).isEmpty();
    assertThat(comparison.different()).isZero();
    assertThat(comparison.equal()).isEqualTo(2);
  }

  @Test
  void namesOfUnknownTypesAreCompared() throws IOException {
    EntrySource one = ldif("one", "dn: x-no=A, x-no=b\nx-no;x;y: 1\n");
    EntrySource other = ldif("other", "dn: X-NO=a,x-no=B\nX-No;Y;X: 1\nx-no;x;y: 1\n");
    ContentComparison comparison = new ContentComparison(one, other, 1, lines::add);
    comparison.run();
    assertThat(lines).isEmpty();
    assertThat(comparison.equal()).isEqualTo(1);
  }
}
