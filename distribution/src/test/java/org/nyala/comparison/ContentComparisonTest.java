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
import org.nyala.error.Installation;

/** Comparisons of content: what is held, shown, and changes meanwhile. */
class ContentComparisonTest {
  private static final String ENTRY = "dn: cn=a\nobjectClass: groupOfNames\ncn: a\n";

  @TempDir Path folder;

  private final List<String> lines = new ArrayList<>();

  private static EntryAssembly assembly() throws IOException {
    return new EntryAssembly(Installation.current().schema(), false, List.of());
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
    new ContentComparison(one, other, 1, lines::add, 10).run();
    assertThat(lines).hasSize(2);
    assertThat(lines.getLast())
        .matches("  member: 3 values of SHA-256 \\p{XDigit}{16} \\| 5 values of .*");
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
